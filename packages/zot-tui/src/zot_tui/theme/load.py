"""Reading themes. The format is that of zot's theme files, which theme-only extensions ship.

```json
{"name": "mine", "description": "...", "colors": {"accent": 204, "dark": {"error": "#ff8080 bold"}, "light": {}},
 "spinner_frames": ["◢", "◣"], "spinner_messages": ["working"], "spinner_interval_ms": 120}
```

Every entry may be left out. Colours stand at the top, under `colors`, or under `colors.dark` and `colors.light`, the
later winning; a file with one of these two serves both kinds of terminal with it. Groups are objects: `"syntax":
{"keyword": "#81a1c1 bold"}`. A value is a colour as `parse_color` reads it; a string may add `bold`, `faint`, `italic`,
`underline`, `inverse`, `strike`, or hold such words alone. `color_descriptions` is for people and `syntax_base_style`
for highlighters that have styles; both are accepted and ignored. `mode` (`dark` or `light`) says which background the
theme is for, whatever it is loaded for.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from zot_tui.color import Color, parse_color
from zot_tui.theme.theme import ATTRIBUTES, Mode, Paint, Theme
from zot_tui.theme.tokens import TOKENS

# A folder beside this file rather than importlib.resources, which would cost more to import than all of zot_tui.theme.
_THEMES = Path(__file__).parent / "themes"
_FOREGROUNDS = {token.key: token.name for token in TOKENS}
_BACKGROUNDS = {token.background_key: token.name for token in TOKENS if token.background_key}
_GROUPS = frozenset(token.name.split(".")[0] for token in TOKENS if "." in token.name)
_IGNORED = frozenset({"color_descriptions", "syntax_base_style"})
_ATTRIBUTE_ALIASES = {"italics": "italic", "strikethrough": "strike", "standout": "inverse"}
# What style entries of Pygments and Chroma may hold beside a colour and attributes.
_NOT_USED = frozenset({"nobold", "noitalic", "nounderline", "noinherit"})
_NOT_USED_PREFIXES = ("bg:", "border:")

MIN_INTERVAL_MS = 20

NAMED = 8
"""Unknown entries that a note names."""


class ThemeError(ValueError):
    """A theme that cannot be used. The text is one line: which theme, which entry, what is wrong with it."""


def builtin_names() -> list[str]:
    """The themes that come with the package, by the names of their files, sorted."""
    return sorted(file.stem for file in _THEMES.glob("*.json"))


@cache
def builtin(name: str) -> Theme:
    """The theme `name` of those that come with the package; ThemeError, naming them, if there is none.

    The same object each time: lay another theme over it, do not change it.
    """
    names = builtin_names()
    if name not in names:
        raise ThemeError(f"no theme {name!r}: there are {', '.join(names)}")
    return load_theme(_THEMES / f"{name}.json")


def load_theme(path: Path, mode: Mode = "dark") -> Theme:
    """The theme in a file, for terminals with a `mode` background; ThemeError if it cannot be read or understood.

    Only what the file sets: lay it over a built-in one with `Theme.over`.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ThemeError(f"theme {str(path)!r}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ThemeError(f"theme {str(path)!r}: not UTF-8 at byte {error.start}") from error
    return parse_theme(text, mode, source=str(path))


def parse_theme(text: str, mode: Mode = "dark", source: str = "") -> Theme:
    """The theme in a JSON text, as `load_theme`; `source` is what errors call it, and its name if it has none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ThemeError(f"theme {source!r}: no JSON: {error}") from error
    if not isinstance(data, dict):
        raise ThemeError(f"theme {source!r}: an object is wanted, not {_shown(data)}")
    try:
        return _Reader(data, mode, source).theme
    except ValueError as error:
        raise ThemeError(f"theme {source!r}: {error}") from error


class _Reader:
    """Fills a theme from the parts of a file, the later ones winning."""

    def __init__(self, data: dict[str, object], mode: Mode, source: str) -> None:
        if "mode" in data:
            mode = _mode(data["mode"])
        self.theme = Theme(_string(data, "name") or Path(source).stem, mode, _string(data, "description"))
        self._unknown: list[str] = []
        colors = data.get("colors", {})
        if not isinstance(colors, Mapping):
            raise ValueError(f"'colors': an object is wanted, not {_shown(colors)}")
        self._read(data, "", skip=("name", "description", "mode", "colors"))
        self._read(colors, "colors.", skip=("dark", "light"))
        chosen = mode if mode in colors else {"dark": "light", "light": "dark"}[mode]
        part = colors.get(chosen, {})
        if not isinstance(part, Mapping):
            raise ValueError(f"'colors.{chosen}': an object is wanted, not {_shown(part)}")
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
                raise ValueError(f"{_shown(value)} has two colours")
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
                    self._note(path + key, f"a number from {MIN_INTERVAL_MS} up is wanted; it is left out")
            case _:
                self._unknown.append(path + key)

    def _note_unknown(self) -> None:
        """One note, however many there are: a theme of another program may have hundreds."""
        unknown = self._unknown
        if len(unknown) == 1:
            self._note(unknown[0], "no such entry; it is left out")
        elif unknown:
            more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
            named = ", ".join(map(repr, unknown[:NAMED]))
            self.theme.notes.append(f"{len(unknown)} entries are unknown and left out: {named}{more}")

    def _note(self, where: str, what: str) -> None:
        self.theme.notes.append(f"{where!r}: {what}")


def _mode(value: object) -> Mode:
    match value:
        case "dark" | "light":
            return value
    raise ValueError(f"'mode': 'dark' or 'light' is wanted, not {_shown(value)}")


def _string(data: dict[str, object], key: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{key!r}: a text is wanted, not {_shown(value)}")
    return value


def _strings(where: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{where!r}: a list of texts is wanted, not {_shown(value)}")
    return tuple(value)


def _shown(value: object) -> str:
    """A value in a message: short, on one line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:39] + "…"
