"""`HostFolder`: the folder that a host works in, its sessions, its settings and its sandbox."""

from zot_agent.config.paths import sessions_root, zot_home
from zot_agent.config.settings import Settings, load_settings
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions, working_directory
from zot_agent.host.permissions import PermissionFiles
from zot_agent.host.sandbox import SandboxSwitch
from zot_agent.host.session_files import open_session
from zot_agent.host.workspace import ExtensionResources, open_workspace, read_workspace
from zot_core.conversation.driver import Conversation
from zot_core.runtime.workspace import Workspace
from zot_core.sessions.file import StoredSession, load
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.registry import ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.selection import Selection, select

UNWRITABLE = "set ZOT_HOME to a writable folder, or use --no-session"
"""The advice if a session cannot be written."""


class HostFolder:
    """Where the conversation of a host works, as `choice` says what of the project there is used.

    `once`: the host answers a single prompt.
    """

    def __init__(
        self,
        conversation: Conversation,
        options: HostOptions,
        registry: ModelRegistry,
        choice: ProjectChoice,
        sandbox: SandboxSwitch,
        *,
        once: bool,
    ) -> None:
        self._conversation, self._options, self._registry, self._choice = conversation, options, registry, choice
        self.sandbox, self.once = sandbox, once
        self._cwd = conversation.runtime.cwd
        self.brought = ExtensionResources(conversation, lambda here: self._read(here)[1:])
        """Follows what extensions bring."""

    def _read(self, here: str) -> tuple[Settings, Workspace, list[str]]:
        return read_workspace(self._options, self._choice, self._cwd, here)

    def open_session(self, path: str, *, fork: bool) -> tuple[list[str], ProjectChoice]:
        """Let the conversation continue the session at `path`, in its directory and with its model, with `fork` in a
        copy of it; return lines for the person, and what of the project there is used.

        Raises `Busy`, `ConfigError` and `SessionError`; nothing has changed then.
        """
        conversation, options, registry = self._conversation, self._options, self._registry
        runtime = conversation.runtime
        stored = load(path)
        cwd = working_directory(stored.meta.cwd or runtime.cwd)
        home = zot_home()
        project = ProjectChoice(options, load_settings(home, ignore=options.ignore_settings), cwd)
        project.find()
        settings = project.load()
        hooks = project.hooks(settings)
        workspace, notes = open_workspace(options, settings, cwd, self._choice, trusted=project.trusted)
        selection = choose_model(options.replace(provider="", model=""), settings, registry, stored)
        if isinstance(runtime.agent.client, RoutingClient):
            runtime.agent.client.check(selection.model)
        store = SessionStore(sessions_root(), UNWRITABLE)
        session, opened = open_session(store, cwd, selection.model, path, stored, fork=fork)
        try:
            rules_of = PermissionFiles(home, cwd)
            rules_of.open(options, settings)  # raises what is wrong while nothing has changed
            conversation.open_session(session, opened, workspace)
            rules_of.use(conversation.permissions, options, settings)
        except BaseException:
            session.close()
            raise
        runtime.set_model(selection.model)  # not that of the conversation, which refuses while a prompt waits for this
        conversation.settings_changed()
        self.sandbox.follow(settings)
        return [*notes, *project.notes, *hooks.notes], project

    def reopen(self, before: Settings) -> tuple[Settings, list[str]]:
        """Read skills, instructions and settings again, which were `before`; return the settings that hold now, and
        lines for the person."""
        conversation, options = self._conversation, self._options
        here = conversation.runtime.cwd
        rules_of = PermissionFiles(zot_home(), here, options.project if here == self._cwd else "")
        try:
            settings, workspace, notes = self._read(here)
            rules_of.use(conversation.permissions, options, settings, before)
            self.sandbox.follow(settings)
        except ConfigError as error:
            return before, [f"{error}; settings and instructions stay as they were"]
        conversation.runtime.set_workspace(workspace)
        conversation.extensions_changed()  # so have the commands of skills
        return settings, notes


def choose_model(
    options: HostOptions, settings: Settings, registry: ModelRegistry, stored: StoredSession | None
) -> Selection:
    """Choose the model: from the command line, else from the session, else from the settings, else from the keys in
    the environment. Raises `MissingKey`, and `UnknownName`, which names the settings file if the name comes from it."""
    provider, model, default_provider, settings_model = options.provider, options.model, "", ""
    if stored is not None and stored.meta.provider and not model and provider in ("", stored.meta.provider):
        provider, model = stored.meta.provider, stored.meta.model
    elif provider in ("", settings.provider):
        default_provider, settings_model = settings.provider, "" if model else settings.model
        model = model or settings_model
    default_provider = registry.id_of(default_provider)
    if (
        default_provider
        and default_provider != provider
        and not registry.has(default_provider)
        and not registry.has(model.partition("/")[0])
    ):
        raise _unusable(settings, Settings.provider.key, registry.unknown(default_provider))
    try:
        return select(
            provider,
            model,
            api_key=options.api_key,
            base_url=options.base_url,
            registry=registry,
            default_provider=default_provider,
        )
    except UnknownName as error:
        if not settings_model:
            raise
        raise _unusable(settings, Settings.model.key, error) from None


def _unusable(settings: Settings, key: str, error: UnknownName) -> UnknownName:
    """Return the error for a name that comes from the settings."""
    return UnknownName(f"{settings.source(key)}: {error}; change it with zot config set {key} NAME")
