"""The composition root: the only module that assembles the concrete parts."""

import logging
import os
import sys

from zot_agent.config.child_keys import removed_variables
from zot_agent.config.paths import checkpoints_root, sessions_root, worktrees_root, zot_home
from zot_agent.config.retry import retry_policy
from zot_agent.config.settings import Settings, load_settings
from zot_agent.extensions.discover import Discovery
from zot_agent.host.extensions import ProjectChoice, announce_providers
from zot_agent.host.folder import UNWRITABLE, HostFolder, choose_model
from zot_agent.host.host import Host
from zot_agent.host.options import HostOptions, working_directory
from zot_agent.host.permissions import PermissionFiles
from zot_agent.host.sandbox import SandboxSwitch
from zot_agent.host.session_files import find_session, open_session
from zot_agent.host.workspace import open_workspace
from zot_core.agent import Agent
from zot_core.checkpoints.watch import Checkpoints
from zot_core.compaction.compactor import CompactionLimits
from zot_core.conversation.driver import Conversation
from zot_core.conversation.session_mode import resume_mode
from zot_core.machine.shell import LocalShell
from zot_core.prompt.nearest_files import NearestInstructions
from zot_core.runtime.runtime import Runtime
from zot_core.sessions.row_log.interface import RowLog
from zot_core.sessions.store import SessionStore
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.secrets import remember_secret
from zot_provider.catalog.known_providers import KnownProviders
from zot_provider.client.http import Client
from zot_provider.errors import ConfigError
from zot_provider.json_file import read_json_object
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.registry.server_lists import ServerLists
from zot_provider.router import RoutingClient, open_client
from zot_provider.selection import Selection

MODELS_FILE = "models.json"
"""The user's own providers and models, in zot's home folder; see `zot_provider.catalog.user`."""

LISTS_FILE = "models-cache.json"
"""The lists of models that servers returned, in zot's home folder."""

_log = logging.getLogger("zot_agent")


def build_host(options: HostOptions, *, once: bool = True, can_ask: bool = False, log: RowLog | None = None) -> Host:
    """Build the host that `options` describe, and begin to start its extensions. Raises `ConfigError`, `SessionError`.

    `once`: the host answers a single prompt. `can_ask`: a person can be asked whether what the project brings may be
    used. `log` keeps the rows of the session that `options` name, perhaps on another machine (see `SessionFile`); no
    file is then saved for `/undo`. Must be called in a running event loop.
    """
    _watch_loop()
    cwd, home = working_directory(options.cwd), zot_home()
    registry = open_registry(home)
    choice = ProjectChoice(options, load_settings(home, ignore=options.ignore_settings), cwd, can_ask=can_ask)
    discovery = choice.find()
    choice.check_all_there()
    settings = choice.load()
    check_named(options, discovery)
    hooks = choice.hooks(settings)
    use_network(settings)
    providers = announce_providers(registry, discovery)  # before a model is chosen
    runtime, notes = open_runtime(options, settings, registry, choice, once=once, log=log)
    conversation, sandbox, more_notes = open_conversation(runtime, options, settings, registry)

    host = Host(
        conversation,
        [*settings.problems, *registry.warnings, *notes, *more_notes, *choice.notes, *hooks.notes],
        options=options,
        settings=settings,
        models=registry,
        choice=choice,
        folder=HostFolder(conversation, options, registry, choice, sandbox, once=once),
        providers=providers,
    )
    host.begin_audit()
    if discovery.active() or discovery.members() or discovery.problems or hooks.programs:
        host.start_extensions(discovery)
    return host


def check_named(options: HostOptions, discovery: Discovery) -> None:
    """Raise `ConfigError` if the options name a folder or an extension that is not there, or cannot be used."""
    for path in options.add_dirs:
        if not os.path.isdir(os.path.expanduser(path)):
            raise ConfigError(f"--add-dir {path!r} is not a directory")
    for each in discovery.problems:
        if each.scope == "explicit":
            raise ConfigError(f"--ext {each.directory}: {each.message}" if each.directory else each.message)


def _watch_loop() -> None:
    if _log.isEnabledFor(logging.DEBUG) or sys.flags.dev_mode:
        from zot_agent.config.loop_watch import watch_loop  # noqa: PLC0415  only for debug runs

        watch_loop()


def _add_nearest(runtime: Runtime, options: HostOptions, settings: Settings, choice: ProjectChoice) -> None:
    """Let results bring the instructions of the folders that they touch, in the working directory of `choice`."""
    if not options.no_context_files:
        cwd, claude = runtime.cwd, settings.claude_md == "on"
        NearestInstructions(runtime.agent, lambda: choice.trusted and runtime.cwd == cwd, claude=claude).attach()


def open_conversation(
    runtime: Runtime, options: HostOptions, settings: Settings, registry: ModelRegistry
) -> tuple[Conversation, SandboxSwitch, list[str]]:
    """Create the conversation of an agent, with its permissions and its sandbox; return also lines for the person.
    After `ConfigError` the session is closed."""
    try:
        permissions = PermissionFiles(zot_home(), runtime.cwd, options.project).open(options, settings)
        if options.permission_mode is None:
            resume_mode(permissions, runtime.session)
        conversation = Conversation(runtime, permissions=permissions)
        sandbox = SandboxSwitch(conversation, options, settings, removed_variables(settings, registry.providers))
        notes = sandbox.start()
    except BaseException:
        if runtime.session is not None:
            runtime.session.close()
        raise
    return conversation, sandbox, notes


def open_runtime(
    options: HostOptions,
    settings: Settings,
    registry: ModelRegistry,
    choice: ProjectChoice,
    *,
    once: bool,
    log: RowLog | None = None,
) -> tuple[Runtime, list[str]]:
    """Create the agent, and return it with lines for the person. Raises `ConfigError`, `SessionError`."""
    cwd = working_directory(options.cwd)
    store = SessionStore(sessions_root(), UNWRITABLE)
    path, stored, problems = find_session(options, store, cwd)
    selection = choose_model(options, settings, registry, stored)
    client = _open_client(selection, options, settings, registry)
    workspace, notes = open_workspace(options, settings, cwd, choice, trusted=choice.trusted)
    notes += store_notes(registry)
    session = None
    if not options.no_session:
        session, stored = open_session(store, cwd, selection.model, path, stored, fork=options.fork, log=log)
    try:
        runtime = Runtime(
            selection.model,
            client=client,
            cwd=cwd,
            shell=LocalShell(removed_env=removed_variables(settings, registry.providers)),
            builtin_tools=options.tools,
            skills=workspace.skills,
            templates=workspace.templates,
            agents=workspace.agents,
            system_prompt=workspace.system_prompt,
            append_system_prompt=workspace.append_system_prompt,
            reasoning=options.reasoning or selection.reasoning or settings.reasoning,
            session=session,
            resumed=stored,
            run=options.run,
            max_steps=options.max_steps or settings.max_steps or None,
            max_same_failures=settings.max_same_failures or None,
            max_cost=options.max_cost,
            max_tokens=options.max_tokens,
            auto_compact=CompactionLimits(settings.auto_compact_threshold / 100 or None, after_run=not once),
            # With a log the session travels, but what `/undo` needs does not.
            checkpoints=_checkpoints if log is None else None,
            worktrees=worktrees_root(),
        )
        runtime.agent.cache_time = settings.cache_time
        runtime.agent.place.change(bash_timeout=settings.bash_timeout, overwrite_check=settings.overwrite_check)
        _add_nearest(runtime, options, settings, choice)
        if fallbacks := options.fallback_models or settings.fallback_models:
            from zot_core.runtime.fallback import Fallbacks  # noqa: PLC0415  few people name any

            Fallbacks(runtime, fallbacks).attach()
    except BaseException:
        if session is not None:
            session.close()
        raise
    return runtime, [*problems, *notes]


def _open_client(
    selection: Selection, options: HostOptions, settings: Settings, registry: ModelRegistry
) -> RoutingClient:
    registry.retries = retry_policy(
        settings.retry,
        {"tries": options.retries, "longest_wait": options.retry_wait, "total": options.retry_total},
        unattended=options.run is not None,
        wait=options.wait,
    )
    return open_client(
        selection, registry=registry, insecure=options.insecure, coalesce_seconds=options.coalesce_seconds
    )


def _checkpoints(agent: Agent) -> Checkpoints:
    """Return what saves the files that the agent changes, for `/undo`. The files of zot itself are not its work."""
    home = zot_home()
    inside = os.path.join(os.path.realpath(agent.context.cwd), "").startswith(os.path.join(os.path.realpath(home), ""))
    left_out = [sessions_root() if inside else home]
    return Checkpoints(checkpoints_root(), agent, left_out=left_out, worktrees=worktrees_root())


def open_registry(home: str) -> ModelRegistry:
    """Return all known providers and models, including the ones in the user's `models.json`, with the person's keys.
    Raises `ConfigError`."""
    known = known_models(home)
    for key in known.keys.values():
        remember_secret(key)
    lists = ServerLists(os.path.join(home, LISTS_FILE))
    return ModelRegistry(known, credentials=PersonalKeys(home), lists=lists, open_in_process=_open_in_process)


def store_notes(registry: ModelRegistry) -> list[str]:
    """Return lines for the person about the store of keys, each once."""
    return registry.credentials.notes() if isinstance(registry.credentials, PersonalKeys) else []


def _open_in_process(provider: Provider) -> Client:
    from zot_agent.local.client import LocalClient  # noqa: PLC0415  an extra, and rarely used

    return LocalClient(provider)


def known_models(home: str) -> KnownProviders:
    """Return the providers, including the ones in the user's `models.json`. Raises `ConfigError` that names a mistake
    in that file."""
    path = os.path.join(home, MODELS_FILE)
    value = read_json_object(path)
    if not value:
        return KnownProviders()
    from zot_provider.catalog.user import parse_user_models  # noqa: PLC0415  few people have such a file

    return parse_user_models(value, path)


def use_network(settings: Settings) -> None:
    """Make this process and its children use the proxy (but for `no_proxy`) and the authorities of the settings."""
    if settings.http_proxy:
        os.environ["http_proxy"] = os.environ["https_proxy"] = settings.http_proxy
    if settings.ca_file:
        os.environ["SSL_CERT_FILE"] = settings.ca_file
