"""What a client may ask for when it opens a session."""

import json
from pathlib import Path

import pytest
from served import Served, Serving

from zot_provider.testing import ScriptedServer


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
        ('{"fork": true}', 400, "fork needs session"),
    ],
)
async def test_what_cannot_be_opened_is_refused_with_the_reason(
    serving: Serving, body: str, status: int, word: str
) -> None:
    async with serving() as served:
        answer = await served.http.post("/sessions", content=body)
        assert answer.status_code == status, answer.text
        assert word in answer.json()["error"]
        assert await served.sessions() == []


async def test_a_stored_session_is_continued_by_its_id(serving: Serving, server: ScriptedServer, alone: Path) -> None:
    server.add("It is blue.", "As I said.")

    async def ask(served: Served, id: str, text: str) -> None:
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
        copy = (await served.http.post("/sessions", json={"session": name, "fork": True})).json()
        assert (copy["session_id"] != name, copy["message_count"]) == (True, 2)
        await served.http.delete(f"/sessions/{id}")
        again = (await served.http.post("/sessions", json={"session": name[:8]})).json()
        assert (again["session_id"], again["message_count"], again["cwd"]) == (name, 2, str(alone))
        await ask(served, again["id"], "again?")
        assert "It is blue." in json.dumps(server.requests[1].body)
        none = await served.open(no_session=True)
        assert (await served.http.get(f"/sessions/{none}")).json()["session_id"] == ""


async def test_a_stored_session_of_a_directory_that_is_not_served_does_not_exist(
    serving: Serving, server: ScriptedServer, alone: Path, tmp_path: Path
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
