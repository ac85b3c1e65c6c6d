"""What a model is told about the mode, the rules and the sandbox."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.confirm import PermissionAnswer, PermissionQuestion, Permissions
from zot_core.machine.interface import Walls
from zot_core.permission_mode import MODES, PermissionMode
from zot_core.permissions.rule import Rule, parse_permissions
from zot_core.permissions.terms import Allowed, terms
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.subagents.definitions import AgentDefinition
from zot_core.sandbox.policy import SandboxPolicy, make_policy
from zot_core.sandbox.sandbox import Sandbox
from zot_core.testing.tasks import TaskClient
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, Turn

MODEL = Model("m", "v")


async def yes(question: PermissionQuestion) -> PermissionAnswer:
    return PermissionAnswer("yes")


def rules(**lists: list[str]) -> Sequence[Rule]:
    return parse_permissions(lists, "test").rules


def attached(client: ScriptedClient, permissions: Permissions, **options: Any) -> Runtime:
    runtime = Runtime(MODEL, client=client, **options)
    permissions.attach(runtime.agent)
    return runtime


def users(messages: Sequence[Message]) -> list[str]:
    return [each.text for each in messages if each.role == "user"]


async def first_request(permissions: Permissions, walls: Walls | None = None) -> list[str]:
    client = ScriptedClient(["done"])
    async with attached(client, permissions) as runtime:
        runtime.agent.place.change(walls=walls)
        await runtime.prompt("go")
    return users(client.requests[0].messages)


async def test_a_model_that_may_do_everything_is_told_nothing() -> None:
    assert await first_request(Permissions()) == ["go"]
    assert await first_request(Permissions("yolo", rules(allow=["bash(ls)"]), ask=yes)) == ["go"]


async def test_the_mode_is_told_after_the_prompt_and_before_the_first_call_once() -> None:
    client = ScriptedClient([Turn(calls=[Call("read", {"path": "x"})]), "done", "again"])
    async with attached(client, Permissions("ask", ask=yes)) as runtime:
        await runtime.prompt("go")
        await runtime.prompt("more")
    prompt, told = users(client.requests[0].messages)
    assert prompt == "go"
    assert told.startswith("[Mode ask from here on: what only reads in the working directory runs; the user is asked")
    assert users(client.requests[-1].messages) == ["go", told, "more"]


async def test_a_change_is_told_and_the_way_back_too() -> None:
    permissions, client = Permissions(ask=yes), ScriptedClient(["a", "b", "c"])
    async with attached(client, permissions) as runtime:
        await runtime.prompt("1")
        permissions.mode = "plan"
        await runtime.prompt("2")
        permissions.mode = "yolo"
        await runtime.prompt("3")
    first, plan, second, free = users(client.requests[-1].messages)[1:]
    assert (first, second) == ("2", "3")
    assert "Answer with a plan" in plan
    assert free == "[Mode yolo from here on: every call runs.]"
    before, after = (request.messages for request in client.requests[1:])
    assert after[: len(before)] == before


@pytest.mark.parametrize("alone", [Permissions("ask"), Permissions("ask", ask=yes)])
async def test_where_nobody_can_be_asked_that_is_said_up_front(alone: Permissions) -> None:
    alone.ask_with(alone.ask, "none")
    _, told = await first_request(alone)
    assert "other calls are refused, for nobody can be asked" in told


async def test_rules_that_hold_something_back_are_told_in_every_mode() -> None:
    held = rules(deny=["bash(git push*)"], ask=["write"], allow=["bash(ls)"])
    _, told = await first_request(Permissions("yolo", held, ask=yes))
    assert told == "[Mode yolo from here on: every call runs. Held back by rules: write, bash(git push*).]"


async def test_the_sandbox_is_told_and_its_end_too() -> None:
    client = ScriptedClient(["a", "b"])
    async with attached(client, Permissions()) as runtime:
        runtime.agent.place.change(walls=Walls("Sandbox: no network", lambda _: False))
        await runtime.prompt("1")
        runtime.agent.place.change(walls=None)
        await runtime.prompt("2")
    assert [each for each in users(client.requests[-1].messages) if each.startswith("[")] == [
        "[Mode yolo from here on: every call runs. Sandbox: no network.]",
        "[Mode yolo from here on: every call runs.]",
    ]
    assert [each.hidden for each in client.requests[-1].messages if each.hidden] == [
        "the model knows: mode yolo, in a sandbox",
        "the model knows: mode yolo, no sandbox",
    ]


async def test_a_continued_session_sends_the_same_message_and_no_other(tmp_path: Path) -> None:
    session = tmp_path / "s.jsonl"
    before, after = ScriptedClient(["a"]), ScriptedClient(["b"])
    async with attached(before, Permissions("plan", ask=yes), session=str(session)) as runtime:
        await runtime.prompt("1")
    async with attached(after, Permissions("plan", ask=yes), session=str(session)) as runtime:
        await runtime.prompt("2")
    sent = users(before.requests[0].messages)
    assert users(after.requests[0].messages) == [*sent, "2"]


async def test_a_continued_session_is_told_that_its_sandbox_is_a_new_one(tmp_path: Path) -> None:
    session = tmp_path / "s.jsonl"
    for number in range(3):
        client = ScriptedClient(["a", "b"])
        async with attached(client, Permissions(), session=str(session)) as runtime:
            runtime.agent.place.change(walls=Walls("Sandbox: no network", lambda _: False))
            await runtime.prompt("1")
            await runtime.prompt("2")
        told = [each for each in users(client.requests[-1].messages) if each.startswith("[")]
        new = "[The sandbox is a new one: its folder for temporary files is empty.]"
        assert told == ["[Mode yolo from here on: every call runs. Sandbox: no network.]", *[new] * number]
        assert [each.hidden for each in client.requests[-1].messages if each.hidden] == [
            "the model knows: mode yolo, in a sandbox",
            *["the model knows: the sandbox is new"] * number,
        ]


async def test_it_is_told_again_after_a_compaction() -> None:
    client = ScriptedClient(["a", "b", "c", "d", "the summary", "e"])
    async with attached(client, Permissions("plan", ask=yes)) as runtime:
        for text in "1234":
            await runtime.prompt(text)
        await runtime.compact()
        await runtime.prompt("5")
    assert sum(each.startswith("[Mode plan") for each in users(client.requests[-1].messages)) == 1
    assert users(client.requests[-1].messages)[-1].startswith("[Mode plan")


FREE = "[Mode yolo from here on: every call runs.]"


@pytest.mark.parametrize("again", [True, False])
async def test_a_model_that_may_do_everything_is_told_so_after_a_compaction_of_another_mode(
    again: bool, tmp_path: Path
) -> None:
    client, session = ScriptedClient(["a", "b", "c", "d", "the summary", "e", "f"]), str(tmp_path / "s.jsonl")
    permissions = Permissions("plan", ask=yes)
    async with attached(client, permissions, session=session) as runtime:
        for text in "1234":
            await runtime.prompt(text)
        await runtime.compact()
        if not again:
            permissions.mode = "yolo"
            for text in "56":
                await runtime.prompt(text)
    if again:
        async with attached(client, Permissions(ask=yes), session=session) as runtime:
            for text in "56":
                await runtime.prompt(text)
    told = [[each for each in users(request.messages) if each.startswith("[Mode")] for request in client.requests[-2:]]
    assert told == [[FREE], [FREE]]  # at once, and once


async def test_a_summary_that_comes_after_it_makes_it_come_again() -> None:
    plan, told = Permissions("plan", ask=yes), ScriptedClient(["a"])
    async with attached(told, plan) as runtime:
        await runtime.prompt("1")
        before = runtime.messages
    branch = Message("user", [TextBlock("On another branch every call was refused.")], summarized_tokens=9)
    for permissions, count in ((plan, 2), (Permissions(ask=yes), 1)):
        client = ScriptedClient(["b", "c"])
        async with attached(client, permissions, messages=[*before, branch]) as runtime:
            await runtime.prompt("2")
            await runtime.prompt("3")
        sent = users(client.requests[-1].messages)
        assert sum(each.startswith(f"[Mode {permissions.mode}") for each in sent) == count
        assert sent[-2].startswith(f"[Mode {permissions.mode}")


async def test_the_way_back_is_told_again_where_it_was_taken_back() -> None:
    permissions, client = Permissions("plan", ask=yes), ScriptedClient(["a", "b", "c"])
    async with attached(client, permissions) as runtime:
        await runtime.prompt("1")
        permissions.mode = "yolo"
        await runtime.prompt("2")
        await runtime.branches.undo()
        await runtime.prompt("3")
    assert users(client.requests[-1].messages)[-2:] == ["3", FREE]


async def test_a_hook_that_changes_the_message_does_not_make_it_come_again() -> None:
    client = ScriptedClient([Turn(calls=[Call("read", {"path": "x"})]), "done"])
    async with attached(client, Permissions("plan", ask=yes)) as runtime:
        runtime.hooks.user_message.add(lambda each: each.replace(content=each.content[:0]) if each.hidden else None)
        await runtime.prompt("go")
    assert users(client.requests[-1].messages) == ["go", ""]


@pytest.mark.parametrize("definition", [None, "plan"])
async def test_a_sub_agent_is_told_what_it_may_do_but_not_what_a_plan_is_for(definition: PermissionMode | None) -> None:
    agents = [AgentDefinition("looker", "looks", "Look.", permissions=definition)]
    call = Call("agent", {"task": "look", "agent": "looker"})
    client = TaskClient({"main": [Turn(calls=[call]), "done"], "look": ["seen"]})
    permissions = Permissions("yolo" if definition else "plan", ask=yes)
    async with Runtime(MODEL, client=client, agents=agents) as runtime:
        runtime.judge_with(permissions)
        await runtime.prompt("main")
    sub, main = client.asked("look")[0], client.asked("main")[0]
    assert [each.startswith("[Mode plan") for each in users(sub.messages)] == [False, True]
    assert "Answer with a plan" not in users(sub.messages)[1]
    assert ("Answer with a plan" in "".join(users(main.messages))) == (definition is None)


async def test_the_sub_agent_of_a_sub_agent_is_told_the_mode_of_the_one_above_it() -> None:
    agents = [AgentDefinition("planner", "plans", "Plan.", permissions="plan"), AgentDefinition("other", "o", "Do.")]
    below = Turn(calls=[Call("agent", {"task": "below", "agent": "other"})])
    answers = {"main": [Turn(calls=[Call("agent", {"task": "look", "agent": "planner"})]), "done"],
               "look": [below, "seen"], "below": ["seen"]}  # fmt: skip
    client, permissions = TaskClient(answers), Permissions("ask", ask=yes)
    async with Runtime(MODEL, client=client, agents=agents) as runtime:
        runtime.judge_with(permissions)
        await runtime.prompt("main")
    told = {task: users(client.asked(task)[0].messages)[1][:10] for task in answers}
    assert told == {"main": "[Mode ask ", "look": "[Mode plan", "below": "[Mode plan"}


async def test_where_a_person_answers_the_main_agent_alone_its_sub_agents_are_told_that_nobody_can_be_asked() -> None:
    client = TaskClient({"main": [Turn(calls=[Call("agent", {"task": "look"})]), "done"], "look": ["seen"]})
    permissions = Permissions("ask", ask=yes)
    permissions.ask_with(yes, "main")
    async with Runtime(MODEL, client=client, agents=[]) as runtime:
        runtime.judge_with(permissions)
        await runtime.prompt("main")
    alone = ["nobody can be asked" in users(client.asked(task)[0].messages)[1] for task in ("main", "look")]
    assert alone == [False, True]


def policy(tmp_path: Path, **more: Any) -> SandboxPolicy:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "work").mkdir(exist_ok=True)
    return make_policy(str(tmp_path / "work"), home=str(tmp_path / "home"), scratch=str(tmp_path / "scratch"), **more)


@pytest.mark.needs("bwrap")
def test_the_words_about_a_sandbox_say_what_is_writable_and_what_is_reached(tmp_path: Path) -> None:
    closed = Sandbox(policy(tmp_path)).walls().words
    assert closed == (
        "Sandbox: writable are the working directory (not .git) and /tmp (private, until zot ends); per command: own "
        "home, processes, localhost; network: none"
    )
    more = tmp_path / "more"
    more.mkdir()
    hosts = [f"{name}.example" for name in "abcdefgh"]
    opened = Sandbox(policy(tmp_path, writable=[str(more)], hosts=hosts, git="write")).walls([str(more)]).words
    assert f"the working directory, {more} and /tmp" in opened
    assert opened.endswith("network: only a.example, b.example, c.example, d.example, 4 more")


@given(
    st.sampled_from(MODES),
    st.lists(st.text(max_size=100)),
    st.booleans(),
    st.booleans(),
)
def test_it_has_at_most_eighty_words(mode: PermissionMode, held: list[str], alone: bool, is_sub: bool) -> None:
    walls = (
        "Sandbox: writable are the working directory (not .git), /a, /b, /c, 9 more and /tmp (private, until zot "
        "ends); per command: own home, processes, localhost; network: only a, b, c, d, 2 more"
    )
    text = terms(Allowed(mode, held, alone, is_sub), walls)
    assert len(text.split()) <= 80
    assert "\n" not in text
