"""/tree /edit /fork /clone: the entries of the session."""

import asyncio

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.commands.undo import go_back
from zot_core.aio import spawn
from zot_core.sessions.tree import SessionTree
from zot_provider.errors import ZotError
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import TextInput

_DEEPEST = 12
"""Branches that are indented; deeper ones have the same indentation."""

_SHOWN = {"prompts": ("user",), "all entries": ("user", "assistant", "tool", "compaction")}


class TreePicker(Picker[str]):
    """The entries of the session; a branch is indented below the entry at which it begins."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._tree = SessionTree()
        self._texts: dict[str, str] = {}
        self._filter = "prompts"
        actions = (
            RowAction[str]("ctrl+l", "label", lambda entry: self._do(self._set_label(entry))),
            RowAction[str]("ctrl+t", "prompts or all entries", lambda _: self._switch()),
        )
        super().__init__("Session tree", (), empty="no prompts yet", actions=actions)

    async def load(self) -> None:
        """Show the entries as they are now."""
        self._tree = await self._chat.host.conversation.branches.tree()
        self._texts = await asyncio.to_thread(self._tree.first_lines, list(self._tree.entries))
        self._list_entries()

    def is_prompt(self, entry: str) -> bool:
        """Return whether the entry is a prompt."""
        return self._tree.entries[entry].kind == "user"

    def _list_entries(self) -> None:
        here, kinds = set(self._tree.path()), _SHOWN[self._filter]
        items = []
        for id, depth in self._tree.walk():
            kind, label = self._tree.entries[id].kind, self._tree.labels.get(id, "")
            if kind in kinds or label:
                mark = "" if kind == "user" else f"{kind}: "
                text = "  " * min(depth, _DEEPEST) + mark + self._texts[id]
                items.append(PickerItem(id, text, detail=label, current=id in here))
        self.set_items(items)

    def _switch(self) -> None:
        self._filter = next(name for name in _SHOWN if name != self._filter)
        self._list_entries()

    async def _set_label(self, entry: str) -> None:
        text = await self._chat.ask(TextInput("Label", text=self._tree.labels.get(entry, "")))
        if text is not None:
            self._chat.host.conversation.branches.label(entry, text.strip())
            await self.load()

    def _do(self, work: object) -> None:
        async def run() -> None:
            try:
                await work  # type: ignore[misc]
            except ZotError as error:
                self.problem = str(error)
            self.changed()
            self._chat.app.redraw()

        spawn(run(), "label an entry")


async def tree(chat: Chat, _: str) -> None:
    """Choose an entry at which to continue. A prompt is put into the editor, to change it."""
    picker = TreePicker(chat)
    await picker.load()
    chosen = await chat.ask(picker)
    if chosen is not None:
        await go_back(chat, chosen, before=picker.is_prompt(chosen))


async def edit_prompt(chat: Chat, _: str) -> None:
    """Choose an earlier prompt of the conversation, and change it."""
    prompts = [message for message in chat.host.runtime.messages if message.role == "user" and message.id]
    items = [
        PickerItem(message.id, (message.display_text or message.text).strip() or "(image)")
        for message in reversed(prompts)
        if message.summarized_tokens is None
    ]
    chosen = await chat.ask(Picker("Change a prompt", items, empty="no prompts yet"))
    if chosen is not None:
        await go_back(chat, chosen, before=True)


async def fork(chat: Chat, _: str) -> None:
    """Continue before an earlier prompt, in a session of its own."""
    prompts = [message for message in chat.host.runtime.messages if message.role == "user" and message.id]
    items = [PickerItem(message, (message.display_text or message.text).strip()) for message in reversed(prompts)]
    chosen = await chat.ask(Picker("Fork before", items, empty="no prompts yet"))
    if chosen is not None:
        await chat.host.conversation.branches.fork(chosen.id, before=True)
        chat.note("a new session with the conversation up to there; the old one is in /sessions")
        chat.insert(chosen.display_text or chosen.text)


async def clone(chat: Chat, _: str) -> None:
    """Continue in a copy of the session."""
    await chat.host.conversation.branches.fork()
    chat.note("a new session with the same conversation; the old one is in /sessions")


COMMANDS = (
    SlashCommand("tree", "", "go back to an entry of any branch", "cancel", tree),
    SlashCommand("edit", "", "change an earlier prompt and ask again", "cancel", edit_prompt),
    SlashCommand("fork", "", "continue before a prompt in a new session", "cancel", fork),
    SlashCommand("clone", "", "continue in a copy of the session", "cancel", clone),
)
