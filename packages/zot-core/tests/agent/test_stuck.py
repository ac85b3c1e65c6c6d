"""A model that repeats a failing call without end."""

import pytest

from zot_core import Runtime
from zot_core.confirm import PermissionAnswer, PermissionQuestion, Permissions
from zot_core.events import AgentEvent, ErrorEvent
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, Turn

AGAIN = Turn("", calls=[Call("read", {"path": "nope.txt"})])


def runtime(client: ScriptedClient, limit: int | None = 4) -> Runtime:
    return Runtime(Model("m", "v"), client=client, max_same_failures=limit)


async def test_the_run_stops_where_nobody_can_be_asked_and_the_next_prompt_begins_anew() -> None:
    client = ScriptedClient([AGAIN], repeat=True)
    async with runtime(client) as rt:
        events: list[AgentEvent] = []
        rt.hooks.event.add(events.append)
        assert await rt.prompt("go") == "max_steps"
        assert len(client.requests) == 4
        assert await rt.prompt("go") == "max_steps"
        assert len(client.requests) == 8
    errors = [event for event in events if isinstance(event, ErrorEvent)]
    assert [(error.message, error.exit_code) for error in errors] == [
        ("stopped: read has failed 4 times in the same way", 4)
    ] * 2


async def test_a_person_decides_whether_it_goes_on() -> None:
    asked: list[PermissionQuestion] = []

    async def ask(question: PermissionQuestion) -> PermissionAnswer:
        asked.append(question)
        return PermissionAnswer("yes" if len(asked) < 2 else "no")

    client = ScriptedClient([AGAIN], repeat=True)
    async with runtime(client) as rt:
        rt.judge_with(Permissions("yolo", ask=ask))
        assert await rt.prompt("go") == "max_steps"
    assert len(client.requests) == 8
    assert asked[0].reason == "read has failed 4 times in the same way; may the work continue?"
    assert asked[0].call.arguments == {"path": "nope.txt"}


@pytest.mark.parametrize("limit", [None, 30])
async def test_another_call_or_no_limit_lets_the_work_go_on(limit: int | None) -> None:
    client = ScriptedClient([*[AGAIN] * 12, "done"])
    async with runtime(client, limit) as rt:
        assert str(await rt.ask("go")) == "done"
