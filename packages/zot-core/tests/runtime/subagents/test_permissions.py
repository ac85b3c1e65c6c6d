"""A sub-agent may do at most what the agent that asks may do."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

from waiting import PATIENCE

from zot_core.confirm import PermissionAnswer, PermissionQuestion, Permissions
from zot_core.conversation.driver import Conversation
from zot_core.events import SubagentStart
from zot_core.permission_mode import PermissionMode
from zot_core.permissions.rule import parse_permissions
from zot_core.result import ToolResult
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.subagents.definitions import AgentDefinition
from zot_core.testing.tasks import TaskClient
from zot_core.testing.world import FakeShell
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import JsonSchema, Tool
from zot_provider.model import Model
from zot_provider.testing import Call, Turn

PLANNER = AgentDefinition("planner", "plans", permissions="plan")
ASKER = AgentDefinition("asker", "asks", permissions="ask")
LIMITED = AgentDefinition(
    "limited", "lists", tools=["Bash(ls *)", "Bash(git log:*)", "Read(docs/**)", "Write", "Write(x)"]
)
SHORT = AgentDefinition("short", "ends soon", steps=2)


class World:
    """A conversation whose model gives one task, in which a sub-agent makes these calls."""

    def __init__(
        self, folder: Path, *calls: Call, mode: PermissionMode = "yolo", agent: str = "", **rules: Any
    ) -> None:
        tasks: dict[str, list[Turn | str]] = {"a": [Turn(calls=list(calls)), "done"]}
        begin = Turn(calls=[Call("agent", {"task": "a", "agent": agent})])
        self.client = TaskClient({"main": [begin, "done"], **tasks})
        self.asked: list[PermissionQuestion] = []
        self.answer = PermissionAnswer("yes")
        runtime = Runtime(Model("m", "v"), client=self.client, cwd=folder, agents=[PLANNER, ASKER, LIMITED, SHORT])
        permissions = Permissions(mode, parse_permissions(rules, "the test").rules, ask=self._ask)
        self.conversation = Conversation(runtime, permissions=permissions)

    async def _ask(self, question: PermissionQuestion) -> PermissionAnswer:
        self.asked.append(question)
        return self.answer

    async def results(self) -> list[str]:
        """Run, and return what the sub-agent reads of its calls."""
        async with asyncio.timeout(PATIENCE), self.conversation:
            await self.conversation.prompt("main")
        last = self.client.asked("a")[-1].messages[-1]
        return [block.content[0].text for block in last.content]  # type: ignore[union-attr]


WRITE = Call("write", {"path": "x.txt", "content": "x"})
RUN = Call("bash", {"command": "touch y.txt"})


async def test_a_call_of_a_sub_agent_is_asked_about_while_the_agent_waits(tmp_path: Path) -> None:
    world = World(tmp_path, WRITE, mode="ask")
    await world.results()
    assert [(each.call.name, each.call.agent_id) for each in world.asked] == [("write", "1")]
    assert (tmp_path / "x.txt").exists()


async def test_a_no_reaches_the_sub_agent(tmp_path: Path) -> None:
    world = World(tmp_path, WRITE, mode="ask")
    world.answer = PermissionAnswer("no", "not now")
    assert await world.results() == ["the user did not allow this call of write: not now"]


async def test_a_sub_agent_that_is_stuck_asks_the_person_of_the_conversation(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.client.answers["a"] = [*[Turn(calls=[Call("read", {"path": "nope"})])] * 10, "done"]
    async with world.conversation:
        await world.conversation.prompt("main")
    assert [each.reason for each in world.asked] == ["read has failed 10 times in the same way; may the work continue?"]
    assert len(world.client.asked("a")) == 11


async def test_rules_count_for_sub_agents(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    (result,) = await World(tmp_path, Call("read", {"path": "secret"}), deny=["read(secret)"]).results()
    assert result.startswith("not allowed: the rule read(secret) denies this call")


async def test_files_to_read_first_pass_the_rules(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s-e-c-r-e-t")
    world = World(tmp_path, deny=["read(secret)"])
    world.client.answers["main"] = [Turn(calls=[Call("agent", {"task": "a", "files": ["secret"]})]), "done"]
    world.client.answers["a"] = ["done"]
    async with world.conversation:
        await world.conversation.prompt("main")
    text = world.client.asked("a")[0].messages[0].text
    assert "not allowed" in text
    assert "s-e-c-r-e-t" not in text


async def test_an_agent_can_be_defined_to_be_more_careful(tmp_path: Path) -> None:
    first, second = await World(tmp_path, WRITE, RUN, agent="planner").results()
    assert "in the mode plan only reading is allowed" in first
    assert "in the mode plan only reading is allowed" in second
    assert not list(tmp_path.iterdir())
    asking = World(tmp_path, RUN, agent="asker")
    await asking.results()
    assert [each.call.name for each in asking.asked] == ["bash"]


async def test_a_person_is_asked_once_about_a_call(tmp_path: Path) -> None:
    world = World(tmp_path, WRITE, RUN, agent="asker", mode="accept-edits")
    await world.results()
    assert sorted(each.call.name for each in world.asked) == ["bash", "write"]


async def test_an_answer_does_not_lift_the_mode_plan_of_an_agent(tmp_path: Path) -> None:
    world = World(tmp_path, WRITE, agent="planner", mode="ask")
    (result,) = await world.results()
    assert "in the mode plan only reading is allowed" in result


async def test_a_sandbox_that_is_turned_on_meanwhile_counts(tmp_path: Path) -> None:
    world = World(tmp_path, RUN)
    shell = FakeShell()
    agent = world.conversation.runtime.agent

    def confine(event: object) -> None:
        if isinstance(event, SubagentStart):
            agent.place.context = agent.context.replace(shell=shell)

    agent.hooks.event.add(confine)
    await world.results()
    assert [ran.command for ran in shell.ran] == ["touch y.txt"]


async def test_a_tool_that_is_taken_away_meanwhile_does_not_run(tmp_path: Path) -> None:
    world = World(tmp_path, RUN)
    agent = world.conversation.runtime.agent
    agent.hooks.event.add(lambda event: isinstance(event, SubagentStart) and agent.tools.pop("bash") and None)
    assert await world.results() == ["the agent that gave the task has no tool bash any more"]


class HidesFetch(Tool):
    """The tool `fetch` is not in requests."""

    name = "search"

    @property
    def schema(self) -> JsonSchema:
        return {"type": "object"}

    def hidden(self) -> list[str]:
        return ["fetch"]

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.of("")


async def test_an_agent_gets_neither_inactive_tools_nor_deferred_ones_that_nobody_names(tmp_path: Path) -> None:
    world = World(tmp_path)
    agent = world.conversation.runtime.agent
    agent.tools.inactive, agent.tools["search"] = ["bash"], HidesFetch()
    tasks: dict[str, list[Turn | str]] = {"a": ["x"], "b": ["x"]}
    begin = Turn(calls=[Call("agent", {"task": "a"}), Call("agent", {"task": "b", "tools": ["fetch", "Read"]})])
    world.client.answers |= {"main": [begin, "done"], **tasks}
    async with world.conversation:
        await world.conversation.prompt("main")
    names = [tool.name for tool in world.client.asked("a")[0].tools]
    assert {"read", "edit", "agent"} <= set(names)
    assert not {"bash", "fetch"} & set(names)
    assert sorted(tool.name for tool in world.client.asked("b")[0].tools) == ["fetch", "read"]


async def test_a_sub_agent_reads_without_a_question_and_is_refused_what_cannot_be_judged(tmp_path: Path) -> None:
    look = Call("bash", {"command": "ls -a | head -3"})
    world = World(tmp_path, look, mode="ask", agent="planner")
    assert "[exit 0]" in (await world.results())[0]
    assert world.asked == []
    hidden = World(tmp_path, Call("bash", {"command": "echo touch y.txt | sh"}), deny=["bash(touch *)"])
    hidden.answer = PermissionAnswer("no")
    assert "did not allow" in (await hidden.results())[0]
    assert "what sh reads is not known" in hidden.asked[0].reason
    assert not list(tmp_path.iterdir())


async def test_git_that_a_rule_or_the_table_lets_run_gets_quiet_settings_in_a_sub_agent_too(tmp_path: Path) -> None:
    by_person, by_table = (Call("bash", {"command": each}) for each in ("git init -q x", "git status"))
    for agent in ("", "asker"):
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
        world = World(tmp_path, by_person, by_table, mode="ask", agent=agent)
        shell = FakeShell()
        world.conversation.runtime.agent.place.change(shell=shell)
        await world.results()
        assert [(each.command, "GIT_CONFIG_COUNT" in each.env) for each in shell.ran] == [
            ("git init -q x", False), ("git status", True),
        ]  # fmt: skip


async def test_a_tool_with_a_pattern_runs_only_what_the_pattern_covers(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("docs/a", "secret"):
        (tmp_path / name).write_text("text of it")
    commands = (
        "ls docs", "git log --oneline", "touch y.txt", "ls docs; touch y.txt", "ls docs > y.txt", "ls $(touch y.txt)",
        "cat secret", "ls docs | cat secret", "sh -c 'ls docs'", "git log --output=y.txt", "/bin/ls docs",
    )  # fmt: skip
    calls = [Call("bash", {"command": each}) for each in commands]
    calls += [Call("read", {"path": each}) for each in ("docs/a", "secret", "docs/../secret", "/etc/hostname")]
    for mode in ("yolo", "ask"):
        world = World(tmp_path, *calls, WRITE, mode=mode, agent="limited")  # type: ignore[arg-type]
        results = await world.results()
        refused = [text.startswith("this agent may use ") for text in results]
        assert refused == [False, False, *[True] * 9, False, True, True, True, False], results
        assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "secret", "x.txt"]
        assert [each.call.name for each in world.asked] == ([] if mode == "yolo" else ["bash", "write"])
        assert sorted(tool.name for tool in world.client.asked("a")[0].tools) == ["bash", "read", "write"]


async def test_the_agents_of_an_agent_are_limited_as_it_is(tmp_path: Path) -> None:
    limited = AgentDefinition("limited", "lists", tools=["Agent", "Bash(ls *)"])
    world = World(tmp_path, Call("agent", {"task": "b"}), agent="limited")
    world.conversation.runtime.workspace.agents = [limited]
    world.client.answers["b"] = [Turn(calls=[RUN, Call("bash", {"command": "ls"})]), "done"]
    await world.results()
    first, second = world.client.asked("b")[-1].messages[-1].content
    assert "this agent may use bash only as in bash(ls *)" in str(first)
    assert "exit 0" in str(second)
    assert not list(tmp_path.iterdir())


async def test_the_number_of_steps_of_a_file_counts_if_it_is_smaller(tmp_path: Path) -> None:
    look = Turn(calls=[Call("bash", {"command": "ls"})])
    for asked, most in ((0, 2), (50, 2), (1, 1)):
        world = World(tmp_path)
        begin = Turn(calls=[Call("agent", {"task": "a", "agent": "short", "max_steps": asked})])
        world.client.answers = {"main": [begin, "done"], "a": [look] * 5}
        async with world.conversation:
            await world.conversation.prompt("main")
        assert len(world.client.asked("a")) == most
