"""Search in the prompts that were sent from this directory."""

from zot_agent.ui.commands.base import Chat
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.picker import Picker, PickerItem

LABEL = 500
"""Characters of a prompt that are shown and searched."""


async def search_history(chat: Chat) -> None:
    """Have the user choose an earlier prompt, and put it into the editor. The search begins with what was typed."""
    prompt = chat.prompt_input
    entries = dict.fromkeys(reversed(prompt.history.entries))
    items = [PickerItem(each, sanitize_line(" ".join(each[:LABEL].split()))) for each in entries]
    picker = Picker("Earlier prompts", items, empty="no earlier prompts")
    typed = prompt.editor.pastes.expand(prompt.text)
    if typed.strip() and "\n" not in typed:
        picker.filter.insert(typed)
    chosen = await chat.ask(picker)
    if chosen is not None:
        prompt.recall(chosen)
