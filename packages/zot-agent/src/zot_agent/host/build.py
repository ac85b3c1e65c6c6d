"""The composition root: the only module that puts the concrete pieces together."""

import os

from zot_agent.config.paths import sessions_root, zot_home
from zot_agent.config.settings import FILE, Settings, load_settings, read_json_object
from zot_agent.extensions.discover import Discovery
from zot_agent.host import Host
from zot_agent.host.extensions import ExtensionChoice
from zot_agent.host.options import Options
from zot_agent.version import __version__
from zot_core.compaction.compactor import CompactionLimits
from zot_core.errors import SessionError
from zot_core.prompt.context_files import find_context, find_system
from zot_core.runtime import Runtime
from zot_core.sessions.file import SessionFile, Stored, load
from zot_core.sessions.store import SessionStore
from zot_core.skills import ExtensionSkills, Skills, find_skills
from zot_provider.catalog.user import Known, parse_user_models
from zot_provider.client import Client, HttpClient
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.selection import Selection, select

MODELS_FILE = "models.json"
"""The user's own vendors and models, in zot's home folder: see `zot_provider.catalog.user`."""

_UNWRITABLE = "set ZOT_HOME to a folder that can be written, or keep no session: --no-session"


def build_host(options: Options, *, once: bool = True, can_ask: bool = False) -> Host:
    """A host for what was asked for, its extensions starting. Raises `ConfigError`, `SessionError`.

    `once`: for a single prompt. `can_ask`: a person is there who can be asked whether extensions of the project may
    start. Must be called in the event loop if there are any extensions.
    """
    cwd, home = working_directory(options.cwd), zot_home()
    settings = load_settings(home)
    choice = ExtensionChoice(options, settings, cwd, can_ask=can_ask)
    discovery = choice.find()
    use_proxy(settings)
    runtime, notes = open_runtime(options, settings, discovery, once=once)

    def reopen(options: Options, held: SessionFile | None) -> tuple[Runtime, list[str]]:
        return open_runtime(options, load_settings(home), choice.found, once=once, held=held)

    host = Host(runtime, notes, options=options, settings=settings, choice=choice, reopen=reopen)
    if discovery.found or discovery.problems:
        host.start_extensions(discovery)
    return host


def open_runtime(
    options: Options, settings: Settings, extensions: Discovery, *, once: bool, held: SessionFile | None = None
) -> tuple[Runtime, list[str]]:
    """The agent that was asked for, and lines for the person. Raises `ConfigError`, `SessionError`.

    `held` is a session that is open in this process: if it is the one to go on with, it is what the agent gets.
    """
    cwd, home = working_directory(options.cwd), zot_home()
    store = SessionStore(sessions_root(), _UNWRITABLE)
    path, stored = find_session(options, store, cwd)
    selection = choose_model(options, settings, known_models(home), stored)
    client = open_client(selection, options)
    replace, append, notes = instructions(options, cwd, home)
    skills = choose_skills(options, extensions, cwd, home)
    reasoning = options.reasoning or settings.reasoning
    session = None if options.no_session else open_session(store, cwd, selection, path, stored, held)
    try:
        runtime = Runtime(
            selection.model,
            client=client,
            cwd=cwd,
            builtin_tools=options.tools,
            skills=skills.found,
            system_prompt=replace,
            append_system_prompt=append,
            reasoning=reasoning,
            session=session,
            resumed=stored,
            max_steps=options.max_steps,
            auto_compact=CompactionLimits(settings.auto_compact_threshold / 100 or None, after_run=not once),
            env=child_environment(selection, session, reasoning),
        )
    except BaseException:
        if session is not None and session is not held:
            session.close()
        raise
    return runtime, [*notes, *skills.notes]


def choose_skills(options: Options, extensions: Discovery, cwd: str, home: str) -> Skills:
    """The skills to have, those of extensions among them."""
    if options.no_skills:
        return Skills()
    brought = [ExtensionSkills(each.name, each.directory, each.manifest.skills) for each in extensions.active()]
    return find_skills(cwd, home, os.path.expanduser("~"), brought)


def known_models(home: str) -> Known:
    """The vendors, with those of the user's `models.json`. Raises `ConfigError` naming what is wrong in it."""
    path = os.path.join(home, MODELS_FILE)
    value = read_json_object(path)
    return parse_user_models(value, path) if value else Known()


def instructions(options: Options, cwd: str, home: str) -> tuple[str | None, list[str], list[str]]:
    """What replaces zot's own words, what is added to them, and notes for the person on files left out."""
    if options.no_context_files:
        return options.system_prompt, options.append_system_prompt, []
    context = find_context(cwd, home)
    replace = options.system_prompt
    if replace is None and (system := find_system(cwd, home, context.notes)):
        replace = system.text
    return replace, [*context.sections(), *options.append_system_prompt], context.notes


def child_environment(selection: Selection, session: SessionFile | None, reasoning: str) -> dict[str, str]:
    """What programs that tools start can know of the agent that started them; the names are those of the Go zot.

    What is not known is empty: of a zot inside another, the outer one's must not be seen.
    """
    return {
        "ZOT_PROVIDER": selection.vendor.id,
        "ZOT_MODEL": selection.model.id,
        "ZOT_REASONING_LEVEL": reasoning,
        "ZOT_CHILD_SESSION": "1",
        "ZOT_SESSION_ID": session.meta.id if session else "",
        "ZOT_SESSION_FILE": session.path if session else "",
    }


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


def choose_model(options: Options, settings: Settings, known: Known, stored: Stored | None) -> Selection:
    """What the command line names, else the model a session ended with, else the settings', else what the environment
    suggests. Raises `MissingKey`, and `UnknownName`, which names the settings' file for a name that stands there."""
    provider, model, preferred, settled = options.provider, options.model, "", ""
    if stored is not None and stored.meta.provider and not model and provider in ("", stored.meta.provider):
        provider, model = stored.meta.provider, stored.meta.model
    elif provider in ("", settings.provider):
        preferred, settled = settings.provider, "" if model else settings.model
        model = model or settled
    ids = [vendor.id for vendor in known.vendors]
    where = os.path.join(zot_home(), FILE)
    if preferred and preferred not in (provider, *ids) and model.partition("/")[0] not in ids:
        unknown = UnknownName.among("provider", preferred, ids)
        raise UnknownName(f"{where}: {unknown}")
    try:
        return select(
            provider, model, api_key=options.api_key, base_url=options.base_url, known=known, preferred=preferred
        )
    except UnknownName as error:
        if not settled:
            raise
        raise UnknownName(f"{where}: {error}") from None


def use_proxy(settings: Settings) -> None:
    """Have this process and its children use the proxy of the settings; `no_proxy` still counts."""
    if settings.http_proxy:
        os.environ["http_proxy"] = os.environ["https_proxy"] = settings.http_proxy


def open_client(selection: Selection, options: Options) -> Client:
    """A client for the model. A vendor without any address is the model that runs in this process."""
    if selection.base_url or selection.vendor.base_url:
        transport = None
        if options.insecure:
            from zot_provider.transport.http import HttpLimits, HttpTransport  # noqa: PLC0415  httpx: not before a request

            transport = HttpTransport(HttpLimits(gather=options.gather), insecure=True)
        return HttpClient(
            selection.vendor,
            key=selection.key,
            base_url=selection.base_url,
            transport=transport,
            gather=options.gather,
        )
    from zot_agent.local.client import LocalClient  # noqa: PLC0415  an extra, and rarely used

    client = LocalClient(selection.vendor)
    client.check(selection.model)
    return client


def open_session(
    store: SessionStore,
    cwd: str,
    selection: Selection,
    path: str,
    stored: Stored | None,
    held: SessionFile | None = None,
) -> SessionFile:
    """The session file to write to: a new one, or the one at `path`, whose lock would keep out another than `held`."""
    model, provider = selection.model.id, selection.vendor.id
    if stored is None:
        return store.create(cwd, model, provider, __version__)
    if held is not None and os.path.abspath(held.path) == os.path.abspath(path):
        held.change(model=model, provider=provider)
        return held
    return SessionFile(path, stored.meta.replace(model=model, provider=provider), resume=stored)
