"""/tree /edit /fork /clone: the entries of the session."""

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.commands.tree_picker import TreePicker
from zot_agent.ui.commands.undo import go_back
from zot_tui.widgets.dialogs.picker import Picker, PickerItem


async def tree(chat: Chat, _: str) -> None:
    """Choose an entry at which to continue. A prompt is put into the editor, to change it."""
    picker = TreePicker(chat)
    await picker.load()
    chosen = await chat.ask(picker)
    if chosen is not None:
        await go_back(chat, chosen, before=picker.is_prompt(chosen), summarise=picker.summarise)


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
    """Continue before an earlier prompt, in a new session."""
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
