"""`Extension`: the API for authors of extensions. Register functions, then call `run()`."""

from __future__ import annotations

import os
import sys

from zot_ext.errors import NotGranted
from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.raw import RawObject
from zot_ext.registrations import RegisteredCommand, RegisteredTool, Registrations, command_name, tool_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, ParamSpec, TypeVar, overload

    from zot_ext.calls.agent import Control, Messages, ModelCalls, Programs
    from zot_ext.calls.session import KeyValues, Secrets, Session
    from zot_ext.calls.ui import Ui
    from zot_ext.limits import ExtensionLimits
    from zot_ext.panel import Panel
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import HelloAck
    from zot_ext.runtime.runner import ExtensionRunner

    P = ParamSpec("P")
    R = TypeVar("R")
    Policy = Literal["allow", "block"]
    Handler = TypeVar("Handler", bound=Callable[..., object])
    Intercepted = Literal["tool_call", "turn_start", "assistant_message", "before_agent_start"]
else:

    def overload(function):
        return function


class Extension:
    """An extension. Handlers may be plain or `async` functions.

    Commands, tools and interceptors run side by side. Events run one after the other, and so do the keys of
    panels. An exception in a handler becomes an error reply and a line in the log. Register before `run()`, or in
    `on_hello` if it depends on the host; only hosts that read registrations at any time notice later ones.
    """

    def __init__(
        self,
        name: str,
        version: str = "",
        *,
        capabilities: tuple[str, ...] = (),
        limits: ExtensionLimits = DEFAULT_LIMITS,
    ) -> None:
        """`capabilities` requests groups beyond those in use, such as `submit`; see `host.capabilities`."""
        if not name.strip():
            raise ValueError("an extension needs a name")
        self.name = name
        self.version = version
        self.limits = limits
        self._requested = capabilities
        self._registrations = Registrations()
        self._runner: ExtensionRunner | None = None

    # Registration

    def command(self, name: str, description: str = "") -> Callable[[Handler], Handler]:
        """Register a slash command. The handler takes the text after the name, or `""`.

        It returns `prompt(...)`, `insert(...)`, `display(...)`, `noop()`, `error(...)` or `panel.open()`; text is
        displayed, `None` does nothing.
        """
        name = command_name(name)

        def register(handler: Handler) -> Handler:
            command = RegisteredCommand(name, description, handler)
            self._registrations.commands[name] = command
            self._send_late(command.frame)
            return handler

        return register

    # ruff does not recognise this `overload`, because `typing` is not imported at run time.
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

        Without `schema`, it is made from the annotations (see `zot_ext.schema`); arguments that do not fit are
        refused, and the handler takes them by name. With `schema`, the handler takes one unchecked dictionary. It
        returns text, `text_result(...)`, `image_result(...)`, `error(...)`, or a value that is sent as JSON.
        """

        def register(handler: Handler) -> Handler:
            tool = self._make_tool(handler, name, description, schema)
            self._registrations.tools[tool.name] = tool
            self._send_late(tool.frame)
            return handler

        return register if handler is None else register(handler)

    def _make_tool(
        self,
        handler: Callable[..., object],
        name: str,
        description: str,
        schema: Mapping[str, object] | RawObject | None,
    ) -> RegisteredTool:
        if schema is not None:
            raw = schema if isinstance(schema, RawObject) else RawObject.from_value(schema)
            name = tool_name(name or getattr(handler, "__name__", ""))
            description = description or (handler.__doc__ or "").strip()
            return RegisteredTool(name, description, raw, handler)
        from zot_ext.schema import bind, read_signature  # noqa: PLC0415 - only tools need it

        read = read_signature(handler)
        return RegisteredTool(
            tool_name(name or read.name),
            description or read.description,
            RawObject.from_value(read.schema),
            lambda args: handler(**bind(read, args)),
        )

    def on(self, event: str) -> Callable[[Handler], Handler]:
        """Register an observer of an event. It takes the `Event`; fields unknown to this SDK are in `extra`."""

        def register(handler: Handler) -> Handler:
            first = event not in self._registrations.events
            self._registrations.events.setdefault(event, []).append(handler)
            if first:
                self._send_late(lambda: self._registrations.subscription(events=(event,)))
            return handler

        return register

    def intercept(
        self,
        event: Intercepted,
        *,
        on_error: Policy = "allow",
        on_timeout: Policy = "allow",
        on_exit: Policy = "allow",
        priority: int = 0,
        cadence: Literal["session", "prompt"] = "session",
    ) -> Callable[[Handler], Handler]:
        """Register an interceptor. It takes the request of the event and returns a decision, or `None` to allow it.

        | event | takes | returns |
        |---|---|---|
        | `tool_call` | `ToolCallRequest` | `block(reason)`, `rewrite(args)`, `ToolCallDecision` |
        | `turn_start` | `TurnStartRequest` | `block(reason)`, `TurnStartDecision` |
        | `assistant_message` | `AssistantMessageRequest` | `block(reason)`, `replace(text)`, \
`AssistantMessageDecision` |
        | `before_agent_start` | `AgentStartRequest` | `AgentStartDecision` |

        An exception allows the event, or blocks it with `on_error="block"`. `on_timeout` and `on_exit` are for the
        host: what it does without an answer in time, and after the end of the extension. It asks those with a higher
        `priority` first, and for the system prompt once a session, or for each prompt. Older hosts ignore these four.
        """
        from zot_ext.interception import DECISIONS, Interceptor  # noqa: PLC0415 - only guards need it

        if event not in DECISIONS:
            raise ValueError(f"{event!r} cannot be intercepted; {', '.join(DECISIONS)} can")

        def register(handler: Handler) -> Handler:
            first = event not in self._registrations.interceptors
            self._registrations.interceptors.setdefault(event, []).append(Interceptor(handler, on_error == "block"))
            options = {"on_timeout": on_timeout, "on_exit": on_exit, "priority": priority, "cadence": cadence}
            stricter = self._registrations.add_options(event, options)
            if first or stricter:
                self._send_late(lambda: self._registrations.subscription(intercept=(event,)))
            return handler

        return register

    def on_hello(self, handler: Handler) -> Handler:
        """Register a handler of the host's greeting, which runs before any request. It takes the `HelloAck`.

        With such a handler, the extension reports that it is ready only afterwards.
        """
        self._registrations.hello.append(handler)
        return handler

    def panel(self, id: str, title: str = "", footer: str = "") -> Panel:
        """Make a panel; the author chooses `id`."""
        from zot_ext.panel import Panel  # noqa: PLC0415 - only panels need it

        panel = Panel(id, title, footer, self)
        self._registrations.panels[id] = panel
        return panel

    # Talking to the host

    @property
    def host(self) -> HelloAck:
        """The host's greeting: `provider`, `model`, `cwd`, `zot_version`, `capabilities`, ...

        The fields are empty until the host greets; some hosts never do.
        """
        if self._runner is not None and self._runner.host is not None:
            return self._runner.host
        from zot_ext.protocol.from_host import HelloAck  # noqa: PLC0415 - defined only when it is needed

        return HelloAck(0, "", "", "", "")

    @property
    def data_dir(self) -> str:
        """The directory for files of the extension, absolute; with an older host the extension's own directory."""
        return self.host.data_dir or self.host.extension_dir or os.getcwd()

    def notify(self, message: str, level: str = "info") -> None:
        """Show a note until the next prompt. Levels: `info`, `success`, `warn` (or `warning`), `error`."""
        from zot_ext.protocol.from_extension import LEVELS, Notify  # noqa: PLC0415 - loaded when it runs

        level = "warn" if level == "warning" else level
        if level not in LEVELS:
            raise ValueError(f"{level!r} is not a level; use one of {', '.join(LEVELS)}")
        self.send(Notify(level, message))

    def clear_notes(self) -> None:
        """Remove the notes of this extension that are still shown."""
        from zot_ext.protocol.from_extension import ClearNotes  # noqa: PLC0415 - as above

        self.send(ClearNotes())

    def submit(self, text: str) -> None:
        """Submit a message as the user; it is queued while a run is in progress. Raises `NotGranted`.

        Request the capability with `Extension(..., capabilities=("submit",))`.
        """
        from zot_ext.protocol.from_extension import Submit  # noqa: PLC0415 - as above

        self.require("submit")
        self.send(Submit(text))

    def require(self, capability: str) -> None:
        """Raise `NotGranted` unless the host grants `capability`. Original hosts grant none."""
        if capability not in self.host.capabilities:
            raise NotGranted(f"the host does not grant {capability!r}")

    # Calls

    @property
    def ui(self) -> Ui:
        """Dialogs with the person, in the group `ui`."""
        from zot_ext.calls.ui import Ui  # noqa: PLC0415 - loaded when it is first used

        return Ui(self.call)

    @property
    def session(self) -> Session:
        """The stored conversation, in the group `session`."""
        from zot_ext.calls.session import Session  # noqa: PLC0415 - as above

        return Session(self.call)

    @property
    def kv(self) -> KeyValues:
        """Values that the extension keeps, in the group `storage`."""
        from zot_ext.calls.session import KeyValues  # noqa: PLC0415 - as above

        return KeyValues(self.call)

    @property
    def secrets(self) -> Secrets:
        """Secrets that the extension keeps, in the group `storage`."""
        from zot_ext.calls.session import Secrets  # noqa: PLC0415 - as above

        return Secrets(self.call)

    @property
    def messages(self) -> Messages:
        """Messages in the name of the user, in the group `messages`."""
        from zot_ext.calls.agent import Messages  # noqa: PLC0415 - as above

        return Messages(self.call)

    @property
    def control(self) -> Control:
        """What the agent does, in the group `control`."""
        from zot_ext.calls.agent import Control  # noqa: PLC0415 - as above

        return Control(self.call)

    @property
    def programs(self) -> Programs:
        """Programs that the host runs, in the group `exec`."""
        from zot_ext.calls.agent import Programs  # noqa: PLC0415 - as above

        return Programs(self.call)

    @property
    def model(self) -> ModelCalls:
        """The model of the agent, and questions to any model, in the group `model`."""
        from zot_ext.calls.agent import ModelCalls  # noqa: PLC0415 - as above

        return ModelCalls(self.call, self._call)

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Ask the host for something (`host_call`) and return the fields of its result; parameters that are None are
        left out. Raises `NotGranted` without asking, `HostError`, and `RuntimeError` before `run()`.

        The call ends with the request that the handler answers. For `async` handlers there is `soon`.
        """
        return self._call(None, method, **params)

    def _call(self, progress: Callable[[str], None] | None, method: str, **params: object) -> dict[str, Any]:
        from zot_ext.protocol.calls import METHODS  # noqa: PLC0415 - as above

        if self._runner is None:
            raise RuntimeError("the extension is not running; call in a handler")
        if method not in METHODS:
            raise ValueError(f"there is no method {method!r}")
        self.require(METHODS[method].group)
        if self._runner.caller is None:  # the host grants more than was asked for
            raise NotGranted(f"name a group in Extension(..., capabilities=({METHODS[method].group!r},))")
        return self._runner.caller.call(method, params, progress)

    async def soon(self, function: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """Run a function that waits, such as `ext.ui.confirm`, in a thread, for `async` handlers."""
        import asyncio  # noqa: PLC0415 - only async handlers need it

        return await asyncio.to_thread(function, *args, **named)

    def more_time(self, seconds: int) -> None:
        """Ask for more time for the request that the calling handler answers, in the group `cancel`; once."""
        self.call("request.extend", seconds=seconds)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits any more for the answer of the calling handler, in the group `cancel`."""
        caller = None if self._runner is None else self._runner.caller
        return caller is not None and caller.cancelled

    def send(self, frame: FromExtension) -> None:
        """Send a frame as it is. Raises `FrameError` if it cannot be encoded, `RuntimeError` before `run()`."""
        if self._runner is None:
            raise RuntimeError("the extension is not running; send in on_hello at the earliest")
        self._runner.send(frame)

    def log(self, *values: object) -> None:
        """Write a line to standard error, which the host stores as the log of the extension. Never raises."""
        text = f"[{self.name}] {' '.join(map(str, values))}\n"
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            pass  # nobody reads the log any more

    def _send_late(self, frame: Callable[[], FromExtension]) -> None:
        if self._runner is not None:
            self.send(frame())

    # Running

    def run(self) -> None:
        """Serve the host that started this process; return when the host ends the extension.

        Registrations are sent right after `hello`, whether or not the host answers. From here on standard output
        is standard error, for `print` and for child processes, and standard input is empty. Handlers that
        are still running at the end have `limits.drain_seconds` left and then end with the process.
        """
        from zot_ext.runtime.process import run  # noqa: PLC0415 - signals and descriptors; tests do not need them

        run(lambda source, target, started: self.serve(source, target, started=started))

    def serve(self, source: int, target: int, *, started: Callable[[ExtensionRunner], Any] | None = None) -> bool:
        """Serve over two file descriptors and close both at the end; used by `run` and `FakeHost`.

        `started` is called with the runner before anything is sent. Returns whether every handler has ended.
        """
        from zot_ext.protocol.from_extension import Hello  # noqa: PLC0415 - as above
        from zot_ext.runtime.runner import ExtensionRunner  # noqa: PLC0415 - as above

        capabilities = tuple(dict.fromkeys((*self._registrations.capabilities(), *self._requested)))
        hello = Hello(self.name, self.version, capabilities)
        for panel in self._registrations.panels.values():
            panel.is_open = False  # an earlier host may have shown it
        runner = ExtensionRunner(hello, self._registrations, (source, target), self.limits, self.log)
        if started is not None:
            started(runner)
        self._runner = runner
        return runner.run()
