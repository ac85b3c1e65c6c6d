"""`zot sessions export` and `import`."""

from zot_agent.cli.ext.terminal import print_line
from zot_agent.config.paths import current_directory, sessions_root
from zot_agent.export.formats import export_session, session_entry
from zot_agent.version import __version__
from zot_core.sessions.exchange.portable import import_session
from zot_core.sessions.store import SessionStore


def print_export(name: str, target: str) -> int:
    """Write a session to a file; return 0."""
    path = SessionStore(sessions_root()).find(name, current_directory())
    print_line(f"written to {export_session(path, target)}")
    return 0


def print_import(path: str) -> int:
    """Import a session into this directory; return 0."""
    entry = session_entry(import_session(SessionStore(sessions_root()), path, current_directory(), __version__))
    short = entry.id[:8]
    print_line(f"imported as {short}: {entry.name or 'a session'}; continue it with zot --session {short}")
    return 0
