"""Context files with instructions for the agent: `AGENTS.md` of several folders, and `SYSTEM.md`.

In a directory without `AGENTS.md`, `CLAUDE.md` counts as one. `AGENTS.md` of the home folder comes first, then the
files of every directory from the root down to the working directory, so that the nearest instructions come last. Above
the working directory, or if every user can write to it, only files count that belong to the user, to the owner of the
working directory or to root, in directories of one of them: anybody can put a file into `/tmp`. The size of each file
and of all files together is limited.
"""

import os
import stat
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Iterable
from contextlib import suppress

from zot_provider.files.regular_file import read_start
from zot_provider.record import Record, field

NAME = "AGENTS.md"
CLAUDE = "CLAUDE.md"
SYSTEM = "SYSTEM.md"

FILE_LIMIT = 64 * 1024
"""Maximum bytes read from one file; the rest is left out."""

TOTAL_LIMIT = 256 * 1024
"""Maximum bytes of all files together; the files nearest to the working directory are kept."""


class ContextFile(Record):
    """A context file: its absolute path and its text."""

    path: str
    text: str


class Context(Record):
    """The context files found. `notes` tell the user, in one line each, which files were skipped or shortened."""

    files: list[ContextFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def sections(self) -> list[str]:
        """Return the files as sections of a system prompt."""
        return [f"# Instructions from {each.path}\n\n{each.text}" for each in self.files]


def find_context(cwd: str, home: str = "", *, claude: bool = True) -> Context:
    """Find the context files for work in `cwd`, an absolute path. `home` is zot's home folder, empty for none. `claude`
    says whether `CLAUDE.md` is read where there is no `AGENTS.md`."""
    context = Context()
    left = TOTAL_LIMIT
    places = [folder for folder in (home, cwd) if folder and not open_to_all(folder)]
    trusted = [os.path.abspath(folder) for folder in places]
    for path in reversed(_unique([*([os.path.join(home, NAME)] if home else []), *_chain(cwd)])):
        if claude and not os.path.lexists(path):
            path = os.path.join(os.path.dirname(path), CLAUDE)
        if os.path.dirname(path) not in trusted and (stranger := _stranger(path, cwd)):
            context.notes.append(f"{stranger} belongs to another user; {path} is left out")
            continue
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


def has_instructions(cwd: str) -> bool:
    """Return whether a folder, or one around it, has a context file."""
    return any(
        os.path.lexists(os.path.join(os.path.dirname(path), name)) for path in _chain(cwd) for name in (NAME, CLAUDE)
    )


def find_system(cwd: str, home: str, notes: list[str], *, project: bool = True) -> ContextFile | None:
    """Find the file that replaces the default instructions: `.zot/SYSTEM.md` in `cwd`, unless `project` is false, else
    `SYSTEM.md` in `home`."""
    paths = [project_system(cwd, home) if project else "", os.path.join(home, SYSTEM) if home else ""]
    for path in filter(None, paths):
        text = read_bounded(path, notes)
        if text:
            return ContextFile(path, text)
    return None


def project_system(cwd: str, home: str) -> str:
    """Return the path of the `SYSTEM.md` that the project in `cwd` brings; empty if it brings none."""
    path = os.path.join(cwd, ".zot", SYSTEM)
    own = os.path.realpath(path) == os.path.realpath(os.path.join(home, SYSTEM))
    return path if os.path.lexists(path) and not own else ""


def _chain(cwd: str) -> list[str]:
    """Return the paths of `AGENTS.md` in every directory from the root to `cwd`."""
    folders = [cwd]
    while os.path.dirname(folders[0]) != folders[0]:
        folders.insert(0, os.path.dirname(folders[0]))
    return [os.path.join(folder, NAME) for folder in folders]


def open_to_all(folder: str) -> bool:
    """Return whether every user can put a file into a folder."""
    try:
        return bool(os.stat(folder).st_mode & stat.S_IWOTH)
    except OSError:
        return False


def _stranger(path: str, cwd: str) -> str:
    """Return which of a file, what it links to, and its folder belongs to a stranger: somebody who is not the user, the
    owner of `cwd` or root. Empty if none does, if there is no such file, and on systems without owners."""
    try:
        owners = (os.getuid(), os.stat(cwd).st_uid, 0)
        # A stranger's link could lead to a file of the user's that is not meant for a model.
        found = {path: (os.lstat(path), os.stat(path)), os.path.dirname(path): (os.stat(os.path.dirname(path)),)}
    except (AttributeError, OSError):
        return ""
    return next((each for each, states in found.items() if any(state.st_uid not in owners for state in states)), "")


def _unique(paths: Iterable[str]) -> list[str]:
    """Remove duplicate paths, keeping the first: the home folder may be a parent of the working directory."""
    return list(dict.fromkeys(os.path.abspath(path) for path in paths))


def read_bounded(path: str, notes: list[str]) -> str:
    """Read the text of a file, at most `FILE_LIMIT` bytes; empty, with a note, if it cannot be used."""
    try:
        data = read_start(path, FILE_LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.islink(path):
            notes.append(f"{path} is a broken link; it is left out")
        return ""
    except OSError as error:
        notes.append(f"{path} cannot be read ({error.strerror}); it is left out")
        return ""
    whole = len(data) <= FILE_LIMIT
    try:
        text = _decoded(data[:FILE_LIMIT], path, notes, whole=whole)
    except ValueError:
        notes.append(f"{path} looks binary; it is left out")
        return ""
    if not whole:
        notes.append(f"{path} is longer than {FILE_LIMIT // 1024} KiB; the rest is left out")
    return text.strip()


def _decoded(data: bytes, path: str, notes: list[str], *, whole: bool) -> str:
    """Return the text, with a note if it is not UTF-8. Raises ValueError for what is not text."""
    if b"\0" not in data:
        with suppress(UnicodeDecodeError):  # a character that was cut in two at the end is dropped
            return getincrementaldecoder("utf-8")().decode(data.removeprefix(BOM_UTF8), final=whole)
    from locale import getencoding  # noqa: PLC0415  as below

    from zot_core.tools.text.encoding import codec_of, read_text, shown  # noqa: PLC0415  few files are not UTF-8

    text, encoding = read_text(data, codec_of(getencoding()))
    if "\0" in text:
        raise ValueError
    notes.append(encoding.about(path))
    return shown(text)
