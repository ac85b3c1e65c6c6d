"""Restore files: which ones a way through the session tree changes, and putting them back. Run it in a thread."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress

from zot_core.checkpoints import states
from zot_core.checkpoints.folders import FolderIsLink
from zot_core.checkpoints.states import FileChange, FileState
from zot_core.checkpoints.store import CheckpointLimits, CheckpointStore
from zot_core.errors import CheckpointError
from zot_core.machine.repository import looks_bare
from zot_provider.record import Record, field

_TOO_LARGE = "too large to be stored"
_NOT_STORED = "its content is no longer stored"
_REPOSITORY = "a repository, of which nothing is stored"
_STAYS = "it was there before, out of sight, and stays"
_NEW_REPOSITORY = f"{_REPOSITORY}; it is new, and stays"


class Restoration(Record):
    """A file to put back: what it is now and what it becomes. `edited`: the person has changed it since the agent, or
    between two prompts."""

    path: str
    now: FileState | None
    target: FileState | None
    edited: bool = False


def _of_folder(change: FileChange) -> bool:
    return change.before is not None and change.before.is_folder


class RestorePlan(Record):
    """The files to put back, and a line for each file that cannot be, beginning with its path."""

    files: list[Restoration] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def edited(self) -> list[str]:
        """The paths of the files that the person changed."""
        return [each.path for each in self.files if each.edited]


class FileHistory:
    """The changes of all answers of a session, by the id of their entry."""

    def __init__(self, store: CheckpointStore, entries: Iterable[str], limits: CheckpointLimits) -> None:
        """Read the changes at these entries."""
        self._store, self._limits = store, limits
        found = [(*read, id) for id in store.recorded(entries) if (read := store.read(id)) is not None]
        found.sort(key=lambda each: each[0])
        self._changes = {id: [each for each in changes if not _of_folder(each)] for _, changes, id in found}
        self._folders = {
            each.path: each.before.mode & states.PERMISSIONS
            for _, changes, _ in found for each in changes if each.before is not None and _of_folder(each)
        }  # fmt: skip
        self.first: dict[str, FileState | None] = {}
        """Every file as it was before the session changed it."""
        self._left: dict[str, set[FileState | None]] = {}  # states of a path that are not the person's work since
        for changes in self._changes.values():
            for path, before, after in changes:
                self.first.setdefault(path, before and before.in_sight)
                self._left.setdefault(path, {self.first[path]}).add(after)

    def plan(self, undone: Iterable[str], redone: Iterable[str]) -> RestorePlan:
        """Plan to undo the changes at the entries `undone`, the last one first, then to redo those at `redone`."""
        ways: dict[str, list[FileState | None]] = {}
        for id in undone:
            for path, before, _ in reversed(self._changes.get(id, ())):
                ways.setdefault(path, []).append(before)
        for id in redone:
            for path, _, after in self._changes.get(id, ()):
                ways.setdefault(path, []).append(after)
        self._fetch(way[-1] for way in ways.values())
        plan = RestorePlan()
        for path, way in sorted(ways.items()):
            left = self._left[path]
            passed = {state and state.in_sight for state in way[:-1]}
            # A state on the way that is not the agent's would be passed over: the person's work between two prompts.
            self.add(plan, path, way[-1], left if left.issuperset(passed) else set())
        return plan

    def add(self, plan: RestorePlan, path: str, target: FileState | None, expected: set[FileState | None]) -> None:
        """Add a file to a plan, unless it is what it shall be. In any other state than the `expected` it is edited."""
        try:
            now = states.save(path, self._store.objects, self._limits.file_bytes)
        except OSError as error:
            removed = (os.path.join(each.path, "") for each in plan.files if each.target is None)
            if not (isinstance(error, FolderIsLink) and path.startswith(tuple(removed))):
                plan.problems.append(f"{path}: {error.strerror}")
                return
            now = None  # the link is removed first
        found = target is not None and target.mode & states.FOUND
        target = target and target.in_sight
        if now is None if found else now == target or (now and target and states.lost_parts(target, now) == []):
            return
        if (found or target is None) and (moved := self._repository_of(path)):
            line = f"{moved}: {_NEW_REPOSITORY}"
            plan.problems += [] if line in plan.problems else [line]
            return
        if found:
            plan.problems.append(f"{path}: {_STAYS}")
            if now == target:
                return
        if why := self._why_not(now, target):
            plan.problems.append(f"{path}: {why}")
            return
        plan.files.append(Restoration(path, now, target, now not in expected))

    def _repository_of(self, path: str) -> str:
        """Return the folder with the files of a repository that a new file is in, such as a `.git` that a command has
        moved; a file `.git`, which makes a repository of the folder it is in; empty without one."""
        folder, name = os.path.split(path)
        if name == ".git":
            return path
        while folder.startswith(os.path.join(self._store.folder, "")):
            if looks_bare(folder):
                return folder
            folder = os.path.dirname(folder)
        return ""

    def _why_not(self, now: FileState | None, target: FileState | None) -> str:
        """Return why a file cannot become `target`; empty if it can."""
        if target is not None and target.mode == states.FOLDER:
            lost = states.lost_parts(target, now) if now else None
            change = f"it has lost {', '.join(lost)}" if lost else "this is another one" if now else "it was removed"
            return f"{_REPOSITORY}; {change}"
        if now is not None and now.mode == states.FOLDER:
            return _NEW_REPOSITORY
        if target is None or self._store.objects.has(target.id):
            return ""
        return (_TOO_LARGE if "@" in target.id else _NOT_STORED) if target.mode else target.id or _NOT_STORED

    def changed(self, check: Callable[[], None]) -> list[tuple[str, FileState | None, FileState | None]]:
        """Return the files that differ from what they were before the session: their path, and both states. Calls
        `check` before each."""
        self._fetch(self.first.values())
        found = []
        for path, before in sorted(self.first.items()):
            check()
            with suppress(OSError):  # unreadable now: it is left out
                now = states.save(path, self._store.objects, self._limits.file_bytes)
                if now != before and (before is None or before.mode):
                    found.append((path, before, now))
        return found

    def _fetch(self, wanted_states: Iterable[FileState | None]) -> None:
        wanted = [state.id for state in wanted_states if state is not None and state.has_content]
        if not all(map(self._store.objects.has, wanted)):
            from zot_core.checkpoints.git_tree import fetch  # noqa: PLC0415  few contents are only in git's packs

            fetch(self._store, wanted, self._limits)

    def content(self, state: FileState) -> bytes:
        """Return the content of a state. Raises `CheckpointError` if it is not stored."""
        if state.mode == states.FOLDER:
            raise CheckpointError(_REPOSITORY)
        if "@" in state.id:
            raise CheckpointError(_TOO_LARGE)
        return self._store.objects.get(state.id)

    def restore(self, plan: RestorePlan) -> list[Restoration]:
        """Carry out a plan, and return the files that were restored. What fails is added to its problems."""
        done: list[Restoration] = []
        # Files are removed first: a folder may have to become a file again.
        for each in sorted(plan.files, key=lambda each: each.target is not None):
            try:
                states.put_back(
                    each.path, each.target, self._store.objects, within=self._store.folder, folders=self._folders
                )
                done.append(each)
            except CheckpointError as error:
                plan.problems.append(f"{each.path}: {error}")
            except OSError as error:
                plan.problems.append(f"{each.path}: {error.strerror or error}")
        return done
