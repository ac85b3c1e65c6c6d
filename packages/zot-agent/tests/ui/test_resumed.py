"""A session that is opened again looks as it did."""

from pathlib import Path

from screen import Chats, Talk
from tasks import by_task

from zot_provider.events import Usage
from zot_provider.testing import Call, ScriptedServer, Turn

CALLS = [
    Call("read", {"path": "a.py"}),
    Call("read", {"file": "a.py", "line": 2}),
    Call("edit", {"path": "a.py", "edits": '[{"old": "two", "new": "three"}]'}),
    Call("write", {"file_path": "b.py", "contents": "x = 1\n"}),
    Call("bash", {"cmd": "echo hello; sleep 0.2"}),
    Call("bash", {"command": "seq 2000"}),
    Call("bash", {"command": "exit 3"}),
    Call("grep", {"pattern": "three"}),
    Call("todo", {"todos": [{"task": "one thing", "status": "done"}, "another"]}),
    Call("todo", {"items": '[{"content": "one thing", "status": "completed"}]'}),
    Call("read", {"path": "missing.py"}),
    Call("nothing", {}),
]


def parts(talk: Talk) -> list[str]:
    return [row for row in talk.transcript().splitlines() if row]


async def test_a_session_that_is_opened_again_looks_as_it_did(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    Path("a.py").write_text("one\ntwo\n")
    server.add(
        Turn("I look.", reasoning="Hm, let me see.", calls=CALLS, usage=Usage(input=2000, output=100)),
        Turn("Done.", usage=Usage(input=4000, output=100)),
    )
    async with chats.built(server, columns=120) as talk:
        await talk.send("go")
        path, before, status = talk.session_path, parts(talk), talk.status
    assert "12% of" in status
    assert "/undo" in status
    assert any("worked for" in row and "2 files changed +2 −1" in row for row in before)
    async with chats.built(server, columns=120, session=path) as talk:
        await talk.quiet()
        assert parts(talk) == before
        assert "12% of" in talk.status
        assert "/undo" in talk.status


async def test_the_row_of_a_call_says_which_agent_has_done_it(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    give = Turn(calls=[Call("agent", {"task": "find the slow tests", "agent": "explore"})])
    look = [Turn(calls=[Call("ls", {"path": "."})]), "They are in test_a.py."]
    server.add(*[by_task(**{"go": [give, "All found."], "find the slow tests": look})] * 4)
    async with chats.built(server, columns=120) as talk:
        await talk.send("go")
        path, before = talk.session_path, parts(talk)
    assert any("agent find the slow tests  1: explore · 30 tokens" in row for row in before)
    async with chats.built(server, columns=120, session=path) as talk:
        await talk.quiet()
        assert parts(talk) == before
