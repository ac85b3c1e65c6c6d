"""`RpcService`: what one client asks of one host. Lines come in through `receive`, lines go out through the writer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from weakref import WeakSet

from zot_agent.host import Host
from zot_agent.rpc import METHODS
from zot_agent.rpc.limits import RpcLimits
from zot_agent.rpc.method import Answer, InvalidCommand, other_json
from zot_agent.rpc.writer import CommandSender, ServiceOutput
from zot_core.aio import spawn
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import ConversationEvent
from zot_core.errors import error_line
from zot_core.events import TextDelta
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.raw import parse_object
from zot_ext.protocol.splitter import Oversized
from zot_provider.errors import ZotError
from zot_provider.json_text import dump, escape_line_ends

if TYPE_CHECKING:
    from zot_core.agent.run import Run

_log = logging.getLogger("zot_agent.rpc")

_EARLY = 1000
"""Lines that wait for a client that has yet to say who it is; more are dropped."""


class RpcService:
    """Answers commands and tells events; reading and writing are somebody else's."""

    def __init__(
        self,
        host: Host,
        writer: ServiceOutput,
        limits: RpcLimits,
        *,
        token: str,
        wrong_token: Callable[[], None],
    ) -> None:
        """With a `token` nothing is done before a `hello` that has it, and one that has another ends the process with
        `wrong_token`."""
        self.host, self.limits = host, limits
        self.conversation, self.runtime = host.conversation, host.runtime
        self.holding: WeakSet[Run] = WeakSet()
        """Prompts whose text is not told while an extension may yet replace it."""
        self.token, self.wrong_token = token, wrong_token
        self.trusted = not token
        self._writer = writer
        self._early: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.conversation.events.add(self._tell)
        self.runtime.hooks.before_turn.add(self._wait_for_room)
        self.runtime.hooks.tool_run.add(self._wait_for_room)

    # Lines in

    def receive(self, line: bytes | Oversized, asker: CommandSender | None = None) -> None:
        """Do what a line asks for. Whatever it is, there is one response, which goes to `asker`."""
        if isinstance(line, Oversized):
            self._respond(asker, "", "", error=f"the line is longer than {line.limit} bytes and was passed over")
            return
        try:
            members = parse_object(line.decode())
        except UnicodeDecodeError as error:
            self._respond(asker, "", "", error=f"malformed json: not UTF-8 text (byte {error.start})")
            return
        except FrameError as error:
            kind = other_json(line)
            problem = f"a command is a JSON object, not {kind}" if kind else f"malformed json: {error}"
            self._respond(asker, "", "", error=problem)
            return
        id = members["id"][1] if "id" in members else ""
        name = members["type"][0] if "type" in members else None
        if not isinstance(name, str):
            problem = "type is missing" if name is None else "type must be a string"
            self._respond(asker, id, "", error=f"{problem}: it names the command")
            return
        command = {key: value for key, (value, _) in members.items()}
        try:
            answer = self._call(name, command)
        except Exception as error:  # noqa: BLE001  the top of a command
            self._failed(asker, id, name, error)
            return
        if isinstance(answer, Awaitable):
            task = spawn(self._respond_later(asker, id, name, answer), f"command {name}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._respond(asker, id, name, answer)

    def _call(self, name: str, command: dict[str, object]) -> "Answer | Awaitable[Answer]":
        if not self.trusted and name != "hello":
            raise InvalidCommand("say hello with the token first")
        method = METHODS.get(name)
        if method is None:
            raise InvalidCommand(f"unknown command {name!r}")
        return method.handler(self, method.check(command))

    async def _respond_later(self, asker: CommandSender | None, id: str, name: str, answer: Awaitable[Answer]) -> None:
        try:
            self._respond(asker, id, name, await answer)
        except asyncio.CancelledError:
            self._respond(asker, id, name, error="the process is about to end")
            raise
        except Exception as error:  # noqa: BLE001  the top of a command
            self._failed(asker, id, name, error)

    def _failed(self, asker: CommandSender | None, id: str, name: str, error: Exception) -> None:
        if not isinstance(error, ZotError):
            _log.error("the command %s failed", name, exc_info=error)
        self._respond(asker, id, name, error=error_line(error))

    def _respond(
        self, asker: CommandSender | None, id: str, name: str, answer: Answer = None, error: str | None = None
    ) -> None:
        head = '{"type":"response",' + (f'"id":{id},' if id else "") + f'"command":{dump(name)},'
        if error is not None:
            tail = f'"success":false,"error":{dump(error)}}}'
        else:
            data = "" if answer is None else f',"data":{answer if isinstance(answer, str) else dump(answer)}'
            tail = f'"success":true{data}}}'
        self._writer.respond(escape_line_ends(head + tail), asker)

    async def answered(self) -> None:
        """Return once every command has its answer, and nothing runs or waits to run."""
        while self._tasks or self.conversation.busy:
            if self._tasks:
                await asyncio.wait(self._tasks)
            await self.conversation.idle()

    def stop(self) -> None:
        """Abort everything: what runs, what waits, and commands that have no answer yet."""
        self.conversation.stop()
        for task in self._tasks:
            task.cancel()

    # Events out

    def trust(self) -> None:
        """The client is who it says: it may have what it missed."""
        self.trusted = True
        early, self._early = self._early, []
        for line in early:
            self._writer.tell(line)

    def tell(self, line: str) -> None:
        """Tell an event, as a line of JSON."""
        if self.trusted:
            self._writer.tell(line)
        elif len(self._early) < _EARLY:
            self._early.append(line)

    def _tell(self, event: ConversationEvent) -> None:
        if type(event) is TextDelta and self.conversation.text_deferred:
            running = self.conversation.running
            if self.host.options.hold_text or (running is not None and running.run in self.holding):
                return
        for line in encode_conversation_event(event):
            self.tell(line)

    async def _wait_for_room(self, _: object) -> None:
        await self._writer.room()
