"""`zot sessions prune`: shows the sessions to delete by directory, asks which, and deletes them."""

import os
import re
from collections.abc import Sequence
from datetime import datetime

from zot_agent.cli.ext.terminal import can_ask, confirm, inline, print_line, read_answer
from zot_agent.config.paths import sessions_root
from zot_agent.standard_error import print_error
from zot_core.sessions.prune import PruneGroup, plan_prune, prune, time_before
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError


def print_prune(
    *, dry_run: bool = False, older_than: str = "", cwd: str = "", all: bool = False, yes: bool = False
) -> int:
    """Delete old sessions, and sessions of directories that are gone. zot lists them by directory and asks which to
    delete. A directory on a disk that is not mounted looks as if it did not exist. What cannot be read, and what a zot
    has open, is kept.

    --dry-run: list them and delete nothing
    --older-than AGE: in place of these, what was not used for so long: 90m, 12h, 30d, 8w, 6mo, 1y
    --cwd DIR: with --older-than: only the sessions of DIR
    --all: choose all directories, without asking which
    -y, --yes: with --all: delete without a question
    """
    if yes and not all:
        raise ConfigError("--yes needs --all: it says that everything is deleted without a question")
    if yes and dry_run:
        raise ConfigError("--yes and --dry-run cannot be used together")
    if cwd and not older_than:
        raise ConfigError("--cwd needs --older-than, as in --older-than 30d")
    if not dry_run and not yes and not can_ask():
        raise ConfigError("there is no terminal to ask on; list them with --dry-run, or delete all with --all --yes")
    now = datetime.now().astimezone()
    before = time_before(older_than, now) if older_than else None
    store = SessionStore(sessions_root())
    plan = plan_prune(store, before, os.path.abspath(os.path.expanduser(cwd)) if cwd else None)
    for line in plan.kept:
        print_error(line)
    if not plan.groups:
        print_line("no session is that old" if older_than else "the directories of all sessions exist")
        return 0
    print_line("sessions that were not used since:" if older_than else "sessions of directories that are gone:")
    for number, group in enumerate(plan.groups, 1):
        print_line(f"{number:>3}. {inline(group.cwd) or '(no directory)'}  {_amount([group])}")
    if dry_run:
        print_line(f"would delete {_amount(plan.groups)}")
        return 0
    chosen = plan.groups if all else _choose(plan.groups)
    if not chosen or not (yes or confirm(f"delete {_amount(chosen)}? This cannot be undone.")):
        print_line("nothing was deleted")
        return 1
    done = prune(store, plan, chosen)
    for line in done.kept:
        print_error(line)
    print_line(f"deleted {_count(done.sessions)}")
    return 1 if done.kept else 0


def _choose(groups: Sequence[PruneGroup]) -> list[PruneGroup]:
    """Ask which groups to delete. Raises `ConfigError` for an answer that names no groups."""
    numbers = parse_selection(read_answer("which? (such as 1,3-5, all, none)"), len(groups))
    return [groups[number - 1] for number in numbers]


def parse_selection(answer: str, count: int) -> list[int]:
    """Return the numbers from 1 to `count` that an answer names: `1,3-5`, `all`, or nothing. Raises `ConfigError`."""
    words = answer.lower().replace(" ", "")
    if words in ("", "none", "n"):
        return []
    if words in ("all", "a"):
        return list(range(1, count + 1))
    chosen: set[int] = set()
    for part in words.split(","):
        found = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found is not None else (0, 0)
        if not 1 <= first <= last <= count:
            raise ConfigError(f"{part[:40]!r} is not a number from 1 to {count}, nor a range of them")
        chosen |= set(range(first, last + 1))
    return sorted(chosen)


def _amount(groups: Sequence[PruneGroup]) -> str:
    return f"{_count(sum(len(group.sessions) for group in groups))}, {sum(group.size for group in groups):,} bytes"


def _count(sessions: int) -> str:
    return f"{sessions} session{'' if sessions == 1 else 's'}"
