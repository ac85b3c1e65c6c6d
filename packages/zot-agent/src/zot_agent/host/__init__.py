"""`Host`: a conversation with its extensions and settings. `zot_agent.host.build` is the one place that makes one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from zot_agent.config.settings import Settings
from zot_agent.host.options import Options
from zot_core.conversation import Conversation
from zot_core.runtime.runtime import Runtime
from zot_provider.registry import ModelRegistry

if TYPE_CHECKING:
    from zot_agent.extensions.discover import Discovery
    from zot_agent.extensions.host import Extensions, ReloadStats
    from zot_agent.host.extensions import ExtensionChoice


class Host:
    """What a mode is given: the conversation to drive, and what belongs to this program around it."""

    def __init__(
        self,
        conversation: Conversation,
        notes: Sequence[str] = (),
        *,
        options: Options | None = None,
        settings: Settings | None = None,
        models: ModelRegistry | None = None,
        choice: "ExtensionChoice | None" = None,
        open_session: Callable[[str], list[str]] | None = None,
    ) -> None:
        """`notes` are for the person, one line each: what was odd while the host was put together.

        `options` are those it was made of, `choice` says which extensions may start, and `open_session` continues the
        session at a path; a host without them has no extensions, and cannot open sessions.
        """
        self.conversation = conversation
        self.notes = list(notes)
        self.options = options or Options()
        self.settings = settings or Settings()
        self.models = models or ModelRegistry()
        self.choice = choice
        self.extensions: Extensions | None = None
        """None until some were found."""
        self._open_session = open_session

    @property
    def runtime(self) -> Runtime:
        """The agent of the conversation."""
        return self.conversation.runtime

    def open_session(self, path: str) -> list[str]:
        """Continue the session at `path`, in its directory and with its model; lines for the person.

        Raises `Busy`, `ConfigError` and `SessionError`; then nothing has changed.
        """
        if self._open_session is None:
            raise RuntimeError("this host was made without sessions")
        return self._open_session(path)

    def start_extensions(self, discovery: "Discovery | None" = None) -> "Extensions":
        """Start the extensions that were found, in the background. RuntimeError if this host cannot have any."""
        if self.choice is None:
            raise RuntimeError("this host was made without extensions")
        from zot_agent.host.extensions import make_extensions  # noqa: PLC0415  who has none does not load it

        self.extensions = extensions = make_extensions(self.choice, self.options, lambda: self.runtime)
        extensions.attach(self.runtime.agent)
        self.conversation.attach(extensions)
        self.notes += [*extensions.start(discovery), *self.choice.notes]
        return extensions

    async def reload_extensions(self) -> "ReloadStats":
        """Stop all extensions, look for them again, start them; the agent has their tools from its next model call."""
        stats = await (self.extensions or self.start_extensions()).reload()
        self.conversation.extensions_changed()
        return stats

    async def close(self) -> None:
        """Stop what runs and release everything."""
        try:
            await self.conversation.close()
        finally:
            if self.extensions is not None:
                await self.extensions.close()
