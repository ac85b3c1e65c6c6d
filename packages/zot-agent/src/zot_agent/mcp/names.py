"""The names of tools and commands that stand for those of a server."""

import re
from hashlib import sha256

_LONGEST = 64
"""The longest name of a tool that providers accept."""


def joined(server: str, name: str) -> str:
    """Return `mcp__SERVER__NAME` with the characters and the length that providers accept, as other agents write it."""
    whole = f"mcp__{_plain(server)}__{_plain(name)}"
    if len(whole) <= _LONGEST:
        return whole
    return f"{whole[: _LONGEST - 9]}_{sha256(f'{server} {name}'.encode()).hexdigest()[:8]}"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)
