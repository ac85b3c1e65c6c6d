"""Names and descriptions from anywhere as one line. What is written to a terminal is made safe where it is shown."""

import re

_CSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_JOINERS = "\u200c\u200d"
"""Some scripts and emoji are spelt with them."""


def printable_line(text: str) -> str:
    """`text` as one line of printable characters and joiners, with single spaces for everything else. The colours of
    output that was pasted into it leave nothing."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() or each in _JOINERS else " " for each in _CSI.sub("", text))
    return " ".join(word for word in text.split() if word.strip(_JOINERS))
