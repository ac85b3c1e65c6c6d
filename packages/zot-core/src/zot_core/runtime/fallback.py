"""`Fallbacks`: models that answer when the model of a runtime cannot."""

from collections.abc import Iterable

from zot_core.agent.run import Run
from zot_core.errors import error_line
from zot_core.events import Notice
from zot_core.hooks import ModelCallFailure
from zot_core.runtime import resolve
from zot_core.runtime.runtime import Runtime
from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_provider.record import Record
from zot_provider.request import Reasoning


class _Choice(Record):
    """A model, and the reasoning level at the end of its name, None without one."""

    model: Model
    reasoning: Reasoning | None


class Fallbacks:
    """Tries other models in order when a model call has failed for good, before any part of an answer.

    Only failures that are `rescuable` count: a request that the first model refuses as wrong or too long would fail
    again. The model that answers is the runtime's model from then on. In one run each model is tried once.
    """

    def __init__(self, runtime: Runtime, names: Iterable[str]) -> None:
        """`names` are resolved as by `Runtime.set_model`. Raises `ConfigError` for unknown ones, `MissingKey` without a
        credential."""
        self._runtime, self._agent = runtime, runtime.agent
        self._choices: list[_Choice] = []
        for name in names:
            model, _, level = resolve.other_model(self._agent.client, self._agent.model, name, "")
            self._choices.append(_Choice(model, level))
        self._run: Run | None = None
        self._failed: list[tuple[str, str]] = []

    def attach(self) -> None:
        """Begin to watch the runtime's model calls."""
        self._agent.hooks.call_failed.add(self._on_call_failed)

    def _on_call_failed(self, failure: ModelCallFailure) -> ModelCallFailure | None:
        agent = self._agent
        if failure.retry or not failure.error.rescuable:
            return None
        if self._run is not agent.current:
            self._run, self._failed = agent.current, []
        why = f"{agent.model.provider}/{agent.model.id} failed: {error_line(failure.error)}"
        self._failed.append(_key(agent.model))
        for choice in self._choices:
            if _key(choice.model) in self._failed:
                continue
            try:
                resolve.other_model(agent.client, agent.model, choice.model, "")
            except ConfigError as error:  # its key was removed meanwhile
                agent.emit(Notice("warn", error_line(error)))
                continue
            agent.emit(Notice("warn", f"{why}; {choice.model.provider}/{choice.model.id} answers from now on"))
            self._use(choice)
            return failure.replace(retry=True)
        return None

    def _use(self, choice: _Choice) -> None:
        agent, session = self._agent, self._runtime.session
        agent.model, agent.reasoning = choice.model, choice.reasoning or agent.reasoning
        if session is not None:
            session.change(model=agent.model.id, provider=agent.model.provider)
        agent.refresh()


def _key(model: Model) -> tuple[str, str]:
    return model.provider, model.id
