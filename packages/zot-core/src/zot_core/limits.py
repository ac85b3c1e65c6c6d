"""Limits on a run, each a gate of a few lines: the loop knows nothing of them."""

import asyncio
from typing import TYPE_CHECKING

from zot_core.events import AgentEvent, Done
from zot_core.hooks import Refusal
from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_provider.record import Record, record

if TYPE_CHECKING:
    from zot_core.agent import Agent


@record
class RunLimits(Record):
    """Bounds for each run, None for none.

    `max_steps`: model calls. `max_cost`: US dollars. `max_tokens`: tokens in and out, cached ones included.
    `deadline`: seconds; unlike the others, which are looked at before each model call, it interrupts what is going on.
    """

    max_steps: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    deadline: float | None = None

    def check(self, model: Model) -> None:
        """Raises `ConfigError` for a limit that is not above zero, or that cannot be kept with `model`."""
        for name in self.__match_args__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f"{name} must be greater than 0, got {value}")
        if self.max_cost is not None and model.price is None:
            raise ConfigError(_unknown_price(model))


def limit_runs(agent: "Agent", limits: RunLimits) -> None:
    """Hold every run of `agent` to `limits`. Raises `ConfigError` for limits that cannot be kept."""
    limits.check(agent.model)
    began = [agent.usage]
    timer: list[asyncio.TimerHandle] = []

    def gate(step: int) -> Refusal | None:
        if step == 1:
            began[0] = agent.usage
            if limits.deadline is not None:
                timer.append(asyncio.get_running_loop().call_later(limits.deadline, agent.cancel, "deadline"))
        used = agent.usage.context - began[0].context
        cost = agent.usage.cost_usd - began[0].cost_usd
        if limits.max_steps is not None and step > limits.max_steps:
            return Refusal(f"max steps ({limits.max_steps}) exceeded", "max_steps")
        if limits.max_tokens is not None and used >= limits.max_tokens:
            return Refusal(f"max tokens ({limits.max_tokens}) exceeded: {used} used", "max_tokens")
        if limits.max_cost is not None and agent.model.price is None:  # another model than at the beginning
            return Refusal(_unknown_price(agent.model), "max_cost")
        if limits.max_cost is not None and cost >= limits.max_cost:
            return Refusal(f"max cost (${limits.max_cost:g}) exceeded: ${cost:.4f} spent", "max_cost")
        return None

    def stop_clock(event: AgentEvent) -> None:
        if type(event) is Done:
            for handle in timer:
                handle.cancel()
            timer.clear()

    agent.hooks.before_turn.add(gate)
    if limits.deadline is not None:
        agent.hooks.event.add(stop_clock)


def _unknown_price(model: Model) -> str:
    return f"max_cost cannot be kept: the price of model {model.id!r} is unknown"
