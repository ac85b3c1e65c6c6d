"""Output and questions of subcommands, made safe for a terminal."""

import sys
from collections.abc import Iterable, Mapping, Sequence

from zot_provider.json_text import dump, without_surrogates
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.text.width import pad, width


def print_line(line: str = "") -> None:
    """Print `line` as a single line; line breaks in it become spaces."""
    print_text(" ".join(line.split("\n")) + "\n")


def print_text(text: str) -> None:
    """Print text, made safe for a terminal; characters that its encoding lacks are replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(sanitize(text).encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def inline(text: str) -> str:
    """Return foreign text for use inside a line: safe for a terminal, with single spaces."""
    return " ".join(sanitize_line(text).split())


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows with aligned columns, two spaces apart; an empty cell is `-`."""
    cells = [[inline(cell) or "-" for cell in row] for row in rows]
    widths = [max(width(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        print_line("  ".join(pad(cell, columns) for cell, columns in zip(row, widths, strict=True)).rstrip())


def print_fields(fields: Iterable[tuple[str, str]], missing: str = "-") -> None:
    """Print a line for each name and its text, or `missing` in place of an empty text; no line if that is empty."""
    for name, text in fields:
        if shown := inline(text) or missing:
            print_line(f"{name:<10} {shown}")


def print_json(value: Mapping[str, object]) -> None:
    """Print a value as one line of JSON."""
    sys.stdout.write(without_surrogates(dump(value)) + "\n")


def can_ask() -> bool:
    """Whether a person at a terminal can answer a question."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def confirm(question: str) -> bool:
    """Ask a yes-or-no question; the end of input, and any answer but "y" or "yes", means no."""
    return read_answer(f"{question} [y/N]").lower() in ("y", "yes")


def read_answer(question: str) -> str:
    """Ask a question and return the line that is typed, empty at the end of input."""
    print_text(f"{question} ")
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        print_line()
    return answer.strip()
