"""Text that may come from anywhere, made fit for a terminal."""

import re

# The text of a DCS, OSC, SOS, PM or APC runs to its terminator; if that is missing, to the end of the line at most.
_STRING = r"(?:[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)|[^\x07\x1b\x80-\x9f\n]*)"

_SEQUENCE = re.compile(
    r"\x1b\[[0-9;:]*m"  # SGR: colours, kept
    r"|((?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # any other CSI
    rf"|(?:\x1b[P\]X^_]|[\x90\x98\x9d-\x9f]){_STRING}"
    r"|\x1b[ -/]*[0-~]?"  # any other escape, and a stray one
    r"|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f])"  # controls but tab and line break; C1
)


def strip_controls(text: str) -> str:
    """`text` without terminal control sequences (ECMA-48) and control characters; colours (SGR), tabs and line breaks
    stay. What is left cannot move the cursor, change the title, ask the terminal anything or ring its bell."""
    if text.isprintable():
        return text
    return _SEQUENCE.sub(lambda found: "" if found.group(1) else found.group(), text)
