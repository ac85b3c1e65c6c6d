"""Files that tell the agent about the place it works in: `AGENTS.md` from far to near, and `SYSTEM.md`.

`AGENTS.md` of the home folder comes first, then those of every directory from the root down to the working directory,
so that the nearest words come last. Each is bounded, and so are all together: nothing unbounded enters the context.
"""

import os
import stat
from codecs import getincrementaldecoder
from collections.abc import Iterable

from zot_provider.record import Record, field, record

NAME = "AGENTS.md"
SYSTEM = "SYSTEM.md"

FILE_LIMIT = 64 * 1024
"""Bytes of one file that are taken; the head is kept."""

TOTAL_LIMIT = 256 * 1024
"""Bytes of all files together; the files nearest to the working directory are kept."""


@record
class ContextFile(Record):
    """A file that was taken in, by its absolute path."""

    path: str
    text: str


@record
class Context(Record):
    """What was found. `notes` are for the person, one line each: files that could not be used, or not whole."""

    files: list[ContextFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def sections(self) -> list[str]:
        """The files as sections of a system prompt."""
        return [f"# Instructions from {each.path}\n\n{each.text}" for each in self.files]


def find_context(cwd: str, home: str = "") -> Context:
    """The context files for work in `cwd`, an absolute path. `home` is the folder of the user's own, empty for none."""
    context = Context()
    left = TOTAL_LIMIT
    for path in reversed(_unique([*([os.path.join(home, NAME)] if home else []), *_chain(cwd)])):
        text = read_bounded(path, context.notes)
        size = len(text.encode("utf-8", "replace"))
        if not text:
            continue
        if size > left:
            context.notes.append(f"{path} is left out: the context files are more than {TOTAL_LIMIT // 1024} KiB")
            continue
        left -= size
        context.files.insert(0, ContextFile(path, text))
    return context


def find_system(cwd: str, home: str, notes: list[str]) -> ContextFile | None:
    """The file that replaces zot's own words: `.zot/SYSTEM.md` in `cwd`, else `SYSTEM.md` in `home`."""
    for folder in (os.path.join(cwd, ".zot"), home):
        if folder:
            path = os.path.join(folder, SYSTEM)
            text = read_bounded(path, notes)
            if text:
                return ContextFile(path, text)
    return None


def _chain(cwd: str) -> list[str]:
    """`AGENTS.md` of every directory from the root to `cwd`."""
    folders = [cwd]
    while os.path.dirname(folders[0]) != folders[0]:
        folders.insert(0, os.path.dirname(folders[0]))
    return [os.path.join(folder, NAME) for folder in folders]


def _unique(paths: Iterable[str]) -> list[str]:
    """Each file once, at its first place: the home folder may lie above the working directory."""
    return list(dict.fromkeys(os.path.abspath(path) for path in paths))


def read_bounded(path: str, notes: list[str]) -> str:
    """The text of a file, at most `FILE_LIMIT` bytes of it; empty, with a note, if it cannot be used."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
            notes.append(f"{path} is no file; it is left out")
            return ""
        with open(path, "rb") as file:
            data = file.read(FILE_LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.islink(path):
            notes.append(f"{path} is a link to nothing; it is left out")
        return ""
    except OSError as error:
        notes.append(f"{path} cannot be read ({error.strerror}); it is left out")
        return ""
    if b"\0" in data:
        notes.append(f"{path} looks binary; it is left out")
        return ""
    whole = len(data) <= FILE_LIMIT
    if not whole:
        notes.append(f"{path} is longer than {FILE_LIMIT // 1024} KiB; the rest is left out")
    # Half a character, where the file was cut, is dropped.
    return getincrementaldecoder("utf-8-sig")("replace").decode(data[:FILE_LIMIT], final=whole).strip()
