"""One line about a prompt, for the terminal's title and for a notification; pure.

What is given back holds no control characters and no sequences, so that it can stand inside of one (OSC 0, 9, 777).
"""

from zot_core.events import RunEnd
from zot_tui.keys.key import is_character
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import clip

TITLE_CELLS = 60
NOTIFICATION_CELLS = 120
_LOOKED_AT = 4000
"""Characters of a prompt that are looked at; it may hold a pasted file."""

_ENDS: dict[RunEnd, str] = {"completed": "done", "aborted": "stopped"}


def clipped_line(text: str, cells: int) -> str:
    """`text` in at most `cells` cells: single spaces for white space, nothing that a terminal would obey."""
    words = sanitize_line(text[:_LOOKED_AT]).split()
    return clip("".join(filter(is_character, " ".join(words))), cells)


def terminal_title(prompt: str, place: str = "", *, busy: bool = False) -> str:
    """`● fix the tests – project`: what is being worked on and where; `zot` where neither is known."""
    parts = [part for part in (clipped_line(prompt, TITLE_CELLS), clipped_line(place, TITLE_CELLS // 2)) if part]
    return ("● " if busy else "") + (" – ".join(parts) or "zot")


def notification(prompt: str, end: RunEnd, reason: str = "") -> str:
    """`done: fix the tests`, `failed: fix the tests (connection refused)`: how a run ended, for who looked away.

    Semicolons become commas: OSC 777 divides its fields with them.
    """
    about = clipped_line(prompt, TITLE_CELLS)
    text = f"{_ENDS.get(end, 'failed')}: {about}" if about else _ENDS.get(end, "failed")
    if end != "completed" and reason.strip():
        text += f" ({clipped_line(reason, TITLE_CELLS)})"
    return clip(text.replace(";", ","), NOTIFICATION_CELLS)
