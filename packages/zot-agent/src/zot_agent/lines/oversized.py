"""`id_of`: which request a line was that is too long to be read."""

import re

from zot_ext.protocol.splitter import Oversized

_ID = re.compile(
    rb"""\s*\{(?:\s*"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[\w.+-]+)\s*,)*\s*"id"\s*:\s*(-?\d+|"[ !#-[\]-~]*")\s*[,}]"""
)


def id_of(line: Oversized) -> str:
    """Return the id as JSON, a whole number or a text; empty unless it is in the first bytes, where nothing with
    members of its own precedes it."""
    found = _ID.match(line.start)
    return "" if found is None else found[1].decode()
