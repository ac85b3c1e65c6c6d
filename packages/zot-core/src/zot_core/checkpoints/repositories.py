"""`Repositories`: notices that a repository of git in a folder is gone, new, another one, or has lost parts.

What is in a repository is not stored: it is large, and its own history. But that a command has removed it, or its
history, is a change that cannot be undone, and has to be named.
"""

import os
from collections.abc import Iterable
from contextlib import suppress

from zot_core.checkpoints import states
from zot_core.checkpoints.folders import HOLDS
from zot_core.checkpoints.states import FileChange, FileState, save
from zot_core.checkpoints.store import CheckpointStore

_HELD = 100
"""Most repositories of which a descriptor is kept."""


class Repositories:
    """The repositories at some paths, each of which ends in `.git`, since the last look."""

    def __init__(self, store: CheckpointStore, limit: int) -> None:
        """`limit` are the bytes of a file `.git`, which is stored."""
        self._store, self._limit = store, limit
        self._known: dict[str, FileState | None] = {}
        self._held: dict[str, int] = {}

    def look(self, paths: Iterable[str]) -> list[FileChange]:
        """Return what has changed at these paths and at the paths of earlier looks. A path is known from its first look
        on."""
        changes = []
        for path in {*self._known, *paths}:
            with suppress(OSError):  # unreadable
                now = save(path, self._store.objects, self._limit)
                before = self._known.get(path)
                # What git itself does with a repository is no change.
                same = before is not None and now is not None and states.lost_parts(before, now) == []
                if path not in self._known or (before != now and not same):
                    self._hold(path)
                    changes.append(FileChange(path, before, now))
                self._known[path] = now
        return changes

    def _hold(self, path: str) -> None:
        """Keep the folder open: the number of a removed one is given to the next one otherwise."""
        self._release(path)
        if len(self._held) < _HELD:
            with suppress(OSError):
                self._held[path] = os.open(path, HOLDS)

    def _release(self, path: str) -> None:
        if path in self._held:
            os.close(self._held.pop(path))

    def close(self) -> None:
        """Keep nothing open."""
        for path in [*self._held]:
            self._release(path)
