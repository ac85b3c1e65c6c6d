"""`TreePicker`: the dialog with the entries of the session."""

import asyncio
from collections.abc import Awaitable, Sequence

from zot_agent.ui.commands.base import Chat
from zot_core.aio import spawn
from zot_core.sessions.stored import no_collector
from zot_core.sessions.tree import EntryKind, SessionTree
from zot_provider.errors import ZotError
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import TextInput

_DEEPEST = 12
"""Branches that are indented; deeper ones have the same indentation."""

_CHUNK = 2000
"""Entries whose texts are read at once, in a thread."""

_PROMPTS: tuple[EntryKind, ...] = ("user",)
_ALL: tuple[EntryKind, ...] = ("user", "assistant", "tool", "compaction", "branch_summary")

_MARKS: dict[EntryKind, str] = {
    "user": "",
    "assistant": "assistant: ",
    "tool": "tool: ",
    "compaction": "compaction: ",
    "branch_summary": "summary: ",
    "custom": "custom: ",
}
"""The mark before the text of an entry of each kind."""


class TreePicker(Picker[str]):
    """The entries of the session; a branch is indented below the entry at which it begins, and can be folded.

    The texts of the rows in view are read first, and the others behind the open dialog.
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._tree = SessionTree()
        self._texts: dict[str, str] = {}
        self._kinds = _PROMPTS
        self._branches: dict[str, int] = {}  # of the indented rows, by the number of its first entry
        self._folded: dict[int, int] = {}  # the folded branches, each with the index of its only row
        self._reading: asyncio.Task[None] | None = None
        self.summarise = False
        """Whether the branch that is left shall be summarised."""
        actions = (
            RowAction[str]("left", "fold", self._fold, refusal=self._cannot_fold),
            RowAction[str]("right", "", self._unfold),
            RowAction[str]("ctrl+s", "summary", self._choose_with_summary),
            RowAction[str]("ctrl+l", "label", lambda entry: self._do(self._set_label(entry))),
            RowAction[str]("ctrl+t", "all", lambda _: self._switch()),
        )
        super().__init__("Session tree", (), empty="no prompts yet", actions=actions)

    async def load(self) -> None:
        with no_collector():  # it would look through many thousand new rows for nothing
            self._tree = await self._chat.host.conversation.branches.tree()
            self._list_entries()
        if self._reading is None:
            self.at = max((at for at, item in enumerate(self.items) if item.current), default=self.at)
            self.move(0)
        near = range(max(self.at - self.max_rows, 0), self.at + self.max_rows)
        await self._read([self.items[index].value for index in near if index < len(self.items)])
        if self._reading is None:
            self._reading = spawn(self._read_all(), "texts of the session tree")

    def close(self, value: str | None) -> None:
        if self._reading is not None:
            self._reading.cancel()
        super().close(value)

    def text(self, item: PickerItem[str]) -> str:
        return item.label + self._texts.get(item.value, "…")

    def is_prompt(self, entry: str) -> bool:
        return self._tree.node(entry).kind == "user"

    async def _read(self, entries: Sequence[str]) -> None:
        self._texts.update(await asyncio.to_thread(self._tree.first_lines, entries))

    async def _read_all(self) -> None:
        try:
            numbers = range(len(self._tree.ids))
            wanted = [*self._tree.of_kinds(numbers, _PROMPTS), *self._tree.of_kinds(numbers, _ALL[1:])]
            for start in range(0, len(wanted), _CHUNK):
                await self._read([self._tree.ids[number] for number in wanted[start : start + _CHUNK]])
                self.changed()
        except ZotError as error:
            self.problem = str(error)
        if self.filter.text:
            self.set_items(self.items)  # searches again
        self.changed()
        self._chat.app.redraw()

    def _list_entries(self) -> None:
        with no_collector():
            self.set_items(self._rows())

    def _rows(self) -> list[PickerItem[str]]:
        """Return the rows: entries of the kinds that are shown, and those with a label."""
        tree, items = self._tree, list[PickerItem[str]]()
        here = bytearray(len(tree.ids))  # 1 for each entry of the conversation
        for part in tree.path_numbers():
            here[part.start : part.stop] = b"\1" * len(part)
        labelled = {tree.number(id) for id, text in tree.labels.items() if text and id in tree}
        self._branches = {}
        around: list[int] = []  # the branches around a row, from the outermost on
        hidden: dict[int, int] = {}  # rows in folded branches
        for part, depth, head in tree.walk():
            around = [*around[:depth], head]
            folded = next((each for each in around if each in self._folded), -1)
            numbers = tree.of_kinds(part, self._kinds)
            if labelled:
                numbers = sorted({*numbers, *(number for number in labelled if number in part)})
            if folded >= 0 and numbers:
                first, numbers = numbers, [] if folded in hidden else numbers[:1]
                self._folded[folded] = len(items) if numbers else self._folded[folded]
                hidden[folded] = hidden.get(folded, 0) + len(first) - len(numbers)
            indent = "  " * min(depth, _DEEPEST)
            marks = {kind: indent + name for kind, name in _MARKS.items()}
            for number in numbers:
                id = tree.ids[number]
                label = tree.labels.get(id, "")
                items.append(PickerItem(id, marks[tree.kind(number)], detail=label, current=bool(here[number])))
            if depth:
                self._branches |= {tree.ids[number]: head for number in numbers}
        for head, count in hidden.items():
            item = items[self._folded[head]]
            item.detail = f"{item.detail} +{count}".strip()
        return items

    def _cannot_fold(self, entry: str) -> str:
        return "" if entry in self._branches else "only a branch, which is indented, can be folded"

    def _fold(self, entry: str) -> None:
        head = self._branches[entry]
        self._folded[head] = 0
        self._list_entries()
        self.at = self._folded[head]
        self.move(0)

    def _unfold(self, entry: str) -> None:
        if self._folded.pop(self._branches.get(entry, -1), None) is not None:
            self._list_entries()

    def _choose_with_summary(self, entry: str) -> None:
        self.summarise = True
        self.close(entry)

    def _switch(self) -> None:
        self._kinds = _ALL if self._kinds == _PROMPTS else _PROMPTS
        self._list_entries()

    async def _set_label(self, entry: str) -> None:
        text = await self._chat.ask(TextInput("Label", text=self._tree.labels.get(entry, "")))
        if text is not None:
            await self._chat.host.conversation.branches.label(entry, text)
            await self.load()

    def _do(self, work: Awaitable[None]) -> None:
        async def run() -> None:
            try:
                await work
            except ZotError as error:
                self.problem = str(error)
            self.changed()
            self._chat.app.redraw()

        spawn(run(), "label an entry")
