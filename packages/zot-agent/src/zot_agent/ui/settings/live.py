"""`apply_settings`: changed settings take effect on the open screen, where they can."""

from collections.abc import Callable, Mapping

from zot_agent.config.settings import SETTINGS, Settings
from zot_agent.host.setting_changes import APPLIED
from zot_agent.ui.bindings import keymap
from zot_agent.ui.commands.base import Chat
from zot_tui.widgets.transcript.cell import CellStyle


def apply_settings(chat: Chat, before: Settings) -> list[str]:
    """Apply the settings of the host that differ from `before`, and return the keys that only the next start will use.
    Raises `Busy` for a reasoning level during a run."""
    now = chat.host.settings
    changed = [key for key in SETTINGS if now.value(key) != before.value(key)]
    for key in changed:
        if key in APPLIED:
            APPLIED[key](chat.host)
        elif key in _SHOWN:
            _SHOWN[key](chat)
    chat.refresh()
    return [key for key in changed if key not in APPLIED and key not in _SHOWN]


def shown_rows(settings: Settings) -> int:
    """Return the rows of a finished tool call, unless it is opened."""
    return 0 if settings.collapse_tool_call else CellStyle().shown


def _mouse(chat: Chat) -> None:
    chat.app.mouse = chat.host.settings.mouse


def _when_used(_: Chat) -> None:
    """Do nothing: the setting is read when it is used."""


def _tool_render(chat: Chat) -> None:
    chat.presenter.style.framed = chat.host.settings.tool_render == "box"
    chat.presenter.style.shown = shown_rows(chat.host.settings)
    chat.presenter.style.sides = chat.host.settings.side_by_side
    chat.transcript.refresh()


def _editor_mode(chat: Chat) -> None:
    if chat.prompt_input.vi != (chat.host.settings.editor_mode == "vi"):
        chat.prompt_input.toggle_vi()


def _keymap(chat: Chat) -> None:
    chat.keys.keymap, problems = keymap(chat.host.settings.keymap)
    for problem in problems:
        chat.note(problem, "warning")


_SHOWN: Mapping[str, Callable[[Chat], None]] = {
    Settings.theme.key: lambda chat: chat.themes.use(chat.host.settings.theme),
    Settings.tool_render.key: _tool_render,
    Settings.collapse_tool_call.key: _tool_render,
    Settings.side_by_side.key: _tool_render,
    Settings.mouse.key: _mouse,
    Settings.editor_mode.key: _editor_mode,
    Settings.keymap.key: _keymap,
    Settings.favourite_models.key: _when_used,
    Settings.notify.key: _when_used,
}
