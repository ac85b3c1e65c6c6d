"""/skills: what the model can look up, sent by the person."""

from zot_agent.ui.commands.base import Chat
from zot_tui.widgets.dialogs.picker import Item, Picker


async def skills(chat: Chat, _: str) -> None:
    """Send a skill."""
    items = [Item(skill, skill.name, skill.description, skill.source) for skill in chat.host.runtime.skills]
    chosen = await chat.ask(Picker("Skills", items, empty="no skill is here; docs/skills.md says where they lie"))
    if chosen is not None:
        chat.insert(f"/skill:{chosen.name} ")
