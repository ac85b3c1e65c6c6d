"""`Registrations`: everything that an extension has registered, in order."""

from __future__ import annotations

from zot_ext.protocol.events import EVENTS, INTERCEPTS
from zot_ext.protocol.from_extension import RegisterCommand, RegisterTool, Subscribe
from zot_ext.protocol.raw import RawObject
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypedDict

    from zot_ext.calls.flags import Flags
    from zot_ext.interception import RegisteredInterceptor
    from zot_ext.panel import Panel
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import HelloAck
    from zot_ext.providers.provider import ModelProvider
    from zot_ext.screen.handlers import ScreenHandlers
    from zot_ext.tool_ops import ServedOps, ToolOps

    class ToolOptions(TypedDict, total=False):
        """Options of a tool beyond its name, description and schema: see `Extension.tool`."""

        snippet: str
        parallel: bool
        seconds: float
        read_only: bool
        override: bool
        deferred: bool
        namespace: str
        prepare: Callable[[dict[str, Any]], object]
        strict: bool
        lark: str
        regex: str


_LARGE = ("context", "before_provider_request", "session_before_compact")
"""Events with frames of the whole conversation."""


class RegisteredCommand(Record):
    """A slash command with its handler."""

    name: str
    description: str
    handler: Callable[..., object]
    """Takes the text after the name."""
    hidden: bool = False

    def frame(self) -> RegisterCommand:
        return RegisterCommand(self.name, self.description, self.hidden)


def _sampling(given: ToolOptions) -> RawObject | None:
    """Return what the model may write, as the frame says it."""
    if given.get("strict"):
        return RawObject.from_value({"type": "json_schema"})
    grammar = given.get("lark") or given.get("regex")
    return (
        RawObject.from_value({"type": "lark" if given.get("lark") else "regex", "grammar": grammar})
        if grammar
        else None
    )


class RegisteredTool(Record):
    """A tool for the model with its handler."""

    name: str
    description: str
    schema: RawObject
    handler: Callable[..., object]
    """Takes the parsed arguments as one dictionary."""
    options: ToolOptions

    def frame(self) -> RegisterTool:
        given = self.options
        if not given:
            return RegisterTool(self.name, self.description, self.schema)
        return RegisterTool(
            self.name,
            self.description,
            self.schema,
            prompt_snippet=given.get("snippet", ""),
            execution_mode="parallel" if given.get("parallel") else "",
            timeout_ms=round(given.get("seconds", 0) * 1000),
            read_only=given.get("read_only", False),
            override=given.get("override", False),
            deferred=given.get("deferred", False),
            namespace=given.get("namespace", ""),
            constrained_sampling=_sampling(given),
            prepare_args="prepare" in given,
        )


class Registrations:
    """Commands, tools, event handlers, flags and panels. Registering a name again replaces the earlier registration."""

    def __init__(self) -> None:
        self.commands: dict[str, RegisteredCommand] = {}
        self.tools: dict[str, RegisteredTool] = {}
        self.events: dict[str, list[Callable[..., object]]] = {}
        self.interceptors: dict[str, list[RegisteredInterceptor]] = {}
        self.options: dict[str, dict[str, object]] = {}
        """The options of intercepted events that differ from the defaults."""
        self.flags: Flags | None = None
        self.hello: list[Callable[..., object]] = []
        self.missing: list[str] = []
        """The parts that could not be started, and why, a line each."""
        self.panels: dict[str, Panel] = {}
        self.providers: dict[str, ModelProvider] = {}
        self.ops: ServedOps | None = None
        self.screen: ScreenHandlers | None = None

    def screen_handlers(self, call: Callable[..., Any]) -> ScreenHandlers:
        """Return what the extension does on the screen, made when it is first wanted. It calls the host by `call`."""
        if self.screen is None:
            from zot_ext.screen.handlers import ScreenHandlers  # noqa: PLC0415 - few extensions have any

            self.screen = ScreenHandlers(call)
            self.hello.append(self.screen.greeted)
        return self.screen

    def flag_values(self, host: Callable[[], HelloAck]) -> Flags:
        """Return the flags, made when they are first wanted; `host` returns the greeting."""
        if self.flags is None:
            from zot_ext.calls.flags import Flags  # noqa: PLC0415 - few extensions have flags

            self.flags = Flags(host)
        return self.flags

    def serve_ops(self, handlers: ToolOps, send: Callable[[FromExtension], None]) -> ServedOps:
        """Note that another machine is offered."""
        from zot_ext.tool_ops import ServedOps  # noqa: PLC0415 - few extensions serve another machine

        self.ops = ServedOps(handlers, send)
        return self.ops

    def capabilities(self) -> Iterator[str]:
        """Yield the groups of the protocol that are in use."""
        if self.commands:
            yield "commands"
        if self.tools:
            yield "tools"
        if any(tool.options for tool in self.tools.values()):
            yield "tools2"
        if self.events or self.interceptors:
            yield "events"
            yield from self._newer_groups()
        if self.panels:
            yield "panels"
        if any(panel.group == "panels2" for panel in self.panels.values()):
            yield "panels2"
        if any(name.startswith("bus:") for name in self.events):
            yield "bus"
        if self.flags is not None:
            yield "flags"
        if self.providers:
            yield from ("providers", "cancel")
        if self.ops is not None:
            yield from ("tool_ops", "cancel")
        if self.hello:
            yield "ready"
        if self.screen is not None:
            yield from self.screen.groups()

    def _newer_groups(self) -> Iterator[str]:
        """Yield the groups of the events that not every host has."""
        if not self.events.keys() <= {*EVENTS}:
            from zot_ext.protocol.events.observable import OBSERVABLE  # noqa: PLC0415 - few extensions observe more

            yield from sorted({OBSERVABLE[name].group for name in self.events if name in OBSERVABLE})
        if not self.interceptors.keys() <= {*INTERCEPTS}:
            yield "intercepts2"
        if not self.interceptors.keys().isdisjoint(_LARGE):
            yield "large_frames"

    def frames(self) -> Iterator[FromExtension]:
        """Yield the registrations in the order that hosts prefer: commands, tools, one subscription."""
        for command in self.commands.values():
            yield command.frame()
        for tool in self.tools.values():
            yield tool.frame()
        for provider in self.providers.values():
            if provider.config is not None:
                yield provider.frame()
        if self.ops is not None and self.ops.claimed is not None:
            yield self.ops.claimed
        if self.events or self.interceptors:
            yield self.subscription(tuple(self.events), tuple(self.interceptors))

    def add_options(self, event: str, options: Mapping[str, object]) -> bool:
        """Add the options of a new interceptor for the host; return whether they have changed. Of several interceptors
        each option is the strictest; the last priority counts."""
        before = self.options.get(event, {})
        texts = options.get("contains") or []
        if len(self.interceptors[event]) > 1:  # an interceptor without texts wants all prompts
            others = before.get("contains")
            texts = [*others, *texts] if isinstance(others, list) and isinstance(texts, list) and texts else []
        named = {name: value for name, value in options.items() if value not in ("allow", "session", 0)}
        after = self.options[event] = {**before, **named, "contains": texts}
        if not texts:
            del after["contains"]
        return after != before

    def subscription(self, events: tuple[str, ...] = (), intercept: tuple[str, ...] = ()) -> Subscribe:
        """Return the frame for these observed and intercepted events."""
        options = {event: self.options[event] for event in intercept if self.options.get(event)}
        return Subscribe(events, intercept, RawObject.from_value(options) if options else None)


def make_tool(
    handler: Callable[..., object],
    name: str,
    description: str,
    schema: Mapping[str, object] | RawObject | None,
    options: ToolOptions,
) -> RegisteredTool:
    """Make a tool from what `Extension.tool` takes. Raises ValueError for a wrong name, TypeError for a function that
    cannot be described."""
    if schema is not None:
        raw = schema if isinstance(schema, RawObject) else RawObject.from_value(schema)
        name = tool_name(name or getattr(handler, "__name__", ""))
        description = description or (handler.__doc__ or "").strip()
        return RegisteredTool(name, description, raw, handler, options)
    from zot_ext.schema import bind, read_signature  # noqa: PLC0415 - only tools need it

    read = read_signature(handler)
    return RegisteredTool(
        tool_name(name or read.name),
        description or read.description,
        RawObject.from_value(read.schema),
        lambda args: handler(**bind(read, args)),
        options,
    )


def tool_name(name: str) -> str:
    """Check the name of a tool: 1 to 64 of `A-Z a-z 0-9 _ -`; with any other, every request to the provider fails."""
    if not _is_plain(name) or len(name) > 64:
        raise ValueError(f"{name!r} is not a tool name: 1 to 64 letters, digits, '_' and '-'")
    return name


def command_name(name: str) -> str:
    """Check the name of a command, without its slash: letters, digits, `_` and `-`."""
    if not _is_plain(name.removeprefix("/")):
        raise ValueError(f"{name!r} is not a command name: letters, digits, '_' and '-'")
    return name.removeprefix("/")


def _is_plain(name: str) -> bool:
    return name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
