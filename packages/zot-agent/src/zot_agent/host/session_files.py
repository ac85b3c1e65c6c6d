"""The session file of a conversation: the one to continue, or a new one."""

from zot_agent.host.options import HostOptions
from zot_agent.version import __version__
from zot_core.errors import SessionError, SessionNotFound, UnusableFile
from zot_core.sessions.file import SessionFile, StoredSession, load
from zot_core.sessions.row_log.interface import RowLog
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError
from zot_provider.model import Model


def find_session(options: HostOptions, store: SessionStore, cwd: str) -> tuple[str, StoredSession | None, list[str]]:
    """Return the path and the content of the session to continue, and notes about what cannot be read of it and
    about newer sessions that cannot be read; an empty path and None for a new session.

    Raises `ConfigError` if the session cannot be found or read.
    """
    if not options.session and not options.continue_latest:
        return "", None, []
    try:
        if options.session:
            path = store.find(options.session, cwd)
            stored = _load_session(path)
            return path, stored, _about_lost(path, stored)
        problems: list[SessionError] = []
        for path in store.paths(cwd):
            try:
                stored = _load_session(path)
            except SessionError as error:
                problems.append(error)
                continue
            if not stored.meta.hidden:
                notes = [f"{each}; an older session is continued" for each in problems]
                return path, stored, notes + _about_lost(path, stored)
    except OSError as error:
        raise ConfigError(f"cannot look for sessions in {store.root}: {error.strerror}") from error
    except SessionError as error:
        raise ConfigError(str(error)) from error
    broken = "".join(f": {each}" for each in problems[:1])
    raise ConfigError(f"no session to continue in {cwd}{broken}; start one without -c") from SessionNotFound()


def _about_lost(path: str, stored: StoredSession) -> list[str]:
    count = f"{stored.lost} lines are" if stored.lost > 1 else "a line is"
    return [f"{path} is damaged: {count} no JSON and left out of the conversation"] if stored.lost else []


def _load_session(path: str) -> StoredSession:
    """Load a session. Raises `SessionError`, also for a session without an id."""
    stored = load(path)
    if not stored.meta.id:
        raise UnusableFile(f"{path} is not a session file: its meta row has no id")
    return stored


def open_session(
    store: SessionStore,
    cwd: str,
    model: Model,
    path: str,
    stored: StoredSession | None,
    *,
    fork: bool = False,
    log: RowLog | None = None,
) -> tuple[SessionFile, StoredSession | None]:
    """Open the session file to write to, and return it with its content: a new one, the existing one at `path`, or with
    `fork` a copy of that. `log` keeps the rows of an existing one: see `SessionFile`."""
    if fork and stored is not None:
        from zot_core.sessions.branch import copy_branch  # noqa: PLC0415  few sessions are forked

        path = copy_branch(path, stored.meta, "", fork=True)
        stored = load(path) if path else None
    if stored is None:
        return store.create(cwd, model.id, model.provider, __version__), None
    return SessionFile(
        path, stored.meta.replace(model=model.id, provider=model.provider), resume=stored, log=log
    ), stored
