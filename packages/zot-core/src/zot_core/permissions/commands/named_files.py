"""`NamedFiles`: the files that a line of shell names, or may name."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice, pairwise

from zot_core.machine.interface import expand_home
from zot_core.machine.repository import repository_top
from zot_core.permissions.commands import programs
from zot_core.permissions.commands.argument_files import (
    hinted,
    may_change,
    only_reads,
    reads_names,
    shown_names,
    unwrapped,
)
from zot_core.permissions.commands.forms import Form
from zot_core.permissions.commands.meeting import Step, word_steps
from zot_core.permissions.shell_line import ShellLine
from zot_core.permissions.word import GAP, Word
from zot_provider.record import Record, field

_PATHS, _FOLDERS, _ENTRIES, _WILDCARDS = 400, 6, 5_000, 16
"""The most paths that a line may name, folders that it may go to, entries of folders that all its wildcards are
compared with, and wildcards of one word."""

_READ, _CHANGED, _WRITTEN = range(3)
"""Uses of a file: `_CHANGED` if a program may write it, and that is not known."""

_SPECIAL = re.compile(r"[*?\[\0]")
_BRACKETS = re.compile(r"\[[^\]/]+\]")
_OF_PROCESS = re.compile(r"//?proc/(?:self|thread-self)(?:/task/[^/]+)?/(cwd|root)(?=/|$)")
_ADDRESS = re.compile(r"(?:https?|wss?)://|localhost[:/]")
_INTO = re.compile(r"(?:-t|--target-directory=)(.+)", re.DOTALL)
_MAGIC = re.compile(r"^(?:\([^)]*\))?[/!^]*")


class UnknownWord(Record):
    """A word that may name files which only a shell knows: its alternatives as absolute paths, and the paths of the
    files that are there now."""

    shown: str
    steps: list[list[Step]]
    paths: set[str]


class NamedFiles(Record):
    """Real paths that a line reads or writes, and words that may name others. `hinted` are paths that are a part of an
    argument, such as `HEAD:path`, and `changed` are given to an unknown program, which may write them; `taken` are
    removed or moved with all that is in them."""

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    hinted: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    unknown_read: list[UnknownWord] = field(default_factory=list)
    unknown_written: list[UnknownWord] = field(default_factory=list)
    unknown_changed: list[UnknownWord] = field(default_factory=list)


class LinePlace:
    """The directory `cwd` in which a line runs, a real path. `home` is the home folder on another machine, where links
    are not known; empty on this one."""

    def __init__(self, cwd: str, home: str) -> None:
        self.cwd, self.home = cwd, home
        self._looked = 0

    def real(self, word: str, folder: str) -> str:
        """Return the real path that a word means in `folder`."""
        path = os.path.join(folder, expand_home(word, self.home))
        if "\0" in path:
            return folder
        if path.startswith(("/proc/", "//")):  # "self" is the process that looks: here zot, later the command
            path = _OF_PROCESS.sub(lambda found: folder if found[1] == "cwd" else "/", os.path.normpath(path))
        try:
            return os.path.normpath(path) if self.home else os.path.realpath(path)
        except OSError:  # the link of a process of another user; the command cannot follow it either
            return os.path.normpath(path)

    def folders(self, forms: Iterable[Form]) -> list[str] | None:
        """Return the folders in which commands of a line may run, as real paths; None if they are too many. A change
        of folder may fail, or be one of a subshell."""
        folders = [self.cwd]
        for form in forms:
            if form.name not in ("cd", "pushd") or len(form) < 2 or GAP in form[1].shape:
                continue
            word = expand_home(form[1].shape, self.home)
            there = [self.expand(word, each) for each in folders] if form[1].glob else []
            if None in there:
                return None
            folders += [path for each in there for path in each or () if os.path.isdir(path)]
            reached = [os.path.normpath(os.path.join(each, word)) for each in folders]
            reached += [self.real(word, each) for each in folders]
            folders = list(dict.fromkeys([*folders, *(self.real(each, each) for each in reached)]))
            if len(folders) > _FOLDERS:
                return None
        return folders

    def expand(self, word: str, folder: str) -> list[str] | None:
        """Return the real paths of the files that `*` and `?` in a word stand for in `folder`; None if they are too
        many, or if the word has other wildcards."""
        if "[" in word or GAP in word or self.home or len(_SPECIAL.findall(word)) > _WILDCARDS:
            return None
        found = ["/" if word.startswith("/") else folder]
        for part in filter(None, word.split("/")):
            if not _SPECIAL.search(part):
                found = [os.path.join(each, part) for each in found]
                continue
            names: list[str] = []
            for each in found:
                try:
                    with os.scandir(each) as entries:
                        for entry in entries:
                            self._looked += 1
                            if self._looked > _ENTRIES:
                                return None
                            if fnmatchcase(entry.name, part) and (part[0] == "." or entry.name[0] != "."):
                                names.append(entry.path)
                except OSError:
                    continue
            found = names
        return [os.path.realpath(each) for each in found] if len(found) <= _PATHS else None


def named_files(line: ShellLine, forms: Sequence[Form], place: LinePlace) -> NamedFiles:
    found = NamedFiles()
    folders = place.folders(forms)
    if folders is None:
        line.hide("it goes to too many folders")
        folders = [place.cwd]
    words: dict[Word, int] = {}
    """The use of each."""
    taken: set[Word] = set()
    seen: tuple[set[tuple[Word, Word]], set[tuple[Word, Word]]] = set(), set()
    """The words that were looked at, each with the one before it: in programs that only read them, and in others."""
    texts = {
        word for form in forms if form.whole for before, word in pairwise(form) if _names_no_file(form, before, word)
    }
    piped = any(map(reads_names, forms))
    for form in forms:
        name = form.name
        if name in programs.SILENT and form.known:
            _hint(found, shown_names(form) if piped else (), place, folders)
            continue
        writes = programs.writes(name, form.shapes)
        if name in ("rm", "mv"):
            taken.update(part for word in form[1 : len(form) - (name == "mv")] for part in _parts(word))
        words.update(dict.fromkeys(_copies(form), _WRITTEN))
        may_write = not writes and not only_reads(form)
        pairs = dict.fromkeys(pairwise(form.own))
        new = (pair for pair in pairs if pair not in seen[writes])
        for before, word in (pair for pair in new if pair[1] not in texts or not _names_no_file(form, *pair)):
            into = writes or (may_write and programs.is_output(before.shape, word.shape))
            for part in _parts(word):
                words[part] = max(_WRITTEN if into else _READ, words.get(part, _READ))
        seen[writes].update(pairs)
        if form.known and form.whole:
            program = unwrapped(form)
            parts = [part for word in may_change(form, program) for part in _parts(word)]
            words.update({part: max(_CHANGED, words.get(part, _READ)) for part in parts})
            _hint(found, hinted(form, program, line.inputs), place, folders)
    for each in line.redirections:
        word = Word(each.path, glob=_SPECIAL.search(each.path) is not None)
        words[word] = max(_WRITTEN if each.writes else _READ, words.get(word, _READ))
    if len(words) > _PATHS:
        line.hide("it names too many files")
    top = "" if place.home else repository_top(place.cwd)
    for word, use in islice(words.items(), _PATHS):
        if word in taken and GAP not in word.shape:
            found.taken.update(path for each in folders for path in place.expand(word.shape, each) or ())
            found.taken.update(place.real(word.shape, each) for each in folders)
        if not _add(found, word, place, folders, top, use):
            line.hide("its wildcards stand for too many files")
    return found


def _names_no_file(form: Form, before: Word, word: Word) -> bool:
    """Whether a word is the text of an option, or may be one: a part of a command does not show that."""
    return not form.whole or programs.is_text(form.shapes, before.shape, word.shape)


def _copies(form: Form) -> Iterator[Word]:
    """Yield the files that a command makes in a folder under the names that they have elsewhere."""
    if form.name not in ("cp", "install", "ln", "mv", "rsync", "scp") or not form.whole:
        return
    words = [word for word in form[1:] if word.shape not in (";", "+")]  # which end a command of find
    given = [word for before, word in pairwise(form) if before.shape in ("-t", "--target-directory")]
    given += [Word(found[1], word.glob) for word in words if (found := _INTO.fullmatch(word.shape))]
    for folder in given or words[-1:]:
        for word in words:
            name = word.shape.rstrip("/").rpartition("/")[2]
            if name and word is not folder and not word.shape.startswith("-"):
                yield Word(f"{folder.shape.rstrip('/')}/{name}", word.glob or folder.glob)


def _hint(found: NamedFiles, texts: Iterable[tuple[str, bool]], place: LinePlace, folders: Sequence[str]) -> None:
    """Add parts of arguments, whose links are not followed: most are no files."""
    for text, changes in texts:
        paths = {os.path.normpath(os.path.join(each, expand_home(text, place.home))) for each in folders}
        found.hinted |= paths
        found.changed |= paths if changes else set()


def _add(found: NamedFiles, word: Word, place: LinePlace, folders: list[str], top: str, use: int) -> bool:
    """Add what a word names. Return False if its wildcards stand for too many files."""
    if _ADDRESS.match(word.shape):
        return True
    if GAP not in word.shape:
        paths = {place.real(word.shape, each) for each in folders}
        (found.written if use == _WRITTEN else found.read).update(paths)
        found.changed |= paths if use == _CHANGED else set()
        if ":" in word.shape:
            inner = word.shape.partition(":")[2]
            parts = [inner, inner.rpartition(":")[2], _MAGIC.sub("", inner)]
            roots = [*folders, top] if top else folders
            inside = {place.real(part, each) for part in parts if part for each in roots}
            found.hinted |= inside
            found.changed |= inside if use == _CHANGED else set()
    if len(_SPECIAL.findall(word.shape)) > _WILDCARDS:
        return False
    if not word.known:
        shapes = [_absolute(word.shape, place, each) for each in folders]
        lists = [place.expand(_BRACKETS.sub("?", word.shape), each) for each in folders if word.glob]
        there = {path for each in lists for path in each or ()}
        steps = [step for shape in shapes for step in word_steps(shape, glob=word.glob)]
        shown = word.shape.replace(GAP, "…")
        unknown = UnknownWord(shown, steps, there)
        (found.unknown_written if use == _WRITTEN else found.unknown_read).append(unknown)
        found.unknown_changed += [unknown] if use == _CHANGED and GAP not in word.shape else []
        return GAP in word.shape or bool(place.home) or None not in lists
    return True


def _absolute(shape: str, place: LinePlace, folder: str) -> str:
    """Return the absolute shape of a word: without links as far as its folders are known, and without `..`."""
    if GAP in shape:  # what it stands for may have `..`, or lead through links
        tail = shape.rpartition(GAP)[2]
        return f"{GAP}/{tail.rpartition('/')[2]}" if "/" in tail else GAP + tail
    shape = os.path.join(folder, expand_home(shape, place.home))
    found = _SPECIAL.search(shape)
    fixed = shape[: shape.rfind("/", 0, found.start()) + 1] if found else shape
    shape = place.real(fixed, folder).rstrip("/") + "/" + shape[len(fixed) :]
    names = [name for name in shape.split("/") if name not in ("", ".")]
    back = max((at for at, name in enumerate(names) if name == ".."), default=-1)
    return "/".join([GAP, *names[back + 1 :]]) if back >= 0 else "/" + "/".join(names)


def _parts(word: Word) -> Iterator[Word]:
    """Yield the paths that a word may name: itself, a value after `=`, a value glued to a short option."""
    shape = word.shape
    if not shape:
        return
    if "=" in shape:
        yield from (Word(each.lstrip("@"), word.glob) for each in {shape.partition("=")[2], shape.rpartition("=")[2]})
    if shape.startswith("-"):
        if len(shape) > 2 and shape[1] != "-":
            yield Word(shape[2:].lstrip("@"), word.glob)
    else:
        yield Word(shape.lstrip("@"), word.glob)
