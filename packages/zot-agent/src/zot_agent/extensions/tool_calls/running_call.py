"""`RunningCall`: a call of an extension's tool that has no result yet."""

import asyncio
from collections.abc import Callable

from zot_agent.extensions.tool_calls import chain
from zot_core.tools.definition.context import ToolContext
from zot_ext.limits import ExtensionLimits


class RunningCall:
    """A call of the tool `name`. `chain` are the tools that have called each other, this one last."""

    def __init__(self, name: str, context: ToolContext, limits: ExtensionLimits) -> None:
        self.chain = (*chain.get(), name)
        self.context = context
        self.progress = ProgressFeed(context.progress, limits.progress_seconds, limits.progress_characters)


class ProgressFeed:
    """Passes text on, at most once in `seconds`; of text that waits it keeps the last `characters`."""

    def __init__(self, show: Callable[[str], None], seconds: float, characters: int) -> None:
        self._show, self._seconds, self._characters = show, seconds, characters
        self._text, self._dropped = "", False
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str) -> None:
        """Show text now, or soon."""
        self._text += text
        if len(self._text) > self._characters:
            self._text, self._dropped = self._text[-self._characters :], True
        if self._timer is None:
            self._flush()
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self._next)

    def close(self) -> None:
        """Show what waits. Later text would be ignored by the call."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._flush()

    def _next(self) -> None:
        self._timer = None
        if self._text:
            self._flush()
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self._next)

    def _flush(self) -> None:
        text, self._text = self._text, ""
        if self._dropped:
            text, self._dropped = f"[...]\n{text}", False
        if text:
            self._show(text)
