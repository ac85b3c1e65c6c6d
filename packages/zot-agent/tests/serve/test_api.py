"""The HTTP endpoints."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from served import Serving
from waiting import until

from zot_provider.testing import ScriptedServer, Turn


async def test_sessions_are_opened_listed_shown_and_closed(serving: Serving, alone: Path) -> None:
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
            assert (gone.status_code, "is open here" in gone.json()["error"]) == (404, True)
        assert await served.sessions() == []


async def test_prometheus_can_read_what_is_open(serving: Serving) -> None:
    async with serving() as served:
        await served.open()
        answer = await served.http.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = answer.text.splitlines()
        assert {"zot_sessions_open 1", "zot_sessions_busy 0", "# TYPE zot_sessions_tokens gauge"} <= {*lines}


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
async def test_an_unknown_path_or_method_is_a_json_error(
    serving: Serving, method: str, path: str, status: int, allowed: str | None
) -> None:
    async with serving() as served:
        answer = await served.http.request(method, path)
        assert (answer.status_code, answer.headers.get("allow")) == (status, allowed)
        assert (allowed or "nothing here") in answer.json()["error"]
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_command_that_is_posted_gets_its_own_response(serving: Serving, server: ScriptedServer) -> None:
    async with serving() as served:
        id = await served.open()
        answers = await asyncio.gather(*(served.command(id, "get_models", id=number) for number in range(5)))
        assert [answer["id"] for answer in answers] == list(range(5))
        failed = await served.command(id, "dance")
        assert (failed["success"], failed["error"]) == (False, "unknown operation 'dance'")
        nonsense = await served.http.post(f"/sessions/{id}/commands", content=b"nonsense")
        assert (nonsense.status_code, nonsense.json()["success"]) == (200, False)


async def test_a_command_that_waits_while_its_session_is_closed_is_cancelled(
    serving: Serving, server: ScriptedServer
) -> None:
    server.add(Turn("too late", delay=600))
    async with serving() as served:
        id = await served.open()
        await served.command(id, "prompt", message="think")
        waiting = [asyncio.ensure_future(served.command(id, name)) for name in ["control.wait_idle"] * 2]
        carried_out = "command control.wait_idle"
        await until(lambda: [each.get_name() for each in asyncio.all_tasks()].count(carried_out) == len(waiting))
        assert (await served.http.delete(f"/sessions/{id}")).status_code == 204
        for answer in await asyncio.gather(*waiting):
            assert (answer["code"], answer["error"]) == ("cancelled", "the conversation is about to end")
        assert await served.sessions() == []


async def test_a_websocket_that_is_asked_for_without_an_upgrade_says_what_is_missing(serving: Serving) -> None:
    async with serving() as served:
        id = await served.open()
        answer = await served.http.get(f"/sessions/{id}/ws")
        assert (answer.status_code, answer.headers["upgrade"]) == (426, "websocket")
        words = "this is a WebSocket: ask for it with Upgrade: websocket"
        assert answer.json() == {"error": words, "code": "unsupported"}
        assert (await served.http.get("/sessions/none/ws")).status_code == 404
        assert (await served.http.post(f"/sessions/{id}/ws")).status_code == 405


async def test_a_body_that_is_too_long_is_refused_however_it_comes(serving: Serving) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 100

    async with serving(body_bytes=1000) as served:
        id = await served.open()
        for path in ("/sessions", f"/sessions/{id}/commands"):
            for content in (b"x" * 1001, pieces()):
                answer = await served.http.post(path, content=content)
                assert (answer.status_code, "1000 bytes" in answer.json()["error"]) == (413, True)
        assert (await served.http.post("/sessions", content=b" " * 1000)).status_code == 201


async def test_a_body_must_arrive_within_the_time_limit(serving: Serving) -> None:
    async with serving(body_seconds=0.2) as served:
        head = f"POST /sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: {served.http.headers['authorization']}"
        answer = await served.raw(f"{head}\r\nContent-Length: 10\r\n\r\n{{".encode())
        assert answer.startswith(b"HTTP/1.1 408")
