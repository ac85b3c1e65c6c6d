"""`Host`: what every mode drives. `zot_agent.host.build` is the one place that makes one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from zot_agent.config.settings import Settings
from zot_agent.host.options import Options
from zot_core.confirm import Confirm, confirm_gate
from zot_core.errors import Busy
from zot_core.events import AgentEvent
from zot_core.hooks import Call, Observe, Refusal
from zot_core.runtime import Runtime

if TYPE_CHECKING:
    from zot_agent.extensions.discover import Discovery
    from zot_agent.extensions.running import Extensions, ReloadStats
    from zot_agent.host.extensions import ExtensionChoice
    from zot_core.sessions.file import SessionFile


class Host:
    """An agent with its session, hooks and extensions.

    `runtime` may become another one (`reopen`); `events` go on, and so do the extensions.
    """

    def __init__(
        self,
        runtime: Runtime,
        notes: Sequence[str] = (),
        *,
        options: Options | None = None,
        settings: Settings | None = None,
        choice: "ExtensionChoice | None" = None,
        reopen: "Callable[[Options, SessionFile | None], tuple[Runtime, list[str]]] | None" = None,
    ) -> None:
        """`notes` are for the person, one line each: what was found odd while putting the host together.

        `options` are those it was made of, `choice` says which extensions may start, and `reopen` makes another
        runtime, which may take over the session that is open; a host without them has no extensions and cannot be
        reopened.
        """
        self.runtime = runtime
        self.notes = list(notes)
        self.options = options or Options()
        self.settings = settings or Settings()
        self.choice = choice
        self.extensions: Extensions | None = None
        """None until some were found."""
        self.events: Observe[AgentEvent] = Observe()
        """Every event of whatever the runtime is."""
        self._reopen = reopen
        self.confirm: Confirm | None = None
        """Asked before each tool call, last of all; counts for whatever the runtime is."""
        self._stop_telling = self._attach()

    def _attach(self) -> Callable[[], None]:
        hooks = self.runtime.hooks

        async def ask(call: Call) -> Refusal | None:
            return None if self.confirm is None else await confirm_gate(self.confirm)(call)

        hooks.tool_run.add(ask)
        return hooks.event.add(self.events.tell)

    @property
    def holds_text(self) -> bool:
        """Whether text of the model must not be shown as it comes: an extension may replace it when it is whole."""
        return self.extensions is not None and bool(self.extensions.interceptors("assistant_message"))

    @property
    def hold_text(self) -> bool:
        """The wish of a program that reads events: to be spared of text that may be replaced."""
        return self.options.hold_text

    async def reopen(self, options: Options) -> list[str]:
        """Go on with what `options` name: another session, another vendor's model; lines for the person.

        The old session is closed unless it is named again, the extensions stay. Raises `Busy`, `ConfigError` and
        `SessionError`, and nothing has changed then.
        """
        if self._reopen is None:
            raise RuntimeError("this host was made for one runtime")
        if self.runtime.busy:
            raise Busy("the agent is busy")
        old, (self.runtime, notes) = self.runtime, self._reopen(options, self.runtime.session)
        self.options = options
        self._stop_telling()
        self._stop_telling = self._attach()
        if self.extensions is not None:
            self.extensions.attach(self.runtime.agent)
        if old.session is self.runtime.session:
            old.session = None  # it goes on, and is not to be closed with the agent that had it
        await old.close()
        return notes

    def start_extensions(self, discovery: "Discovery | None" = None) -> "Extensions":
        """Start the extensions that were found, in the background. RuntimeError if this host cannot have any."""
        if self.choice is None:
            raise RuntimeError("this host was made without extensions")
        from zot_agent.host.extensions import make_extensions  # noqa: PLC0415  who has none does not load it

        self.extensions = extensions = make_extensions(self.choice, self.options, lambda: self.runtime)
        extensions.attach(self.runtime.agent)
        self.notes += [*extensions.start(discovery), *self.choice.notes]
        return extensions

    async def reload_extensions(self) -> "ReloadStats":
        """Stop all extensions, look for them anew, start them; the agent has their tools from its next model call."""
        return await (self.extensions or self.start_extensions()).reload()

    async def close(self) -> None:
        """Stop what runs and release everything."""
        try:
            await self.runtime.close()
        finally:
            if self.extensions is not None:
                await self.extensions.close()
