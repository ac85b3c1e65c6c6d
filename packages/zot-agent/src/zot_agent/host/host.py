"""`Host`: a conversation with its extensions and settings. Only `zot_agent.host.build` creates one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from zot_agent.config.child_keys import removed_variables
from zot_agent.config.settings import Settings
from zot_agent.host.options import HostOptions
from zot_provider.auth.personal import PersonalKeys
from zot_provider.registry import ModelRegistry

if TYPE_CHECKING:
    from zot_agent.extensions.discover import Discovery
    from zot_agent.extensions.host import Extensions, ReloadStats
    from zot_agent.host.audit import AuditLog
    from zot_agent.host.extensions import ProjectChoice
    from zot_agent.host.sandbox import SandboxSwitch
    from zot_core.conversation.driver import Conversation
    from zot_core.runtime.runtime import Runtime


class Host:
    """What a mode gets: the conversation to drive, with its extensions, settings and models."""

    def __init__(
        self,
        conversation: "Conversation",
        notes: Sequence[str] = (),
        *,
        options: HostOptions | None = None,
        settings: Settings | None = None,
        models: ModelRegistry | None = None,
        choice: "ProjectChoice | None" = None,
        sandbox: "SandboxSwitch | None" = None,
        open_session: Callable[..., list[str]] | None = None,
        reopen_workspace: Callable[[], list[str]] | None = None,
    ) -> None:
        """`notes` are lines for the person: problems that were found while the host was built.

        `options` are those the host was built from, `choice` says what of the project is used, `sandbox`
        turns the sandbox on and off, `open_session` continues
        the session at a path, and `reopen_workspace` reads skills and instructions again; both return lines for the
        person, of which the host passes on each once. Without `choice` a host has no extensions, and without
        `open_session` it cannot open sessions.
        """
        self.conversation = conversation
        self.notes = list(notes)
        self._said = set(notes)
        self.options = options or HostOptions()
        self.settings = settings or Settings()
        self.models = models or ModelRegistry()
        self.choice = choice
        self.sandbox = sandbox
        self.extensions: Extensions | None = None
        """None until extensions are started."""
        self.audit: AuditLog | None = None
        """The record of tool calls, where it is wanted."""
        self._open_session, self._reopen_workspace = open_session, reopen_workspace

    @property
    def keys(self) -> PersonalKeys | None:
        """The keys of the person, for `SignInSession`; None if the models have other credentials."""
        credentials = self.models.credentials
        return credentials if isinstance(credentials, PersonalKeys) else None

    @property
    def runtime(self) -> "Runtime":
        """The agent of the conversation."""
        return self.conversation.runtime

    def open_session(self, path: str, *, fork: bool = False) -> list[str]:
        """Continue the session at `path`, in its directory and with its model, with `fork` in a copy of it, and return
        lines for the person.

        Raises `Busy`, `ConfigError` and `SessionError`; nothing has changed then.
        """
        if self._open_session is None:
            raise RuntimeError("this host was made without sessions")
        return self._unsaid(self._open_session(path, fork=fork))

    def _unsaid(self, lines: list[str]) -> list[str]:
        """Return the lines that the person has not read yet."""
        new = [line for line in lines if line not in self._said]
        self._said.update(new)
        return new

    def start_extensions(self, discovery: "Discovery | None" = None) -> "Extensions":
        """Start the extensions in the background. Raises `RuntimeError` if this host cannot have extensions."""
        if self.choice is None:
            raise RuntimeError("this host was made without extensions")
        from zot_agent.host.extensions import make_extensions  # noqa: PLC0415  not needed without extensions

        self.extensions = extensions = make_extensions(
            self.choice,
            self.options,
            removed_variables(self.settings, self.models.providers),
            lambda: self.runtime,
            lambda: None if self.sandbox is None else self.sandbox.policy,
        )
        extensions.conversation, keys = self.conversation, self.keys
        if keys is not None:
            extensions.accounts = lambda: keys.accounts.store
        extensions.attach(self.runtime.agent)
        self.conversation.attach(extensions)
        self.notes += extensions.start(discovery)
        return extensions

    async def reload_extensions(self) -> "ReloadStats":
        """Stop all extensions, discover them again and start them; the agent gets their tools with its next model
        call."""
        stats = await (self.extensions or self.start_extensions()).reload()
        self.conversation.extensions_changed()
        return stats.replace(errors=[*stats.errors, *(self.choice.notes if self.choice is not None else ())])

    async def use_project(self) -> list[str]:
        """Start the extensions of a project that the person has just allowed, and use its skills and instructions once
        the agent is idle. Returns lines for the person."""
        if self.choice is None or self._reopen_workspace is None:
            return []
        errors = []
        if self.extensions is not None or self.choice.find().active():
            errors = (await self.reload_extensions()).errors
        return [*errors, *await self.refresh_workspace()]

    async def refresh_workspace(self) -> list[str]:
        """Read skills, pins and instructions again once the agent is idle. Returns lines for the person."""
        if self._reopen_workspace is None:
            return []
        await self.conversation.idle()
        return self._unsaid(self._reopen_workspace())

    async def close(self) -> None:
        """Stop the running work and release all resources."""
        try:
            await self.conversation.close()
        finally:
            if self.audit is not None:
                await self.audit.close()
            if self.extensions is not None:
                await self.extensions.close()
            if self.sandbox is not None:
                self.sandbox.close()
