"""/skills: choose a skill, or pin skills to the system prompt."""

import os

from zot_agent.config.paths import zot_home
from zot_agent.config.skill_pins import Pins, SkillPins
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_core.skills import Skill
from zot_provider.errors import ConfigError
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction


class SkillPicker(Picker[Skill]):
    """The skills of this directory. They can be pinned here; `changed_pins` says whether that was done."""

    def __init__(self, chat: Chat) -> None:
        self._skills, self._cwd = chat.host.runtime.skills, chat.host.runtime.cwd
        self._home, self._stored = zot_home(), SkillPins(zot_home())
        self.pins, self.changed_pins = Pins(), False
        actions = (
            RowAction[Skill]("p", "pin here", lambda skill: self._toggle(skill, everywhere=False)),
            RowAction[Skill]("g", "pin everywhere", lambda skill: self._toggle(skill, everywhere=True)),
        )
        empty = "no skills found; docs/skills.md says where to put them"
        super().__init__("Skills", (), empty=empty, actions=actions)
        self._show()

    def _show(self) -> None:
        try:
            self.pins = self._stored.read(self._cwd)
        except ConfigError as error:
            self._report(error)
        self.set_items(
            [PickerItem(skill, skill.name, skill.description, _detail(skill, self.pins)) for skill in self._skills]
        )

    def _report(self, error: ConfigError) -> None:
        self.problem = str(error).removeprefix(self._home + os.sep)  # there is one row

    def _toggle(self, skill: Skill, *, everywhere: bool) -> None:
        try:
            self._stored.toggle(skill.name, self._cwd, everywhere=everywhere)
        except ConfigError as error:
            self._report(error)
            return
        self.changed_pins = True
        self._show()


def _detail(skill: Skill, pins: Pins) -> str:
    """Return where a skill is pinned, and where it comes from."""
    places = {"here": pins.here, "everywhere": pins.everywhere}
    where = " and ".join(place for place, names in places.items() if skill.name in names)
    return f"pinned {where} · {skill.source}" if where else skill.source


async def skills(chat: Chat, _: str) -> None:
    """Choose a skill and put its command into the editor; then use the pins that have changed."""
    picker = SkillPicker(chat)
    chosen = await chat.ask(picker)
    if chosen is not None:
        chat.insert(f"/skill:{chosen.name} ")
    if picker.changed_pins:
        for line in await chat.host.refresh_workspace():
            chat.note(line, "warning")
        names = picker.pins.names
        chat.note(f"pinned skills: {', '.join(names)}" if names else "no skill is pinned any more", "success")


COMMANDS = (SlashCommand("skills", "", "list and pin skills; /skill:NAME sends one", "now", skills),)
