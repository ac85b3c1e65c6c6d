"""`PermissionPrompt`: asks the person about a tool call, where the permissions say so."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.display import main_argument
from zot_core.hooks import ToolRequest
from zot_core.tools.definition.context import ToolContext
from zot_tui.signal import Signal
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.text.wrap import wrap
from zot_tui.widgets.dialogs.dialog import Dialog, V
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, TextInput

if TYPE_CHECKING:
    from zot_core.tools.text.edit_text import EditResult

LARGEST = 128 * 1024
"""The largest file, in bytes, whose change is shown as a diff."""

_Choice: TypeAlias = Literal["yes", "always", "no", "why"]


class AskDialog(Protocol):
    """`Chat.ask`."""

    async def __call__(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        """Show a dialog and return the answer, None if it was closed."""
        ...


class PermissionPrompt:
    """An `AskPermission` of `zot_core.confirm`. It shows the arguments as the tool will get them, a change of a file as
    a diff, and the rules that the answer "always" adds. `asking` is emitted with True when a question opens and with
    False when it closes.
    """

    def __init__(self, ask: AskDialog, context: Callable[[], ToolContext]) -> None:
        self._ask, self._context = ask, context
        self.asking: Signal[[bool]] = Signal()

    async def __call__(self, question: PermissionQuestion) -> PermissionAnswer:
        """Ask, and return the answer; a closed question is a no."""
        call = question.call
        change = await change_of(call, self._context())
        title = f"Run {call.name} {main_argument(call.arguments_json())}".strip() + "?"
        self.asking.emit(True)
        try:
            dialog = Confirm(title, _choices(question), lambda columns: body(question, change, columns))
            answer = await self._ask(dialog, behind=True)
            if answer == "why":
                why = await self._ask(TextInput("Why not?", placeholder="what the model should do instead"))
                return PermissionAnswer("no", (why or "").strip())
        finally:
            self.asking.emit(False)
        return PermissionAnswer(answer or "no")


def _choices(question: PermissionQuestion) -> list[ConfirmChoice[_Choice]]:
    always = [ConfirmChoice[_Choice]("a", "yes, and always in this folder", "always")] if question.always else []
    return [
        ConfirmChoice("y", "yes, this call", "yes"),
        *always,
        ConfirmChoice("n", "no", "no"),
        ConfirmChoice("w", "no, and tell the model why", "why"),
    ]


async def change_of(call: ToolRequest, context: ToolContext) -> "EditResult | None":
    """Return the change that a call makes to a file: of calls with `edits`, or with `content` for an existing file;
    None if it cannot be shown."""
    path, edits, content = (call.arguments.get(name) for name in ("path", "edits", "content"))
    if not isinstance(path, str) or not (isinstance(edits, list) or isinstance(content, str)):
        return None
    from zot_core.tools.text import edit_text  # noqa: PLC0415  only an edit needs it
    from zot_core.tools.text.paths import resolve  # noqa: PLC0415

    try:
        data = await context.files.read(await resolve(path, context), LARGEST + 1)
        old = data.decode()
        pairs = [edit_text.TextReplacement(old, content)] if isinstance(content, str) else []
        for each in edits if isinstance(edits, list) else ():
            pairs.append(edit_text.TextReplacement(each["oldText"], each["newText"]))
        if len(data) > LARGEST or sum(len(each.new) for each in pairs) > LARGEST:
            return None
        return edit_text.edit_text(old, pairs)
    except Exception:  # noqa: BLE001  what the tool will refuse is shown as it is
        return None


def body(question: PermissionQuestion, change: "EditResult | None", columns: int) -> list[Row[Any]]:
    """Return the rows of a question: why it is asked, what the call does, and the rules of the answer "always"."""
    indent = [(None, "  ")]
    rows = wrap([("muted", sanitize(question.reason))], columns, first=indent, rest=indent)
    if change is None:
        rows += arguments(question.call, columns)
    else:
        from zot_tui.diff import diff_rows  # noqa: PLC0415  only an edit needs it

        rows += [[(None, "  "), *row] for row in diff_rows(change.diff, max(columns - 2, 1), change.starts)]
    for rule in question.always:
        rows += wrap([("muted", "always: "), ("accent", sanitize(rule))], columns, first=indent, rest=indent)
    return rows


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
