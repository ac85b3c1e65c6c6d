"""One line about a prompt, for the terminal's title and for a notification; pure.

The results contain no control characters or sequences, so they can be put into one (OSC 0, 9, 777).
"""

from zot_core.events import RunEnd
from zot_tui.keys.key import is_character
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import clip

TITLE_CELLS = 60
NOTIFICATION_CELLS = 120
_MAX_READ = 4000
"""Characters read of a prompt, which may contain a pasted file."""

_ENDS: dict[RunEnd, str] = {"completed": "done", "aborted": "stopped"}


def clipped_line(text: str, cells: int) -> str:
    """Return `text` in at most `cells` cells, white space collapsed to single spaces, without control sequences."""
    words = sanitize_line(text[:_MAX_READ]).split()
    return clip("".join(filter(is_character, " ".join(words))), cells)


def terminal_title(prompt: str, place: str = "", *, busy: bool = False) -> str:
    """Return `● fix the tests – project`: the prompt and the directory, or `zot` if both are empty."""
    parts = [part for part in (clipped_line(prompt, TITLE_CELLS), clipped_line(place, TITLE_CELLS // 2)) if part]
    return ("● " if busy else "") + (" – ".join(parts) or "zot")


def notification(prompt: str, end: RunEnd, reason: str = "") -> str:
    """Return how a run ended: `done: fix the tests`, `failed: fix the tests (connection refused)`.

    Semicolons become commas, since OSC 777 separates its fields with them.
    """
    about = clipped_line(prompt, TITLE_CELLS)
    text = f"{_ENDS.get(end, 'failed')}: {about}" if about else _ENDS.get(end, "failed")
    if end != "completed" and reason.strip():
        text += f" ({clipped_line(reason, TITLE_CELLS)})"
    return clip(text.replace(";", ","), NOTIFICATION_CELLS)
