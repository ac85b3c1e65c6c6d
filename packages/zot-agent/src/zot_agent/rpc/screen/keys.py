"""`ClientKeys`: the keys that extensions bind, for clients that have keys."""

from collections.abc import Callable, Mapping

from zot_core.conversation.events import KeyChange
from zot_provider.errors import ConfigError
from zot_tui.keys.key import RUNE, Key, parse_key

KEPT = frozenset(("ctrl+c", "ctrl+d", "enter", "esc", "tab", "up", "down"))
"""Keys that no extension can take."""


class ClientKeys:
    """See `KeyAccess`. Of two extensions that want one key, the first has it; the person's own keys are stronger."""

    def __init__(self, emit: Callable[[KeyChange], None], own: Mapping[str, str]) -> None:
        """`own` is the setting `keymap`."""
        self._emit = emit
        self._own = {key for each in own if (key := _read(each)) is not None}
        self._bound: dict[str, KeyChange] = {}

    def bind(self, extension: str, key: str, command: str) -> None:
        try:
            read = parse_key(key)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        name = str(read)
        if name in KEPT or read.name == RUNE:
            raise ConfigError(f"{name} keeps its meaning; choose a function key, or one with ctrl or alt")
        owner = self._bound[name].extension if name in self._bound else extension
        if owner != extension:
            raise ConfigError(f"{name} belongs to extension {owner}")
        if read in self._own:
            raise ConfigError(f"{name} is in the keymap of the user")
        self._bound[name] = KeyChange(extension, name, command)
        self._emit(self._bound[name])

    def unbind(self, extension: str, key: str = "") -> None:
        wanted = _read(key)
        for name, bound in list(self._bound.items()):
            if bound.extension == extension and (not key or str(wanted) == name):
                del self._bound[name]
                self._emit(KeyChange(extension, name, ""))


def _read(key: str) -> Key | None:
    try:
        return parse_key(key)
    except ValueError:
        return None
