"""What a person is asked before something runs: an extension of the project, a call of a tool (`--no-yolo`)."""

import json
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.ui.commands.base import Chat
from zot_core.confirm import Decision
from zot_core.display import main_argument
from zot_core.hooks import ToolRequest
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.text.wrap import wrap
from zot_tui.widgets.dialogs.questions import Choice, Confirm

Allowed: TypeAlias = Literal["yes", "tool", "all", "no"]

_ANSWERS: list[Choice[Allowed]] = [
    Choice("y", "yes, this call", "yes"),
    Choice("t", "yes, and every call of this tool", "tool"),
    Choice("a", "yes, and every call", "all"),
    Choice("n", "no", "no"),
]


class Permission:
    """Asks before each call, unless the person has said yes for the tool, or for all; `/yolo` says yes for all.

    It is a `Confirm` of `zot_core.confirm`, and sees the arguments as the tool will get them. `waits` is told when a
    question opens, and when it is gone.
    """

    def __init__(self, chat: Chat, waits: Callable[[bool], None], *, asks: bool) -> None:
        self._chat, self._waits = chat, waits
        self.asks = asks
        """Whether it asks at all."""
        self._tools: set[str] = set()

    async def __call__(self, call: ToolRequest) -> Decision:
        """Whether the call may run."""
        if not self.asks or call.name in self._tools:
            return True
        text = call.arguments_json()
        title = f"Run {call.name} {main_argument(text)}".strip() + "?"
        self._waits(True)
        try:
            question = Confirm(title, _ANSWERS, lambda columns: arguments(call, columns))
            answer = await self._chat.ask(question, behind=True)
        finally:
            self._waits(False)
        if answer == "tool":
            self._tools.add(call.name)
        elif answer == "all":
            self.asks = False
        return answer in ("yes", "tool", "all")


def arguments(call: ToolRequest, columns: int) -> list[Row[Any]]:
    """The arguments, one after the other; an `oldText` and its `newText` read as the change they are."""
    rows: list[Row[Any]] = []

    def show(name: str, value: object) -> None:
        style = {"oldText": "diff.removed", "newText": "diff.added"}.get(name, "text")
        if isinstance(value, list) and all(isinstance(each, dict) for each in value):
            for each in value:
                for key, part in each.items():
                    show(key, part)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
            named = [("muted", f"{sanitize_line(name)}: ")] if style == "text" else []
            rows.extend(wrap([*named, (style, sanitize(text))], columns, first=[(None, "  ")], rest=[(None, "  ")]))

    for name, value in call.arguments.items():
        show(name, value)
    return rows


async def ask_for_extensions(chat: Chat) -> None:
    """Ask about each extension of the project that the person has not decided on, and start those allowed."""
    choice = chat.host.choice
    if choice is None:
        return
    allowed = False
    for found in list(choice.undecided):
        answer = await chat.ask(_question(found), behind=True)
        if answer is not None:
            choice.decide(found, allowed=answer)
            allowed = allowed or answer
    if allowed:
        stats = await chat.host.reload_extensions()
        for error in stats.errors:
            chat.note(error, "error")


def _question(found: DiscoveredExtension) -> Confirm[bool]:
    runs = " ".join([found.manifest.exec, *found.manifest.args])
    text = (
        f"{found.name} lies in {found.directory} and would start\n\n    {runs}\n\n"
        "It can do whatever you can: read your files and keys, run programs, watch and change what zot does. "
        "You are asked again when it has changed."
    )
    choices = [Choice("y", "start it, now and from now on", value=True), Choice("n", "never start it", value=False)]
    return Confirm("This project brings an extension. May it run?", choices, text, chosen=1, note="esc decides nothing")
