"""Error lines on standard error."""

import sys


def print_error(text: str, who: str = "zot") -> None:
    """Write `who: text` as one line to standard error, safe for a terminal. A closed standard error is ignored."""
    line = " ".join(f"{who}: {text}".split())
    if not is_plain(line):
        from zot_tui.text.sanitize import sanitize  # noqa: PLC0415  most lines do not need it

        line = sanitize(line)
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except OSError:
        pass  # nobody reads it


def is_plain(text: str) -> bool:
    """Whether `text` is printable ASCII and line feeds."""
    return text.isascii() and text.replace("\n", "").isprintable()
