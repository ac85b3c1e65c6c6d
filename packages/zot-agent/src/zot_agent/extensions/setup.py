"""The parts of which extensions are made: `ExtensionSetup` for all, `ProcessTerms` for one, `ExtensionOwner` for the
extensions of a conversation; `AgentInfo`, what they know of the agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.protocol.permissions import EVERYTHING, ExtensionPermissions
from zot_provider.record import Record, field

if TYPE_CHECKING:
    from zot_agent.extensions.discover import Discovery, ResourceUse
    from zot_agent.extensions.hooks.interceptor import MorePrograms
    from zot_agent.extensions.registry import ProviderRegistrations
    from zot_agent.extensions.trace import Trace
    from zot_core.conversation.driver import Conversation
    from zot_core.machine.shell import Launch
    from zot_core.sandbox.policy import SandboxPolicy
    from zot_core.sandbox.sandbox import Sandbox
    from zot_ext.protocol.flags import FlagValue
    from zot_provider.auth.store import AccountStore


class AgentInfo(Record):
    """The current working directory, provider, model and session of the agent, and whether the person has allowed what
    the project brings."""

    cwd: str
    provider: str
    model: str
    session_id: str
    sandbox: SandboxPolicy | None = None
    """The policy of the sandbox that the person has turned on."""
    project_trusted: bool = False


class ProcessTerms(Record):
    """How the process of an extension runs: its command, and its sandbox, if it is confined. `permissions` come
    from its manifest, for what zot does for it."""

    launch: Launch
    sandbox: Sandbox | None = None
    permissions: ExtensionPermissions = EVERYTHING


class ReloadStats(Record):
    """Counts of a reload; `errors` are lines for the user."""

    stopped: int
    loaded: int
    ready: int
    errors: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"reloaded: {self.stopped} stopped, {self.loaded} loaded ({self.ready} ready)"


class ExtensionSetup(Record):
    """How extensions are run. `home` is zot's own folder, for the logs. Without `use_tools` the model does not get
    their tools. `commands`, in lower case, and `tools` are reserved names, and so are the names of the agent's tools.
    `removed_env` are environment variables that only extensions get whose manifest names them. `flags` are the flags of
    extensions on the command line, by name. `strict`: nothing is done without all of them. `use_remembered`: what an
    extension registered in its last run holds until it is ready, where its manifest says so."""

    home: str
    limits: ExtensionLimits = DEFAULT_LIMITS
    use_tools: bool = True
    trace: Trace | None = None
    commands: Container[str] = ()
    tools: Iterable[str] = ()
    removed_env: Collection[str] = frozenset()
    flags: Mapping[str, FlagValue] = field(default_factory=dict)
    strict: bool = False
    use_remembered: bool = False


class ExtensionOwner(Record):
    """The objects on which the calls of extensions act, and the services of the program around them.

    `accounts` opens the store for their secrets, without which they are unavailable. `favourites` returns the names of
    the person's favourite models. `restart` reloads all extensions when one of them asks for it, None for
    `Extensions.reload`. `find_programs` returns the programs that observe and intercept beside the extensions, at the
    start and at every reload; it raises `ConfigError`. `serve` makes the providers that extensions serve, or brings
    them up to date. `resources` uses what extensions bring; without it they can bring nothing."""

    conversation: Conversation
    accounts: Callable[[], AccountStore] | None = None
    favourites: Callable[[], Sequence[str]] = tuple
    restart: Callable[[], Awaitable[ReloadStats]] | None = None
    find_programs: Callable[[Trace | None], MorePrograms | None] = lambda trace: None
    serve: Callable[[Discovery], ProviderRegistrations | None] = lambda discovery: None
    resources: ResourceUse | None = None
