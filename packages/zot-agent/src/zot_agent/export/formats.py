"""The formats of exported sessions. The suffix of the file's name chooses one."""

import os
import re
from collections.abc import Callable
from importlib import import_module
from typing import IO

from zot_core.errors import UnusableFile
from zot_core.sessions.exchange.output_file import output_file
from zot_core.sessions.listing import SessionEntry, read_entry
from zot_provider.errors import ConfigError

FORMATS = {
    ".zotsession": ("zot_core.sessions.exchange.portable", "write_portable"),
    ".html": ("zot_agent.export.html", "write_html"),
    ".md": ("zot_core.sessions.exchange.markdown", "write_markdown"),
}
"""The module and the function of each format, which are imported when they are used."""

_SLUG_LENGTH = 40
_DEFAULT = ".zotsession"


def export_session(path: str, target: str = "") -> str:
    """Write the session file at `path` in the format that the suffix of `target` names, and return the path of the new
    file. If `target` is a directory, the file gets a name there; without `target` it is a `.zotsession` file in
    `~/Downloads`, or in the working directory if there is no such folder.

    Raises `ConfigError` for another suffix, `SessionError` if the session cannot be read, or the file exists or cannot
    be written.
    """
    target = os.path.expanduser(target or "~/Downloads")
    entry = session_entry(path)
    if os.path.isdir(target) or target == os.path.expanduser("~/Downloads"):
        target = os.path.join(target if os.path.isdir(target) else "", file_name(entry))
    suffix = os.path.splitext(target)[1].lower()
    if suffix not in FORMATS:
        raise ConfigError(f"{target} has no known suffix; use {', '.join(FORMATS)}")
    folder = os.path.dirname(os.path.abspath(target))
    if not os.path.isdir(folder):
        raise UnusableFile(f"cannot write {target}: there is no folder {folder}")
    with output_file(target) as file:
        write_session(entry, suffix, file)
    return os.path.abspath(target)


def write_session(entry: SessionEntry, suffix: str, target: IO[bytes]) -> None:
    """Write a session in the format with this suffix, a key of `FORMATS`. Raises OSError and `SessionError`."""
    module, function = FORMATS[suffix]
    writer: Callable[[SessionEntry, IO[bytes]], None] = getattr(import_module(module), function)
    writer(entry, target)


def session_entry(path: str) -> SessionEntry:
    """Return the list entry of a session file. Raises `SessionError` if it is not a session."""
    entry = read_entry(path, hidden=True)
    if entry is None:
        raise UnusableFile(f"{path} is not a session file, or cannot be read")
    return entry


def file_name(entry: SessionEntry, suffix: str = _DEFAULT) -> str:
    """Return a name for an exported session: `20261121-202925-af86bd37-fix-the-tests.zotsession`."""
    began = re.sub(r"[^0-9]", "", entry.started[:19])
    words = re.sub(r"[^a-z0-9]+", "-", entry.name.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    short = re.sub(r"[^A-Za-z0-9]", "", entry.id[:8])
    return "-".join(filter(None, [began[:8], began[8:], short, words])) + suffix
