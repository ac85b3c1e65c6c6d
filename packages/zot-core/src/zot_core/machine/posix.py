"""The message for what zot does on POSIX systems only: it needs process groups, terminals, pipes to watch."""

import sys


def missing_posix(what: str) -> str:
    """Return a one-line message if this system cannot do `what`, a plural such as `commands`; empty if it can."""
    if sys.platform != "win32":
        return ""
    return f"{what} need Linux or macOS and do not work on Windows; run zot in WSL"
