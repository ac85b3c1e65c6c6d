"""The extensions of a host: which may start, and what they learn about the agent."""

from collections.abc import Callable, Sequence

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import Settings
from zot_agent.extensions.discover import DiscoveredExtension, Discovery, discover
from zot_agent.host.options import HostOptions
from zot_core.runtime.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_agent.extensions.host import Extensions


class ExtensionChoice:
    """Decides which of the discovered extensions may run.

    Extensions of a project come with a repository and run with the person's rights. A screen asks about each of them
    once (`undecided`). Where nobody can be asked they start, unless the person has refused them before, and `notes`
    says so.
    """

    def __init__(self, options: HostOptions, settings: Settings, cwd: str, *, can_ask: bool = False) -> None:
        self._options, self._cwd, self._can_ask = options, cwd, can_ask
        self._project = not options.no_project_ext and settings.project_extensions != "off"
        self._trust_all = settings.project_extensions == "on"
        self.found = Discovery([], [])
        """The result of the last `find`."""
        self.undecided: list[DiscoveredExtension] = []
        """Extensions of the project that wait for the person's decision."""
        self.notes: list[str] = []
        """Lines for the person about the last `find`."""

    def find(self) -> Discovery:
        """Discover the extensions again, except extensions that may not start."""
        options = self._options
        found = discover(options.extensions, self._cwd, zot_home(), installed=not options.no_ext, project=self._project)
        self.undecided, self.notes = [], []
        asking = [each for each in found.active() if each.scope == "project" and each.manifest.exec]
        if asking and not self._trust_all:
            refused = self._refused(asking)
            found = found.replace(found=[each for each in found.found if each not in refused])
        started = [each.name for each in asking if each in found.found]
        if started and not (self._can_ask or self._trust_all):
            self.notes.append(
                f"running extensions of this project: {', '.join(started)} (disable them with --no-project-ext)"
            )
        self.found = found
        return found

    def decide(self, found: DiscoveredExtension, *, allowed: bool) -> None:
        """Store the person's decision about an extension of the project; it takes effect with the next `find`."""
        from zot_agent.extensions.trust import Trust  # noqa: PLC0415  as above

        Trust(zot_home()).remember(found, allowed)

    def _refused(self, asking: Sequence[DiscoveredExtension]) -> list[DiscoveredExtension]:
        from zot_agent.extensions.trust import Trust  # noqa: PLC0415  a project without extensions does not need it

        trust = Trust(zot_home())
        decisions = [(each, trust.decision(each)) for each in asking]
        if self._can_ask:
            self.undecided = [each for each, decision in decisions if decision is None]
            return [each for each, decision in decisions if decision is not True]
        return [each for each, decision in decisions if decision is False]


def make_extensions(choice: ExtensionChoice, options: HostOptions, runtime: Callable[[], Runtime]) -> "Extensions":
    """Create the extensions, not yet started, for the current `runtime()`. Raises `ConfigError` for `--ext-trace`."""
    from zot_agent.extensions.hooks import AgentInfo  # noqa: PLC0415  not needed without extensions
    from zot_agent.extensions.host import Extensions  # noqa: PLC0415
    from zot_agent.extensions.trace import Trace  # noqa: PLC0415

    def about() -> AgentInfo:
        now = runtime()
        model, session = now.agent.model, now.session
        return AgentInfo(now.cwd, model.provider, model.id, session.meta.id if session else "")

    return Extensions(
        choice.find,
        about,
        home=zot_home(),
        use_tools=not options.no_ext_tools,
        trace=Trace(options.ext_trace) if options.ext_trace else None,
    )
