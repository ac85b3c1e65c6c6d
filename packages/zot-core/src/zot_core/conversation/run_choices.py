"""Choices of a slash command's prompt for the run that answers it: the model, and calls that are allowed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from zot_core.confirm import Permissions
from zot_core.errors import SessionError, error_line
from zot_core.events import Notice
from zot_core.runtime import resolve
from zot_core.runtime.runtime import Runtime
from zot_core.templates import CommandPrompt
from zot_provider.errors import ConfigError
from zot_provider.router import RoutingClient

if TYPE_CHECKING:
    from zot_core.permissions.rule import Rule

_INHERIT = "inherit"


@contextmanager
def run_choices(
    prompt: CommandPrompt, runtime: Runtime, permissions: Permissions, changed: Callable[[], None]
) -> Iterator[None]:
    """Apply what `prompt` chooses for as long as the block runs; notices say what is not possible. `changed` is called
    when the model has changed."""
    agent = runtime.agent
    before = agent.model, agent.reasoning
    switched = bool(prompt.model) and prompt.model != _INHERIT and _use_model(prompt, runtime)
    if switched:
        changed()
    if prompt.allowed_tools:
        permissions.granted = _granted(prompt, runtime)
    try:
        yield
    finally:
        permissions.granted = ()
        if switched:
            agent.model, agent.reasoning = before
            _restore_meta(runtime)
            agent.refresh()
            changed()


def _restore_meta(runtime: Runtime) -> None:
    """Let the session name the model again: a fallback has replaced it, if the chosen model failed."""
    model, session = runtime.agent.model, runtime.session
    if session is not None and (session.meta.model, session.meta.provider) != (model.id, model.provider):
        with suppress(SessionError):  # the run has ended, and the next row reports it
            session.change(model=model.id, provider=model.provider)


def _granted(prompt: CommandPrompt, runtime: Runtime) -> "list[Rule]":
    """Return the rules that `prompt` asks for; a notice names what is no rule."""
    from zot_core.permissions.allowed_tools import read_allowed_tools  # noqa: PLC0415  not before the first request

    rules, problems = read_allowed_tools(prompt.allowed_tools, f"{prompt.source}: allowed-tools")
    for line in problems:
        runtime.agent.emit(Notice("warn", line))
    return rules


def _use_model(prompt: CommandPrompt, runtime: Runtime) -> bool:
    """Use the model that `prompt` names, if zot knows it and has a key for it; return whether it differs."""
    agent = runtime.agent
    try:
        model, unknown, level = resolve.other_model(agent.client, agent.model, prompt.model, "")
        # A server with its own names takes any name; the template may mean a model of another provider.
        if isinstance(agent.client, RoutingClient) and not prompt.model.startswith(f"{model.provider}/"):
            known = agent.client.registry.knows(model)
            unknown = unknown or ("" if known else "zot does not know it")
    except ConfigError as error:
        unknown = error_line(error)
    if unknown:
        agent.emit(Notice("warn", f"{prompt.source}: model {prompt.model}: {unknown}; {agent.model.id} answers"))
        return False
    if model == agent.model and level in (None, agent.reasoning):
        return False
    agent.model, agent.reasoning = model, level or agent.reasoning
    agent.refresh()
    return True
