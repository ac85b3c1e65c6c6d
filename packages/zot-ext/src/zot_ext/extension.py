"""`Extension`: the API for authors of extensions. Register functions, then call `run()`."""

from __future__ import annotations

import os
import sys

from zot_ext.errors import HostError, NotGranted
from zot_ext.groups import Groups
from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.raw import RawObject
from zot_ext.registrations import RegisteredCommand, Registrations, command_name, make_tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal, ParamSpec, TypeVar, Unpack, overload

    from zot_ext.calls.flags import Flags
    from zot_ext.limits import ExtensionLimits
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import HelloAck
    from zot_ext.providers.provider import ModelProvider
    from zot_ext.registrations import ToolOptions
    from zot_ext.runtime.runner import ExtensionRunner
    from zot_ext.tool_ops import ServedOps, ToolOps

    P = ParamSpec("P")
    R = TypeVar("R")
    Policy = Literal["allow", "block"]
    Handler = TypeVar("Handler", bound=Callable[..., object])
    from zot_ext.protocol.events import Intercepted
else:

    def overload(function):
        return function


class Extension(Groups):
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
        self.name, self.version, self.limits = name, version, limits
        self._requested = capabilities
        self._registrations = Registrations()
        self.missing = self._registrations.missing
        """The parts that `on_hello` could not start, and why, a line each: the host then keeps what it remembers."""
        self._runner: ExtensionRunner | None = None

    # Registration

    def command(self, name: str, description: str = "", *, hidden: bool = False) -> Callable[[Handler], Handler]:
        """Register a slash command. The handler takes the text after the name, or `""`.

        It returns `prompt(...)`, `insert(...)`, `display(...)`, `noop()`, `error(...)` or `panel.open()`; text is
        displayed, `None` does nothing. Lists leave out a `hidden` command, which a key runs, for example.
        """
        name = command_name(name)

        def register(handler: Handler) -> Handler:
            command = RegisteredCommand(name, description, handler, hidden)
            self._registrations.commands[name] = command
            self._send_late(command.frame)
            return handler

        return register

    # ruff does not recognise this `overload`, because `typing` is not imported at run time.
    @overload
    def tool(self, handler: Handler, /) -> Handler: ...

    @overload
    def tool(  # noqa: F811
        self,
        *,
        name: str = "",
        description: str = "",
        schema: Mapping[str, object] | RawObject | None = None,
        **options: Unpack[ToolOptions],
    ) -> Callable[[Handler], Handler]: ...

    def tool(  # noqa: F811
        self,
        handler: Any = None,
        *,
        name: str = "",
        description: str = "",
        schema: Mapping[str, object] | RawObject | None = None,
        **options: Unpack[ToolOptions],
    ) -> Any:
        """Register a tool for the model, as `@ext.tool` or `@ext.tool(name=..., ...)`.

        Without `schema`, it is made from the annotations (see `zot_ext.schema`); arguments that do not fit are
        refused, and the handler takes them by name. With `schema`, the handler takes one unchecked dictionary. It
        returns text, `text_result(...)`, `image_result(...)`, `error(...)`, or a value that is sent as JSON.

        Options, in the group `tools2`: `snippet`, a line for the system prompt; `parallel`; `seconds` for a call;
        `read_only`; `override` a tool of the host; `deferred` until the model searches for it, in a `namespace`;
        `prepare`, a function that takes the arguments of the model and returns those for the tool, or None. `strict`
        holds the model to the schema, a grammar (`lark` or `regex`) to a text, which the only parameter `input` gets,
        where the provider can do that.
        """

        def register(handler: Handler) -> Handler:
            tool = make_tool(handler, name, description, schema, options)
            self._registrations.tools[tool.name] = tool
            self._send_late(tool.frame)
            return handler

        return register if handler is None else register(handler)

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
        contains: Sequence[str] = (),
    ) -> Callable[[Handler], Handler]:
        """Register an interceptor. It takes the request of the event and returns a decision, or `None` to allow it.

        | event | takes | returns |
        |---|---|---|
        | `tool_call` | `ToolCallRequest` | `block(reason)`, `rewrite(args)`, `ToolCallDecision` |
        | `turn_start` | `TurnStartRequest` | `block(reason)`, `TurnStartDecision` |
        | `assistant_message` | `AssistantMessageRequest` | `block(reason)`, `replace(text)`, \
`AssistantMessageDecision` |
        | `before_agent_start` | `AgentStartRequest` | `AgentStartDecision` |

        `zot_ext.protocol.events.decisions` has the classes of the other events: `input`, `context`, `tool_result`, ...

        An exception allows the event, or blocks it with `on_error="block"`. `on_timeout` and `on_exit` are for the
        host: what it does without an answer in time, and after the end of the extension. It asks those with a higher
        `priority` first, and for the system prompt once a session, or for each prompt; about `input` only if the prompt
        has one of the texts `contains`. Older hosts ignore these five.
        """
        from zot_ext.interception import RegisteredInterceptor, decision_of  # noqa: PLC0415 - only guards need it

        if decision_of(event) is None:
            raise ValueError(f"{event!r} cannot be intercepted; see zot_ext.protocol.events.interceptable")

        def register(handler: Handler) -> Handler:
            first = event not in self._registrations.interceptors
            self._registrations.interceptors.setdefault(event, []).append(
                RegisteredInterceptor(handler, on_error == "block")
            )
            options: dict[str, object] = {
                "on_timeout": on_timeout,
                "on_exit": on_exit,
                "priority": priority,
                "cadence": cadence,
            }
            options["contains"] = list(contains)
            changed = self._registrations.add_options(event, options)
            if first or changed:
                self._send_late(lambda: self._registrations.subscription(intercept=(event,)))
            return handler

        return register

    def on_hello(self, handler: Handler) -> Handler:
        """Register a handler of the host's greeting, which runs before any request and takes the `HelloAck`. The
        extension is ready afterwards; if the handler returns False, it sends `Ready()` itself, and handles requests
        before that."""
        self._registrations.hello.append(handler)
        return handler

    def flag(
        self, name: str, *, default: bool | int | str = False, description: str = ""
    ) -> Callable[[Handler], Handler]:
        """Declare a flag of the command line; the manifest has to have it too. `ext.flags[name]` is its value.

        As a decorator it registers a handler that takes the value when the host greets.
        """
        flags, hello = self.flags, self._registrations.hello
        frame = flags.declare(name, default, description)
        hello.append(lambda host: self.send(frame) if "flags" in host.capabilities else None)

        def register(handler: Handler) -> Handler:
            hello.append(lambda _: handler(flags[name]))
            return handler

        return register

    @property
    def flags(self) -> Flags:
        """The values of the flags that were declared with `flag`."""
        return self._registrations.flag_values(lambda: self.host)

    def provider(self, name: str, config: Mapping[str, object] | None = None) -> ModelProvider:
        """Serve the models of a provider that the manifest names in `providers`. As a decorator it takes the function
        that answers; see `ModelProvider` for its other handlers.

        `config` describes it as in `models.json`; without it the manifest does.
        """
        from zot_ext.providers.provider import ModelProvider  # noqa: PLC0415 - few extensions serve models

        def send_late() -> None:
            if provider.config is not None:
                self._send_late(provider.frame)

        provider = self._registrations.providers[name] = ModelProvider(name, config, send_late)
        return provider

    def tool_ops(self, handlers: ToolOps) -> ServedOps:
        """Offer another machine to the tools of the host; `claim` of the result lets them use it. The manifest needs
        nothing for it, unless it has `permissions`."""
        return self._registrations.serve_ops(handlers, self._send_op)

    def _send_op(self, frame: FromExtension) -> None:
        if self._runner is not None:
            self.require("tool_ops")
            self.send(frame)

    # Talking to the host

    @property
    def host(self) -> HelloAck:
        """The host's greeting: `provider`, `model`, `cwd`, `zot_version`, `capabilities`, ...

        The fields are empty until the host greets; some hosts never do.
        """
        if self._runner is not None and self._runner.greeting.host is not None:
            return self._runner.greeting.host
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
        """Submit a message as the user; it is queued while a run is in progress. Raises `NotGranted`; request the
        capability with `Extension(..., capabilities=("submit",))`."""
        from zot_ext.protocol.from_extension import Submit  # noqa: PLC0415 - as above

        self.require("submit")
        self.send(Submit(text))

    def require(self, capability: str) -> None:
        """Raise `NotGranted` unless the host grants `capability`. Original hosts grant none."""
        if capability not in self.host.capabilities:
            raise NotGranted.for_group(capability, asked=capability in self._capabilities())

    def _capabilities(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._registrations.capabilities(), *self._requested)))

    # Calls

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Ask the host for something (`host_call`) and return the fields of its result; parameters that are None are
        left out. The call ends with the request that the handler answers. For `async` handlers there is `soon`.
        Raises `NotGranted` without asking, `HostError`, and `RuntimeError` before `run()`."""
        return self._call(None, method, **params)

    def _call(self, progress: Callable[[str], None] | None, method: str, **params: object) -> dict[str, Any]:
        from zot_ext.protocol.calls import METHODS, refusal  # noqa: PLC0415 - as above

        if self._runner is None:
            raise RuntimeError("the extension is not running; call in a handler")
        row, caller = METHODS.get(method), self._runner.caller
        if row is not None:  # else the host says what is wrong with it, or knows it
            self.require(row.group)
        if caller is not None:
            return caller.call(method, params, progress)
        if row is None:
            raise HostError(*refusal(method))
        raise NotGranted.for_group(row.group, asked=False)  # the host grants more than was asked for

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

    def remove_tool(self, name: str) -> None:
        """Take a tool back, in the group `tools2`."""
        from zot_ext.protocol.groups.tools import UnregisterTool  # noqa: PLC0415 - as above

        if self._registrations.tools.pop(name, None) is not None and self._runner is not None:
            self.require("tools2")
            self.send(UnregisterTool(name))

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

        hello = Hello(self.name, self.version, self._capabilities())
        for panel in self._registrations.panels.values():
            panel.is_open = False  # an earlier host may have shown it
        runner = ExtensionRunner(hello, self._registrations, (source, target), self.limits, self.log)
        if started is not None:
            started(runner)
        self._runner = runner
        return runner.run()
