"""Resolve the options of a `Runtime` (names, paths) to clients, models, tools and sessions."""

import os
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import TYPE_CHECKING, Any, get_args

from zot_core.agent import Agent
from zot_core.agent.run import Run
from zot_core.compaction.compactor import CompactionLimits
from zot_core.events import RunEnd
from zot_core.limits import RunBudget
from zot_core.sessions.file import SessionFile, StoredSession, load
from zot_core.sessions.rows import Meta
from zot_core.skills import SKILL_TOOL
from zot_core.tools import AGENT_TOOL, BUILTIN_TOOLS, as_names
from zot_core.tools.definition.tool import Tool
from zot_core.version import __version__
from zot_provider.client.http import Client
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.families import describe
from zot_provider.model import Model
from zot_provider.registry import Ask, Listing, ModelRegistry, Which
from zot_provider.request import Reasoning
from zot_provider.router import RoutingClient, open_client
from zot_provider.selection import select

if TYPE_CHECKING:
    from zot_core.runtime.durable import DurableRun

WORKSPACE_TOOLS = (SKILL_TOOL, AGENT_TOOL)
"""Tools that depend on the workspace."""


def working_directory(cwd: str | os.PathLike[str]) -> str:
    """Return the absolute path of a directory. Raises `ConfigError` if it does not exist."""
    path = os.path.abspath(cwd)
    if not os.path.isdir(path):
        raise ConfigError(f"the working directory {path} does not exist")
    return path


def compaction_limits(auto_compact: float | CompactionLimits | None) -> CompactionLimits:
    """Return the limits, made from the threshold if only that is given. Raises `ConfigError` for invalid ones."""
    limits = auto_compact if isinstance(auto_compact, CompactionLimits) else CompactionLimits(auto_compact)
    limits.check()
    return limits


def client_and_model(
    client: Client | None,
    models: ModelRegistry | None,
    model: str | Model,
    provider: str,
    api_key: str,
    base_url: str,
    retries: RetryPolicy | None = None,
) -> tuple[Client, Model, Reasoning | None]:
    """Return the client and the model to use, and the reasoning level at the end of the model's name. Raises
    `ConfigError`."""
    if client is not None:
        return client, Model(model, provider) if isinstance(model, str) else model, None
    name = model if isinstance(model, str) else f"{model.provider}/{model.id}"
    registry = models or ModelRegistry()
    selection = select(provider, name, api_key=api_key, base_url=base_url, registry=registry)
    return open_client(selection, registry=registry, retries=retries), selection.model, selection.reasoning


def builtin_tools_named(names: Iterable[str] | None) -> list[Tool]:
    """Return the built-in tools called `names`, or all for None. The names in `WORKSPACE_TOOLS` are accepted and
    skipped. Raises `ConfigError`."""
    if names is None:
        return list(BUILTIN_TOOLS)
    known = {tool.name: tool for tool in BUILTIN_TOOLS}
    wanted = as_names(names)
    for name in wanted:
        if name not in known and name not in WORKSPACE_TOOLS:
            raise UnknownName.among("tool", name, [*known, *WORKSPACE_TOOLS])
    return [known[name] for name in wanted if name not in WORKSPACE_TOOLS]


def select_tools(known: Mapping[str, Tool], present: Mapping[str, Tool], names: Iterable[str]) -> dict[str, Tool]:
    """Return the `known` tools called `names`, and all tools in `present` that are not known, such as tools of
    extensions.

    Raises `ConfigError`.
    """
    kept = {name: tool for name, tool in present.items() if known.get(name) is not tool}
    chosen: dict[str, Tool] = {}
    for name in as_names(names):
        if name in known:
            chosen[name] = known[name]
        elif name not in kept:
            raise UnknownName.among("tool", name, [*known, *kept])
    return kept | chosen


def check_tools(tools: Iterable[Tool]) -> list[Tool]:
    """Return the embedder's tools as a list. Raises `ConfigError` for an object that is not a tool."""
    if not isinstance(tools, Iterable):
        raise ConfigError(f"tools must be a list: tools=[{_name(tools)}]")
    found = list(tools)
    for tool in found:
        if not isinstance(tool, Tool):
            way = "put @tool above the function" if callable(tool) else "it must be a zot_core.Tool"
            raise ConfigError(f"{_name(tool)} is not a tool: {way}")
    return found


def _name(thing: object) -> str:
    return str(getattr(thing, "__name__", None) or getattr(thing, "name", None) or repr(thing))


def check_reasoning(reasoning: str) -> None:
    """Raise `UnknownName` for an unknown reasoning level."""
    if reasoning not in get_args(Reasoning):
        raise UnknownName.among("reasoning", reasoning, get_args(Reasoning))


def open_session(path: str, cwd: str, model: Model) -> tuple[SessionFile, StoredSession | None]:
    """Open the session file at `path`. Return it with its contents, None for a new file. Raises `SessionError`."""
    if not os.path.exists(path):
        identity = os.path.basename(path).removesuffix(".jsonl")
        return SessionFile(path, Meta(identity, cwd, model.id, model.provider, "", __version__)), None
    stored = load(path)
    changed = stored.meta.replace(model=model.id, provider=model.provider)
    return SessionFile(path, changed, resume=stored), stored


def durable_run(
    agent: Agent,
    session: SessionFile | None,
    task: str | None,
    budget: RunBudget,
    begin: Callable[[Callable[[], Coroutine[Any, Any, RunEnd]]], Run],
) -> "DurableRun | None":
    """Return the run of a session: see `open_run`; None without a task."""
    if task is None:
        return None
    from zot_core.runtime.durable import open_run  # noqa: PLC0415  few runs are durable

    return open_run(agent, session, task, budget, begin)


def other_model(
    client: Client, current: Model, model: str | Model, provider: str
) -> tuple[Model, str, Reasoning | None]:
    """Return the model that replaces `current`, a sentence if it is not a known model, and the reasoning level at the
    end of its name.

    Raises `ConfigError`: see `ModelRegistry.resolve` and `RoutingClient.check`. A client supplied by the embedder
    accepts any name.
    """
    if isinstance(client, RoutingClient):
        registry, level = client.registry, None
        if isinstance(model, str):
            model, level = registry.split_level(model, provider)
        found = registry.resolve(model, current, provider=provider) if isinstance(model, str) else model
        client.check(found)
        title = registry.provider(found.provider).title
        unlisted = f"{found.id} is not among the models of {title} that zot knows"
        return found, unlisted if registry.unlisted(found, current) else "", level
    if not isinstance(model, str):
        return model, "", None
    own = provider or current.provider
    name = model.strip().removeprefix(f"{own}/")
    if not name:
        raise ConfigError("the model's name is empty")
    return current if (name, own) == (current.id, current.provider) else describe(name, own), "", None


async def list_models(client: Client, current: Model, which: Which, ask: Ask, limit: float) -> Listing:
    """See `ModelRegistry.listing`; for a client supplied by the embedder only the current model is listed."""
    if not isinstance(client, RoutingClient):
        return Listing([current] if current.id else [])
    return await client.registry.listing(client.list_models, which=which, current=current, ask=ask, limit=limit)
