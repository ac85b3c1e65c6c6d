"""`ClientFields`: the input fields of clients, which extensions read and change."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from zot_agent.rpc.writer import CommandSender
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import FieldRequest
from zot_core.conversation.extensions import FieldSilent, NoField
from zot_core.errors import Busy


class ClientFields:
    """See `FieldAccess`: that of the client in which the person typed last."""

    def __init__(self, send: Callable[[str, CommandSender | None], None], seconds: float) -> None:
        """`send` sends a line to one client, within `seconds` of which the client must answer."""
        self._send, self._seconds = send, seconds
        self._clients: list[CommandSender | None] = []  # in the order in which persons typed there
        self._open: dict[str, tuple[asyncio.Future[dict[str, Any]], asyncio.Timeout]] = {}
        self._ids = itertools.count(1)

    def typed(self, client: CommandSender | None) -> None:
        """The person types in the field of this client."""
        self.left(client)
        self._clients.append(client)

    def left(self, client: CommandSender | None) -> None:
        """This client has no field, or none any more."""
        self._clients = [each for each in self._clients if each is not client and not (each and each.over)]

    def answer(self, request: str, fields: dict[str, Any]) -> bool:
        """Pass on an answer. Returns whether somebody waits for it."""
        waiting, _ = self._open.get(request, (None, None))
        if waiting is None or waiting.done():
            return False
        waiting.set_result(fields)
        return True

    def claim(self, request: str) -> bool:
        """The client is about to do what it was asked: give it its time again. Returns whether it may."""
        waiting, limit = self._open.get(request, (None, None))
        if waiting is None or limit is None or waiting.done() or limit.expired():
            return False
        limit.reschedule(asyncio.get_running_loop().time() + self._seconds)
        return True

    async def read(self) -> tuple[str, int]:
        answer = await self._ask("read")
        return answer["text"], answer["cursor"]

    async def edit(self, text: str, cursor: int | None = None, expected: str | None = None) -> None:
        given = {"text": text, "cursor": len(text) if cursor is None else cursor, "expected": expected}
        self._check(await self._ask("edit", **{name: value for name, value in given.items() if value is not None}))

    async def paste(self, text: str) -> None:
        self._check(await self._ask("paste", text=text))

    def _check(self, answer: dict[str, Any]) -> None:
        if answer.get("busy"):
            raise Busy("the text is another one by now, or is being composed")

    async def _ask(self, what: str, **more: object) -> dict[str, Any]:
        self._clients = [each for each in self._clients if not (each and each.over)]
        if not self._clients:
            raise NoField("no client has an input field that extensions may use")
        client, request = self._clients[-1], f"field-{next(self._ids)}"
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._seconds) as limit:
                self._open[request] = waiting, limit
                for line in encode_conversation_event(FieldRequest(request, {"method": what, **more})):
                    self._send(line, client)
                return await waiting
        except TimeoutError:
            self.left(client)  # until the person types there again
            raise FieldSilent(f"the client has not answered within {self._seconds:g} s") from None
        finally:
            del self._open[request]
