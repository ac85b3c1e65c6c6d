"""`CompletionRequest` and `Suggestion`: what a completer takes, and what it returns."""

from __future__ import annotations

from zot_ext.record import Record


class CompletionRequest(Record):
    """A word that is being typed: `prefix` is the word up to the cursor without its trigger, `line` the line up to the
    cursor. `trigger` or `command` say which completer is asked."""

    prefix: str
    line: str = ""
    trigger: str = ""
    command: str = ""


class Suggestion(Record):
    """A suggestion. `text` takes the place of the whole word, trigger included; `label`, or the text, is listed."""

    text: str
    label: str = ""
    description: str = ""
