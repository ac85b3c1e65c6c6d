"""`first_members` and `id_of`: what is known of a line that is too long to be read."""

import re

from zot_ext.protocol.splitter import Oversized

_BEGIN, _MEMBER = re.compile(rb"\s*\{"), re.compile(rb"""\s*"([^"\\]*)"\s*:\s*("[^"\\]*"|[\w.+-]+)\s*[,}]""")
_ID = re.compile(r"""-?\d+|"[ -~]*\"""")


def first_members(line: Oversized) -> dict[str, str]:
    """Return the members in the first bytes, as JSON, up to the first object or array."""
    found, at = dict[str, str](), _BEGIN.match(line.start)
    while at is not None and (at := _MEMBER.match(line.start, at.end())) is not None:
        found[at[1].decode("utf-8", "replace")] = at[2].decode("utf-8", "replace")
    return found


def id_of(line: Oversized) -> str:
    """Return the id as JSON, a whole number or a text; empty unless it is among the first members."""
    id = first_members(line).get("id", "")
    return id if _ID.fullmatch(id) else ""
