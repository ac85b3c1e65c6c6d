"""The names of tools and commands that replace a server's own."""

import re
from collections.abc import Container, Sequence
from hashlib import sha256

_LONGEST = 64
"""The longest name of a tool that providers accept."""


def joined(server: str, name: str) -> str:
    """Return `mcp__SERVER__NAME` with the characters and the length that providers accept, as other agents write it."""
    whole = f"mcp__{_plain(server)}__{_plain(name)}"
    if len(whole) <= _LONGEST:
        return whole
    return _cut(whole, server, name)


def names_of(server: str, offered: Sequence[str], taken: Container[str] = ()) -> dict[str, str]:
    """Return the name for each of the names that a server offers. Where several would get the same name, or a name in
    `taken`, the first without replaced characters keeps it, and the others get a checksum."""
    found: dict[str, str] = {}
    given: set[str] = set()
    for name in sorted(offered, key=lambda each: (_plain(each) != each, each)):
        whole = joined(server, name)
        if whole in given or whole in taken:
            whole = _cut(whole, server, name)
        given.add(whole)
        found[name] = whole
    return {name: found[name] for name in offered}


def _cut(whole: str, server: str, name: str) -> str:
    return f"{whole[: _LONGEST - 9]}_{sha256(f'{server} {name}'.encode()).hexdigest()[:8]}"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)
