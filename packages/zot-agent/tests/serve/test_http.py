"""What can be asked over HTTP, what is refused, and what every answer carries."""

import asyncio
import json
import os
import socket
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest

from zot_agent.serve.address import Address
from zot_agent.serve.guard import PUBLIC
from zot_provider.testing import Fault, ScriptedServer, Turn


async def test_sessions_are_opened_listed_shown_and_closed(serving: Any, alone: Path) -> None:
    async with serving() as served:
        assert await served.sessions() == []
        answer = await served.http.post("/sessions", json={"tools": ["read"], "reasoning": "low"})
        assert answer.status_code == 201
        session = answer.json()
        assert answer.headers["location"] == f"/sessions/{session['id']}"
        expected = {"cwd": str(alone), "model": "scripted", "reasoning": "low", "busy": False, "notes": []}
        assert expected.items() <= session.items()
        assert [each["id"] for each in await served.sessions()] == [session["id"]]
        assert (await served.http.get(answer.headers["location"])).json()["id"] == session["id"]
        assert (await served.command(session["id"], "get_state"))["data"]["tools"] == ["read"]
        assert (await served.http.delete(answer.headers["location"])).status_code == 204
        for method in ("get", "delete"):
            gone = await getattr(served.http, method)(answer.headers["location"])
            assert (gone.status_code, "there is no session" in gone.json()["error"]) == (404, True)
        assert await served.sessions() == []


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [
        ("POST", "/", 405, "GET, HEAD"),
        ("PUT", "/sessions", 405, "GET, HEAD, POST"),
        ("PATCH", "/sessions/none", 405, "DELETE, GET, HEAD"),
        ("GET", "/sessions/none/commands", 405, "POST"),
        ("GET", "/no/such/place", 404, None),
    ],
)
async def test_what_is_not_done_here_is_an_error_like_any_other(
    serving: Any, method: str, path: str, status: int, allowed: str | None
) -> None:
    async with serving() as served:
        answer = await served.http.request(method, path)
        assert (answer.status_code, answer.headers.get("allow")) == (status, allowed)
        assert (allowed or "nothing here") in answer.json()["error"]
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_command_that_is_posted_gets_its_own_response(serving: Any, server: ScriptedServer) -> None:
    async with serving() as served:
        id = await served.open()
        answers = await asyncio.gather(*(served.command(id, "get_models", id=number) for number in range(5)))
        assert [answer["id"] for answer in answers] == list(range(5))
        failed = await served.command(id, "dance")
        assert (failed["success"], failed["error"]) == (False, "unknown command 'dance'")
        nonsense = await served.http.post(f"/sessions/{id}/commands", content=b"nonsense")
        assert (nonsense.status_code, nonsense.json()["success"]) == (200, False)


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ("[]", 400, "object"),
        ("{", 400, "malformed"),
        ("[" * 100_000, 400, "malformed"),
        ('{"api_key": "x"}', 400, "api_key"),
        ('{"base_url": "http://evil.example"}', 400, "base_url"),
        ('{"cwd": 1}', 400, "cwd"),
        ('{"cwd": "\\u0000"}', 400, "cwd"),
        ('{"cwd": "\\ud800"}', 400, "cwd"),
        ('{"cwd": "nowhere"}', 400, "not a directory"),
        ('{"cwd": ".."}', 403, "outside"),
        ('{"cwd": "/"}', 403, "outside"),
        ('{"cwd": "/no/such/place"}', 403, "outside"),
        ('{"tools": "read"}', 400, "tools"),
        ('{"tools": ["no_such_tool"]}', 400, "no_such_tool"),
        ('{"reasoning": "much"}', 400, "reasoning"),
        ('{"provider": "anthropic"}', 403, "openai"),
        ('{"provider": "nobody"}', 403, "openai"),
        ('{"session": "../../etc/passwd"}', 400, "session"),
        ('{"session": "deadbeef"}', 404, "deadbeef"),
        ('{"session": "deadbeef", "no_session": true}', 400, "exclude"),
        ('{"no_session": "yes"}', 400, "no_session"),
    ],
)
async def test_what_cannot_be_opened_is_refused_with_the_reason(
    serving: Any, body: str, status: int, word: str
) -> None:
    async with serving() as served:
        answer = await served.http.post("/sessions", content=body)
        assert answer.status_code == status, answer.text
        assert word in answer.json()["error"]
        assert await served.sessions() == []


async def test_a_directory_may_be_any_below_a_root_and_links_are_followed_first(
    serving: Any, alone: Path, tmp_path: Path
) -> None:
    (alone / "below").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "second" / "deep").mkdir(parents=True)
    (tmp_path / "work-beside").mkdir()
    (alone / "out").symlink_to(tmp_path / "elsewhere")
    (alone / "in").symlink_to(alone / "below")
    async with serving(roots=[str(alone), str(tmp_path / "second")]) as served:
        for cwd, found in (
            ("below", alone / "below"),
            ("in", alone / "below"),
            (str(tmp_path / "second" / "deep"), tmp_path / "second" / "deep"),
            ("./below/..", alone),
        ):
            answer = await served.http.post("/sessions", json={"cwd": cwd})
            assert answer.json()["cwd"] == str(found)
        for cwd in ("out", "in/../../elsewhere", str(tmp_path / "work-beside"), str(tmp_path)):
            assert (await served.http.post("/sessions", json={"cwd": cwd})).status_code == 403


async def test_at_most_so_many_sessions_are_open(serving: Any) -> None:
    async with serving(sessions=2) as served:
        first = await served.open()
        await served.open()
        refused = await served.http.post("/sessions")
        assert (refused.status_code, "2 sessions" in refused.json()["error"]) == (429, True)
        await served.http.delete(f"/sessions/{first}")
        await served.open()


async def test_sessions_that_nobody_uses_are_closed_after_a_while(serving: Any, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(stall=600)))
    async with serving(idle_seconds=0.4) as served:
        forgotten, followed, working = [await served.open() for _ in range(3)]
        await served.command(working, "prompt", message="think")
        async with served.socket(followed) as peer:
            async with asyncio.timeout(60):
                while len(await served.sessions()) > 2:
                    await asyncio.sleep(0.05)
            assert {each["id"] for each in await served.sessions()} == {followed, working}
            assert (await served.http.get(f"/sessions/{forgotten}")).status_code == 404
            assert (await peer.call("ping"))["success"]


async def test_a_session_is_gone_on_with_by_its_id(serving: Any, server: ScriptedServer, alone: Path) -> None:
    server.add("It is blue.", "As I said.")

    async def ask(served: Any, id: str, text: str) -> None:
        async with served.socket(id) as peer:
            await peer.call("prompt", message=text)
            await peer.until("done")

    async with serving(defaults={"no_session": False}) as served:
        id = await served.open()
        await ask(served, id, "what colour?")
        (session,) = await served.sessions()
        name = session["session_id"]
        assert (session["title"], session["message_count"]) == ("what colour?", 2)
        locked = await served.http.post("/sessions", json={"session": name})
        assert locked.status_code == 409, locked.text
        assert locked.json()["error"] == f"this session is open here already, as {id}"
        assert (await served.http.post("/sessions", json={"session": name[:8]})).json() == locked.json()
        await served.http.delete(f"/sessions/{id}")
        again = (await served.http.post("/sessions", json={"session": name[:8]})).json()
        assert (again["session_id"], again["message_count"], again["cwd"]) == (name, 2, str(alone))
        await ask(served, again["id"], "again?")
        assert "It is blue." in json.dumps(server.requests[1].body)
        none = await served.open(no_session=True)
        assert (await served.http.get(f"/sessions/{none}")).json()["session_id"] == ""


async def test_a_websocket_that_is_asked_for_without_an_upgrade_says_what_is_missing(serving: Any) -> None:
    async with serving() as served:
        id = await served.open()
        answer = await served.http.get(f"/sessions/{id}/ws")
        assert (answer.status_code, answer.headers["upgrade"]) == (426, "websocket")
        assert answer.json() == {"error": "this is a WebSocket: ask for it with Upgrade: websocket"}
        assert (await served.http.get("/sessions/none/ws")).status_code == 404
        assert (await served.http.post(f"/sessions/{id}/ws")).status_code == 405


async def test_a_stored_session_of_a_directory_that_is_not_served_does_not_exist(
    serving: Any, server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    server.add("secret")
    other = tmp_path / "other"
    other.mkdir()
    keep = {"no_session": False}
    async with serving(defaults=keep | {"cwd": str(other)}) as served:
        id = await served.open()
        async with served.socket(id) as peer:
            await peer.call("prompt", message="hush")
            await peer.until("done")
        name = (await served.sessions())[0]["session_id"]
    async with serving(defaults=keep) as served:
        for asked in ({"session": name}, {"session": name, "cwd": "."}):
            assert (await served.http.post("/sessions", json=asked)).status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/sessions"),
        ("POST", "/sessions"),
        ("GET", "/sessions/x"),
        ("DELETE", "/sessions/x"),
        ("GET", "/sessions/x/events"),
        ("POST", "/sessions/x/commands"),
        ("GET", "/nothing"),
        ("GET", "/../etc/passwd"),
        ("GET", "/index.html"),
        ("OPTIONS", "/sessions"),
    ],
)
@pytest.mark.parametrize("header", [None, "Bearer wrong", "Bearer x y", "Basic YTpi", "a token of at least sixteen"])
async def test_without_the_token_nothing_is_told(serving: Any, method: str, path: str, header: str | None) -> None:
    async with serving() as served:
        headers = {} if header is None else {"authorization": header}
        async with httpx.AsyncClient(base_url=str(served.address), headers=headers, trust_env=False) as stranger:
            answer = await stranger.request(method, path)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"] in (
            "the token is wrong",
            "the token is missing: send Authorization: Bearer TOKEN",
        )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "localhost.evil.example:80"}, 421),
        ({"host": "127.0.0.1:1@evil.example"}, 421),
        ({"host": "", "origin": "http://localhost"}, 421),
        ({"host": "localhost", "origin": "http://evil.example"}, 403),
        ({"host": "localhost", "origin": "http://localhost:81"}, 403),
        ({"host": "localhost", "origin": "null"}, 403),
        ({"host": "localhost", "origin": "file://"}, 403),
        ({"host": "localhost:9000", "origin": "http://localhost:9000"}, 200),
        ({"host": "LOCALHOST."}, 200),
        ({"host": "[::1]:8370"}, 200),
        ({"host": "192.168.1.7"}, 200),
        ({"host": "zot.example", "origin": "https://zot.example"}, 200),
    ],
)
async def test_requests_that_another_page_may_have_sent_are_refused(
    serving: Any, headers: dict[str, str], status: int
) -> None:
    async with serving(names=["zot.example"]) as served:
        for path in ("/", "/sessions"):
            answer = await served.http.get(path, headers=headers)
            assert answer.status_code == status, answer.text


@pytest.mark.parametrize("path", ["/", "/app.css", "/app.js", "/sessions", "/nothing", "/sessions/none"])
async def test_every_answer_carries_the_headers_that_keep_browsers_in_bounds(serving: Any, path: str) -> None:
    async with serving() as served:
        headers = (await served.http.get(path)).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


async def test_the_page_needs_no_token_and_no_other_file_is_served(serving: Any) -> None:
    async with serving() as served:
        async with httpx.AsyncClient(base_url=str(served.address), trust_env=False) as stranger:
            kinds = [(await stranger.get(path)).headers["content-type"] for path in PUBLIC]
        assert [kind.partition(";")[0] for kind in kinds] == ["text/html", "text/css"] + 4 * ["text/javascript"]
        for path in ("/index.html", "/__init__.py", "/app.js/", "/page/app.js", "/%2e%2e/server.py", "/app.js%00"):
            assert (await served.http.get(path)).status_code == 404


async def test_a_body_that_is_too_long_is_refused_however_it_comes(serving: Any) -> None:
    async def pieces() -> Any:
        for _ in range(100):
            yield b"x" * 100

    async with serving(body_bytes=1000) as served:
        id = await served.open()
        for path in ("/sessions", f"/sessions/{id}/commands"):
            for content in (b"x" * 1001, pieces()):
                answer = await served.http.post(path, content=content)
                assert (answer.status_code, "1000 bytes" in answer.json()["error"]) == (413, True)
        assert (await served.http.post("/sessions", content=b" " * 1000)).status_code == 201


async def _raw(address: Address, data: bytes) -> bytes:
    """What comes back for bytes that no client would send, up to the end of the connection."""
    reader, writer = await asyncio.open_connection(address.host, address.port)
    try:
        writer.write(data)
        async with asyncio.timeout(60):
            return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_a_body_that_does_not_come_is_not_waited_for(serving: Any) -> None:
    async with serving(body_seconds=0.2) as served:
        head = f"POST /sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: {served.http.headers['authorization']}"
        answer = await _raw(served.address, f"{head}\r\nContent-Length: 10\r\n\r\n{{".encode())
        assert answer.startswith(b"HTTP/1.1 408")


async def test_what_a_stranger_sends_after_being_refused_does_not_keep_the_connection(serving: Any) -> None:
    chunks = b"1\r\nx\r\n" * 5000
    async with serving() as served:
        head = b"POST /sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        answers = await asyncio.gather(*(_raw(served.address, head + chunks) for _ in range(20)))
        assert all(answer.startswith(b"HTTP/1.1 401") for answer in answers)
        assert await served.sessions() == []


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.0\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000, b"431"),
    ],
)
async def test_a_head_that_is_wrong_is_refused(serving: Any, data: bytes, status: bytes) -> None:
    async with serving() as served:
        assert (await _raw(served.address, data)).split(b" ")[1] == status


async def test_http_2_is_not_spoken(serving: Any) -> None:
    upgrade = b"GET /sessions HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    upgrade += b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
    async with serving() as served:
        reader, writer = await asyncio.open_connection(served.address.host, served.address.port)
        writer.write(upgrade)
        async with asyncio.timeout(60):
            await reader.readuntil(b'{"error":"only HTTP/1.1 is spoken here"}')
        writer.close()
        await writer.wait_closed()


async def test_a_unix_socket_is_its_owners_alone_and_goes_with_the_process(serving: Any, tmp_path: Path) -> None:
    path = tmp_path / "zot.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))  # what a killed process leaves
    async with serving(address=Address(path=str(path))) as served:
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        await served.open()
        assert len(await served.sessions()) == 1
        async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=str(path))) as stranger:
            assert (await stranger.get("http://localhost/sessions")).status_code == 401
    assert not path.exists()
