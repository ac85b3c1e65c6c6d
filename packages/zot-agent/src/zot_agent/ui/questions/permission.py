"""`PermissionPrompt`: asks the user before each tool call (`--no-yolo`)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol, TypeAlias

from zot_core.confirm import Decision
from zot_core.display import DisplayBlock, main_argument
from zot_core.errors import ToolError
from zot_core.hooks import ToolRequest
from zot_tui.signal import Signal
from zot_tui.terminal.canvas import Source
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.text.wrap import wrap
from zot_tui.widgets.dialogs.dialog import Dialog, V
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice
from zot_tui.widgets.transcript.blocks import render_block

Answer: TypeAlias = Literal["yes", "tool", "all", "no"]

_ANSWERS: list[ConfirmChoice[Answer]] = [
    ConfirmChoice("y", "yes, this call", "yes"),
    ConfirmChoice("t", "yes, and every call of this tool", "tool"),
    ConfirmChoice("a", "yes, and every call", "all"),
    ConfirmChoice("n", "no", "no"),
]


class AskDialog(Protocol):
    """`Chat.ask`."""

    async def __call__(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        """Show a dialog and return the answer, None if it was closed."""
        ...


class PermissionPrompt:
    """Asks before each tool call, unless the user has allowed the tool, or all tools; `/yolo` allows all.

    It is a `Confirm` of `zot_core.confirm`. It shows what the call would change, else the arguments as the tool will
    get them. `asking` is emitted with True when a question opens and with False when it closes.
    """

    def __init__(
        self,
        ask: AskDialog,
        *,
        asks: bool,
        preview: Callable[[ToolRequest], Awaitable[list[DisplayBlock]]],
        preview_seconds: float = 3.0,
    ) -> None:
        """`preview` returns what a call would change; after `preview_seconds` the arguments are shown instead."""
        self._ask, self._preview, self._preview_seconds = ask, preview, preview_seconds
        self.asking: Signal[[bool]] = Signal()
        self.asks = asks
        """Whether to ask at all."""
        self._allowed: set[str] = set()

    async def __call__(self, call: ToolRequest) -> Decision:
        """Return whether the call may run."""
        if not self.asks or call.name in self._allowed:
            return True
        text = call.arguments_json()
        title = f"Run {call.name} {main_argument(text)}".strip() + "?"
        content = await self._content(call)
        self.asking.emit(True)
        try:
            question = Confirm(title, _ANSWERS, content)
            answer = await self._ask(question, behind=True)
        finally:
            self.asking.emit(False)
        if answer == "tool":
            self._allowed.add(call.name)
        elif answer == "all":
            self.asks = False
        return answer in ("yes", "tool", "all")

    async def _content(self, call: ToolRequest) -> Source:
        problem = ""
        try:
            async with asyncio.timeout(self._preview_seconds):
                blocks = await self._preview(call)
        except ToolError as error:
            blocks, problem = [], f"  this call will fail: {error}"
        except Exception:  # noqa: BLE001  around a tool; the call itself will say what is wrong
            blocks = []
        chunks = [
            chunk for block in blocks for chunk in render_block(block, main_argument(call.arguments_json())).chunks
        ]
        if chunks:
            return lambda columns: [row for chunk in chunks for row in chunk.rows(columns)]
        failure: list[Row[Any]] = [[("warning", sanitize_line(problem))]] if problem else []
        return lambda columns: [*(row for line in failure for row in wrap(line, columns)), *arguments(call, columns)]


def arguments(call: ToolRequest, columns: int) -> list[Row[Any]]:
    """Return the rows for the arguments of a call; `oldText` and `newText` are coloured as a diff."""
    rows: list[Row[Any]] = []

    def show(name: str, value: object) -> None:
        style = {"oldText": "diff.removed", "newText": "diff.added"}.get(name, "text")
        if isinstance(value, list) and all(isinstance(each, dict) for each in value):
            for each in value:
                for key, item in each.items():
                    show(key, item)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
            named = [("muted", f"{sanitize_line(name)}: ")] if style == "text" else []
            rows.extend(wrap([*named, (style, sanitize(text))], columns, first=[(None, "  ")], rest=[(None, "  ")]))

    for name, value in call.arguments.items():
        show(name, value)
    return rows
