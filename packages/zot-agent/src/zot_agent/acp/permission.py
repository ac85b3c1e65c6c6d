"""`AcpPermission`: asks the user of the editor before a tool runs."""

import asyncio
from collections.abc import Awaitable, Callable

from zot_agent.acp.calls import Json
from zot_agent.acp.feed import UpdateFeed
from zot_core.confirm import Decision
from zot_core.errors import ToolError, error_line
from zot_core.hooks import ToolRequest
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import resolve
from zot_provider.errors import ZotError

MAX_OLD_CONTENT = 1_000_000
"""The largest file, in bytes, whose old content is shown beside the new content."""

_CHOICES: list[Json] = [
    {"optionId": "once", "name": "Allow this call", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow this tool", "kind": "allow_always"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]


class AcpPermission:
    """A `Confirm` of `zot_core.confirm`. While `enabled` returns true it asks, one question at a time, unless the user
    has always allowed the tool.

    `ask` takes a call and choices and returns the id of the chosen one, or an empty string.
    """

    def __init__(
        self,
        feed: UpdateFeed,
        context: ToolContext,
        enabled: Callable[[], bool],
        ask: Callable[[Json, list[Json]], Awaitable[str]],
    ) -> None:
        self._feed, self._context, self._enabled, self._ask = feed, context, enabled, ask
        self._always_allowed: set[str] = set()
        self._question_lock = asyncio.Lock()

    async def __call__(self, call: ToolRequest) -> Decision:
        """Decide whether the call may run."""
        await self._remember_old_content(call)
        async with self._question_lock:
            if self._enabled() and call.name not in self._always_allowed:
                refusal = await self._ask_user(call)
                if refusal is not None:
                    return refusal
        return True

    async def _ask_user(self, call: ToolRequest) -> Decision:
        """Return None if the user allows the call."""
        fields = self._feed.description(call.name, call.arguments_json())
        block = self._feed.written_by(call.id, call.arguments)
        change = self._feed.overwriting(call.id, block) if block is not None else []
        if change:
            fields["content"] = change
        try:
            answer = await self._ask({"toolCallId": call.id, "status": "pending", **fields}, _CHOICES)
        except ZotError as error:
            return f"the user could not be asked: {error_line(error)}"
        if answer == "always":
            self._always_allowed.add(call.name)
        return None if answer in ("once", "always") else False

    async def _remember_old_content(self, call: ToolRequest) -> None:
        """Remember the content of a file that the call overwrites, to show the change."""
        block = self._feed.written_by(call.id, call.arguments)
        if block is None:
            return
        try:
            path = await resolve(block.path, self._context)
            data = await self._context.files.read(path, MAX_OLD_CONTENT + 1)
            if len(data) <= MAX_OLD_CONTENT:
                self._feed.remember(call.id, data.decode())
        except FileNotFoundError:
            self._feed.remember(call.id, None)
        except (OSError, ToolError, UnicodeDecodeError):
            return  # the tool reports the problem; such a file has no diff
