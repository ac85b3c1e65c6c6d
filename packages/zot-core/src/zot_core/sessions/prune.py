"""Delete old sessions, and sessions of directories that no longer exist.

Deleting cannot be undone, so whatever is not certain is kept: a file that cannot be read or is not a session, a session
that a process has open, a directory that cannot be looked at. Each session is looked at again before it is deleted.
"""

import calendar
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from zot_core.errors import SessionError, SessionLocked
from zot_core.sessions.branch import child_files, first_meta
from zot_core.sessions.listing import delete
from zot_core.sessions.store import SessionStore, entries, session_files
from zot_provider.errors import ConfigError
from zot_provider.record import Record, field

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGE = re.compile(r"([0-9]{1,9})(m|h|d|w|mo|y)")


class PruneGroup(Record):
    """The sessions of the directory `cwd` to delete, each as the paths of its files, and the sum of their bytes."""

    cwd: str
    sessions: list[list[str]] = field(default_factory=list)
    size: int = 0


class PrunePlan(Record):
    """The sessions that `prune` deletes, by directory, and lines about sessions that are kept in doubt.

    `before`: sessions last used before this time, in seconds since the epoch; None for those whose directory is
    missing.
    """

    groups: list[PruneGroup] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    before: float | None = None


class Pruned(Record):
    """How many sessions were deleted, and lines that say which were kept, and why."""

    sessions: int = 0
    kept: list[str] = field(default_factory=list)


def time_before(age: str, now: datetime) -> float:
    """Return the time that lies `age` before `now`, in seconds since the epoch.

    `age` is a whole number with a unit: m (minutes), h (hours), d (24 hours), w (7 days), mo (calendar months), y
    (calendar years); a day that a month lacks is its last one. Raises `ConfigError` for any other text.
    """
    found = _AGE.fullmatch(age.strip())
    if found is None or not int(found[1]):
        raise ConfigError(f"{age[:40]!r} is not an age; give a number and a unit, as in 30d (m, h, d, w, mo or y)")
    count, unit = int(found[1]), found[2]
    try:
        if unit in _UNITS:
            return (now - timedelta(**{_UNITS[unit]: count})).timestamp()
        months = now.year * 12 + now.month - 1 - (count if unit == "mo" else 12 * count)
        year, month = months // 12, months % 12 + 1
        return now.replace(year=year, month=month, day=min(now.day, calendar.monthrange(year, month)[1])).timestamp()
    except (OverflowError, ValueError):
        raise ConfigError(f"{age[:40]!r} is too long ago") from None


def plan_prune(store: SessionStore, before: float | None = None, cwd: str | None = None) -> PrunePlan:
    """Find the sessions to delete: those last used before a time, of the directory `cwd` or of all; or, without
    `before`, those whose directory no longer exists. Reads a line of every file. Raises `SessionError`."""
    plan = PrunePlan(before=before)
    groups: dict[str, PruneGroup] = {}
    missing: dict[str, bool] = {}
    for folder in entries(store.root):
        for files in _sessions(folder, plan.kept):
            meta = first_meta(files[0])
            directory = meta.cwd if meta is not None else ""
            if before is None:
                if directory not in missing:
                    missing[directory] = _missing(directory, plan.kept)
                wanted = missing[directory]
            else:
                wanted = cwd in (None, directory) and _unused_since(files, before, plan.kept)
            if wanted:
                group = groups.setdefault(directory, PruneGroup(directory))
                group.sessions.append(files)
                group.size += _size([*files, *(child_files(files[0], meta.session_id) if meta is not None else ())])
    plan.groups = [groups[directory] for directory in sorted(groups)]
    return plan


def prune(store: SessionStore, plan: PrunePlan, groups: Iterable[PruneGroup] | None = None) -> Pruned:
    """Delete the sessions of these groups of the plan, by default of all. A session that has been used since, is open
    in a process, or whose directory is back, is kept."""
    done = Pruned()
    for group in plan.groups if groups is None else groups:
        for files in group.sessions:
            kept: list[str] = []
            if plan.before is None:
                due = _missing(group.cwd, kept)
                kept = kept or ([] if due else [f"{files[0]} is kept: {group.cwd} exists again"])
            else:
                due = _unused_since(files, plan.before, kept)
                kept = kept or ([] if due else [f"{files[0]} is kept: it was used a moment ago"])
            if due:
                try:
                    delete(store, files[0])
                    done.sessions += 1
                except SessionLocked:
                    kept.append(f"{files[0]} is kept: a zot has it open")
                except SessionError as error:
                    kept.append(f"{files[0]} is kept: {error}")
            done.kept += kept
        for folder in {os.path.dirname(files[0]) for files in group.sessions}:
            with suppress(OSError):  # it still has files
                os.rmdir(folder)
    return done


def _sessions(folder: str, kept: list[str]) -> list[list[str]]:
    """Return the files of each session in a folder. The names of unusable files go to `kept`."""
    found: dict[str, list[str]] = {}
    for path in sorted(session_files(folder)):
        meta = first_meta(path)
        if meta is None or not meta.id:
            kept.append(f"{path} is kept: it is not a session, or cannot be read")
        else:
            found.setdefault(meta.session_id, []).append(path)
    return list(found.values())


def _missing(directory: str, kept: list[str]) -> bool:
    """Return whether a directory certainly does not exist. A line goes to `kept` if that is not known."""
    if not os.path.isabs(directory):
        kept.append(f"the sessions of {directory!r} are kept: it is not an absolute path")
        return False
    try:
        os.stat(directory)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        kept.append(f"the sessions of {directory} are kept: {reason}")
    return False


def _unused_since(files: list[str], before: float, kept: list[str]) -> bool:
    """Return whether none of the files of a session has changed since `before`."""
    try:
        return max(os.stat(path).st_mtime for path in files) < before
    except OSError as error:
        kept.append(f"{files[0]} is kept: {error.strerror}")
        return False


def _size(files: list[str]) -> int:
    total = 0
    for path in files:
        with suppress(OSError):  # deleted since
            total += os.stat(path).st_size
    return total
