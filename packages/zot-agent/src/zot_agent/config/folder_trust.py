"""`FolderTrust`: what the person has answered about folders whose content may run, or replace something of theirs.

An answer holds for one folder, by its real path, and for its content. The person is asked again when one of the files
that decide what happens (`FolderContent.entries`) has changed or is new, and in the folders of programs (`roots`) when
a file has changed that was there at the answer, or when git tracks a file that was not. Files that a program writes
beside itself later do not count, nor does compiled Python (`__pycache__`) that git does not track.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from zot_core.machine.git import git_command, git_environment, run_git
from zot_core.machine.repository import git_folders, repository_top
from zot_provider.errors import ConfigError
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.json_file import read_json_object
from zot_provider.record import Record, field

_CHUNK = 1 << 18


class TrustLimits(Record):
    """How many files of how many bytes an answer can cover, and the seconds that git may take to list those it
    tracks in one folder."""

    files: int = 5_000
    bytes: int = 128 << 20
    git_seconds: float = 5.0


class FolderContent(Record):
    """The subject of a question: a folder by its real path, the files that decide what happens, and the folders of
    programs. All paths are absolute; entries need not exist, and neither they nor roots need be below `folder`. `lines`
    are what the person is asked to allow, if a later question should say which of them are new; `otherwise` is what
    can be done if the folder is too large for an answer."""

    folder: str
    entries: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    otherwise: str = "allow them for one run with --trust"


class FolderAnswer(Record):
    """A person's answer about a folder."""

    folder: str
    allowed: bool


class _Answer(Record):
    """A stored answer. Paths are relative to the folder; `files` have the SHA-256 of their content in hexadecimal, or
    an empty text if there is no such file."""

    allowed: bool
    files: dict[str, str]
    roots: list[str]
    lines: list[str] = field(default_factory=list)


class FolderTrust:
    """The answers in the home folder: a file `trust/<SHA-256 of the path>.json` for each folder, for the owner alone.

    A missing or invalid file is no answer. Files are read every time, because other processes may write them.
    """

    def __init__(self, home: str, limits: TrustLimits | None = None) -> None:
        self._home, self._limits = home, limits or TrustLimits()

    def decision(self, content: FolderContent, answered_for: str = "") -> bool | None:
        """Return the answer for the folder with its present content; None if the person must be asked. For a worktree
        the answer about another folder holds, `answered_for`, if the content is the same."""
        answer = self._read(answered_for or content.folder)
        return None if answer is None or self._changed(content, answer) else answer.allowed

    def changes(self, content: FolderContent, answered_for: str = "") -> list[str]:
        """List the files that have changed since the person allowed the folder, relative to it; empty if they have
        not. For a worktree: which differ from the files of the folder `answered_for`, if that was allowed."""
        answer = self._read(answered_for or content.folder)
        return self._changed(content, answer) if answer is not None and answer.allowed else []

    def new_lines(self, content: FolderContent) -> list[str]:
        """List what the person has not allowed yet of `content.lines`; empty without an answer, which allows none."""
        answer = self._read(content.folder)
        if answer is None or not answer.allowed:
            return []
        return [line for line in content.lines if line not in answer.lines]

    def knows(self, folder: str) -> bool:
        """Whether there is an answer for a folder, whatever its content was."""
        return os.path.exists(self._path(folder))

    def remember(self, content: FolderContent, *, allowed: bool) -> None:
        """Store the answer for the folder with its present content.

        Raises `ConfigError` if it cannot be stored, or if the folder has too many files; nothing is changed then.
        """
        paths = dict.fromkeys(self._required(content))
        if allowed:
            before = self._read(content.folder)
            for root in content.roots:
                files = self._walk(root)
                if before is not None and before.allowed and _name(root, content.folder) in before.roots:
                    # What came after the first answer, and git does not track, was written by the program itself.
                    files = (each for each in files if _name(each, content.folder) in before.files)
                paths.update(dict.fromkeys(islice(files, self._limits.files + 1)))
        self._check_size(content, list(paths))
        digests = {_name(each, content.folder): _digest(each) for each in paths}
        roots = [_name(root, content.folder) for root in content.roots]
        self._write(content.folder, _Answer(allowed, digests, roots, content.lines))

    def answers(self) -> list[FolderAnswer]:
        """List all answers that are stored, in the order of the folders. Raises `ConfigError`."""
        place = os.path.join(self._home, "trust")
        try:
            names = [name for name in os.listdir(place) if name.endswith(".json")]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ConfigError(f"cannot read {place}: {error.strerror}") from error
        found = []
        for name in names:
            folder = str(_stored(os.path.join(place, name)).get("folder"))
            answer = self._read(folder) if name == os.path.basename(self._path(folder)) else None
            if answer is not None:
                found.append(FolderAnswer(folder, answer.allowed))
        return sorted(found, key=lambda each: each.folder)

    def forget(self, folder: str) -> bool:
        """Remove the answer about a folder, by its real path; return whether there was one. Raises `ConfigError`."""
        path = self._path(folder)
        try:
            os.unlink(path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise ConfigError(f"cannot remove {path}: {error.strerror}") from error
        return True

    def accept(self, folder: str, path: str) -> None:
        """Let the answer for `folder`, if there is one, cover the present content of the file `path`: the person has
        changed it with zot. Raises `ConfigError`."""
        answer = self._read(folder)
        name = _name(path, folder)
        if answer is not None and name in answer.files:
            self._write(folder, answer.replace(files=answer.files | {name: _digest(path)}))

    def _required(self, content: FolderContent) -> list[str]:
        """List the files of which none may be new: the entries, and what git tracks in the roots."""
        repositories: dict[str, list[str]] = {}
        for root in content.roots:
            repositories.setdefault(_repository(root, content.folder), []).append(root)
        tracked = [path for folder, roots in repositories.items() for path in self._tracked(folder, roots)]
        return [*content.entries, *tracked]

    def _changed(self, content: FolderContent, answer: _Answer) -> list[str]:
        folder = content.folder
        roots = [_name(root, folder) + os.sep for root in content.roots]
        required = [path for path in self._required(content) if os.path.lexists(path)]
        new = [name for path in required if (name := _name(path, folder)) not in answer.files]
        now = {name: _digest(os.path.join(folder, name)) for name in answer.files}
        # What is gone cannot do anything, unless a program that is still there did without it.
        return new + [
            name
            for name, digest in answer.files.items()
            if now[name] != digest and (now[name] or name.startswith(tuple(roots)))
        ]

    def _tracked(self, folder: str, roots: list[str]) -> list[str]:
        """List the files below `roots` that git tracks in the repository of `folder`; none without one, and all of them
        if git cannot say."""
        with suppress(OSError):
            command = git_command("--literal-pathspecs", "ls-files", "-z", "--", *roots)
            listed = run_git(command, folder, git_environment(os.environ), self._limits.git_seconds)
            if listed.code == 0:
                names = dict.fromkeys(listed.out.split(b"\0")[:-1])
                return [os.path.join(folder, os.fsdecode(name)) for name in names]
        top = repository_top(folder)
        if not top or not os.path.lexists(os.path.join(git_folders(top)[0], "HEAD")):
            return []
        return [path for root in roots for path in self._walk(root)]

    def _walk(self, root: str) -> Iterator[str]:
        """Yield the files below `root`, also behind links to folders, in the order of their names."""
        seen = set()
        for folder, folders, names in os.walk(root, followlinks=True):
            real = os.path.realpath(folder)
            folders[:] = [] if real in seen else sorted(each for each in folders if each not in (".git", "__pycache__"))
            if real not in seen:
                yield from (path for name in sorted(names) if os.path.isfile(path := os.path.join(folder, name)))
            seen.add(real)
            if len(seen) > self._limits.files:  # more folders than an answer can have files
                return

    def _check_size(self, content: FolderContent, paths: list[str]) -> None:
        total = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
        if len(paths) > self._limits.files or total > self._limits.bytes:
            raise ConfigError(
                f"{content.folder} brings more than {self._limits.files} files or {self._limits.bytes >> 20} MiB: the "
                f"answer cannot be remembered; {content.otherwise}"
            )

    def _path(self, folder: str) -> str:
        name = hashlib.sha256(os.fsencode(folder)).hexdigest()
        return os.path.join(self._home, "trust", f"{name}.json")

    def _read(self, folder: str) -> _Answer | None:
        value = _stored(self._path(folder))
        allowed, files, roots = value.get("allowed"), value.get("files"), value.get("roots")
        if allowed not in ("yes", "no") or not isinstance(files, dict) or not isinstance(roots, list):
            return None
        lines = value.get("lines", [])
        return _Answer(allowed == "yes", files, roots, lines if isinstance(lines, list) else [])

    def _write(self, folder: str, answer: _Answer) -> None:
        path = self._path(folder)
        value = {
            "folder": folder,
            "allowed": "yes" if answer.allowed else "no",
            "roots": answer.roots,
            "files": answer.files,
        } | ({"lines": answer.lines} if answer.lines else {})
        with ConfigError.of_system(f"cannot write {path}"):
            make_private(os.path.dirname(path))
            replace_file(path, json.dumps(value, indent=1).encode() + b"\n", mode=0o600)


def _stored(path: str) -> Mapping[str, Any]:
    """Return what a file of an answer says; nothing if it is missing or invalid."""
    try:
        return read_json_object(path)
    except ConfigError:
        return {}


def _repository(root: str, folder: str) -> str:
    """Return the folder in which git finds the repository of `root`: the nearest one with a `.git`, or `folder`; or
    `root` itself if it is not below `folder`."""
    at = root
    while at.startswith(folder.rstrip(os.sep) + os.sep):
        if os.path.lexists(os.path.join(at, ".git")):
            return at
        at = os.path.dirname(at)
    return at if at == folder else root


def _name(path: str, folder: str) -> str:
    """Return the real path of `path` relative to `folder`, a real path."""
    real, inside = os.path.realpath(path), folder.rstrip(os.sep) + os.sep
    return real[len(inside) :] if real.startswith(inside) else os.path.relpath(real, folder)


def _digest(path: str) -> str:
    """Return the SHA-256 of a file, in hexadecimal; an empty text if there is no file that can be read."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb", opener=open_regular) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()
