"""`Conversation`: drives one agent for any front end."""

import asyncio
import os
from collections.abc import Callable, Container, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any, Literal

from zot_core.agent.loop import answer, end_run, error_event
from zot_core.agent.run import Run
from zot_core.confirm import Permissions
from zot_core.conversation.branches import ConversationBranches, position
from zot_core.conversation.command_set import CommandSet
from zot_core.conversation.commands import Command, CommandError
from zot_core.conversation.events import Changed, ConversationEvent, ExtensionEvent, SessionReason, Submit, Undelivered
from zot_core.conversation.extensions import ExtensionHost, FrontEndActions
from zot_core.conversation.queue import Queued, RunQueue, SessionChanges
from zot_core.conversation.run_choices import run_choices
from zot_core.conversation.session_mode import keep_mode, resume_mode
from zot_core.conversation.shell_command import ShellCommand, message_with_output
from zot_core.conversation.shell_results import ShellCommands, update_child_env
from zot_core.conversation.todos import TodoList
from zot_core.errors import Busy, error_line
from zot_core.events import AgentEvent, AssistantStart, Done, ErrorEvent, RunEnd, ToolCall, ToolResultEvent, UserMessage
from zot_core.hooks import Observe, SessionChange, UserInput
from zot_core.permission_mode import SandboxState
from zot_core.printable import first_line
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.workspace import Workspace
from zot_core.sessions.file import SessionFile, StoredSession
from zot_core.templates import CommandPrompt
from zot_provider.errors import ZotError
from zot_provider.messages import ImageBlock, Message
from zot_provider.model import Model
from zot_provider.request import Reasoning


class NotRunning(ZotError):
    """No prompt is being answered that could be steered."""


class Conversation:
    """Prompts, commands and settings of one agent, for any number of front ends.

    Prompts run one after the other. `events` reports everything that happens, in order and once. A prompt that is a
    slash command of a prompt template, a skill or an extension runs that command; an unknown one is sent as text.
    """

    def __init__(self, runtime: Runtime, *, max_queued: int = 1000, permissions: Permissions | None = None) -> None:
        """Take over `runtime`; from now on prompts must go through this conversation. At most `max_queued` may wait."""
        self.runtime = runtime
        self.events: Observe[ConversationEvent] = Observe()
        self.extensions: ExtensionHost | None = None
        """The source of commands and events of extensions: see `attach`."""
        self.permissions = permissions or Permissions()
        """Which tool calls may run; without any given, all may."""
        self.front_end = ""
        """The front end, as extensions know it: `tui`, `rpc`, `serve`, `acp`, `print`, `stream`, `json`."""
        self.actions = FrontEndActions()
        """The services of the front end for extensions."""
        self.sandbox: SandboxState = "off"
        self.text_deferred = False
        """Whether the text of the current answer may only be shown with `AssistantMessage`."""
        self.branches = ConversationBranches(
            runtime, self._check_changeable, self._session_changed, partial(self._add, of_change=True)
        )
        self._queue = RunQueue(
            runtime, max_queued, lambda: self.events.notify(Changed("queue")), self._report_start_failure
        )
        self.changes = SessionChanges(self._queue, self._check_changeable)
        """The order of the changes that open another conversation."""
        self._commands = CommandSet(runtime, self.events.notify, lambda: self.extensions)
        self.todos = TodoList(runtime, self.events.notify)
        self._shell = ShellCommands(runtime, self.events.notify)
        self._unread_count = 0
        runtime.hooks.event.add(self._before_event, AssistantStart, ToolCall, Done)
        runtime.hooks.event.add(self.events.notify)
        runtime.hooks.event.add(self._after_event, ToolResultEvent, UserMessage)
        runtime.judge_with(self.permissions)
        keep_mode(self.permissions, lambda: self.runtime.session)
        self.permissions.changed.add(lambda _: self.events.notify(Changed("settings")))
        update_child_env(self.runtime)

    # Running and waiting

    @property
    def busy(self) -> bool:
        """Whether a run is waiting, or in progress and not yet `done`."""
        return self._queue.busy

    @property
    def running(self) -> Queued | None:
        """The running work; None after its `done`."""
        return self._queue.running

    @property
    def waiting(self) -> list[Queued]:
        """The waiting work, in order."""
        return self._queue.waiting

    @property
    def unread(self) -> list[str]:
        """Steering and follow-up messages that the model has not read yet."""
        return [message.text for message in self.runtime.agent.inbox.messages]

    def prompt(
        self, text: str | CommandPrompt, images: Iterable[ImageBlock] = (), *,
        typed: str = "", commands: bool = True, attached: Sequence[str] = (), first: bool = False, extension: str = "",
    ) -> Run:  # fmt: skip
        """Queue `text`, or what a command has made, as a prompt. Await the returned run for how it ended, or iterate
        over it for its events; it can be cancelled before it starts, too.

        `typed` is what the user typed, if that differs from `text`. Without `commands` a slash command is sent as text.
        The model reads the texts of `attached` files before the prompt. With `first` it comes before the waiting work.
        `extension` names the sender, if that is one. Raises `QueueFull` and `Closed`. Failures are events.
        """
        plain = text if isinstance(text, str) else text.text
        work = partial(
            self._answer, text, UserInput("", list(images), extension=extension), attached, commands=commands
        )
        return self._add(work, typed or plain, plain, steerable=True, first=first)

    def send(self, message: Message, *, typed: str = "", interrupt: bool = False) -> Run:
        """Queue a user message that is already made; with `interrupt` it stops what runs and comes first."""
        stopped = self.running if interrupt else None
        work = partial(answer, self.runtime.agent, [message])
        run = self._add(work, typed, message.text, steerable=True, first=interrupt)
        if stopped is not None:
            stopped.run.cancel()
        return run

    def resend(self, typed: str = "", work: Callable[[], Coroutine[Any, Any, RunEnd]] | None = None) -> Run:
        """Queue another try to answer the conversation as it is, after a run that failed; or that `work`."""
        return self._add(work or partial(answer, self.runtime.agent, []), typed)

    def compact(self, instructions: str = "") -> Run:
        """Queue a compaction of the conversation: see `Runtime.compact`."""
        return self._add(partial(self.runtime.summarise, instructions), f"/compact {instructions}".strip())

    def shell(self, command: ShellCommand, typed: str = "") -> Run:
        """Queue a shell command: `ShellStart`, `ShellOutput`, `ShellEnd`. The model reads the output next time."""
        return self._add(partial(self._shell.run, command), typed or f"!{command.command}")

    def _add(
        self, work: Callable[[], Coroutine[Any, Any, RunEnd]], typed: str, text: str = "", *,
        steerable: bool = False, first: bool = False, of_change: bool = False,
    ) -> Run:  # fmt: skip
        run = Run(self.runtime.hooks.event)
        self._queue.add(Queued(run, work, typed, text or typed, steerable=steerable), first=first, of_change=of_change)
        return run

    def steer(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Add a user message to the running prompt, before its next model call. Raises `NotRunning`."""
        self._check_steerable()
        self.runtime.steer(text, images)
        self.inbox_changed()

    def follow_up(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Add a user message to the running prompt, once it is answered. Raises `NotRunning`."""
        self._check_steerable()
        self.runtime.follow_up(text, images)
        self.inbox_changed()

    def inbox_changed(self) -> None:
        """Report that a message was added to the inbox of the agent."""
        self._unread_count = len(self.unread)
        self.events.notify(Changed("queue"))

    def _check_steerable(self) -> None:
        if self.running is None or not self.running.steerable:
            raise NotRunning("no prompt is being answered; send it as a prompt")

    def interrupt(self, text: str = "", images: Iterable[ImageBlock] = ()) -> Run | None:
        """Stop the running work, if any; then `text`, if any, is answered, and then the waiting work is run."""
        stopped = self.running
        run = self.prompt(text, images, first=True) if text else None
        if stopped is not None:
            stopped.run.cancel()
        return run

    def stop(self) -> list[str]:
        """Stop the running work and drop the rest. Return, as typed, the unread messages and the dropped prompts."""
        taken = self._take_unread()
        taken += [queued.typed for queued in self._queue.take_all()]
        self.interrupt()
        self.events.notify(Changed("queue"))
        return taken

    def _take_unread(self) -> list[str]:
        """Drop the messages that the model has not read, and return the person's."""
        return [each.text for each in self.runtime.agent.inbox.take_all() if not each.extension]

    def take_back(self) -> str | None:
        """Remove the last waiting prompt and return it as typed; None if nothing is waiting."""
        return taken.typed if (taken := self._queue.take_last()) is not None else None

    async def idle(self) -> None:
        """Wait until nothing is running or waiting."""
        await self._queue.idle()

    # Slash commands

    @property
    def commands(self) -> list[Command]:
        """The listed slash commands of templates, skills and extensions; complete once `ready` has returned."""
        return self._commands.all

    async def ready(self) -> None:
        """Wait until all commands are known."""
        await self._commands.ready()

    async def list_templates(self) -> None:
        """Read the prompt templates again, for `commands`."""
        await self._commands.list_templates()

    def find_command(self, name: str) -> Command | None:
        """Find a command by name, ignoring case; None if it does not exist."""
        return self._commands.find(name)

    def reserve_commands(self, names: Container[str]) -> None:
        """Leave out prompt templates with these names, in lower case: the names of the front end's own commands."""
        self._commands.reserved = names

    async def run_command(self, name: str, args: str = "") -> str:
        """Run a command at once, outside the queue, and return its action, such as "prompt" or "display". A prompt
        is queued, other results are events. Raises `CommandError`, `UnknownName` for an unknown skill, and
        `ConfigError` for a file that cannot be used."""
        name = name.removeprefix("/")
        if (prompt := await self._commands.prompt_of(name, args)) is not None:
            self.prompt(prompt, typed=f"/{name} {args}".strip())
            return "prompt"
        command = await self._commands.run_extension(name, args)
        if command.action == "prompt":
            self._on_extension_event(Submit(command.extension, command.text))
        return command.action

    def attach(self, extensions: ExtensionHost) -> None:
        """Add the commands and events of these extensions, once. The host adds their hooks and tools to the runtime."""
        if self.extensions is not extensions:
            self.extensions = extensions
            extensions.events.add(self._on_extension_event)

    def extensions_changed(self) -> None:
        """Report that extensions were started or restarted."""
        self.events.notify(Changed("extensions"))

    def _on_extension_event(self, event: ExtensionEvent) -> None:
        if isinstance(event, Submit):
            try:
                event = event.replace(refused=self.actions.refusal() if event.text.strip() else "it has no text")
                if not event.refused:
                    self.prompt(event.text, commands=False, extension=event.extension)
            except ZotError as error:
                event = event.replace(refused=error_line(error))
        self.events.notify(event)  # before the first event of the prompt, which comes in the next iteration of the loop

    # Settings

    def set_model(self, model: str | Model, *, provider: str = "") -> Model:
        """Continue with another model of any provider: see `Runtime.set_model`."""
        self.check_idle()
        self.runtime.set_model(model, provider=provider)
        self.settings_changed()
        return self.runtime.agent.model

    def set_reasoning(self, reasoning: Reasoning) -> None:
        """Change the reasoning level: see `Runtime.set_reasoning`."""
        self.check_idle()
        self.runtime.set_reasoning(reasoning)
        self.settings_changed()

    def set_tools(self, names: Iterable[str]) -> list[str]:
        """Select the tools and return the names of all enabled ones: see `Runtime.set_tools`."""
        self.check_idle()
        self.runtime.set_tools(names)
        self.settings_changed()
        return sorted(self.runtime.agent.tools)

    def settings_changed(self) -> None:
        """Report that the model, what is known of it, the reasoning level or the tools are different now."""
        update_child_env(self.runtime)
        self.events.notify(Changed("settings"))

    def rename(self, title: str) -> None:
        """Make the `first_line` of a text the title. Raises `SessionError`; does nothing if nothing is stored."""
        if self.runtime.session is not None:
            self.runtime.session.change(title=first_line(title))
            self.events.notify(Changed("title"))

    def clear(self) -> None:
        """Clear the history without asking the hooks: see `Runtime.clear`."""
        self._check_changeable()
        self.runtime.clear()
        self._session_changed("same")

    async def new_session(self, messages: Iterable[Message] = (), *, linked: bool = False) -> None:
        """Start a new session, which begins with `messages`, to which nobody answers: see `Runtime.new_session`.
        Raises `NotAllowed` if a hook stops that."""
        await self.branches.allow(SessionChange("new"))
        self.runtime.new_session(linked=linked)
        try:
            for message in messages:
                self.runtime.agent.history.append(message)
        finally:
            self._session_changed("new")

    def open_session(
        self, session: "str | os.PathLike[str] | SessionFile", resumed: StoredSession | None = None,
        workspace: Workspace | None = None,
    ) -> None:  # fmt: skip
        """Continue another session, in its mode of permissions if that is more careful: see `Runtime.open_session`."""
        self._check_changeable()
        self.runtime.open_session(session, resumed, workspace)
        self._session_changed("resume")

    def _session_changed(self, reason: SessionReason | Literal["same"]) -> None:
        resume_mode(self.permissions, self.runtime.session)
        self._shell.take()
        update_child_env(self.runtime)
        self.events.notify(position(self.runtime, reason))
        self.todos.restore()

    def check_idle(self) -> None:
        """Raise `Busy` while the settings cannot change, because the agent works or prompts wait."""
        if self.busy and (self.waiting or not self.runtime.agent.changeable):
            raise Busy("the agent is busy; wait for done, or abort")

    def _check_changeable(self) -> None:
        if not self._queue.held or not self.runtime.agent.changeable:
            self.check_idle()

    # Work

    async def _answer(
        self, given: str | CommandPrompt, found: UserInput, attached: Sequence[str], *, commands: bool
    ) -> RunEnd:
        """Run a slash command, or let the model answer: the work of a prompt."""
        agent = self.runtime.agent
        try:
            if isinstance(given, str):
                found = await agent.hooks.input.apply(found.replace(text=given))
                given = found.text
            if found.handled or (prompt := await self._commands.read_prompt(given, commands=commands)) is None:
                return end_run(agent, "completed")
            message = message_with_output(self._shell.take(), prompt.text, found.images, attached, prompt.shown)
            message.changed_by = found.changed_by
        except asyncio.CancelledError:
            return end_run(agent, "aborted")
        except Exception as error:  # noqa: BLE001  the top of a run, as in the loop
            said = None if isinstance(error, CommandError) and error.reported else error_event(error, agent)
            return end_run(agent, "error", said)
        with run_choices(prompt, self.runtime, self.permissions, self.settings_changed):
            return await answer(agent, [message])

    # Events

    def _before_event(self, event: AgentEvent) -> None:
        if isinstance(event, AssistantStart):
            self.text_deferred = event.deferred
        elif isinstance(event, ToolCall):
            update_child_env(self.runtime)  # the server may have named its model since
        elif texts := self._take_unread():
            self.events.notify(Undelivered(texts))

    def _after_event(self, event: AgentEvent) -> None:
        if isinstance(event, ToolResultEvent):
            self.todos.follow(event)
        elif self._unread_count:
            self.inbox_changed()  # a message was read

    def _report_start_failure(self, error: ZotError) -> None:
        self.events.notify(ErrorEvent(error_line(error)))
        self.events.notify(Done("error"))

    async def __aenter__(self) -> "Conversation":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop everything and release files and connections. May be called twice."""
        self.stop()
        await self.runtime.close()
