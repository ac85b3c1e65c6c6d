"""`PermissionPrompt`: asks the person about a tool call, where the permissions say so."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.display import CodeDisplay, DiffDisplay, DisplayBlock, main_argument
from zot_core.errors import ToolError
from zot_core.hooks import ToolRequest
from zot_tui.signal import Signal
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import reveal, sanitize_line
from zot_tui.widgets.dialogs.dialog import Dialog, V
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, TextInput
from zot_tui.widgets.transcript.blocks import render_block
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.chunks import BLANK, BODY, Chunk, indented, wrapped

_Choice: TypeAlias = Literal["yes", "always", "no", "why"]


class AskDialog(Protocol):
    """`Chat.ask`."""

    async def __call__(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        """Show a dialog and return the answer, None if it was closed."""


class PermissionPrompt:
    """An `AskPermission` of `zot_core.confirm`. It shows what the call would change, else the arguments as the tool
    will get them, and the rules that the answer "always" adds. `asking` is emitted with True when a question opens and
    with False when it closes.
    """

    def __init__(
        self,
        ask: AskDialog,
        preview: Callable[[ToolRequest], Awaitable[list[DisplayBlock]]],
        style: CellStyle,
        preview_seconds: float = 3.0,
    ) -> None:
        """`preview` returns what a call would change, drawn in `style`; after `preview_seconds` the arguments are shown
        instead."""
        self._ask, self._preview, self._style, self._preview_seconds = ask, preview, style, preview_seconds
        self.asking: Signal[[bool]] = Signal()

    async def __call__(self, question: PermissionQuestion) -> PermissionAnswer:
        """Ask, and return the answer; a closed question is a no."""
        call = question.call
        who = f"Agent {call.agent_id}: run" if call.agent_id else "Run"
        title = reveal(f"{who} {call.name} {main_argument(call.arguments_json())}".strip()) + "?"
        self.asking.emit(True)
        note, shown = "", await self._change(call)
        try:
            while True:
                content = partial(_content, question, *shown, self._style)
                dialog = Confirm(title, _choices(question), content, note=note)
                answer = await self._ask(dialog, behind=True)
                before, shown = shown, await self._change(call) if answer in ("yes", "always") else shown
                if before == shown:
                    break
                note = "the file has changed meanwhile; this is what the call would do now"
            if answer == "why":
                why = await self._ask(TextInput("Why not?", placeholder="what the model should do instead"))
                return PermissionAnswer("no", (why or "").strip())
        finally:
            self.asking.emit(False)
        return PermissionAnswer(answer or "no")

    async def _change(self, call: ToolRequest) -> tuple[list[DisplayBlock], str]:
        """Return what the call would change, and why it will fail if that is known."""
        try:
            async with asyncio.timeout(self._preview_seconds):
                return await self._preview(call), ""
        except ToolError as error:
            return [], f"this call will fail: {error}"
        except Exception:  # noqa: BLE001  around a tool; the call itself will say what is wrong
            return [], ""


def _content(question: PermissionQuestion, blocks: list[DisplayBlock], problem: str, style: CellStyle) -> list[Chunk]:
    """Return why the question is asked, what the call does, and the rules of the answer "always"."""
    call = question.call
    argument = main_argument(call.arguments_json())
    drawn = [render_block(_revealed(block), argument, sides=style.sides) for block in blocks]
    chunks = [indented(chunk, BODY) for each in drawn for chunk in each.chunks]
    if not chunks:
        failure: list[Row[Any]] = [[("warning", sanitize_line(problem))]] if problem else []
        chunks = [indented(wrapped([*failure, *arguments(call)]))]
    always: list[Row[Any]] = [[("muted", "always: "), ("accent", reveal(rule))] for rule in question.always]
    rules = [BLANK, indented(wrapped(always))] if always else []
    return [indented(wrapped([[("muted", reveal(question.reason))]])), *chunks, *rules]


def _revealed(block: DisplayBlock) -> DisplayBlock:
    if isinstance(block, CodeDisplay):
        return block.replace(text=reveal(block.text))
    return block.replace(diff=reveal(block.diff)) if isinstance(block, DiffDisplay) else block


def _choices(question: PermissionQuestion) -> list[ConfirmChoice[_Choice]]:
    if question.outside:
        return [ConfirmChoice("y", "yes, outside the sandbox", "yes"), ConfirmChoice("n", "no", "no")]
    always = [ConfirmChoice[_Choice]("a", "yes, and always in this folder", "always")] if question.always else []
    return [
        ConfirmChoice("y", "yes, this call", "yes"),
        *always,
        ConfirmChoice("n", "no", "no"),
        ConfirmChoice("w", "no, and tell the model why", "why"),
    ]


def arguments(call: ToolRequest) -> list[Row[Any]]:
    """Return the lines for the arguments of a call, with their names; `oldText` and `newText` have the colours of a
    diff."""
    lines: list[Row[Any]] = []

    def show(name: str, value: object) -> None:
        style = {"oldText": "diff.removed", "newText": "diff.added"}.get(name, "text")
        if isinstance(value, list) and all(isinstance(each, dict) for each in value):
            for each in value:
                for key, item in each.items():
                    show(key, item)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
            lines.append([("muted", f"{sanitize_line(reveal(name))}: "), (style, reveal(text))])

    for name, value in call.arguments.items():
        show(name, value)
    return lines
