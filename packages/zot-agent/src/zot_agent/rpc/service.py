"""`RpcService`: carries out the commands of clients on one host, and sends them its events."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableSet
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakSet

from zot_agent.host.host import Host
from zot_agent.lines.oversized import id_of
from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import FailureCode, OperationFailed
from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.rpc.activity.shown import Displays
from zot_agent.rpc.limits import RpcLimits
from zot_agent.rpc.questions import DialogRequests, PermissionRequests
from zot_agent.rpc.screen.client_screen import ClientScreen
from zot_agent.rpc.writer import CommandSender, ServiceOutput
from zot_core.aio import spawn
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import ConversationEvent, EntryAdded
from zot_core.conversation.extensions import FrontEndActions
from zot_core.errors import error_line
from zot_core.events import TextDelta
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.raw import parse_object
from zot_ext.protocol.splitter import Oversized
from zot_provider.errors import ZotError
from zot_provider.json_text import describe, dump, line_text, read_strict

if TYPE_CHECKING:
    from zot_agent.operations.operation import Answer
    from zot_core.agent.run import Run

_log = logging.getLogger("zot_agent.rpc")

_NAME = 80
"""Characters of the name of a command that its response repeats; no command has a longer one."""

_ENVELOPE = {"id", "type"}
"""Members of a command beside its fields."""

_EARLY = 1000
"""Events kept for a client that has not named the token yet; further events are dropped."""


class ClientTrust:
    """Whether the client has named the `token`; until then events wait. Without a token every client is trusted."""

    def __init__(self, token: str, writer: ServiceOutput) -> None:
        self.token, self.given = token, not token
        self._writer = writer
        self._early: list[str] = []

    def give(self) -> None:
        """Accept the client, and send the events that waited for that."""
        self.given = True
        early, self._early = self._early, []
        for line in early:
            self._writer.publish(line)

    def publish(self, line: str) -> None:
        if self.given:
            self._writer.publish(line)
        elif len(self._early) < _EARLY:
            self._early.append(line)


class RpcService:
    """Answers the command lines passed to `receive` and publishes events, both through `writer`."""

    def __init__(
        self,
        host: Host,
        writer: ServiceOutput,
        limits: RpcLimits,
        *,
        token: str,
        no_token: Callable[[], None],
        stored: StoredSessions | None = None,
        front_end: str = "rpc",
    ) -> None:
        """With a `token`, the first command must be a `hello` with that token; `no_token` is called for anything else
        and must end the process. `stored` are the sessions that clients may see; by default all."""
        self.host, self.limits = host, limits
        self.conversation = host.conversation
        self.text_held: MutableSet[Run] = WeakSet()
        self.permissions = PermissionRequests(self.conversation, limits.permission_seconds)
        self.conversation.permissions.ask_with(self.permissions)
        self.dialogs = DialogRequests(self.conversation, limits.permission_seconds)
        self.conversation.front_end = front_end
        self.screen = ClientScreen(
            self._publish, writer.respond, host.settings.keymap, limits.field_seconds, self.conversation
        )
        self.conversation.actions = FrontEndActions(
            open_session=self._open_session,
            completers=lambda: self.screen.completers,
            shows_widgets=True,
            shows_panels=True,
            keys=lambda: self.screen.keys,
            renderers=lambda: self.screen.renderers,
            field=lambda: self.screen.fields,
            ask_person=self.dialogs,
        )
        self.sender: CommandSender | None = None
        self.displays = Displays()
        self.stored = stored or StoredSessions()
        self.trust, self._no_token = ClientTrust(token, writer), no_token
        self._writer = writer
        self._tasks: set[asyncio.Task[None]] = set()
        self.conversation.events.add(self._publish)
        hooks = host.runtime.hooks
        hooks.entry.add(lambda entry: self._publish(EntryAdded(entry.extension, entry.id, entry.custom_type)))
        hooks.before_turn.add(self._wait_for_room)
        hooks.tool_run.add(self._wait_for_room)

    async def _open_session(self, path: str, *, fork: bool = False) -> list[str]:
        """Continue a stored session for an extension, if clients may see it."""
        entry = await asyncio.to_thread(self.stored.find, path, self.host.runtime.cwd)
        return await self.host.open_session(entry.path, fork=fork)

    # Lines in

    def receive(self, line: bytes | Oversized, sender: CommandSender | None = None) -> None:
        """Carry out a command line. Every line gets exactly one response, which goes to `sender`.

        If a token is needed and the first line is not a `hello` with it, the process ends after the response.
        """
        self._carry_out(line, sender)
        if not self.trust.given:
            self._no_token()

    def _carry_out(self, line: bytes | Oversized, sender: CommandSender | None) -> None:
        id = name = ""
        try:
            if isinstance(line, Oversized):
                id = id_of(line)
                raise OperationFailed("too_large", f"the line is longer than {line.limit} bytes and was passed over")
            members = _members(line)
            id = members["id"][1] if "id" in members else ""
            named = members["type"][0] if "type" in members else None
            if not isinstance(named, str):
                problem = "type is missing" if named is None else "type must be a string"
                raise OperationFailed("invalid", f"{problem}: it names the command")
            name = named[:_NAME]
            self.sender = sender
            answer = self._call(named, {key: value for key, (value, _) in members.items() if key not in _ENVELOPE})
        except Exception as error:  # noqa: BLE001  the top of a command
            self._failed(sender, id, name, error)
            return
        if isinstance(answer, Awaitable):
            task = spawn(self._respond_later(sender, id, name, answer), f"command {name}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._respond(sender, id, name, answer)

    def _call(self, name: str, command: dict[str, object]) -> "Answer | Awaitable[Answer]":
        if not self.trust.given and name != "hello":
            raise OperationFailed("denied", "the first command must be hello with the token")
        from zot_agent.operations.registry import find_for_client  # noqa: PLC0415  not before the first request

        caller = OperationCaller(self.conversation, self.stored, self.host, client=self)
        return find_for_client(name).answer(caller, command)

    async def _respond_later(
        self, sender: CommandSender | None, id: str, name: str, answer: "Awaitable[Answer]"
    ) -> None:
        try:
            self._respond(sender, id, name, await answer)
        except asyncio.CancelledError:
            self._respond(sender, id, name, error="the conversation is about to end", code="cancelled")
            raise
        except Exception as error:  # noqa: BLE001  the top of a command
            self._failed(sender, id, name, error)

    def _failed(self, sender: CommandSender | None, id: str, name: str, error: Exception) -> None:
        from zot_agent.operations.failures import failure_code  # noqa: PLC0415  most commands do not fail

        if not isinstance(error, ZotError):
            _log.error("the command %s failed", name, exc_info=error)
        self._respond(sender, id, name, error=error_line(error), code=failure_code(error))

    def _respond(
        self, sender: CommandSender | None, id: str, name: str, answer: "Answer" = None, error: str | None = None,
        code: FailureCode = "failed",
    ) -> None:  # fmt: skip
        head = '{"type":"response",' + (f'"id":{id},' if id else "") + f'"command":{dump(name)},'
        if error is not None:
            tail = f'"success":false,"error":{dump(error)},"code":"{code}"}}'
        else:
            data = "" if answer is None else f',"data":{answer if isinstance(answer, str) else dump(answer)}'
            tail = f'"success":true{data}}}'
        self._writer.respond(line_text(head + tail), sender)

    async def answered(self) -> None:
        """Return once every command is answered and no prompt runs or waits."""
        while self._tasks or self.conversation.busy:
            if self._tasks:
                await asyncio.wait(self._tasks)
            await self.conversation.idle()

    def stop(self) -> None:
        """Abort the running and the queued prompts, and the commands without a response."""
        self.conversation.stop()
        for task in self._tasks:
            task.cancel()

    # Events out

    def _publish(self, event: ConversationEvent) -> None:
        self.displays.note(event)
        if type(event) is TextDelta and self.conversation.text_deferred:
            running = self.conversation.running
            if self.host.options.hold_text or (running is not None and running.run in self.text_held):
                return
        for line in encode_conversation_event(event):
            self.trust.publish(line)

    async def _wait_for_room(self, _: object) -> None:
        await self._writer.room()


def service_of(caller: OperationCaller) -> RpcService:
    """Return the service of a client. Raises `OperationFailed` for another caller."""
    if not isinstance(caller.client, RpcService):
        raise OperationFailed("denied", "only a client of zot rpc or zot serve can do this")
    return caller.client


def _members(line: bytes) -> dict[str, tuple[object, str]]:
    """Return the members of a command, each with its text. Raises `OperationFailed` for another line."""
    try:
        return parse_object(line.decode())
    except UnicodeDecodeError as error:
        raise OperationFailed("invalid", f"malformed json: not UTF-8 text (byte {error.start})") from None
    except FrameError as error:
        problem = f"malformed json: {error}"
        with suppress(ValueError):
            value = read_strict(line)
            if not isinstance(value, dict):
                found = "an array" if isinstance(value, list) else describe(value)
                problem = f"a command is a JSON object, not {found}"
        raise OperationFailed("invalid", problem) from None
