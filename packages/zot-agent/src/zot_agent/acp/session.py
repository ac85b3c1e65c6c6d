"""`Session`: a host that an editor drives."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from zot_agent.acp.calls import Json, plain
from zot_agent.acp.choices import Mode, checked_mode, choose, offer, options
from zot_agent.acp.content import Content, read_content
from zot_agent.acp.feed import Feed
from zot_agent.acp.permission import Permission
from zot_agent.acp.replay import replay
from zot_agent.host import Host
from zot_core.agent.run import Run
from zot_core.aio import finish, spawn
from zot_core.conversation import events
from zot_core.conversation.commands import read_command
from zot_core.conversation.events import ConversationEvent
from zot_core.errors import Busy
from zot_core.events import Done, Notice, RunEnd, TurnStart
from zot_core.sessions import listing
from zot_provider.errors import ZotError
from zot_provider.json_text import without_surrogates
from zot_provider.model import Model
from zot_provider.record import Record, record

NOTES = 100
"""Notes that are kept for the next prompt; older ones are dropped."""

_COMPACT = "compact"


class PromptFailed(ZotError):
    """A prompt was not answered."""


class Editor(Protocol):
    """The client, as far as a session knows it."""

    def update(self, session: str, update: Json) -> None:
        """Tell of a session update, in order, without waiting."""

    async def ask(self, session: str, call: Json, options: list[Json]) -> str:
        """The id of the option that the person takes, empty if none. Raises `ZotError` if it cannot be asked for."""

    async def room(self) -> None:
        """Return once the client has read what it was told, but for a little."""


@record
class End(Record):
    """How a prompt ended: the protocol's `StopReason`, and what zot calls it."""

    stop: str
    reason: RunEnd


class Session:
    """One conversation. What the editor is to know goes to `editor`; `id` is how both call the session.

    At most one prompt is answered at a time, with the prompts that extensions send meanwhile. What extensions say at
    other times is told with the next prompt.
    """

    def __init__(self, id: str, host: Host, editor: Editor, mode: Mode) -> None:
        self.id, self.host, self.mode = id, host, mode
        self.conversation, runtime = host.conversation, host.runtime
        stored = runtime.session
        self.identity = stored.meta.id if stored is not None else id
        """Its whole id, where `id` may be the beginning of it: what a client that loads it has called it."""
        self._editor = editor
        agent = runtime.agent
        self.feed = Feed(self._update, runtime.cwd, tools=lambda: agent.tools, model=lambda: agent.model)
        self._permission = Permission(self.feed, agent.context, lambda: self.mode == "ask", self._ask)
        self._answering: asyncio.Task[End] | None = None
        self._asked: Run | None = None
        self._outcome: tuple[RunEnd, str, bool] | None = None
        self._notes: deque[tuple[str, str]] = deque(maxlen=NOTES)
        self._models: dict[str, Model] = {}
        self._named = len(agent.history) > 0 or stored is None
        self.conversation.confirm = self._permission
        self.conversation.refusal = lambda: "" if self.busy else "no prompt was being answered"
        self.conversation.events.add(self._hear)
        runtime.hooks.before_turn.add(self._wait_for_room)
        runtime.hooks.tool_run.add(self._wait_for_room)
        self._note_beginning()
        self._announcing = spawn(self._announce(), "commands of extensions")

    def _note_beginning(self) -> None:
        for note in self.host.notes:
            self._notes.append((note, "zot"))
        waiting = [each.name for each in self.host.choice.undecided] if self.host.choice is not None else []
        if waiting:
            self.note(
                f"this project brings extensions that you have not allowed yet: {', '.join(waiting)}. "
                "They are not running; start zot in this folder once to decide."
            )

    @property
    def busy(self) -> bool:
        """Whether a prompt is being answered."""
        return self._answering is not None

    def _update(self, update: Json) -> None:
        self._editor.update(self.id, update)

    async def _ask(self, call: Json, choices: list[Json]) -> str:
        return await self._editor.ask(self.id, call, choices)

    async def _wait_for_room(self, _: object) -> None:
        await self._editor.room()

    def note(self, text: str, who: str = "zot") -> None:
        """Something for the person: with the running prompt, or with the next one."""
        if self.busy:
            self.feed.note(text, who)
        else:
            self._notes.append((text, who))

    # The beginning

    def replay(self) -> None:
        """Tell of the conversation so far."""
        replay(self.host.runtime.messages, self.feed, self.host.runtime.agent.tools)

    def _tell_name(self) -> None:
        """Tell what `session/list` calls a session that has just got its first prompt."""
        name = next(filter(None, map(listing.name_from, self.host.runtime.messages)), "")
        if name:
            self._named = True
            self._update({"sessionUpdate": "session_info_update", "title": without_surrogates(name)})

    async def _announce(self) -> None:
        """Tell of the commands, once all extensions have said what they have."""
        await self.conversation.ready()
        known = {_COMPACT: "put a summary in the place of the conversation so far"}
        known |= {each.name: each.description or each.source for each in self.conversation.commands}
        self._update(
            {
                "sessionUpdate": "available_commands_update",
                "availableCommands": [
                    {"name": name, "description": plain(text), "input": {"hint": "arguments"}}
                    for name, text in known.items()
                ],
            }
        )

    # Choices

    def set_mode(self, mode: str) -> None:
        """Ask before tool calls, or do not. Raises `UnknownName`."""
        self.mode = checked_mode(mode)

    def choose(self, option: str, value: str) -> None:
        """Choose a value of one of `options`. Raises `ZotError`."""
        if option == "mode":
            self.set_mode(value)
        else:
            choose(self.conversation, option, value, self._models)

    async def options(self) -> list[Json]:
        """What can be chosen, and what is."""
        self._models = await offer(self.conversation, self._models.values())
        return options(self.conversation, self.mode, self._models)

    # Prompts

    async def prompt(self, blocks: Sequence[Json]) -> End:
        """Answer a prompt, or run the command that it is. Raises `Busy`, `CommandRefused`, and `PromptFailed`."""
        if self.busy:
            raise Busy("the session is answering another prompt; wait for it, or cancel it")
        content = read_content(blocks, self.host.runtime.cwd)
        self._answering = task = spawn(self._answer(content), f"prompt of session {self.id}")
        try:
            await finish(task, self.cancel)
        finally:
            self._answering = self._asked = None
        return End("cancelled", "aborted") if task.cancelled() else task.result()

    def cancel(self) -> None:
        """Stop the running prompt, and drop those of extensions behind it; harmless without one."""
        if self._answering is not None and self._asked is None:
            self._answering.cancel()
        self.conversation.stop()

    async def _answer(self, content: Content) -> End:
        self.feed.begin(own=True)
        while self._notes:
            self.feed.note(*self._notes.popleft())
        command = read_command(content.text)
        if command is not None and command[0].lower() == _COMPACT:
            self._asked = self.conversation.compact(command[1])
        else:
            if command is not None and await self._is_foreign(command[0]):
                self.feed.begin(own=False)  # the client does not know the words that an extension makes of its command
            self._asked = self.conversation.prompt(content.text, content.images)
        self._outcome = None
        end = await self._asked
        await self.conversation.idle()  # what extensions have sent meanwhile is answered, too
        return self._ended(*(self._outcome or (end, "", False)))

    async def _is_foreign(self, name: str) -> bool:
        """Whether the slash command of this name is one of an extension."""
        await self.conversation.ready()
        found = self.conversation.find_command(name)
        return found is not None and not found.is_skill

    def _ended(self, end: RunEnd, failure: str, cut: bool) -> End:  # noqa: FBT001  as it was remembered
        """The protocol has fewer words for it: limits other than that on tokens count as too many requests. A prompt
        that was refused has ended, with the reason told: "refusal" would say that it is forgotten, and it is not."""
        if end == "error":
            raise PromptFailed(failure or "the prompt failed")
        if end == "aborted":
            return End("cancelled", end)
        if end == "completed":
            return End("max_tokens" if cut else "end_turn", end)
        self.feed.note(failure or f"stopped: {end.replace('_', ' ')}")
        stops = {"refused": "end_turn", "max_tokens": "max_tokens"}
        return End(stops.get(end, "max_turn_requests"), end)

    # What happens

    def _hear(self, event: ConversationEvent) -> None:
        asides = _asides(event)
        for text, who in asides:
            self.note(text, who)
        if not asides:
            self.feed.show(event)
        if isinstance(event, events.PanelOpen) and self.host.extensions is not None:
            self.host.extensions.panels.close()
        elif isinstance(event, TurnStart) and not self._named:
            self._tell_name()
        elif isinstance(event, Done):
            if self._outcome is None or self._outcome[0] == "completed":  # a failure is told, whatever came after it
                self._outcome = (event.reason, self.feed.failure, self.feed.cut)
            self.feed.begin(own=False)

    async def close(self) -> None:
        """Stop what runs and release everything."""
        self._announcing.cancel()
        self.cancel()
        if self._answering is not None:
            await finish(self._answering)
        await self.host.close()


def _asides(event: ConversationEvent) -> list[tuple[str, str]]:
    """What an event says beside the conversation, and who says it."""
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
