"""The composition root: the only module that puts the concrete pieces together."""

import os

from zot_agent.config.paths import sessions_root
from zot_agent.host import Host
from zot_agent.host.options import Options
from zot_agent.version import __version__
from zot_core.errors import SessionError
from zot_core.runtime import Runtime
from zot_core.sessions.file import SessionFile, Stored, load
from zot_core.sessions.store import SessionStore
from zot_provider.client import Client, HttpClient
from zot_provider.errors import ConfigError
from zot_provider.selection import Selection, select


def build_host(options: Options) -> Host:
    """A host for what was asked for. Raises `ConfigError`, `SessionError`."""
    cwd = working_directory(options.cwd)
    store = SessionStore(sessions_root())
    path, stored = find_session(options, store, cwd)
    selection = choose_model(options, stored)
    client = open_client(selection)
    session = None if options.no_session else open_session(store, cwd, selection, path, stored)
    try:
        runtime = Runtime(
            selection.model,
            client=client,
            cwd=cwd,
            builtin_tools=options.tools,
            system_prompt=options.system_prompt,
            append_system_prompt=options.append_system_prompt,
            reasoning=options.reasoning,
            session=session,
            resumed=stored,
            max_steps=options.max_steps,
        )
    except BaseException:
        if session is not None:
            session.close()
        raise
    return Host(runtime)


def working_directory(cwd: str) -> str:
    """The absolute path of the directory to work in; `ConfigError` if there is none."""
    try:
        path = os.path.abspath(os.path.expanduser(cwd))
    except FileNotFoundError:
        raise ConfigError("the current directory no longer exists; change to another one, or pass --cwd") from None
    if not os.path.isdir(path):
        raise ConfigError(f"--cwd {cwd!r} is no directory")
    return path


def find_session(options: Options, store: SessionStore, cwd: str) -> tuple[str, Stored | None]:
    """The session to go on with, and what it holds; an empty path for a new one.

    One that cannot be read is `ConfigError`: another one should have been named.
    """
    if not options.session and not options.continue_latest:
        return "", None
    try:
        path = store.find(options.session, cwd) if options.session else store.latest(cwd)
        stored = load(path)
    except OSError as error:
        raise ConfigError(f"cannot look for sessions in {store.root}: {error.strerror}") from error
    except SessionError as error:
        raise ConfigError(str(error)) from error
    if not stored.meta.id:
        raise ConfigError(f"{path} is no session file: its meta row has no id")
    return path, stored


def choose_model(options: Options, stored: Stored | None) -> Selection:
    """What the command line names, else the model a session ended with, else what the environment suggests."""
    provider, model = options.provider, options.model
    if stored is not None and not model and provider in ("", stored.meta.provider):
        provider, model = stored.meta.provider, stored.meta.model
    return select(provider, model, api_key=options.api_key, base_url=options.base_url)


def open_client(selection: Selection) -> Client:
    """A client for the model. A vendor without any address is the model that runs in this process."""
    if selection.base_url or selection.vendor.base_url:
        return HttpClient(selection.vendor, key=selection.key, base_url=selection.base_url)
    from zot_agent.local.client import LocalClient  # noqa: PLC0415  an extra, and rarely used

    return LocalClient(selection.vendor, selection.model.id)


def open_session(store: SessionStore, cwd: str, selection: Selection, path: str, stored: Stored | None) -> SessionFile:
    """The session file to write to: a new one, or the one at `path`."""
    model, provider = selection.model.id, selection.vendor.id
    if stored is None:
        return store.create(cwd, model, provider, __version__)
    return SessionFile(path, stored.meta.replace(model=model, provider=provider), resume=stored)
