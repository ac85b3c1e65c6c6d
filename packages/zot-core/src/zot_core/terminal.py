"""Text that may come from anywhere, made fit for a terminal."""

import re

_SEQUENCE = re.compile(
    r"\x1b\[[0-9;:]*m"  # SGR: colours, kept
    r"|(\x1b\[[0-?]*[ -/]*[@-~]"  # any other CSI
    r"|\x1b[P\]X^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # DCS, OSC, SOS, PM, APC with their text
    r"|\x1b[ -/]*[0-~]?"  # any other escape, and a stray one
    r"|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f])"  # controls but tab and line break; C1
)


def strip_controls(text: str) -> str:
    """`text` without terminal control sequences (ECMA-48) and control characters; colours (SGR), tabs and line breaks
    stay. What is left cannot move the cursor, change the title, ask the terminal anything or ring its bell."""
    if text.isprintable():
        return text
    return _SEQUENCE.sub(lambda found: "" if found.group(1) else found.group(), text)
