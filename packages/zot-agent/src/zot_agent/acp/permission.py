"""`Permission`: the person at the editor is asked before a tool runs."""

import asyncio
from collections.abc import Awaitable, Callable

from zot_agent.acp.calls import Json
from zot_agent.acp.feed import Feed
from zot_core.confirm import Decision
from zot_core.errors import ToolError, error_line
from zot_core.hooks import ToolRequest
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import resolve
from zot_provider.errors import ZotError

LARGEST = 1_000_000
"""Bytes of a file up to which its content is shown beside what is to be written in its place."""

_CHOICES: list[Json] = [
    {"optionId": "once", "name": "Allow this call", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow this tool", "kind": "allow_always"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]


class Permission:
    """A `Confirm` of `zot_core.confirm`. It asks while `asks` says so, once at a time, unless the person has allowed
    the tool for good; and it tells `feed` that a call begins to run.

    `ask` is given a call and choices and gives the id of the choice taken, or an empty text.
    """

    def __init__(
        self,
        feed: Feed,
        context: ToolContext,
        asks: Callable[[], bool],
        ask: Callable[[Json, list[Json]], Awaitable[str]],
    ) -> None:
        self._feed, self._context, self._asks, self._ask = feed, context, asks, ask
        self._tools: set[str] = set()
        self._asking = asyncio.Lock()

    async def __call__(self, call: ToolRequest) -> Decision:
        """Whether the call may run."""
        await self._look(call)
        async with self._asking:
            if self._asks() and call.name not in self._tools:
                refusal = await self._question(call)
                if refusal is not None:
                    return refusal
        return True

    async def _question(self, call: ToolRequest) -> Decision:
        """None if the person allows it."""
        told = self._feed.description(call.name, call.arguments_json())
        block = self._feed.written_by(call.id, call.arguments)
        change = self._feed.overwriting(call.id, block) if block is not None else []
        if change:
            told["content"] = change
        try:
            answer = await self._ask({"toolCallId": call.id, "status": "pending", **told}, _CHOICES)
        except ZotError as error:
            return f"the user could not be asked: {error_line(error)}"
        if answer == "always":
            self._tools.add(call.name)
        return None if answer in ("once", "always") else False

    async def _look(self, call: ToolRequest) -> None:
        """Keep what a file holds that is going to be overwritten, so that the change can be shown."""
        block = self._feed.written_by(call.id, call.arguments)
        if block is None:
            return
        try:
            path = await resolve(block.path, self._context)
            data = await self._context.files.read(path, LARGEST + 1)
            if len(data) <= LARGEST:
                self._feed.remember(call.id, data.decode())
        except FileNotFoundError:
            self._feed.remember(call.id, None)
        except (OSError, ToolError, UnicodeDecodeError):
            return  # the tool says what is wrong; a diff of such a file would show nothing
