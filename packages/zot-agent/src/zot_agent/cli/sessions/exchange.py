"""`zot sessions export` and `import`."""

from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.sessions import SessionName
from zot_agent.config.paths import current_directory, sessions_root
from zot_agent.export.formats import export_session, session_entry
from zot_agent.version import __version__
from zot_core.sessions.exchange.portable import import_session
from zot_core.sessions.store import SessionStore


def print_export(id: SessionName, path: str = "") -> int:
    """Write a session to a file. Its suffix chooses the format: .zotsession, which zot sessions import reads, .html or
    .md. The file holds everything that the model has read, also files and output of commands.

    PATH: the file, or a directory (default: ~/Downloads)
    """
    found = SessionStore(sessions_root()).find(id, current_directory())
    print_line(f"written to {export_session(found, path)}")
    return 0


def print_import(path: str) -> int:
    """Add the session in a .zotsession file to this directory.

    PATH: the file
    """
    entry = session_entry(import_session(SessionStore(sessions_root()), path, current_directory(), __version__))
    short = entry.id[:8]
    print_line(f"imported as {short}: {entry.name or 'a session'}; continue it with zot --session {short}")
    return 0
