"""`zot sessions list`, `search` and `show`."""

import time

from zot_agent.cli.ext.terminal import inline, print_fields, print_json, print_line, print_table
from zot_agent.cli.sessions import SessionName
from zot_agent.cli.verb import Json
from zot_agent.config.paths import current_directory, sessions_root
from zot_agent.export.formats import session_entry
from zot_agent.operations.stored_sessions import session_fields
from zot_agent.ui.format.ages import age
from zot_core.sessions.listing import SessionEntry, entry_fields, list_sessions
from zot_core.sessions.preview import read_preview
from zot_core.sessions.search import search_sessions
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError

ID_LENGTH = 8
"""Characters of an id in a table."""


def print_list(*, all: bool = False, limit: int = 50, json: Json = False) -> int:
    """List the sessions of this directory, last used first.

    --all: list the sessions of all directories
    --limit N: at most N sessions (default: %(default)s)
    """
    here = current_directory()
    found = list_sessions(SessionStore(sessions_root()), None if all else here, _checked(limit))
    if json:
        print_json({"sessions": [entry_fields(entry) for entry in found]})
    elif not found:
        print_line("no sessions yet" if all else "no sessions in this directory; --all lists other directories")
    else:
        print_table([("id", "used", "messages", "title", *(["directory"] if all else [])), *(
            (*_cells(entry), *([entry.cwd] if all else [])) for entry in found
        )])  # fmt: skip
    return 0


def print_found(words: list[str], *, here: bool = False, limit: int = 20, json: Json = False) -> int:
    """Find sessions by words of titles, prompts and answers. It finds the sessions of all directories that have all
    words there, without regard to case. A word with blanks, in quotes, must occur as it is.

    WORDS: what to look for
    --here: only the sessions of this directory
    --limit N: at most N sessions (default: %(default)s)
    """
    cwd = current_directory() if here else None
    found = search_sessions(SessionStore(sessions_root()), words, cwd, _checked(limit))
    if json:
        fields = [{**entry_fields(hit.entry), "excerpt": hit.excerpt, "role": hit.role} for hit in found]
        print_json({"sessions": fields})
    for hit in () if json else found:
        entry = hit.entry
        print_line(f"{entry.id[:ID_LENGTH]}  {inline(entry.name)}  ({_used(entry)}, {inline(entry.cwd)})")
        if hit.excerpt:
            print_line(f"          {'You' if hit.role == 'user' else 'zot'}: {inline(hit.excerpt)}")
    if not found and not json:
        print_line("nothing found")
    return 0 if found else 1


def print_session(id: SessionName, *, json: Json = False) -> int:
    """Show what a session is about: its last prompt and answer, its tokens."""
    entry = session_entry(SessionStore(sessions_root()).find(id, current_directory()))
    if json:
        print_json(session_fields(entry))
        return 0
    preview = read_preview(entry.path)
    usage = preview.usage
    cost = "" if usage.cost_usd is None else f", ${usage.cost_usd:.4f}"
    read = usage.input + usage.cache_read + usage.cache_write
    print_fields((
        ("title", entry.name), ("id", entry.id), ("directory", entry.cwd), ("model", entry.model),
        ("started", entry.started), ("used", _used(entry)),
        ("messages", "" if entry.messages is None else str(entry.messages)),
        ("tokens", f"{read:,} in, {usage.output:,} out{cost}"), ("file", f"{entry.path} ({entry.size:,} bytes)"),
    ))  # fmt: skip
    for label, text in (("You", preview.prompt), ("zot", preview.answer)):
        if text:
            print_line()
            print_line(f"{label}:")
            for line in text.split("\n"):
                print_line(f"  {line}".rstrip())
    return 0


def _cells(entry: SessionEntry) -> tuple[str, ...]:
    messages = "" if entry.messages is None else str(entry.messages)
    return entry.id[:ID_LENGTH], _used(entry), messages, entry.name


def _used(entry: SessionEntry) -> str:
    return age(time.time() - entry.changed)


def _checked(limit: int) -> int:
    if limit < 1:
        raise ConfigError(f"--limit must be greater than 0, got {limit}")
    return limit
