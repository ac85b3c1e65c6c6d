"""Limits on a run, implemented as hooks; the loop itself knows no limits."""

import asyncio
from typing import TYPE_CHECKING

from zot_core.events import AgentEvent, Done
from zot_core.hooks import Refusal
from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.agent import Agent


class RunLimits(Record):
    """Limits that apply to each run; None means no limit.

    `max_steps`: model calls. `max_cost`: US dollars. `max_tokens`: input and output tokens, cached ones included.
    `deadline`: seconds; it interrupts the run, while the other limits are checked before each model call.
    """

    max_steps: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    deadline: float | None = None

    def check(self, model: Model) -> None:
        """Raise `ConfigError` if a limit is not above zero or cannot be enforced with `model`."""
        for name in self.__match_args__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f"{name} must be greater than 0, got {value}")
        if self.max_cost is not None and model.price is None:
            raise ConfigError(_unknown_price(model))


def limit_runs(agent: "Agent", limits: RunLimits) -> None:
    """Apply `limits` to every run of `agent`. Raises `ConfigError` for limits that cannot be enforced."""
    limits.check(agent.model)
    usage_at_start = [agent.usage]
    timer: list[asyncio.TimerHandle] = []

    def gate(step: int) -> Refusal | None:
        if step == 1:
            usage_at_start[0] = agent.usage
            if limits.deadline is not None:
                timer.append(asyncio.get_running_loop().call_later(limits.deadline, agent.cancel, "deadline"))
        used = agent.usage.context - usage_at_start[0].context
        cost = (agent.usage.cost_usd or 0.0) - (usage_at_start[0].cost_usd or 0.0)
        if limits.max_steps is not None and step > limits.max_steps:
            return Refusal(f"max steps ({limits.max_steps}) exceeded", "max_steps")
        if limits.max_tokens is not None and used >= limits.max_tokens:
            return Refusal(f"max tokens ({limits.max_tokens}) exceeded: {used} used", "max_tokens")
        if limits.max_cost is not None and agent.model.price is None:  # the model has been changed
            return Refusal(_unknown_price(agent.model), "max_cost")
        if limits.max_cost is not None and cost >= limits.max_cost:
            return Refusal(f"max cost (${limits.max_cost:g}) exceeded: ${cost:.4f} spent", "max_cost")
        return None

    def stop_timer(event: AgentEvent) -> None:
        if type(event) is Done:
            for handle in timer:
                handle.cancel()
            timer.clear()

    agent.hooks.before_turn.add(gate)
    if limits.deadline is not None:
        agent.hooks.event.add(stop_timer)


def _unknown_price(model: Model) -> str:
    return f"max_cost cannot be enforced: the price of model {model.id!r} is unknown"
