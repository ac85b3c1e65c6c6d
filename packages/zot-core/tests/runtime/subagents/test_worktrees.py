"""Sub-agents that work in a git worktree, with real git."""

import asyncio
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from zot_core.checkpoints.watch import Checkpoints
from zot_core.confirm import PermissionAnswer, PermissionQuestion, Permissions
from zot_core.conversation.driver import Conversation
from zot_core.events import AgentEvent, SubagentStop, ToolResultEvent
from zot_core.permissions.rule import parse_permissions
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.subagents.definitions import read_agent
from zot_core.runtime.subagents.limits import AgentLimits
from zot_core.runtime.subagents.listing import INTERRUPTED, known_agents
from zot_core.testing.tasks import HANGS, TaskClient
from zot_provider.model import Model
from zot_provider.testing import Call, Turn

WRITE = Turn(calls=[Call("write", {"path": "a.txt", "content": "two\n"})])


def git(folder: Path, *arguments: str) -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit, in which `a.txt` is `one`."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "a.txt").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def family(project: Path, client: TaskClient, **options: Any) -> Runtime:
    options = {"cwd": project, "agents": (), "worktrees": str(project.parent / "trees")} | options
    return Runtime(Model("m", "v"), client=client, **options)


def give(*tasks: str, **more: Any) -> Turn:
    return Turn(calls=[Call("agent", {"task": each, "worktree": True, **more}) for each in tasks])


async def answered(runtime: Runtime) -> tuple[list[str], list[SubagentStop]]:
    """Run, and return the results of the model's calls, and the ends of its agents."""
    events: list[AgentEvent] = []
    async with asyncio.timeout(PATIENCE):
        events.extend([event async for event in runtime.prompt("main")])
    texts = [each.content[0].text for each in events if isinstance(each, ToolResultEvent)]  # type: ignore[union-attr]
    return texts, [each for each in events if isinstance(each, SubagentStop)]


def trees(project: Path) -> list[Path]:
    """Return the worktrees that there are."""
    return [each for each in (project.parent / "trees").glob("*/*")] if (project.parent / "trees").is_dir() else []


async def test_what_an_agent_changes_in_a_worktree_is_on_a_branch(project: Path) -> None:
    client = TaskClient({"main": [give("a\nin detail"), "done"], "a": [WRITE, "written"]})
    async with family(project, client) as runtime:
        (text,), (stop,) = await answered(runtime)
        assert text.endswith(
            "[its work is on the branch zot/agent-1 (1 commit, 1 file changed, 1 insertion(+), 1 deletion(-));"
            " to take it: git merge zot/agent-1]"
        )
        assert (stop.branch, stop.worktree) == ("zot/agent-1", "")
        (entry,) = await known_agents(runtime, runtime.agents)
        assert (entry.branch, entry.worktree) == ("zot/agent-1", "")
    assert (project / "a.txt").read_text() == "one\n"
    assert git(project, "show", "zot/agent-1:a.txt") == "two"
    assert git(project, "log", "-1", "--format=%s", "zot/agent-1") == "agent 1: a"
    assert not trees(project)
    system = client.asked("a")[0].system
    assert "You work in a git worktree on the branch zot/agent-1" in system
    assert f"Current working directory: {project.parent / 'trees'}" in system


async def test_several_change_the_same_file_side_by_side(project: Path) -> None:
    names = ["a", "b", "c"]
    client = TaskClient({"main": [give(*names), "done"], **{each: [WRITE, "written"] for each in names}})
    async with family(project, client) as runtime:
        _, stopped = await answered(runtime)
    assert sorted(each.branch for each in stopped) == ["zot/agent-1", "zot/agent-2", "zot/agent-3"]


async def test_an_agent_that_changes_nothing_leaves_nothing(project: Path) -> None:
    client = TaskClient({"main": [give("a"), "done"], "a": ["looked"]})
    async with family(project, client) as runtime:
        (text,), (stop,) = await answered(runtime)
    assert text.endswith("[it changed no files]")
    assert (stop.branch, stop.worktree) == ("", "")
    assert git(project, "branch", "--list", "zot/*") == ""


async def test_the_part_of_the_project_is_kept(project: Path) -> None:
    (project / "part").mkdir()
    client = TaskClient({"main": [give("a"), "done"], "a": [WRITE, "written"]})
    async with family(project, client, cwd=project / "part") as runtime:
        await answered(runtime)
    assert git(project, "show", "zot/agent-1:a.txt") == "two"  # no such folder was committed
    (project / "part" / "b.txt").write_text("b")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "second")
    async with family(project, client, cwd=project / "part") as runtime:
        await answered(runtime)
    assert git(project, "show", "zot/agent-1-2:part/a.txt") == "two"


async def test_changes_that_are_not_committed_are_said_to_be_missing(project: Path) -> None:
    (project / "b.txt").write_text("new\n")
    client = TaskClient({"main": [give("a"), "done"], "a": ["looked"]})
    async with family(project, client) as runtime:
        await answered(runtime)
    assert "at the last commit, without 1 that have changed since." in client.asked("a")[0].system


async def test_a_definition_can_ask_for_a_worktree(project: Path, tmp_path: Path) -> None:
    definitions = []
    for number, line in enumerate(("worktree: true", "isolation: worktree", "worktree: false")):
        (path := tmp_path / f"a{number}.md").write_text(f"---\ndescription: d\n{line}\n---\nYou write.\n")
        definitions.append(read_agent(str(path), "user"))
    assert [each.worktree for each in definitions] == [True, True, False]
    begin = Turn(calls=[Call("agent", {"task": "a", "agent": "a0"})])
    client = TaskClient({"main": [begin, "done"], "a": [WRITE, "written"]})
    async with family(project, client, agents=definitions) as runtime:
        _, (stop,) = await answered(runtime)
    assert stop.branch == "zot/agent-1"
    system = client.asked("a")[0].system
    assert system.startswith("You write.")
    assert "You work in a git worktree" in system


async def test_without_a_repository_the_agent_fails(tmp_path: Path) -> None:
    client = TaskClient({"main": [give("a"), "done"], "a": ["never"]})
    async with family(tmp_path, client) as runtime:
        (text,), (stop,) = await answered(runtime)
    assert "a worktree needs a git repository" in text
    assert (stop.end, stop.steps) == ("error", 0)
    assert not client.asked("a")


async def test_an_agent_below_one_in_a_worktree_works_there_too_or_beside_it(project: Path) -> None:
    deeper = Turn(calls=[Call("agent", {"task": "b"}), Call("agent", {"task": "c", "worktree": True})])
    answers: dict[str, list[Turn | str]] = {"b": [WRITE, "b"], "c": [WRITE, "c"]}
    client = TaskClient({"main": [give("a"), "done"], "a": [deeper, "up"], **answers})
    async with family(project, client) as runtime:
        _, stopped = await answered(runtime)
    assert {each.agent_id: each.branch for each in stopped} == {"1": "zot/agent-1", "2": "", "3": "zot/agent-3"}
    assert git(project, "show", "zot/agent-1:a.txt") == "two"
    assert not trees(project)


async def test_what_a_stopped_agent_has_changed_is_kept(project: Path) -> None:
    client = TaskClient({"main": [give("a"), "done"], "a": [WRITE, HANGS]})
    async with family(project, client) as runtime:
        run = runtime.prompt("main")
        async with asyncio.timeout(PATIENCE):
            while not client.hanging:
                await asyncio.sleep(0)
            run.cancel()
            await run
        (agent,) = runtime.agents.all
        assert (agent.end, agent.branch) == ("aborted", "zot/agent-1")
    assert git(project, "show", "zot/agent-1:a.txt") == "two"
    assert not trees(project)


async def test_cancelling_while_a_worktree_is_made_leaves_nothing(project: Path) -> None:
    git(project, "config", "filter.slow.smudge", f"touch {project.parent}/begun; sleep 100")
    (project / ".gitattributes").write_text("*.txt filter=slow\n")
    git(project, "add", ".gitattributes")
    git(project, "commit", "--quiet", "-m", "slow")
    client = TaskClient({"main": [give("a"), "done"], "a": ["never"]})
    async with family(project, client) as runtime:
        run = runtime.prompt("main")
        async with asyncio.timeout(PATIENCE):
            while not (project.parent / "begun").exists():
                await asyncio.sleep(0)
            run.cancel()
            await run
    assert git(project, "branch", "--list", "zot/*") == ""
    assert git(project, "worktree", "list").count("\n") == 0
    assert not trees(project)


async def test_a_git_that_takes_too_long_ends_the_agent(project: Path) -> None:
    git(project, "config", "filter.slow.smudge", "sleep 100")
    (project / ".gitattributes").write_text("*.txt filter=slow\n")
    git(project, "add", ".gitattributes")
    git(project, "commit", "--quiet", "-m", "slow")
    client = TaskClient({"main": [give("a"), "done"], "a": ["never"]})
    async with family(project, client) as runtime:
        runtime.agents.limits = AgentLimits(git_seconds=0.3)
        (text,), _ = await answered(runtime)
    assert "git takes longer than 0.3 s" in text


async def test_a_worktree_that_cannot_be_committed_is_kept_and_named(project: Path) -> None:
    hide = Turn(calls=[Call("bash", {"command": "rm .git; echo x >b.txt"})])
    client = TaskClient({"main": [give("a"), "done"], "a": [hide, "done"]})
    async with family(project, client, session=project.parent / "s.jsonl") as runtime:
        (text,), (stop,) = await answered(runtime)
        (tree,) = trees(project)
        assert stop.worktree == str(tree)
        assert f"[its worktree {tree} is kept: its .git was replaced" in text
        runtime.agents.end_session()
        (entry,) = await known_agents(runtime, runtime.agents)
    assert (entry.branch, entry.worktree) == ("zot/agent-1", str(tree))
    assert (tree / "b.txt").exists()


async def test_a_session_says_where_an_agent_worked_whose_process_was_killed(project: Path) -> None:
    client = TaskClient({"main": [give("a"), "done"], "a": [HANGS]})
    async with family(project, client, session=project.parent / "s.jsonl") as runtime:
        run = runtime.prompt("main")
        async with asyncio.timeout(PATIENCE):
            while not client.hanging:
                await asyncio.sleep(0)
        async with Runtime(Model("m", "v"), client=client, session=_copy(project)) as later:
            (entry,) = await known_agents(later, later.agents)
        run.cancel()
        await run
    assert (entry.end, entry.branch) == (INTERRUPTED, "zot/agent-1")
    assert entry.worktree.endswith("/agent-1")


def _copy(project: Path) -> Path:
    """Return a copy of the session, as another process finds it."""
    folder = project.parent / "later"
    folder.mkdir()
    (folder / "s.jsonl").write_bytes((project.parent / "s.jsonl").read_bytes())
    (folder / "agents").symlink_to(project.parent / "agents")
    return folder / "s.jsonl"


async def test_a_program_gets_the_branch(project: Path) -> None:
    client = TaskClient({"a": [WRITE, "written"]})
    async with Runtime(Model("m", "v"), client=client, cwd=project) as runtime:
        answer = await runtime.agents.run("a", worktree=True)
    assert answer.changes is not None
    assert (answer.changes.branch, answer.changes.commits) == ("zot/agent-1", 1)
    assert git(project, "rev-parse", "zot/agent-1") == answer.changes.commit
    assert not (project / ".git" / "zot-worktrees").exists()


async def test_undoing_a_prompt_does_not_write_into_worktrees(project: Path) -> None:
    client = TaskClient({"main": [give("a"), "done"], "a": [WRITE, "written"]})
    saving = partial(Checkpoints, str(project.parent / "checkpoints"), worktrees=str(project.parent / "trees"))
    async with family(project, client, session=project.parent / "s.jsonl", checkpoints=saving) as runtime:
        await answered(runtime)
        await runtime.branches.undo()
    assert not trees(project)


async def questions(project: Path, *calls: Call, mode: Any = "ask", **rules: Any) -> tuple[list[str], list[str]]:
    """Let a sub-agent in a worktree make calls; return what it reads, and the reasons of the questions."""
    asked: list[PermissionQuestion] = []

    async def ask(question: PermissionQuestion) -> PermissionAnswer:
        asked.append(question)
        return PermissionAnswer("yes")

    client = TaskClient({"main": [give("a"), "done"], "a": [Turn(calls=list(calls)), "done"]})
    runtime = family(project, client)
    permissions = Permissions(mode, parse_permissions(rules, "the test").rules, ask=ask)
    async with asyncio.timeout(PATIENCE), Conversation(runtime, permissions=permissions) as conversation:
        await conversation.prompt("main")
    last = client.asked("a")[-1].messages[-1]
    texts = [block.content[0].text for block in last.content]  # type: ignore[union-attr]
    return texts, [each.reason for each in asked if each.call.name != "agent"]


async def test_rules_count_in_the_worktree(project: Path) -> None:
    write = Call("write", {"path": "a.txt", "content": "x"})
    texts, asked = await questions(project, write, allow=["write(a.txt)", "agent"])
    assert "not allowed" not in texts[0]
    assert not asked
    texts, _ = await questions(project, write, mode="yolo", deny=["write(a.txt)"])
    assert texts[0].startswith("not allowed: the rule write(a.txt) denies this call")


async def test_rules_that_deny_count_in_the_project_too(project: Path) -> None:
    outside = Call("write", {"path": str(project / "a.txt"), "content": "x"})
    (text,), _ = await questions(project, outside, mode="yolo", deny=["write(a.txt)"])
    assert text.startswith("not allowed: the rule write(a.txt) denies this call")
    (text,), _ = await questions(project, outside, mode="ask", allow=["write(a.txt)"], ask=["write(a.txt)"])
    assert (project / "a.txt").read_text() == "x"


async def test_a_question_says_where_the_agent_works(project: Path) -> None:
    _, (reason,) = await questions(project, Call("bash", {"command": "touch b"}), allow=["agent"])
    assert "; the agent works in " in reason
    assert reason.endswith("/agent-1")


async def test_editing_in_the_worktree_is_allowed_where_editing_the_project_is(project: Path) -> None:
    calls = [
        Call("write", {"path": "a.txt", "content": "x"}),
        Call("write", {"path": str(project / "b.txt"), "content": "x"}),
    ]
    _, asked = await questions(project, *calls, mode="accept-edits", allow=["agent"])
    assert len(asked) == 1
    assert f"{project / 'b.txt'} is outside" in asked[0]
