import asyncio

import pytest

from zot_core.agent import Agent, user_message
from zot_core.events import AgentEvent, Done, ErrorEvent
from zot_core.limits import RunLimits, limit_runs
from zot_core.testing import EventClient, make_agent, run_to_end, types
from zot_core.tools.definition.tool import tool
from zot_provider.errors import ConfigError
from zot_provider.model import Model, Price
from zot_provider.testing import Call, ScriptedClient, Turn
from zot_provider.usage import Usage

DOLLAR = Model("m", "v", price=Price(input=1_000_000, output=0))
"""A dollar for each token in."""


@tool
async def echo(text: str) -> str:
    return text


def endless(usage: Usage | None = None, model: Model = DOLLAR) -> Agent:
    """An agent whose model calls a tool again and again, at 3 tokens a call."""
    turn = Turn(calls=[Call("echo", {"text": "a"})], usage=usage or Usage(input=1, output=1, cache_read=1))
    return make_agent(ScriptedClient([turn], repeat=True), echo, model=model)


def stopped(agent: Agent, limits: RunLimits) -> tuple[int, list[AgentEvent]]:
    """How many turns there were, and how it ended."""
    limit_runs(agent, limits)
    events = run_to_end(agent, "hi")
    return types(events).count("turn_start"), events[-2:]


def test_without_limits_nothing_is_limited() -> None:
    assert RunLimits() == RunLimits(max_steps=None, max_cost=None, max_tokens=None)


def test_the_number_of_model_calls_is_limited() -> None:
    error = ErrorEvent("max steps (3) exceeded", exit_code=4)
    assert stopped(endless(), RunLimits(max_steps=3)) == (3, [error, Done("max_steps")])


def test_a_run_that_needs_just_the_steps_it_has_is_completed() -> None:
    agent = make_agent(ScriptedClient([Turn(calls=[Call("echo", {"text": "a"})]), "ok"]), echo)
    assert stopped(agent, RunLimits(max_steps=2))[1][-1] == Done("completed")


def test_tokens_of_every_kind_are_limited() -> None:
    error = ErrorEvent("max tokens (5) exceeded: 6 used", exit_code=4)
    assert stopped(endless(), RunLimits(max_tokens=5)) == (2, [error, Done("max_tokens")])


def test_the_cost_is_limited() -> None:
    error = ErrorEvent("max cost ($2.5) exceeded: $3.0000 spent", exit_code=4)
    assert stopped(endless(), RunLimits(max_cost=2.5)) == (3, [error, Done("max_cost")])


def test_limits_count_from_the_beginning_of_each_run() -> None:
    agent = endless()
    agent.usage = Usage(input=1000, cost_usd=1000.0)
    limit_runs(agent, RunLimits(max_cost=1, max_tokens=3, max_steps=2))

    for _ in range(2):
        assert types(run_to_end(agent, "hi")).count("turn_start") == 1


def test_a_cost_without_a_known_price_cannot_be_limited() -> None:
    with pytest.raises(ConfigError, match=r"^max_cost cannot be enforced: the price of model 'm' is unknown$"):
        limit_runs(endless(model=Model("m", "v")), RunLimits(max_cost=1))


def test_a_change_to_a_model_without_a_price_stops_a_run_whose_cost_is_limited() -> None:
    agent = endless()
    limit_runs(agent, RunLimits(max_cost=1))
    agent.model = Model("other", "v")

    events = run_to_end(agent, "hi")

    message = "max_cost cannot be enforced: the price of model 'other' is unknown"
    assert events[-2:] == [ErrorEvent(message, exit_code=4), Done("max_cost")]


@pytest.mark.parametrize("name", ["max_steps", "max_cost", "max_tokens", "deadline"])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_limit_must_be_above_zero(name: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"^{name} must be greater than 0, got {value}$"):
        limit_runs(endless(), RunLimits(**{name: value}))


def test_a_deadline_interrupts_whatever_is_going_on() -> None:
    events = stopped(make_agent(EventClient([None])), RunLimits(deadline=0.01))[1]
    assert events == [ErrorEvent("the deadline has passed", exit_code=4), Done("deadline")]


def test_a_deadline_interrupts_a_run_that_was_started_without_a_message() -> None:
    agent = make_agent(EventClient([None]))
    limit_runs(agent, RunLimits(deadline=0.01))
    assert run_to_end(agent)[-1] == Done("deadline")


async def test_a_deadline_that_was_kept_leaves_no_timer_behind() -> None:
    agent = make_agent(ScriptedClient(["a"], repeat=True))
    limit_runs(agent, RunLimits(deadline=60))
    ends: list[AgentEvent] = []
    agent.hooks.event.add(ends.append)
    for _ in range(2):
        await agent.run(user_message("hi"))
    timers = [each for each in asyncio.get_running_loop()._scheduled if not each.cancelled()]  # type: ignore[attr-defined]
    assert timers == []
    assert [event for event in ends if isinstance(event, Done)] == [Done("completed")] * 2
