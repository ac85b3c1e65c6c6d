"""Limits on a run, implemented as hooks; the loop itself knows no limits."""

import asyncio

from zot_core.agent import Agent
from zot_core.events import AgentEvent, Done
from zot_core.hooks import Refusal
from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_provider.record import Record
from zot_provider.usage import Usage


class RunLimits(Record):
    """Limits that apply to each run; None means no limit.

    `max_steps`: model calls. `max_cost`: US dollars. `max_tokens`: input and output tokens, cached ones included.
    `deadline`: seconds; it interrupts the run, while the other limits are checked before every model call.
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


class RunBudget:
    """Applies limits to every run of an agent. Work that its sub-agents do for a run counts as the run's own."""

    def __init__(self, agent: Agent, limits: RunLimits) -> None:
        self._agent, self.limits = agent, limits
        self._before = agent.usage
        self._step = self._steps_of_others = 0
        self.earlier: tuple[int, Usage] | None = None
        """For a run that another process began: the steps that it took, and the usage before it."""
        self._timer: asyncio.TimerHandle | None = None

    def gate(self, step: int) -> Refusal | None:
        """Return why the run may not take this step; None if it may. A handler of `Hooks.before_turn`."""
        self._step = step
        if step == 1:
            self._steps_of_others, self._before = self.earlier or (0, self._agent.usage)
            if self.limits.deadline is not None:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self.limits.deadline, self._agent.cancel, "deadline")
        return self._exceeded()

    def count_step(self) -> Refusal | None:
        """Count a model call of a sub-agent. Return why it may not be made; None if it may."""
        self._steps_of_others += 1
        return self._exceeded()

    def _exceeded(self) -> Refusal | None:
        agent, limits = self._agent, self.limits
        used = agent.usage.context - self._before.context
        cost = (agent.usage.cost_usd or 0.0) - (self._before.cost_usd or 0.0)
        if limits.max_steps is not None and self._step + self._steps_of_others > limits.max_steps:
            return Refusal(f"max steps ({limits.max_steps}) exceeded", "max_steps")
        if limits.max_tokens is not None and used >= limits.max_tokens:
            return Refusal(f"max tokens ({limits.max_tokens}) exceeded: {used} used", "max_tokens")
        if limits.max_cost is not None and agent.model.price is None:  # the model has been changed
            return Refusal(_unknown_price(agent.model), "max_cost")
        if limits.max_cost is not None and cost >= limits.max_cost:
            return Refusal(f"max cost (${limits.max_cost:g}) exceeded: ${cost:.4f} spent", "max_cost")
        return None

    def stop_timer(self, _: AgentEvent) -> None:
        """End the time limit with the run. An observer of `Done`."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def limit_runs(agent: Agent, limits: RunLimits) -> RunBudget:
    """Apply `limits` to every run of `agent`. Raises `ConfigError` for limits that cannot be enforced."""
    limits.check(agent.model)
    budget = RunBudget(agent, limits)
    agent.hooks.before_turn.add(budget.gate)
    if limits.deadline is not None:
        agent.hooks.event.add(budget.stop_timer, Done)
    return budget


def _unknown_price(model: Model) -> str:
    return f"max_cost cannot be enforced: the price of model {model.id!r} is unknown"
