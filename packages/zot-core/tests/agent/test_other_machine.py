"""Tools of an agent that use another machine: the files in memory and the fake shell of `zot_core.testing`."""

import json
from pathlib import Path

import pytest

from zot_core import Runtime
from zot_core.errors import ToolError
from zot_core.hooks import ToolRequest
from zot_core.machine.interface import OtherMachine
from zot_core.machine.shell import LocalShell
from zot_core.permission_mode import PermissionMode
from zot_core.permissions.judge import Judge
from zot_core.permissions.rule import Action, parse_rule
from zot_core.runtime.subagents.own_files import enter_worktree
from zot_core.testing.world import FakeShell, MemoryFiles, Scripted
from zot_core.tools.text.paths import resolve
from zot_provider.testing import ScriptedClient

HOME = "/home/far"


def machine(**files: str) -> OtherMachine:
    contents = {"/srv/app/a.txt": "there", f"{HOME}/.ssh/id": "secret"} | files
    return OtherMachine(
        "me@far", "/srv/app", HOME, MemoryFiles(contents), FakeShell({"make": Scripted("made")}), "/tmp/out"
    )


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime:
    return Runtime("scripted", client=ScriptedClient(), cwd=tmp_path)


async def test_paths_begin_where_the_machine_says(runtime: Runtime) -> None:
    runtime.agent.use_machine(machine())
    context = runtime.agent.context
    assert await resolve("a.txt", context) == "/srv/app/a.txt"
    assert await resolve("~/x", context) == f"{HOME}/x"
    assert await resolve("~", context) == HOME
    assert await resolve("~you/x", context) == "/srv/app/~you/x"
    assert await context.files.read("/srv/app/a.txt") == b"there"


async def test_what_changes_here_meanwhile_counts_when_the_machine_is_given_back(runtime: Runtime) -> None:
    agent = runtime.agent
    before = agent.context.files
    agent.use_machine(machine())
    seen = agent.context.seen_files
    seen.changed("/srv/app/a.txt", b"other")
    agent.place.change(cwd="/elsewhere", shell=LocalShell())
    assert agent.context.cwd == "/srv/app"
    assert agent.context.seen_files is seen
    agent.start_over([], agent.usage)
    assert not await seen.differs("/srv/app/a.txt", agent.context.files)
    agent.use_machine(None)
    assert (agent.context.cwd, agent.context.home) == ("/elsewhere", "")
    assert agent.context.files is before


def test_the_system_prompt_says_where_the_tools_work(runtime: Runtime) -> None:
    agent = runtime.agent
    assert "me@far" not in agent.full_system
    agent.use_machine(machine())
    assert "me@far" in agent.full_system
    assert "/srv/app" in agent.full_system
    agent.use_machine(OtherMachine("box", shell=FakeShell()))
    assert "commands of `bash` run on another machine, box" in agent.full_system
    assert agent.context.files is agent.place.here.files
    agent.use_machine(OtherMachine("store", "/data", "/", MemoryFiles()))
    assert "but not `bash`" in agent.full_system
    assert agent.context.shell is agent.place.here.shell


@pytest.mark.parametrize(
    ("action", "rule", "tool", "arguments", "verdict"),
    [
        ("deny", "read(~/.ssh/**)", "read", {"path": "~/.ssh/id"}, "deny"),
        ("deny", "read(~/.ssh/**)", "read", {"path": f"{HOME}/.ssh/id"}, "deny"),
        ("deny", "read(~/.ssh/**)", "bash", {"command": "cat ~/.ssh/id"}, "deny"),
        ("deny", "read(~/.ssh/**)", "bash", {"command": f"cat {HOME}/.ssh/id"}, "deny"),
        ("deny", "read(~/.ssh/**)", "grep", {"pattern": "x", "path": "~"}, "ask"),
        ("allow", "write(sub/**)", "write", {"path": "/srv/app/sub/x", "content": ""}, "allow"),
        ("allow", "write(sub/**)", "write", {"path": "/other/sub/x", "content": ""}, "ask"),
        ("allow", "write(**)", "write", {"path": ".git/config", "content": ""}, "ask"),
        ("allow", "bash(make*)", "bash", {"command": "make test"}, "allow"),
        ("allow", "bash(make*)", "bash", {"command": f"rm -rf {HOME}"}, "ask"),
        ("allow", "bash(rm *)", "bash", {"command": "rm -rf ~"}, "ask"),
        ("allow", "bash(make*)", "bash", {"command": "cat a.txt"}, "ask"),  # nobody knows where a link there leads
    ],
)
async def test_rules_are_about_the_paths_there(
    runtime: Runtime, action: Action, rule: str, tool: str, arguments: dict[str, object], verdict: str
) -> None:
    runtime.agent.use_machine(machine())
    judge = Judge([parse_rule(action, rule)])
    found = await judge.judge(ToolRequest("1", tool, arguments, json.dumps(arguments)), runtime.agent)
    assert found.action == verdict, found.reason


@pytest.mark.parametrize(("mode", "path", "verdict"), [("accept-edits", "x", "allow"), ("accept-edits", "/x", "ask")])
async def test_what_is_inside_is_below_the_directory_there(
    runtime: Runtime, mode: PermissionMode, path: str, verdict: str
) -> None:
    runtime.agent.use_machine(machine())
    arguments = {"path": path, "content": ""}
    found = await Judge([], mode).judge(ToolRequest("1", "write", arguments, json.dumps(arguments)), runtime.agent)
    assert found.action == verdict


async def test_a_sub_agent_uses_the_machine_too_and_has_no_worktree_there(tmp_path: Path) -> None:
    client = ScriptedClient(["found it"])
    async with Runtime("scripted", client=client, cwd=tmp_path) as runtime:
        runtime.agent.use_machine(machine())
        await runtime.agents.run("look")
        assert "me@far" in client.requests[0].system
        with pytest.raises(Exception, match="zot makes no worktrees"):
            await enter_worktree(None, runtime, str(tmp_path), 1.0)  # type: ignore[arg-type]


async def test_a_shell_of_another_machine_that_is_lost_fails_the_call(runtime: Runtime) -> None:
    class Lost(FakeShell):
        async def run(self, *args: object, **named: object) -> None:  # type: ignore[override]
            raise ToolError("the machine is gone")

    runtime.agent.use_machine(machine().replace(shell=Lost()))
    result = await runtime.agent.tools["bash"].run({"command": "make", "background": True}, runtime.agent.context)
    assert "the machine is gone" in str(getattr(result.content[0], "text", ""))
