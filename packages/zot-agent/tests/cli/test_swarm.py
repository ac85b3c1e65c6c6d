"""`zot swarm`, in this process; members are real processes."""

import json
import os
import time
from pathlib import Path

import pytest
from repository import Repository

from zot_agent.cli.swarm import run
from zot_agent.config.paths import zot_home
from zot_agent.swarm.folder import MemberFolder
from zot_agent.swarm.limits import SwarmLimits
from zot_agent.swarm.member import Member
from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedServer, Turn


class SwarmCommand:
    """Runs `zot swarm` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """Everything that is printed."""
        found = run(arguments)
        out, err = self._capsys.readouterr()
        assert found == code, (found, out, err)
        return out + err


@pytest.fixture
def swarm(capsys: pytest.CaptureFixture[str]) -> SwarmCommand:
    return SwarmCommand(capsys)


def member(id: str, task: str = "the task", **fields: object) -> MemberFolder:
    """The folder of a member without a process."""
    folder = MemberFolder(os.path.join(zot_home(), "swarm", id), SwarmLimits())
    os.makedirs(os.path.dirname(folder.path), exist_ok=True)
    folder.create()
    about = Member(id, task, "/p", "/p", "done", started=str(time.time()), provider="p", model="m")
    folder.write(about.replace(**fields))
    return folder


def test_an_agent_is_started_followed_merged_and_removed(
    swarm: SwarmCommand, repository: Repository, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.chdir(repository.path)
    server.add(Turn(calls=[Call("write", {"path": "b.txt", "content": "two"})]), "Written.", "Indeed.")
    at = ("--provider", "openai", "--model", "scripted", "--base-url", server.base_url("openai-chat"))
    assert "b works in " in swarm("new", "--name", "b", *at, "--permission-mode", "yolo", "--", "--write b")
    assert swarm("logs", "-f", "b") == "> --write b\n  write: b.txt\nWritten.\n-- done\n"
    assert swarm("list").splitlines()[1].split() == ["b", "done", "1", "changed", "file", "--write", "b"]
    state = json.loads(swarm("list", "--json"))["members"][0]
    assert (state["id"], state["only_there"], state["options"]["permission_mode"]) == ("b", "1 changed file", "yolo")
    assert swarm("send", "b", "is", "it?") == "sent to b\n"
    assert swarm("logs", "-f", "b").endswith("> is it?\nIndeed.\n-- done\n")
    assert swarm("merge", "b") == "1 file changed, 1 insertion(+); zot swarm remove b removes it\n"
    assert (repository.path / "b.txt").read_text() == "two"
    assert swarm("remove", "b") == "removed b\n"
    assert swarm("list") == 'no agents in the swarm; zot swarm new "TASK" starts one\n'


def test_what_a_member_is_about_is_shown(swarm: SwarmCommand) -> None:
    question = {"request": "1", "tool": "bash", "args": {"command": "make"}, "reason": "ask first"}
    folder = member("one", "make\x1b[31m it", answer="So far.", cost_usd=0.5, question=question)
    with folder.locked():
        folder.write(folder.stored().replace(state="asking", line="bash: make"))
        shown = swarm("show", "o")
        assert swarm("list").splitlines()[1].startswith("one  waits for an answer  -")
        assert "-- asks: bash make (ask first)\n" in swarm("logs", "one")
    assert "\x1b" not in shown
    for row in (
        "state      waits for an answer",
        "asks       bash make (ask first)",
        "now        bash: make",
        "  So far.",
    ):
        assert row in shown.splitlines()
    assert "steps      0, 0 tokens, $0.5000" in shown
    assert json.loads(swarm("show", "one", "--json"))["state"] == "interrupted"


def test_the_conversation_is_printed_as_text(swarm: SwarmCommand) -> None:
    session = SessionStore(os.path.join(zot_home(), "sessions")).create("/p", "m", "p", "0")
    session.append(Message("user", [TextBlock("do it\nwell")]))
    session.append(Message("assistant", [TextBlock("I try."), ToolCallBlock("1", "bash", '{"command":"make\\nall"}')]))
    session.append(Message("tool", [ToolResultBlock("1", [TextBlock("no rule\nmore")], is_error=True)]))
    session.compact(Message("user", [TextBlock("a summary")]), 0)
    session.append(Message("assistant", [TextBlock("It failed.")]))
    session.close()
    member("one", session=session.path)
    assert swarm("logs", "one").splitlines() == [
        "> do it", "> well", "I try.", "  bash: make", "    failed: no rule", "-- the conversation was summarised",
        "It failed.",
    ]  # fmt: skip
    member("two", session="/none")
    assert swarm("logs", "two") == "-- done\n"


def test_mistakes_are_lines(swarm: SwarmCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "unknown member of the swarm 'x'" in swarm("show", "x", code=2)
    folder = member("one")
    assert "does not work; it is done" in swarm("kill", "one", code=2)
    assert "does not ask anything" in swarm("answer", "one", "no", code=2)
    assert "one is done; send it a message" in swarm("resume", "one", code=2)
    assert "has no worktree" in swarm("merge", "one", code=2)
    assert "/p is gone" in swarm("send", "one", "go", "on", code=1)
    assert len(folder.waiting()) == 1
    for words in (["--api-key", "k", "go"], ["-c", "go"], ["--json", "go"], ["--stats", "go"]):
        assert "zot swarm new has no " in swarm("new", *words, code=2)
    assert "needs a task" in swarm("new", code=2)
    (Path(folder.path) / "member.json").write_text("{")
    assert "line 1, column 2" in swarm("list", code=1)
    assert swarm("remove", "one", "--discard", code=0).startswith("removed one")
    assert "usage: zot swarm" in swarm("--help")
    assert "usage: zot swarm new" in swarm("new", "--help")
    assert "the member none cannot be opened" in swarm("work", "none", code=2)
