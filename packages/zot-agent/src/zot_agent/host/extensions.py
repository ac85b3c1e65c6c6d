"""The parts of a project and of the person that a host uses: `ProjectChoice`; how it starts extensions; and the
providers of models that they serve, for a host and for subcommands that have none."""

import os
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from zot_agent.config.child_keys import removed_variables
from zot_agent.config.mcp_files import mcp_files
from zot_agent.config.paths import asked_mark, zot_home
from zot_agent.config.settings import Layer, Settings, load_settings
from zot_agent.extensions.discover import DiscoveredExtension, Discovery, discover
from zot_agent.host.options import HostOptions
from zot_agent.host.programs.hooks import FoundHooks, find_hooks
from zot_agent.host.project import Project, find_project, may_use
from zot_provider.errors import ConfigError
from zot_provider.registry import ModelRegistry

if TYPE_CHECKING:
    from zot_agent.extensions.host import Extensions
    from zot_agent.extensions.providers.provider_service import ServedProviders
    from zot_agent.extensions.setup import ExtensionOwner
    from zot_core.runtime.runtime import Runtime
    from zot_core.sandbox.policy import SandboxPolicy
    from zot_ext.limits import ExtensionLimits


class ProjectChoice:
    """Decides whether the extensions, skills, prompt templates and instructions of the project in `cwd` are used.

    They come with a repository, and run with the person's rights or replace something of theirs. A screen asks about
    all of them at once (`undecided`). Where nobody can be asked they are not used, and `notes` says so.
    """

    def __init__(
        self, options: HostOptions, settings: Settings, cwd: str, *, can_ask: bool = False, share: bool = True
    ) -> None:
        """Unless they are to `share` a process, extensions written for pi are found as they are installed."""
        self._options, self._cwd, self._can_ask = options, cwd, can_ask
        self._pi, self._share = settings.pi, share
        self.folder = os.path.realpath(cwd)
        """The folder of the project."""
        self._setting = "on" if options.trust else settings.project_trust
        self.found = Discovery([], [])
        """The extensions of the last `find`."""
        self.trusted = False
        """Whether what the project brings is used, as of the last `find`."""
        self.undecided: Project | None = None
        """The things that wait for the person's decision."""
        self.waiting: list[DiscoveredExtension] = []
        """The installed extensions about whose permissions the person must be asked, as of the last `find`."""
        self.claude: Sequence[str] = ()
        """The settings of Claude Code of the project that are used, as of the last `find`."""
        self._server_files: list[str] = []
        self.settings = Layer("")
        """The settings of the project that are used, as of the last `find`; with mistakes they stop `load`."""
        self.notes: list[str] = []
        """Lines for the person about the last `find`."""

    @property
    def _answered_for(self) -> str:
        """The folder of which this one is a worktree, or empty."""
        return os.path.realpath(self._options.project) if self._options.project else ""

    def find(self) -> Discovery:
        """Discover the extensions again, and decide again whether the project's are active."""
        options, home = self._options, zot_home()
        search = partial(
            discover, options.extensions, self._cwd, home,
            installed=not options.no_ext, project=not options.no_project_ext,
            pi_folders=self._pi.get("folders") is True,
        )  # fmt: skip
        found = search(trusted=False)
        project = find_project(
            self._cwd, home, [each for each in found.found if each.untrusted],
            skills=not options.no_skills, system=not options.no_context_files,
            servers=not (options.no_ext or options.no_project_ext), settings=not options.ignore_settings,
        )  # fmt: skip
        decision = may_use(project, self._setting, home, self._answered_for)
        self.trusted, self.undecided, self.notes = bool(decision), None, []
        self.settings = project.settings if self.trusted else Layer("")
        self.claude = project.claude if self.trusted else ()
        if decision is None:
            self.undecided = project
            if not self._can_ask:
                self.notes.append(
                    f"not used, because you have not allowed it: {project.names()} of {project.folder} "
                    "(start zot there to decide, or pass --trust)"
                )
        self.found = search() if self.trusted and project.extensions else found
        self._add_mcp(home)
        self._hold_back(home)
        if self._share and any(each.pi for each in self.found.found):
            from zot_agent.extensions.declared.pi_declarations import DescribeOptions, add_described  # noqa: PLC0415  few are written for pi
            from zot_agent.extensions.declared.pi_process import share_process  # noqa: PLC0415  as above

            share_process(self.found, self._pi.get("separate", ()))
            add_described(self.found.active(), DescribeOptions(home))
        return self.found

    def load(self) -> Settings:
        """Return the settings of the person, of the project as far as they are used, and of the environment. Raises
        `ConfigError` as `load_settings` does, for a file of MCP servers with a mistake in what holds one back, for the
        manifest of a guard that cannot be used, and for a folder that was allowed and now holds back in another way."""
        self._check_guards(self._server_files, project=self.trusted)
        self._check_changed()
        return self._settings(self.settings, self.claude)

    def _settings(self, project: Layer, claude: Sequence[str]) -> Settings:
        """Return the settings with a project's, and with what settings of Claude Code deny or ask about: the person's
        own file, and the files `claude` of the project. Raises `ConfigError`."""
        options = self._options
        settings = load_settings(zot_home(), project, ignore=options.ignore_settings)
        if lines := self._of_no_server(settings):
            settings = Settings(*settings.layers, Layer("servers", problems=lines))
        own = os.path.expanduser(os.path.join("~", ".claude", "settings.json"))
        paths = [*([own] if os.path.lexists(own) else []), *claude]
        if options.ignore_settings or not paths:
            return settings
        from zot_agent.hook_programs.claude.rules import claude_layers  # noqa: PLC0415  not everybody has such settings

        user, *others = settings.layers
        flags = {"mode": options.permission_mode or settings.no_yolo, "sandbox": options.sandbox}
        said = [each for each, value in flags.items() if value]
        said += [key for layer in settings.layers for key in (*layer.values, *layer.values.get("permissions", ()))]
        found = Settings(user, *claude_layers(paths, said, own), *others)
        if found.errors:
            raise ConfigError(found.errors[0])
        return found

    def _of_no_server(self, settings: Settings) -> list[str]:
        """Return a line for each rule that denies or asks about tools of a server that no file names, and for each hook
        program about such tools."""
        rules, hooks = Settings.permissions.key, Settings.hooks.key
        texts = [
            (layer.source, text)
            for layer in settings.layers
            for action in ("ask", "deny")
            for text in layer.values.get(rules, {}).get(action, ())
        ]
        for layer in settings.layers:
            matches = (_matches(entries) for entries in layer.values.get(hooks, {}).values())
            texts += [(layer.source, name) for each in matches for text in each for name in text.split("|")]
        held = [(source, text) for source, text in texts if text.strip().casefold().startswith("mcp__")]
        if not held or self._options.no_ext:
            return []
        from zot_agent.mcp.server_files import of_no_server  # noqa: PLC0415  few people have rules about servers

        return of_no_server(held, self._server_files)

    def hooks(self, settings: Settings) -> FoundHooks:
        """Return the hook programs of `settings`, and of the settings of Claude Code that are used. Raises
        `ConfigError`."""
        return find_hooks(settings, self.settings.source, self.claude)

    def _check_changed(self) -> None:
        """Stop where the person has allowed the folder, and what holds back there is broken since then, or has changed
        and would not count because nobody can be asked."""
        if self.undecided is None or not (changed := self.changes()):
            return
        self._check(allowed=True)
        if not self._can_ask and self.undecided.holds_back:
            raise ConfigError(
                f"{self.folder}: {changed[0]} has changed since you allowed this folder, and what holds back there "
                "would not count: start zot there to decide, or pass --trust"
            )

    def _check_guards(self, server_files: Sequence[str], *, project: bool) -> None:
        for each in self.found.problems:
            if each.guards and (each.scope != "project" or project):
                raise ConfigError(
                    f"extension in {each.directory}: {each.message}; it may be a guard: mend it, or start with --no-ext"
                )
        if server_files:
            from zot_agent.mcp.server_files import ConfigProblem, check_files  # noqa: PLC0415  only where there are servers

            try:
                check_files(server_files)
            except ConfigProblem as error:
                raise ConfigError(str(error)) from None

    def _add_mcp(self, home: str) -> None:
        """Add the extension for MCP servers, if a file names any."""
        options = self._options
        files = mcp_files(self._cwd, home, project=self.trusted and not options.no_project_ext)
        self._server_files = [*options.mcp_files, *files] if not options.no_ext else []
        if options.no_ext or not (files or options.mcp_files):
            return
        from zot_agent.extensions.declared.bundled import bundled_mcp  # noqa: PLC0415  only where there are servers

        added = bundled_mcp(self._server_files)
        added.hidden_by = next((each.directory for each in self.found.found if each.name == added.name), "")
        self.found.found.append(added)

    def _hold_back(self, home: str) -> None:
        """Keep installed extensions from starting that the person has not allowed."""
        self.waiting = []
        installed = [each for each in self.found.active() if each.scope == "global" and each.manifest.exec]
        if not any(each.manifest.permissions for each in installed) and not os.path.exists(asked_mark(home)):
            return
        from zot_agent.host.extension_grants import ExtensionGrants  # noqa: PLC0415  few extensions have permissions

        grants = ExtensionGrants(home)
        for each in installed:
            decision = grants.decision(each)
            each.untrusted, each.undecided = not decision, decision is None
            if decision is None:
                self.waiting.append(each)
                if not self._can_ask:
                    self.notes.append(
                        f"extension {each.name} is not started, because you have not allowed what it may do; see and "
                        f"allow that with: zot ext enable {each.name}"
                    )

    def check_all_there(self) -> None:
        """Raise `ConfigError` if an extension of the last `find` cannot even be started and the options are strict."""
        if not self._options.strict_extensions:
            return
        for problem in self.found.problems:
            raise ConfigError(f"--strict-extensions: extension in {problem.directory}: {problem.message}")
        if self.waiting and not self._can_ask:
            name = self.waiting[0].name
            raise ConfigError(f"--strict-extensions: extension {name} is not allowed yet: zot ext enable {name}")

    def changes(self) -> list[str]:
        """List the files of `undecided` that have changed since the person allowed the project."""
        from zot_agent.config.folder_trust import FolderTrust  # noqa: PLC0415  only for a question

        if self.undecided is None:
            return []
        return FolderTrust(zot_home()).changes(self.undecided.content(), self._answered_for)

    def decide(self, *, allowed: bool) -> None:
        """Store the person's decision about `undecided`; it takes effect with the next `find`. Raises `ConfigError`,
        also for a project that cannot be allowed because of its settings."""
        self._check(allowed=allowed)
        from zot_agent.config.folder_trust import FolderTrust  # noqa: PLC0415  only for a question

        if self.undecided is not None:
            FolderTrust(zot_home()).remember(self.undecided.content(), allowed=allowed)

    def use_once(self, *, allowed: bool) -> None:
        """Decide about `undecided` for this run alone; it takes effect with the next `find`. Raises `ConfigError` as
        `decide` does."""
        self._check(allowed=allowed)
        self._setting = "on" if allowed else "off"

    def _check(self, *, allowed: bool) -> None:
        if allowed and self.undecided is not None:
            if self.undecided.problems:
                raise ConfigError(self.undecided.problems[0])
            self._check_guards(self.undecided.server_files, project=True)
            project = self.undecided.settings
            find_hooks(self._settings(project, self.undecided.claude), project.source, self.undecided.claude)


def extension_limits(*, once: bool = False) -> "ExtensionLimits":
    """Return the limits of extensions, `once` as in `build_host`. `ZOT_EXT_PATIENCE` multiplies how long zot waits for
    an extension; raises `ConfigError` if it is no number."""
    from zot_ext.limits import BUSY_ONCE, DEFAULT_LIMITS, ExtensionLimits  # noqa: PLC0415  not without extensions

    limits = ExtensionLimits(busy_seconds=BUSY_ONCE) if once else DEFAULT_LIMITS
    if not (text := os.environ.get("ZOT_EXT_PATIENCE", "")):
        return limits
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0 < factor <= 10_000:
        raise ConfigError(f"ZOT_EXT_PATIENCE must be a number greater than 0 and at most 10000, got {text!r}")
    return limits.longer(factor)


def make_extensions(
    choice: ProjectChoice,
    options: HostOptions,
    removed_env: Collection[str],
    runtime: "Callable[[], Runtime]",
    sandbox: "Callable[[], SandboxPolicy | None]",
    owner: "ExtensionOwner",
    providers: "ServedProviders | None",
    *,
    once: bool,
) -> "Extensions":
    """Create the extensions of `owner`, not yet started, for the current `runtime()` and `sandbox()`; `removed_env` is
    that of `ExtensionSetup`, `once` as in `build_host`. Raises `ConfigError` for `--ext-trace` and
    `ZOT_EXT_PATIENCE`."""
    from zot_agent.extensions.hooks import AgentInfo  # noqa: PLC0415  not needed without extensions
    from zot_agent.extensions.host import Extensions  # noqa: PLC0415
    from zot_agent.extensions.setup import ExtensionSetup  # noqa: PLC0415

    trace = None
    if options.ext_trace:
        from zot_agent.extensions.trace import Trace  # noqa: PLC0415  few runs have one

        trace = Trace(options.ext_trace)

    def about() -> AgentInfo:
        now = runtime()
        model, session = now.agent.model, now.session
        session_id = session.meta.session_id if session else ""
        return AgentInfo(now.cwd, model.provider, model.id, session_id, sandbox(), choice.trusted)

    setup = ExtensionSetup(
        zot_home(),
        extension_limits(once=once),
        use_tools=not options.no_ext_tools,
        trace=trace,
        removed_env=removed_env,
        flags=options.flags,
        strict=options.strict_extensions,
        use_remembered=True,
    )
    return Extensions(choice.find, about, setup, owner, providers)


def announce_providers(
    registry: ModelRegistry, discovery: Discovery, served: "ServedProviders | None" = None
) -> "ServedProviders | None":
    """Add to `registry` what the manifests of the active extensions say, in place of what is `served`. None if no
    manifest names a provider."""
    active = discovery.active()
    if served is None:
        if not any(each.manifest.providers for each in active):
            return None
        from zot_agent.extensions.providers.provider_service import ServedProviders  # noqa: PLC0415  few extensions serve models

        served = ServedProviders(registry)
    served.announce(active)
    return served


def open_providers(registry: ModelRegistry, options: HostOptions | None = None) -> "ServedProviders | None":
    """Add to `registry` the providers of the active extensions, for a program without a conversation. An extension is
    started when it is asked for something, and stopped by `ServedProviders.close`. None if no manifest names any.

    Raises `ConfigError`.
    """
    options, home = options or HostOptions(), zot_home()
    settings = load_settings(home, ignore=options.ignore_settings)
    discovery = ProjectChoice(options, settings, os.path.abspath(options.cwd)).find()
    if not any(each.manifest.providers for each in discovery.active()):
        return None
    from zot_agent.extensions.providers.provider_service import ServedProviders  # noqa: PLC0415  few extensions serve models

    def start(found: list[DiscoveredExtension], served: ServedProviders) -> "Extensions":
        from zot_agent.extensions.hooks import AgentInfo  # noqa: PLC0415  most of these programs need no extension
        from zot_agent.extensions.host import Extensions  # noqa: PLC0415  as above
        from zot_agent.extensions.setup import ExtensionSetup  # noqa: PLC0415  as above

        programs = Discovery([each for each in found if each.manifest.exec], [])
        return Extensions(
            lambda: programs,
            lambda: AgentInfo(os.path.abspath(options.cwd), "", "", ""),
            ExtensionSetup(
                home, extension_limits(), use_tools=False, removed_env=removed_variables(settings, registry.providers)
            ),
            providers=served,
        )

    served = ServedProviders(registry, start)
    served.announce(discovery.active())
    return served


def _matches(entries: object) -> list[str]:
    """Return what the hook programs of an event are for; the entries are checked later."""
    found = [each.get("match") for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    return [each for each in found if isinstance(each, str)]
