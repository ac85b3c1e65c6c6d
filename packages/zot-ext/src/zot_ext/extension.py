"""`Extension`: what an author writes against. Register functions, then `run()`."""

from __future__ import annotations

import os
import sys

from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.raw import RawObject
from zot_ext.registry import Command, Registry, Tool, command_name, tool_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, TypeVar, overload

    from zot_ext.limits import Limits
    from zot_ext.panel import Panel
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import HelloAck
    from zot_ext.runtime.service import Service

    Handler = TypeVar("Handler", bound=Callable[..., object])
    Intercepted = Literal["tool_call", "turn_start", "assistant_message", "before_agent_start"]
else:

    def overload(function):
        return function


class NotGranted(RuntimeError):
    """The host does not grant what was asked for; nothing was sent."""


class Extension:
    """One extension. Handlers may be plain or `async` functions.

    Commands, tools and interceptors run side by side; events run one after the other, and so do the keys of
    panels. Whatever a handler raises is answered as an error and written to the log. Register before `run()`,
    or in `on_hello` what depends on the host; later registrations reach hosts that read them at any time.
    """

    def __init__(
        self, name: str, version: str = "", *, capabilities: tuple[str, ...] = (), limits: Limits = DEFAULT_LIMITS
    ) -> None:
        """`capabilities` asks for groups beyond those in use, such as `submit`; see `host.capabilities`."""
        if not name.strip():
            raise ValueError("an extension needs a name")
        self.name = name
        self.version = version
        self.limits = limits
        self._asked = capabilities
        self._registry = Registry()
        self._service: Service | None = None

    # Registration

    def command(self, name: str, description: str = "") -> Callable[[Handler], Handler]:
        """Register a slash command. The handler takes the text after the name (`""` when there is none).

        It returns `prompt(...)`, `insert(...)`, `display(...)`, `noop()`, `error(...)` or `panel.open()`; text is
        displayed, `None` does nothing.
        """
        name = command_name(name)

        def register(handler: Handler) -> Handler:
            command = Command(name, description, handler)
            self._registry.commands[name] = command
            self._send_late(command.frame)
            return handler

        return register

    # ruff takes this `overload` for a stranger, since `typing` is not imported to run.
    @overload
    def tool(self, handler: Handler, /) -> Handler: ...

    @overload
    def tool(  # noqa: F811
        self, *, name: str = "", description: str = "", schema: Mapping[str, object] | RawObject | None = None
    ) -> Callable[[Handler], Handler]: ...

    def tool(  # noqa: F811
        self,
        handler: Any = None,
        *,
        name: str = "",
        description: str = "",
        schema: Mapping[str, object] | RawObject | None = None,
    ) -> Any:
        """Register a tool for the model, as `@ext.tool` or `@ext.tool(name=..., ...)`.

        Without `schema`, the annotations make it (see `zot_ext.schema`), arguments that do not fit are refused,
        and the handler takes them by name. With `schema`, the handler takes one dictionary, not checked. It
        returns text, `text_result(...)`, `image_result(...)`, `error(...)`, or a value that is sent as JSON.
        """

        def register(handler: Handler) -> Handler:
            tool = self._made_tool(handler, name, description, schema)
            self._registry.tools[tool.name] = tool
            self._send_late(tool.frame)
            return handler

        return register if handler is None else register(handler)

    def _made_tool(
        self,
        handler: Callable[..., object],
        name: str,
        description: str,
        schema: Mapping[str, object] | RawObject | None,
    ) -> Tool:
        if schema is not None:
            raw = schema if isinstance(schema, RawObject) else RawObject.from_value(schema)
            name = tool_name(name or getattr(handler, "__name__", ""))
            description = description or (handler.__doc__ or "").strip()
            return Tool(name, description, raw, handler)
        from zot_ext.schema import bind, read_signature  # noqa: PLC0415 - only tools need it

        read = read_signature(handler)
        return Tool(
            tool_name(name or read.name),
            description or read.description,
            RawObject.from_value(read.schema),
            lambda args: handler(**bind(read, args)),
        )

    def on(self, event: str) -> Callable[[Handler], Handler]:
        """Register an observer of an event. It takes the `Event`; fields newer than this SDK are in `extra`."""

        def register(handler: Handler) -> Handler:
            first = event not in self._registry.events
            self._registry.events.setdefault(event, []).append(handler)
            if first:
                self._subscribe(events=(event,))
            return handler

        return register

    def intercept(
        self, event: Intercepted, *, on_error: Literal["allow", "block"] = "allow"
    ) -> Callable[[Handler], Handler]:
        """Register an interceptor. It takes what is pending and returns an answer of the event, or `None`.

        | event | takes | returns |
        |---|---|---|
        | `tool_call` | `PendingCall` | `block(reason)`, `rewrite(args)`, `ToolCallDecision` |
        | `turn_start` | `PendingTurn` | `block(reason)`, `TurnStartDecision` |
        | `assistant_message` | `PendingMessage` | `block(reason)`, `replace(text)`, `AssistantMessageDecision` |
        | `before_agent_start` | `PendingStart` | `SystemPromptDecision` |

        An exception counts as no objection, or as a block with `on_error="block"`.
        """
        from zot_ext.interception import DECISIONS, Interceptor  # noqa: PLC0415 - only guards need it

        if event not in DECISIONS:
            raise ValueError(f"{event!r} cannot be intercepted; {', '.join(DECISIONS)} can")

        def register(handler: Handler) -> Handler:
            first = event not in self._registry.interceptors
            self._registry.interceptors.setdefault(event, []).append(Interceptor(handler, on_error == "block"))
            if first:
                self._subscribe(intercept=(event,))
            return handler

        return register

    def on_hello(self, handler: Handler) -> Handler:
        """Register what runs when the host has introduced itself, before any request. It takes the `HelloAck`.

        With such a handler, the host is told that the extension is ready only after it.
        """
        self._registry.hello.append(handler)
        return handler

    def panel(self, id: str, title: str = "", footer: str = "") -> Panel:
        """Make a panel; `id` is the author's choice."""
        from zot_ext.panel import Panel  # noqa: PLC0415 - only panels need it

        panel = Panel(id, title, footer, self)
        self._registry.panels[id] = panel
        return panel

    # Speaking

    @property
    def host(self) -> HelloAck:
        """What the host said of itself: `provider`, `model`, `cwd`, `zot_version`, `capabilities`, ...

        Until then, and for ever with a host that does not introduce itself, the fields are empty.
        """
        if self._service is not None and self._service.host is not None:
            return self._service.host
        from zot_ext.protocol.from_host import HelloAck  # noqa: PLC0415 - not defined before it is needed

        return HelloAck(0, "", "", "", "")

    @property
    def data_dir(self) -> str:
        """Where the extension keeps its files, absolute; with an older host its own directory."""
        return self.host.data_dir or self.host.extension_dir or os.getcwd()

    def notify(self, message: str, level: str = "info") -> None:
        """Show a note until the next prompt. Levels: `info`, `success`, `warn` (or `warning`), `error`."""
        from zot_ext.protocol.from_extension import LEVELS, Notify  # noqa: PLC0415 - loaded when it runs

        level = "warn" if level == "warning" else level
        if level not in LEVELS:
            raise ValueError(f"{level!r} is no level; {', '.join(LEVELS)} are")
        self.send(Notify(level, message))

    def clear_notes(self) -> None:
        """Remove the notes of this extension that are still shown."""
        from zot_ext.protocol.from_extension import ClearNotes  # noqa: PLC0415 - as above

        self.send(ClearNotes())

    def submit(self, text: str) -> None:
        """Submit a message of the user; it waits behind a running turn. Raises `NotGranted`.

        Ask for it with `Extension(..., capabilities=("submit",))`.
        """
        from zot_ext.protocol.from_extension import Submit  # noqa: PLC0415 - as above

        self.require("submit")
        self.send(Submit(text))

    def require(self, capability: str) -> None:
        """Raise `NotGranted` unless the host grants `capability`. Original hosts grant none."""
        if capability not in self.host.capabilities:
            raise NotGranted(f"the host does not grant {capability!r}")

    def send(self, frame: FromExtension) -> None:
        """Send a frame as it is. Raises `FrameError` if it cannot be written, `RuntimeError` before `run()`."""
        if self._service is None:
            raise RuntimeError("the extension is not running; on_hello is the earliest time to send something")
        self._service.send(frame)

    def log(self, *values: object) -> None:
        """Write a line to standard error, which the host keeps as the log of the extension. Never raises."""
        text = f"[{self.name}] {' '.join(map(str, values))}\n"
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            pass  # nobody is left to be told

    def _subscribe(self, *, events: tuple[str, ...] = (), intercept: tuple[str, ...] = ()) -> None:
        from zot_ext.protocol.from_extension import Subscribe  # noqa: PLC0415 - as above

        self._send_late(lambda: Subscribe(events, intercept))

    def _send_late(self, frame: Callable[[], FromExtension]) -> None:
        if self._service is not None:
            self.send(frame())

    # Running

    def run(self) -> None:
        """Serve the host that started this process; return when it is done.

        Registrations go out right after `hello`, whether or not the host answers. From here on standard output
        is standard error, for `print` and for child processes alike, and standard input is empty. Handlers that
        are still running at the end get a moment (`limits.drain_seconds`) and then go with the process.
        """
        from zot_ext.runtime.process import run  # noqa: PLC0415 - signals and descriptors; not needed in process

        run(self)

    def serve(self, source: int, target: int, *, started: Callable[[Service], Any] | None = None) -> bool:
        """Serve over two file descriptors, closing both at the end; `run` and `FakeHost` do it through this.

        `started` is given the service before it speaks. Returns whether every handler had come to its end.
        """
        from zot_ext.protocol.from_extension import Hello  # noqa: PLC0415 - as above
        from zot_ext.runtime.service import Service  # noqa: PLC0415 - as above

        capabilities = tuple(dict.fromkeys((*self._registry.capabilities(), *self._asked)))
        hello = Hello(self.name, self.version, capabilities)
        for panel in self._registry.panels.values():
            panel.is_open = False  # what an earlier host showed
        service = Service(hello, self._registry, (source, target), self.limits, self.log)
        if started is not None:
            started(service)
        self._service = service
        return service.run()
