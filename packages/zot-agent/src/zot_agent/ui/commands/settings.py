"""/settings: shows all settings, changes them, and stores them."""

from collections.abc import Awaitable
from typing import Any

from zot_agent.config.paths import zot_home
from zot_agent.config.setting import Setting
from zot_agent.config.settings import SETTINGS, Settings
from zot_agent.config.settings_file import user_file
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.commands.model import model
from zot_agent.ui.commands.screen import theme
from zot_agent.ui.settings.live import apply_settings
from zot_core.aio import spawn
from zot_provider.errors import UnknownName, ZotError
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import TextInput

_WIDTH = max(map(len, SETTINGS))

NEXT_START = "from the next start"


class SettingsPicker(Picker[str]):
    """All settings with their values and where these come from. They are changed here."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        default: RowAction[str] = RowAction("ctrl+d", "default", self._reset)
        note = "what you change is stored in your config.json"
        super().__init__("Settings", self._rows(), note=note, actions=(default,), max_rows=len(SETTINGS))

    def accept(self) -> None:
        """Change the chosen setting: a choice to its next value, any other with a question."""
        if self.chosen is not None:
            self.change(SETTINGS[self.chosen.value])

    def change(self, setting: Setting[Any]) -> None:
        if setting.key in _DIALOGS:
            self._begin(_DIALOGS[setting.key](self._chat, ""))
        elif not setting.choices:
            self._begin(self._ask(setting))
        else:
            values = [setting.parse(each) for each in setting.choices]
            at = values.index(self._chat.host.settings.value(setting.key))
            self._change(setting, values[(at + 1) % len(values)])

    def _reset(self, key: str) -> None:
        self._change(SETTINGS[key], None)

    async def _ask(self, setting: Setting[Any]) -> None:
        def check(text: str) -> str:
            try:
                setting.parse(text)
            except ValueError as error:
                return str(error)
            return ""

        value = self._chat.host.settings.value(setting.key)
        now = "" if isinstance(value, str) and setting.show(value) != value else setting.show(value)  # a password
        text = await self._chat.ask(TextInput(f"{setting.key}: {setting.help}", text=now, check=check))
        if text is not None:
            self._change(setting, setting.parse(text) if text.strip() else None)

    def _change(self, setting: Setting[Any], value: object) -> None:
        """Store a value, None for the default, and apply it if that is possible now."""
        chat, before = self._chat, self._chat.host.settings
        chat.choices.keep({setting.key: value})
        try:
            later = apply_settings(chat, before)
        except ZotError as error:
            self.problem = f"{error}: {NEXT_START}"
        else:
            self.problem = NEXT_START if later else ""
        source = chat.host.settings.source(setting.key)
        if value is not None and source != chat.host.settings.layers[0].source:
            self.problem = f"{source} takes precedence here"
        self.show()

    def _begin(self, work: Awaitable[None]) -> None:
        async def run() -> None:
            try:
                await work
            except ZotError as error:
                self.problem = str(error)
            self.show()

        spawn(run(), "change a setting")

    def show(self) -> None:
        self.set_items(self._rows())
        self._chat.app.redraw()

    def _rows(self) -> list[PickerItem[str]]:
        """Return a row for each setting: its value, and where that is from."""
        settings, options, rows = self._chat.host.settings, self._chat.host.options, []
        user = user_file(zot_home())
        for key, setting in SETTINGS.items():
            value, source = settings.value(key), settings.source(key)
            if setting.flag and getattr(options, key, None):
                value, source = getattr(options, key), setting.flag
            origin = "yours" if source == user else source or "default"
            rows.append(PickerItem(key, f"{key:<{_WIDTH}}  {setting.show(value) or '-'}", setting.help, origin))
        return rows


async def settings(chat: Chat, key: str) -> None:
    if key and key not in SETTINGS:
        raise UnknownName.among("setting", key, SETTINGS)
    picker = SettingsPicker(chat)
    if key:
        picker.change(SETTINGS[key])
    await chat.ask(picker)


_DIALOGS = {Settings.model.key: model, Settings.provider.key: model, Settings.theme.key: theme}
"""Settings that have their own list."""

COMMANDS = (SlashCommand("settings", "[key]", "show and change the settings", "now", settings),)
