"""`Host`: a conversation with its extensions and settings. Only `zot_agent.host.build` creates one."""

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from zot_agent.config.child_keys import removed_variables
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import Settings
from zot_agent.host.options import HostOptions
from zot_core.conversation.events import ConversationEvent, Notify
from zot_core.errors import Refused
from zot_core.hooks import SessionChange
from zot_provider.auth.personal import PersonalKeys
from zot_provider.registry import ModelRegistry

if TYPE_CHECKING:
    from zot_agent.extensions.discover import Discovery
    from zot_agent.extensions.host import Extensions
    from zot_agent.extensions.providers.provider_service import ServedProviders
    from zot_agent.extensions.setup import ReloadStats
    from zot_agent.extensions.trace import Trace
    from zot_agent.hook_programs.programs import HookPrograms
    from zot_agent.host.audit import AuditLog
    from zot_agent.host.extensions import ProjectChoice
    from zot_agent.host.folder import HostFolder
    from zot_agent.host.sandbox import SandboxSwitch
    from zot_agent.traces import Traces
    from zot_core.conversation.driver import Conversation
    from zot_core.runtime.runtime import Runtime

COLLECTORS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""The variables of OpenTelemetry that name a collector of traces."""


class Host:
    """The host of a mode: the conversation to drive, with its extensions, settings and models."""

    def __init__(
        self,
        conversation: "Conversation",
        notes: Sequence[str] = (),
        *,
        options: HostOptions | None = None,
        settings: Settings | None = None,
        models: ModelRegistry | None = None,
        choice: "ProjectChoice | None" = None,
        folder: "HostFolder | None" = None,
        providers: "ServedProviders | None" = None,
    ) -> None:
        """`notes` are lines for the person: problems that were found while the host was built.

        `options` are those the host was built from, `choice` says what of the project is used. Of the lines for the
        person that `folder` returns, the host passes on each once. Without `choice` a host has no extensions, and
        without `folder` it has no sandbox and cannot open sessions.
        """
        self.conversation = conversation
        self.notes = [*notes, *(providers.problems if providers is not None else ())]
        self._said = set(notes)
        self.options = options or HostOptions()
        self.settings = settings or Settings()
        self.models = models or ModelRegistry()
        self.choice = self.hooks_of = choice
        self._folder = folder
        self.extensions: Extensions | None = None
        """None until extensions are started."""
        self.hooks: HookPrograms | None = None
        """The programs that the settings name for events; None without any."""
        self.providers = providers
        """The providers that extensions serve; None if no manifest names any."""
        self._follow_providers()
        self.audit: AuditLog | None = None
        """The record of tool calls, where it is wanted."""
        self._traces = _open_traces(conversation.runtime)

    @property
    def keys(self) -> PersonalKeys | None:
        """The keys of the person, for `SignInSession`; None if the models have other credentials."""
        credentials = self.models.credentials
        return credentials if isinstance(credentials, PersonalKeys) else None

    @property
    def sandbox(self) -> "SandboxSwitch | None":
        """Turns the sandbox on and off."""
        return None if self._folder is None else self._folder.sandbox

    @property
    def runtime(self) -> "Runtime":
        """The agent of the conversation."""
        return self.conversation.runtime

    async def open_session(self, path: str, *, fork: bool = False) -> list[str]:
        """Continue the session at `path`, in its directory and with its model, with `fork` in a copy of it, and return
        lines for the person.

        Raises `Busy`, `NotAllowed`, `ConfigError` and `SessionError`; nothing has changed then.
        """
        if self._folder is None:
            raise RuntimeError("this host was made without sessions")
        await self.conversation.branches.allow(SessionChange("fork" if fork else "resume", path))
        notes, project = self._folder.open_session(path, fork=fork)
        self.use_hooks_of(project)
        return self._unsaid(notes)

    def _unsaid(self, lines: list[str]) -> list[str]:
        """Return the lines that the person has not read yet."""
        new = [line for line in lines if line not in self._said]
        self._said.update(new)
        return new

    def start_extensions(self, discovery: "Discovery | None" = None) -> "Extensions":
        """Start the extensions in the background. Raises `RuntimeError` if this host cannot have extensions."""
        if self.choice is None:
            raise RuntimeError("this host was made without extensions")
        from zot_agent.extensions.setup import ExtensionOwner  # noqa: PLC0415  not needed without extensions
        from zot_agent.host.extensions import make_extensions  # noqa: PLC0415  as above

        keys, folder = self.keys, self._folder
        owner = ExtensionOwner(
            self.conversation,
            None if keys is None else lambda: keys.accounts.store,
            lambda: self.settings.favourite_models,
            self.reload_extensions,
            self._open_hooks,
            self._serve,
            None if folder is None else folder.brought,
        )
        self.extensions = extensions = make_extensions(
            self.choice,
            self.options,
            removed_variables(self.settings, self.models.providers),
            lambda: self.runtime,
            lambda: None if self.sandbox is None else self.sandbox.policy,
            owner,
            self.providers,
            once=folder is not None and folder.once,
        )
        self._connect_providers(extensions)
        extensions.attach(self.runtime.agent)
        self.conversation.attach(extensions)
        self.notes += extensions.start(discovery)
        return extensions

    def _open_hooks(self, trace: "Trace | None" = None) -> "HookPrograms | None":
        from zot_agent.host.programs.hooks import open_hooks  # noqa: PLC0415  as above

        removed = removed_variables(self.settings, self.models.providers)
        if self.hooks_of is not None:
            found = self.hooks_of.hooks(self.hooks_of.load())
            self.hooks = open_hooks(found, self.conversation, self.sandbox, removed, trace)
        return self.hooks

    def use_hooks_of(self, choice: "ProjectChoice") -> None:
        """Use the hook programs of the project of `choice` in place of another project's. Raises `ConfigError`."""
        self.hooks_of = choice
        if self.extensions is not None:
            self.extensions.subscribers.renew_programs()
        elif self._open_hooks() is not None:
            self.start_extensions()

    def _serve(self, discovery: "Discovery") -> "ServedProviders | None":
        from zot_agent.host.extensions import announce_providers  # noqa: PLC0415  not needed without extensions

        before, self.providers = self.providers, announce_providers(self.models, discovery, self.providers)
        if before is None:
            self._follow_providers()
        if self.extensions is not None:
            self._connect_providers(self.extensions)
        return self.providers

    def _connect_providers(self, extensions: "Extensions") -> None:
        if self.providers is not None:
            self.providers.ask(extensions)

    def _follow_providers(self) -> None:
        if self.providers is not None:
            self.providers.changed.add(self._provider_changed)

    def _provider_changed(self, id: str) -> None:
        """Take what is now known of the model in use."""
        agent = self.runtime.agent
        if agent.model.provider == id and self.models.has(id):
            found = self.models.find(id, agent.model.id) if agent.model.id else self.models.default(id)
            if found is not None and found.id and found != agent.model:
                agent.model = found
                self.conversation.settings_changed()

    async def reload_extensions(self) -> "ReloadStats":
        """Stop all extensions, discover them again and start them; the agent gets their tools with its next model
        call."""
        if self.hooks_of is not None and self.hooks_of is not self.choice:
            await asyncio.to_thread(self.hooks_of.find)
        stats = await (self.extensions or self.start_extensions()).reload()
        if self._folder is not None:
            await self._folder.brought.changed()
        self.conversation.extensions_changed()
        return stats.replace(errors=[*stats.errors, *(self.choice.notes if self.choice is not None else ())])

    async def ask_early_about_project(self) -> None:
        """Do what `ask_about_project` does before anybody follows the conversation: its lines, and what extensions say
        meanwhile, become `notes`."""
        said: list[str] = []

        def note(event: ConversationEvent) -> None:
            if isinstance(event, Notify):
                said.append(f"extension {event.extension}: {event.message}")

        unfollow = self.conversation.events.add(note, Notify)
        try:
            answers = await self.ask_about_project()
        finally:
            unfollow()
        self.notes += [*answers, *said]

    async def ask_about_project(self) -> list[str]:
        """Ask the extensions whether what the project brings may be used in this run, if the person has not decided
        about it. Returns lines for the person, in place of `notes` about that; none without an answer."""
        choice, extensions = self.choice, self.extensions
        if choice is None or choice.undecided is None or extensions is None:
            return []
        from zot_agent.extensions.hooks.intercepts import ProjectQuestion  # noqa: PLC0415  few projects are undecided

        project, changes = choice.undecided, await asyncio.to_thread(choice.changes)
        question, decided = ProjectQuestion(project.folder, project.lines(), changes), asyncio.Event()

        async def wait(step: int) -> None:
            """A run that begins meanwhile has what the project brings, or does not have it, from its first request."""
            await decided.wait()
            if step == 1 and self._folder is not None:
                self._folder.brought.use()

        remove = self.runtime.agent.hooks.before_turn.add(wait)
        try:
            answer = await extensions.hooks.project_trust(question)
            allowed, why = answer.trusted, f"used in this run, because {answer.changed_by} allows it"
            if not allowed:
                return []
            errors = await self._use_once(choice, allowed=True)
        except Refused as refusal:
            allowed, why, errors = False, f"not used in this run ({refusal})", []
            await self._use_once(choice, allowed=False)
        finally:
            decided.set()
            remove()
        lines = [*errors, *await self.refresh_workspace()] if allowed else []
        return [f"{why}: {project.names()} of {project.folder}", *lines]

    async def _use_once(self, choice: "ProjectChoice", *, allowed: bool) -> list[str]:
        self.notes = [each for each in self.notes if each not in choice.notes]
        choice.use_once(allowed=allowed)
        return (await self.reload_extensions()).errors if allowed else []

    async def use_project(self) -> list[str]:
        """Start the extensions of a project that the person has just allowed, and use its skills and instructions once
        the agent is idle. Returns lines for the person."""
        if self.choice is None or self._folder is None:
            return []
        errors = []
        if self.extensions is not None or self.choice.find().active() or self._open_hooks() is not None:
            errors = (await self.reload_extensions()).errors
        return [*errors, *await self.refresh_workspace()]

    async def refresh_workspace(self) -> list[str]:
        """Read skills, pins and instructions again once the agent is idle. Returns lines for the person."""
        if self._folder is None:
            return []
        await self.conversation.idle()
        self.settings, notes = self._folder.reopen(self.settings)
        self.begin_audit()
        return self._unsaid(notes)

    def begin_audit(self) -> None:
        """Keep a record of tool calls from now on, if the settings want one."""
        if self.settings.audit == "on" and self.audit is None:
            from zot_agent.host.audit import AuditLog  # noqa: PLC0415  few people want it

            self.audit = AuditLog(zot_home(), self.conversation, [self.options.api_key])
            self.audit.attach()

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
            if self._traces is not None:
                await asyncio.to_thread(self._traces.close)


def _open_traces(runtime: "Runtime") -> "Traces | None":
    """Return the spans of OpenTelemetry, if a variable names a collector."""
    if not any(map(os.environ.get, COLLECTORS)):
        return None
    from zot_agent.traces import Traces, open_provider  # noqa: PLC0415  few people have a collector

    provider = open_provider()
    return None if provider is None else Traces(runtime, provider)
