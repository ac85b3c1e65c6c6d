"""/skills /skill:NAME: what the model can look up, sent by the person."""

from zot_agent.ui.commands.base import Chat
from zot_core.skills import Skill, expand
from zot_provider.errors import UnknownName
from zot_tui.widgets.picker import Item, Picker


async def skills(chat: Chat, _: str) -> None:
    """Send a skill."""
    items = [Item(skill, skill.name, skill.description, skill.source) for skill in chat.host.runtime.skills]
    chosen = await chat.ask(Picker("Skills", items, empty="no skill is here; docs/skills.md says where they lie"))
    if chosen is not None:
        chat.insert(f"/skill:{chosen.name} ")


def find(chat: Chat, name: str) -> Skill:
    """The skill called `name`. Raises `UnknownName`."""
    known = {skill.name: skill for skill in chat.host.runtime.skills}
    if name not in known:
        raise UnknownName.among("skill", name, known)
    return known[name]


async def use(chat: Chat, name: str, args: str) -> None:
    """Send a skill's text, with what the person wants done with it."""
    chat.submit_text(expand(find(chat, name), args))
