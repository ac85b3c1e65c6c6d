"""A task with six sub-agents, on the screen, over RPC and over ACP: two change the same file in worktrees, one is
stopped, one reaches its limit."""

import asyncio
import json
import re
import subprocess
import sys
from typing import Any

import pytest
from acp_talk import open_talk
from command import Zot
from pty_screen import PtyScreen
from rpc_client import connect
from tasks import by_task

from zot_provider.testing import Call, ScriptedServer, Turn

LOOK = Turn(calls=[Call("ls", {"path": "."})])
TASKS: tuple[dict[str, Any], ...] = (
    {"task": "write"}, {"task": "look"}, {"task": "left", "worktree": True},
    {"task": "right", "worktree": True}, {"task": "endless", "max_steps": 2}, {"task": "sleep"},
)  # fmt: skip
ENDS = {each["task"]: "completed" for each in TASKS} | {"endless": "max_steps", "sleep": "aborted"}


def change(text: str) -> Turn:
    return Turn(calls=[Call("edit", {"path": "a.txt", "edits": [{"oldText": "one", "newText": text}]})])


ANSWERS: dict[str, list[Turn | str]] = {
    "go": [
        Turn(calls=[Call("agent", each) for each in TASKS]),
        Turn(calls=[Call("bash", {"command": "git merge --quiet ':/: left'"})]),
        "All done.",
    ],
    "write": [Turn(calls=[Call("write", {"path": "made.txt", "content": "made\n"})]), "written"],
    "look": [LOOK, "looked"],
    "left": [change("left"), "on the left"],
    "right": [change("right"), "on the right"],
    "endless": [LOOK] * 3,
    "sleep": [Turn(calls=[Call("bash", {"command": "sleep 600"})])],
}


def git(zot: Zot, *arguments: str) -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", *author, *arguments], cwd=zot.cwd, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def world(zot: Zot, server: ScriptedServer) -> Zot:
    """A repository with one commit, and a model that gives six tasks."""
    git(zot, "init", "--quiet")
    (zot.cwd / "a.txt").write_text("one\n")
    git(zot, "add", ".")
    git(zot, "commit", "--quiet", "-m", "first")
    server.add(*[by_task(**ANSWERS)] * 40)
    return zot


def check(zot: Zot, server: ScriptedServer) -> None:
    """Check what the agents have left, and what their model has read."""
    assert (zot.cwd / "made.txt").read_text() == "made\n"
    assert (zot.cwd / "a.txt").read_text() == "left\n"
    assert git(zot, "show", f"{git(zot, 'rev-parse', ':/: right')}:a.txt") == "right"
    assert len(git(zot, "branch", "--list", "zot/*").splitlines()) == 2
    assert git(zot, "worktree", "list").count("\n") == 0
    assert not any(zot.home.glob("worktrees/*"))
    read = json.dumps(server.requests[-1].body["messages"])
    for part in ("to take it: git merge zot/agent-", "failed after 2 steps", "was stopped after 1 step", "looked"):
        assert part in read


def branches(starts: dict[str, str], stops: dict[str, Any]) -> list[str]:
    """Check how the agents have ended, by their tasks and ids; return the tasks with a branch."""
    assert {starts[id]: each["end"] for id, each in stops.items()} == ENDS
    return sorted(starts[id] for id, each in stops.items() if each["branch"] == f"zot/agent-{id}")


def test_on_the_screen(world: Zot, server: ScriptedServer) -> None:
    command = [sys.executable, "-m", "zot_agent", *world.at(server)]
    environment = {**world.env, "TERM": "xterm-256color"}
    with PtyScreen(command, columns=100, rows=50, environment=environment, cwd=str(world.cwd)) as pty:
        pty.wait_for("ask, or / for commands")
        pty.type("go\r")
        pty.wait_for("bash: sleep 600")
        pty.type("/agents\r")
        for part in ("done · zot/agent-", "failed: max steps (2) exceeded", "works ·"):
            pty.wait_for(part)
        pty.type("sleep")
        pty.wait_until(lambda: re.search(r"/ sleep\s+› \d  sleep .*works ·", pty.screen()) is not None)
        pty.type("\x04")
        pty.wait_for("stop this agent?")
        pty.type("\x04")
        pty.wait_for("stopped ·")
        pty.type("\x1b")
        pty.wait_until(lambda: "Ctrl+D stop" not in pty.screen())
        pty.wait_for("All done.")
        pty.type("/exit\r")
        assert pty.wait_end() == 0
    check(world, server)


async def test_over_rpc(world: Zot, server: ScriptedServer) -> None:
    env = world.env | {"OPENAI_BASE_URL": server.base_url("openai-chat")}
    starts, stops = dict[str, str](), dict[str, Any]()
    async with connect(server, env=env, cwd=str(world.cwd)) as client:
        async for event in client.prompt("go"):
            if event["type"] == "subagent_start":
                starts[event["agent_id"]] = event["task"]
            if event["type"] == "subagent_progress" and event["line"] == "bash: sleep 600":
                await client.agents_stop(event["agent_id"])
            if event["type"] == "subagent_stop":
                stops[event["agent_id"]] = event
        listed = {each["id"]: each["branch"] for each in (await client.agents_list())["agents"]}
    assert branches(starts, stops) == ["left", "right"]
    assert listed == {id: each["branch"] for id, each in stops.items()}
    check(world, server)


async def test_over_acp(world: Zot, server: ScriptedServer) -> None:
    async with open_talk(world, *world.at(server)) as talk:
        session = await talk.begin(world)
        prompt = asyncio.get_running_loop().create_task(talk.prompt(session, "go"))
        found = await talk.editor.until(lambda each: zot_meta(each).get("line") == "bash: sleep 600")
        stop = {"sessionId": session, "agent": zot_meta(found)["agent_id"]}
        assert (await talk.agent.ext_method("zot/agents.stop", stop))["agent"]["end"] == "aborted"
        assert (
            "has ended" in (await talk.refusal(talk.agent.ext_method("zot/agents.steer", {**stop, "message": "x"})))[1]
        )
        assert (await talk.refusal(talk.agent.ext_method("zot/other", stop)))[0] == -32601
        assert await prompt == "end_turn"
        metas = [zot_meta(each) for each in talk.editor.of("tool_call_update")]
    stops = {each["agent_id"]: each for each in metas if each.get("event") == "subagent_stop"}
    starts = {each["agent_id"]: each["task"] for each in metas if each.get("event") == "subagent_start"}
    assert branches(starts, stops) == ["left", "right"]
    check(world, server)


def zot_meta(update: Any) -> dict[str, Any]:
    return dict((update.field_meta or {}).get("zot", {}))
