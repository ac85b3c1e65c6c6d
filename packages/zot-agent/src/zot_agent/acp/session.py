"""`AcpSession`: one agent that an editor uses."""

import asyncio
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from zot_agent.acp.calls import Json, plain
from zot_agent.acp.choices import SessionChoices, parse_mode
from zot_agent.acp.content import PromptContent, read_content
from zot_agent.acp.feed import UpdateFeed
from zot_agent.acp.permission import AcpPermission
from zot_agent.acp.replay import replay
from zot_agent.host.host import Host
from zot_core.agent.run import Run
from zot_core.aio import finish, spawn
from zot_core.conversation import events
from zot_core.conversation.commands import read_command
from zot_core.conversation.dialogs import DialogAnswer, ExtensionDialog
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import ConversationEvent
from zot_core.conversation.extensions import FrontEndActions
from zot_core.errors import Busy
from zot_core.events import Done, Notice, RunEnd, TurnStart
from zot_core.permission_mode import PermissionMode
from zot_core.sessions import listing
from zot_provider.errors import ZotError
from zot_provider.json_text import read_strict, without_surrogates
from zot_provider.record import Record

NOTES = 100
"""Notes kept for the next prompt; older ones are dropped."""

_COMPACT = "compact"
_SETTINGS, _TITLE = events.Changed("settings"), events.Changed("title")


class PromptFailed(ZotError):
    """A prompt failed."""


class Editor(Protocol):
    def update(self, session: str, update: Json) -> None:
        """Queue a session update."""

    async def ask(self, session: str, call: Json, options: list[Json]) -> str:
        """Ask for a permission. Returns the id of the chosen option, empty if cancelled. Raises `ZotError` on
        failure."""

    @property
    def elicits(self) -> bool:
        """Whether the client can show forms."""

    @property
    def shows(self) -> bool:
        """Whether the client shows what extensions put beside the conversation."""

    async def elicit(self, session: str, message: str, schema: Json) -> Json | None:
        """Show a form. Returns its values, None if it was declined or cancelled. Raises `ZotError` on failure."""

    async def room(self) -> None:
        """Return once the client has read most of what was sent."""


_WIDGETS = (events.WidgetChange, events.TitleChange, events.WorkingChange, events.Alert)
"""The widgets of extensions beside the conversation. The protocol has no place for it, so it is an extension
(`_meta`)."""


class PromptEnd(Record):
    """How a prompt ended: the protocol's `StopReason`, and zot's own reason."""

    stop: str
    reason: RunEnd


class AcpSession:
    """One conversation. Updates go to `editor`; `id` is the id of the session in the protocol.

    At most one prompt runs at a time, followed by the prompts that extensions submit meanwhile. Notes of extensions at
    other times are sent with the next prompt.
    """

    def __init__(self, id: str, host: Host, editor: Editor) -> None:
        self.id, self.host = id, host
        self.conversation, runtime = host.conversation, host.runtime
        self._editor = editor
        agent = runtime.agent
        self.feed = UpdateFeed(
            self._update, lambda: runtime.cwd, tools=agent.tools, window=lambda: runtime.compactor.window.current
        )
        self._permission = AcpPermission(self.feed, lambda: agent.context, self._ask)
        self._prompt_task: asyncio.Task[PromptEnd] | None = None
        self._run: Run | None = None
        self._outcome: tuple[RunEnd, str, bool] | None = None
        self._notes: deque[tuple[str, str]] = deque(maxlen=NOTES)
        self.choices = SessionChoices(self.conversation, self._update)
        self._title_sent = len(agent.history) > 0 or runtime.session is None
        self.conversation.permissions.ask_with(self._permission)
        self.conversation.front_end = "acp"
        self.conversation.actions = FrontEndActions(
            open_session=host.open_session,
            shows_widgets=editor.shows,
            refusal=lambda: "" if self.busy else "no prompt was being answered",
            ask_person=self._ask_person,
        )
        runtime.hooks.tool_run.add(self._permission.remember_old_content)
        self.conversation.reserve_commands({_COMPACT})
        self.conversation.events.add(self._received)
        runtime.hooks.before_turn.add(self._wait_for_room)
        runtime.hooks.tool_run.add(self._wait_for_room)
        self._note_startup()
        self._command_task = spawn(self._send_commands(), "commands of extensions")

    def _note_startup(self) -> None:
        for note in self.host.notes:
            self._notes.append((note, "zot"))

    @property
    def busy(self) -> bool:
        """Whether a prompt is being answered."""
        return self._prompt_task is not None

    @property
    def full_id(self) -> str:
        """The id of the stored session. `id` may be a prefix of it, as used by the client that loaded it, or that of a
        session where the conversation was before."""
        stored = self.host.runtime.session
        return stored.meta.session_id if stored is not None else self.id

    def _update(self, update: Json) -> None:
        self._editor.update(self.id, update)

    async def _ask(self, call: Json, choices: list[Json]) -> str:
        return await self._editor.ask(self.id, call, choices)

    async def _ask_person(self, dialog: ExtensionDialog) -> DialogAnswer:
        from zot_agent.acp.dialogs import AcpDialogs  # noqa: PLC0415  few extensions ask

        dialogs = AcpDialogs(self._ask, partial(self._editor.elicit, self.id), lambda: self._editor.elicits)
        return await dialogs(dialog)

    async def _wait_for_room(self, _: object) -> None:
        await self._editor.room()

    def note(self, text: str, author: str = "zot") -> None:
        """Send a note to the user: with the running prompt, or with the next one."""
        if self.busy:
            self.feed.note(text, author)
        else:
            self._notes.append((text, author))

    # Initial updates

    def replay(self) -> None:
        """Send the conversation so far."""
        replay(self.host.runtime.messages, self.feed, self.host.runtime.agent.tools)
        if self.conversation.todos.items:
            self.feed.plan(self.conversation.todos.items)

    @property
    def _title(self) -> str:
        """The title, as in `session/list`."""
        stored = self.host.runtime.session
        title = "" if stored is None else stored.meta.title
        return title or next(filter(None, map(listing.name_from, self.host.runtime.messages)), "")

    def _send_title(self) -> None:
        """Send the title: after the first prompt, and when it has changed."""
        if name := self._title:
            self._title_sent = True
            self._update({"sessionUpdate": "session_info_update", "title": without_surrogates(name)})

    def _continue_elsewhere(self, event: events.SessionStart | events.SessionTreeMove) -> None:
        """Tell the editor, which keeps the conversation so far, that it continues elsewhere."""
        (line,) = encode_conversation_event(event)
        update: Json = {"sessionUpdate": "session_info_update", "_meta": {"zot": read_strict(line)}}
        if self.host.runtime.session is not None:
            update["title"] = without_surrogates(self._title) or None
            self._title_sent = update["title"] is not None
        self._update(update)
        where = "in another session" if isinstance(event, events.SessionStart) else "elsewhere in the session"
        self.note(f"the conversation continues {where}; messages of it so far: {len(self.host.runtime.messages)}")
        if self._command_task.done():  # skills and prompt templates of another folder are commands
            self._command_task = spawn(self._send_commands(), "commands of another folder")

    async def _send_commands(self) -> None:
        """Send the slash commands, once all extensions have registered theirs."""
        await self.conversation.ready()
        known = {_COMPACT: ("replace the conversation so far with a summary", "")}
        known |= {each.name: (each.description or each.source, each.arguments) for each in self.conversation.commands}
        self._update(
            {
                "sessionUpdate": "available_commands_update",
                "availableCommands": [
                    {"name": name, "description": plain(text), "input": {"hint": plain(arguments) or "arguments"}}
                    for name, (text, arguments) in known.items()
                ],
            }
        )

    # Settings

    @property
    def mode(self) -> PermissionMode:
        return self.conversation.permissions.mode

    def set_mode(self, mode: str) -> None:
        """Set which tool calls need a permission. Raises `UnknownName`."""
        self.conversation.permissions.mode = parse_mode(mode)

    def choose(self, option: str, value: str) -> None:
        """Set one of `options`. Raises `ZotError`."""
        if option == "mode":
            self.set_mode(value)
        elif option == "sandbox" and self.host.sandbox is not None:
            self.host.sandbox.choose(value)
        else:
            self.choices.choose(option, value)

    # Prompts

    async def prompt(self, blocks: Sequence[Json]) -> PromptEnd:
        """Answer a prompt, or run it if it is a slash command. Raises `Busy`, `OperationFailed`, and `PromptFailed`."""
        if self.busy:
            raise Busy("the session is answering another prompt; wait for it, or cancel it")
        content = read_content(blocks, self.host.runtime.cwd)
        self._prompt_task = task = spawn(self._answer(content), f"prompt of session {self.id}")
        try:
            await finish(task, self.cancel)
        finally:
            self._prompt_task = self._run = None
        return PromptEnd("cancelled", "aborted") if task.cancelled() else task.result()

    def cancel(self) -> None:
        """Stop the running prompt, and drop the queued prompts of extensions. Harmless when idle."""
        if self._prompt_task is not None and self._run is None:
            self._prompt_task.cancel()
        self.conversation.stop()

    async def _answer(self, content: PromptContent) -> PromptEnd:
        self.feed.start_run(client_prompt=True)
        while self._notes:
            self.feed.note(*self._notes.popleft())
        command = read_command(content.text)
        if command is not None and command[0].lower() == _COMPACT:
            self._run = self.conversation.compact(command[1])
        else:
            if command is not None and await self._is_extension_command(command[0]):
                self.feed.start_run(client_prompt=False)  # the client does not know the prompt that the command submits
            self._run = self.conversation.prompt(content.text, content.images)
        self._outcome = None
        end = await self._run
        await self.conversation.idle()  # prompts of extensions that came meanwhile are answered too
        return self._ended(*(self._outcome or (end, "", False)))

    async def _is_extension_command(self, name: str) -> bool:
        """Whether an extension owns the slash command `name`."""
        await self.conversation.ready()
        found = self.conversation.find_command(name)
        return found is not None and found.kind == "extension"

    def _ended(self, end: RunEnd, failure: str, cut_off: bool) -> PromptEnd:  # noqa: FBT001  the fields of `_outcome`
        """Translate the end of a run. The protocol has fewer reasons: every limit except the limit on tokens becomes
        `max_turn_requests`. A refused prompt becomes `end_turn`, with the reason as a note: the protocol's `refusal`
        means that the prompt is removed from the conversation, which it is not."""
        if end == "error":
            raise PromptFailed(failure or "the prompt failed")
        if end == "aborted":
            return PromptEnd("cancelled", end)
        if end == "completed":
            return PromptEnd("max_tokens" if cut_off else "end_turn", end)
        self.feed.note(failure or f"stopped: {end.replace('_', ' ')}")
        stops = {"refused": "end_turn", "max_tokens": "max_tokens"}
        return PromptEnd(stops.get(end, "max_turn_requests"), end)

    # Events

    def _received(self, event: ConversationEvent) -> None:
        notes = _notes_of(event)
        for text, author in notes:
            self.note(text, author)
        if not notes:
            self.feed.show(event)
        if self._editor.shows and isinstance(event, _WIDGETS):
            (line,) = encode_conversation_event(event)
            self._update({"sessionUpdate": "session_info_update", "_meta": {"zot": read_strict(line)}})
        if event == _SETTINGS:
            self.choices.changed()
        elif event == _TITLE:
            self._send_title()
        elif isinstance(event, events.SessionStart | events.SessionTreeMove):
            self._continue_elsewhere(event)
        if isinstance(event, events.PanelOpen) and self.host.extensions is not None:
            self.host.extensions.panels.close()
        elif isinstance(event, TurnStart) and not self._title_sent:
            self._send_title()
        elif isinstance(event, Done):
            if not self.busy and event.reason not in ("completed", "aborted"):  # no answer of a prompt says it
                self.feed.note(self.feed.failure or f"stopped: {event.reason.replace('_', ' ')}")
            # A failure is reported, whatever comes after it.
            if self._outcome is None or self._outcome[0] == "completed":
                self._outcome = (event.reason, self.feed.failure, self.feed.cut_off)
            self.feed.start_run(client_prompt=False)

    async def close(self) -> None:
        """Stop all work and release everything."""
        self._command_task.cancel()
        self.choices.close()
        self.cancel()
        if self._prompt_task is not None:
            await finish(self._prompt_task)
        await self.host.close()


def _notes_of(event: ConversationEvent) -> list[tuple[str, str]]:
    """Return the notes that an event makes: text and author."""
    match event:
        case Notice(_, message):
            return [(message, "zot")]
        case events.Undelivered(texts):
            return [(f"not delivered, because the prompt has ended: {text}", "zot") for text in texts]
        case events.Notify(extension, _, message):
            return [(message, extension)]
        case events.Display(extension, text):
            return [(text, extension)]
        case events.Insert(extension, text):
            return [(f"suggests to say: {text}", extension)]
        case events.Submit(extension, text, refused) if refused:
            return [(f"wanted to say, and it was not sent because {refused}: {text}", extension)]
        case events.PanelOpen(extension, panel):
            return [("\n".join([panel.title, *panel.lines, panel.footer]).strip(), extension)]
    return []
