"""Reads themes from zot's theme files, which theme-only extensions ship.

```json
{"name": "mine", "description": "...", "colors": {"accent": 204, "dark": {"error": "#ff8080 bold"}, "light": {}},
 "spinner_frames": ["◢", "◣"], "spinner_messages": ["working"], "spinner_interval_ms": 120}
```

Every entry is optional. Colours are at the top, under `colors`, or under `colors.dark` and `colors.light`; later ones
win, and a file with only one of these two uses it for both kinds of terminal. Groups are objects: `"syntax":
{"keyword": "#81a1c1 bold"}`. A value is a colour as `parse_color` reads it; a string may add `bold`, `faint`, `italic`,
`underline`, `inverse`, `strike`, or consist of such words only. `color_descriptions` (documentation) and
`syntax_base_style` (for highlighters with styles) are accepted and ignored. `mode` (`dark` or `light`) fixes the
background that the theme is for. Themes written for pi are read too: see `zot_tui.theme.pi`.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from zot_tui.color import Color, parse_color
from zot_tui.regular_file import open_regular
from zot_tui.theme.detect import Background
from zot_tui.theme.pi import from_pi, is_pi_theme
from zot_tui.theme.theme import ATTRIBUTES, Paint, Theme
from zot_tui.theme.tokens import TOKENS

# A folder beside this file rather than importlib.resources, which would cost more to import than all of zot_tui.theme.
_THEMES = Path(__file__).parent / "themes"
_FOREGROUNDS = {token.key: token.name for token in TOKENS}
_BACKGROUNDS = {token.background_key: token.name for token in TOKENS if token.background_key}
_GROUPS = frozenset(token.name.split(".")[0] for token in TOKENS if "." in token.name)
_IGNORED = frozenset({"color_descriptions", "syntax_base_style"})
_ATTRIBUTE_ALIASES = {"italics": "italic", "strikethrough": "strike", "standout": "inverse"}
# Other words in style entries of Pygments and Chroma.
_NOT_USED = frozenset({"nobold", "noitalic", "nounderline", "noinherit"})
_NOT_USED_PREFIXES = ("bg:", "border:")

MIN_INTERVAL_MS = 20

MAX_BYTES = 1 << 20
"""The most bytes of a theme file."""

NAMED = 8
"""The most unknown entries that a note names."""


class ThemeError(ValueError):
    """A theme that cannot be used. The message is one line: the theme, the entry, and the problem."""


def builtin_names() -> list[str]:
    """Return the names of the themes in the package, sorted."""
    return sorted(file.stem for file in _THEMES.glob("*.json"))


@cache
def builtin(name: str) -> Theme:
    """Return the theme `name` of the package; ThemeError, with the available names, if there is no such theme.

    It is the same object every time: put other themes over it, but do not change it.
    """
    names = builtin_names()
    if name not in names:
        raise ThemeError(f"no theme {name!r}: there are {', '.join(names)}")
    return load_theme(_THEMES / f"{name}.json")


def load_theme(path: Path, mode: Background = "dark") -> Theme:
    """Load a theme file for terminals with a `mode` background; ThemeError if it cannot be read or understood.

    The theme has only what the file sets: put it over a built-in one with `Theme.over`.
    """
    try:
        with open(path, "rb", opener=open_regular) as file:
            data = file.read(MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ThemeError(f"theme {str(path)!r}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ThemeError(f"theme {str(path)!r}: not UTF-8 at byte {error.start}") from error
    if len(data) > MAX_BYTES:
        raise ThemeError(f"theme {str(path)!r}: larger than {MAX_BYTES:,} bytes")
    return parse_theme(text, mode, source=str(path))


def parse_theme(text: str, mode: Background = "dark", source: str = "") -> Theme:
    """Parse a theme from JSON text, like `load_theme`; `source` names it in errors, and is its name if it sets none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ThemeError(f"theme {source!r}: not JSON: {error}") from error
    if not isinstance(data, dict):
        raise ThemeError(f"theme {source!r}: expected an object, not {_quoted(data)}")
    try:
        if is_pi_theme(data):
            data = from_pi(data)
        return _Reader(data, mode, source).theme
    except ValueError as error:
        raise ThemeError(f"theme {source!r}: {error}") from error


class _Reader:
    """Fills a theme from the parts of a file; later parts win."""

    def __init__(self, data: dict[str, object], mode: Background, source: str) -> None:
        if "mode" in data:
            mode = _mode(data["mode"])
        self.theme = Theme(_string(data, "name") or Path(source).stem, mode, _string(data, "description"))
        self._unknown: list[str] = []
        colors = data.get("colors", {})
        if not isinstance(colors, Mapping):
            raise ValueError(f"'colors': expected an object, not {_quoted(colors)}")
        self._read(data, "", skip=("name", "description", "mode", "colors"))
        self._read(colors, "colors.", skip=("dark", "light"))
        chosen = mode if mode in colors else {"dark": "light", "light": "dark"}[mode]
        part = colors.get(chosen, {})
        if not isinstance(part, Mapping):
            raise ValueError(f"'colors.{chosen}': expected an object, not {_quoted(part)}")
        self._read(part, f"colors.{chosen}.", skip=())
        self._note_unknown()

    def _read(self, section: Mapping[str, object], path: str, skip: tuple[str, ...]) -> None:
        for key, value in section.items():
            if key in skip or key in _IGNORED:
                continue
            if key.startswith("spinner_"):
                self._read_spinner(path, key, value)
            elif key in _GROUPS and isinstance(value, Mapping):
                for name, entry in value.items():
                    self._read_color(path, f"{key}.{name}", entry)
            else:
                self._read_color(path, key, value)

    def _read_color(self, path: str, key: str, value: object) -> None:
        try:
            if key in _FOREGROUNDS:
                self.theme.paints[_FOREGROUNDS[key]] = self._paint(path + key, value)
            elif key in _BACKGROUNDS:
                self.theme.backgrounds[_BACKGROUNDS[key]] = parse_color(value)
            else:
                self._unknown.append(path + key)
        except ValueError as error:
            raise ValueError(f"{path + key!r}: {error}") from error

    def _paint(self, where: str, value: object) -> Paint:
        if not isinstance(value, str):
            return Paint(parse_color(value))
        color: Color | None = None
        attributes = set()
        for word in value.split():
            name = _ATTRIBUTE_ALIASES.get(word.lower(), word.lower())
            if name in ATTRIBUTES:
                attributes.add(name)
            elif name in _NOT_USED or name.startswith(_NOT_USED_PREFIXES):
                self._note(where, f"{word!r} is left out")
            elif color is None:
                color = parse_color(word)
            else:
                raise ValueError(f"{_quoted(value)} has two colours")
        if color is None and not attributes:
            color = parse_color(value)
        return Paint(color, tuple(name for name in ATTRIBUTES if name in attributes))

    def _read_spinner(self, path: str, key: str, value: object) -> None:
        spinner = self.theme.spinner
        match key:
            case "spinner_frames":
                spinner.frames = _strings(path + key, value)
            case "spinner_messages":
                spinner.messages = _strings(path + key, value)
            case "spinner_interval_ms":
                if isinstance(value, int) and value >= MIN_INTERVAL_MS:
                    spinner.interval_ms = value
                else:  # zot's rule: a bad interval is no reason to refuse the theme
                    self._note(path + key, f"expected a number of at least {MIN_INTERVAL_MS}; it is left out")
            case _:
                self._unknown.append(path + key)

    def _note_unknown(self) -> None:
        """Add one note for all unknown entries: a theme of another program may have hundreds."""
        unknown = self._unknown
        if len(unknown) == 1:
            self._note(unknown[0], "no such entry; it is left out")
        elif unknown:
            more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
            named = ", ".join(map(repr, unknown[:NAMED]))
            self.theme.notes.append(f"{len(unknown)} entries are unknown and left out: {named}{more}")

    def _note(self, where: str, what: str) -> None:
        self.theme.notes.append(f"{where!r}: {what}")


def _mode(value: object) -> Background:
    match value:
        case "dark" | "light":
            return value
    raise ValueError(f"'mode': expected 'dark' or 'light', not {_quoted(value)}")


def _string(data: dict[str, object], key: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{key!r}: expected a string, not {_quoted(value)}")
    return value


def _strings(where: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{where!r}: expected a list of strings, not {_quoted(value)}")
    return tuple(value)


def _quoted(value: object) -> str:
    """Return a value for a message: short, on one line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:39] + "…"
