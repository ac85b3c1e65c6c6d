"""Program output with terminal colours as styled runs; pure.

SGR sequences (ECMA-48 8.3.117, with the 38/48 colours of ITU-T T.416 and xterm) become styles. Every other control
sequence is dropped with its content, and so is every control character except tab and line break, so the result can be
drawn without moving the cursor. Hidden text (SGR 8) is shown, and nothing blinks.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from zot_tui.color import DEFAULT, Color, from_rgb, from_sgr, indexed

ATTRIBUTES = ("bold", "faint", "italic", "underline", "inverse", "strike")

CONTROL = re.compile(
    r"(?:\x1b\[|\x9b)(?P<sgr>[0-9;:]*)m"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # any other CSI, complete or not
    # DCS, SOS, OSC, PM, APC with their text. A line break ends them too: an incomplete one must not hide what follows.
    r"|(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"  # any other escape
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""A control sequence (its SGR parameters are the group `sgr`) or a control character."""
_COLOR = re.compile(r"(?<![0-9:])0*[34]8;0*(?:5;[0-9]*|2;[0-9]*;[0-9]*;[0-9]*)(?![0-9:])")
_ON = {1: "bold", 2: "faint", 3: "italic", 4: "underline", 7: "inverse", 9: "strike", 21: "underline"}
_OFF = {22: ("bold", "faint"), 23: ("italic",), 24: ("underline",), 27: ("inverse",), 29: ("strike",)}


class Sgr(NamedTuple):
    """The style of a stretch of text: two colours, and the active attributes in the order of `ATTRIBUTES`."""

    foreground: Color = DEFAULT
    background: Color = DEFAULT
    attributes: tuple[str, ...] = ()

    def switched(self, names: tuple[str, ...], *, on: bool) -> "Sgr":
        """Return the style with the attributes `names` on or off."""
        kept = {name for name in self.attributes if name not in names} | set(names if on else ())
        return self._replace(attributes=tuple(name for name in ATTRIBUTES if name in kept))


PLAIN = Sgr()


def parse_ansi(text: str, style: Sgr = PLAIN) -> tuple[list[tuple[Sgr, str]], Sgr]:
    """Return the runs of `text`, which begins in `style`, and the style at its end, for the next piece of output.

    Neighbouring runs differ in style, and none is empty. Never fails: unreadable parts are dropped.
    """
    runs: list[tuple[Sgr, str]] = []
    start = 0
    for found in CONTROL.finditer(text):
        _append(runs, style, text[start : found.start()])
        start = found.end()
        if found["sgr"] is not None:
            style = apply_sgr(style, found["sgr"])
    _append(runs, style, text[start:])
    return runs, style


def strip_ansi(text: str, *, colors: bool = False) -> str:
    """Return `text` without control sequences, and without control characters except tab and line break.

    With `colors`, SGR sequences are kept, except hidden text (SGR 8).
    """
    if text.isprintable():
        return text
    return CONTROL.sub(_color_alone if colors else "", text)


def _color_alone(found: re.Match[str]) -> str:
    sequence = found.group()
    shown = found["sgr"] is not None and sequence[0] == "\x1b" and not _hides(found["sgr"])
    return sequence if shown else ""


def _hides(parameters: str) -> bool:
    """Whether one of these SGR parameters is 8. The numbers of a colour (`38;5;8` is a grey) do not count."""
    rest = _COLOR.sub("", parameters)
    return any(field.partition(":")[0].lstrip("0") == "8" for field in rest.split(";"))


def apply_sgr(style: Sgr, parameters: str) -> Sgr:
    """Return `style` after SGR with these parameters: numbers between `;`, parts between `:`, empty for a reset."""
    fields = iter(parameters.split(";"))
    for field in fields:
        code, *parts = (_number(part) for part in field.split(":"))
        if code in (38, 48):
            color = _colon_color(parts) if parts else _semicolon_color(fields)
            if color is not None:
                style = style._replace(foreground=color) if code == 38 else style._replace(background=color)
        else:
            style = _apply_code(style, code, parts)
    return style


def _apply_code(style: Sgr, code: int, parts: list[int]) -> Sgr:
    if code == 0:
        return PLAIN
    if code == 39:
        return style._replace(foreground=DEFAULT)
    if code == 49:
        return style._replace(background=DEFAULT)
    if code in _ON:
        on = not (code == 4 and parts[:1] == [0])  # 4:0 is xterm's "no underline", 4:3 a curly one
        return style.switched((_ON[code],), on=on)
    if code in _OFF:
        return style.switched(_OFF[code], on=False)
    if 30 <= code <= 37 or 90 <= code <= 97:
        return style._replace(foreground=from_sgr(code))
    if 40 <= code <= 47 or 100 <= code <= 107:
        return style._replace(background=from_sgr(code))
    return style


def _semicolon_color(fields: Iterator[str]) -> Color | None:
    """Return the colour after `38;`, taking `5;n` or `2;r;g;b` from `fields`; None if they name no colour."""
    kind = _number(next(fields, ""))
    wanted = {5: 1, 2: 3}.get(kind, 0)
    return _color(kind, [_number(field) for field in islice(fields, wanted)])


def _colon_color(parts: list[int]) -> Color | None:
    """Return the colour of `38:5:n`, `38:2:r:g:b` or `38:2:space:r:g:b` from its parts after 38, or None."""
    kind, *numbers = parts
    if kind == 2 and len(numbers) > 3:
        numbers = numbers[1:4]
    return _color(kind, numbers)


def _color(kind: int, numbers: list[int]) -> Color | None:
    try:
        if kind == 5 and numbers:
            return indexed(numbers[0])
        if kind == 2 and len(numbers) >= 3:
            return from_rgb(*numbers[:3])
    except ValueError:
        return None
    return None


def _number(text: str) -> int:
    """Return a parameter, 0 if it is omitted, -1 (without a meaning) if it has more than four digits."""
    if not text:
        return 0
    return int(text) if len(text) <= 4 else -1


def _append(runs: list[tuple[Sgr, str]], style: Sgr, text: str) -> None:
    if not text:
        return
    if runs and runs[-1][0] == style:
        runs[-1] = (style, runs[-1][1] + text)
    else:
        runs.append((style, text))
