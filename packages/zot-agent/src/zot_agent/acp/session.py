"""`Session`: a host that an editor drives."""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from zot_agent.acp.calls import Json, plain
from zot_agent.acp.choices import Mode, checked_mode, choose, options
from zot_agent.acp.content import Content, read_content
from zot_agent.acp.feed import Feed
from zot_agent.acp.permission import Permission
from zot_agent.acp.replay import replay
from zot_agent.host import Host
from zot_core.aio import finish, spawn
from zot_core.errors import Busy, error_line
from zot_core.events import AgentEvent, RunEnd, TurnStart
from zot_core.run import Run
from zot_core.runtime import Unanswered
from zot_core.sessions import listing
from zot_provider.errors import ZotError
from zot_provider.record import Record, record
from zot_provider.surrogates import without_surrogates

if TYPE_CHECKING:
    from zot_agent.extensions.events import ExtensionEvent

NOTES = 100
"""Notes that are kept for the next prompt; older ones are dropped."""

_COMMAND = re.compile(r"/(?P<name>[^\s/]+)(?:\s+(?P<args>.*))?", re.DOTALL)
_COMPACT = "compact"


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

    At most one prompt is answered at a time. What extensions say meanwhile is told with it, else with the next one.
    """

    def __init__(self, id: str, host: Host, editor: Editor, mode: Mode) -> None:
        self.id, self.host, self.mode = id, host, mode
        stored = host.runtime.session
        self.identity = stored.meta.id if stored is not None else id
        """Its whole id, where `id` may be the beginning of it: what a client that loads it has called it."""
        self._editor = editor
        agent, cwd = host.runtime.agent, host.runtime.cwd
        self.feed = Feed(
            self._update,
            cwd,
            tools=lambda: agent.tools,
            model=lambda: agent.model,
            holds_text=lambda: host.holds_text,
        )
        self._permission = Permission(self.feed, agent.context, lambda: self.mode == "ask", self._ask)
        self._answering: asyncio.Task[End] | None = None
        self._run: Run | None = None
        self._notes: deque[tuple[str, str]] = deque(maxlen=NOTES)
        self._submitted: deque[str] = deque()
        self._named = len(agent.transcript) > 0 or host.runtime.session is None
        host.confirm = self._permission
        host.events.add(self.feed.show)
        host.events.add(self._tell_name)
        host.runtime.hooks.limit.add(self._wait_for_room)
        host.runtime.hooks.tool_run.add(self._wait_for_room)
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
        if self.host.extensions is not None:
            self.host.extensions.events.add(self._hear)

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
        """Something for the person: with the prompt at hand, or with the next one."""
        if self.busy:
            self.feed.note(text, who)
        else:
            self._notes.append((text, who))

    # The beginning

    def replay(self) -> None:
        """Tell of the conversation so far."""
        replay(self.host.runtime.messages, self.feed, self.host.runtime.agent.tools)

    def _tell_name(self, event: AgentEvent) -> None:
        """Tell what `session/list` calls a session that has just got its first prompt."""
        if self._named or not isinstance(event, TurnStart):
            return
        name = next(filter(None, map(listing.name_from, self.host.runtime.messages)), "")
        if name:
            self._named = True
            self._update({"sessionUpdate": "session_info_update", "title": without_surrogates(name)})

    async def _announce(self) -> None:
        """Tell of the commands, once all extensions have said what they have."""
        if self.host.extensions is not None:
            await self.host.extensions.ready()
        self._update(
            {
                "sessionUpdate": "available_commands_update",
                "availableCommands": [
                    {"name": name, "description": plain(text), "input": {"hint": "arguments"}}
                    for name, text in self._known_commands().items()
                ],
            }
        )

    def _known_commands(self) -> dict[str, str]:
        found = {_COMPACT: "put a summary in the place of the conversation so far"}
        if self.host.extensions is not None:
            found |= {each.name: each.description or each.extension for each in self.host.extensions.commands}
        return found

    # Choices

    def set_mode(self, mode: str) -> None:
        """Ask before tool calls, or do not. Raises `UnknownName`."""
        self.mode = checked_mode(mode)

    def choose(self, option: str, value: str) -> None:
        """Choose a value of one of `options`. Raises `ZotError`."""
        if option == "mode":
            self.set_mode(value)
        else:
            choose(self.host.runtime, option, value)

    @property
    def options(self) -> list[Json]:
        """What can be chosen, and what is."""
        return options(self.host, self.mode)

    # Prompts

    async def prompt(self, blocks: Sequence[Json]) -> End:
        """Answer a prompt, or run the command that it is. Raises `Busy`, `CommandRefused`, and `Unanswered` if it
        failed."""
        if self.busy:
            raise Busy("the session is answering another prompt; wait for it, or cancel it")
        content = read_content(blocks, self.host.runtime.cwd)
        self._answering = task = spawn(self._answer(content), f"prompt of session {self.id}")
        try:
            await finish(task, self.cancel)
        finally:
            self._answering = None
        return End("cancelled", "aborted") if task.cancelled() else task.result()

    def cancel(self) -> None:
        """Stop the prompt at hand; harmless without one."""
        self._submitted.clear()
        if self._run is not None:
            self._run.cancel()
        elif self._answering is not None:
            self._answering.cancel()

    async def _answer(self, content: Content) -> End:
        self.feed.begin(own=True)
        while self._notes:
            self.feed.note(*self._notes.popleft())
        runtime = self.host.runtime
        found = _COMMAND.fullmatch(content.text.strip())
        command = await self._command(found["name"]) if found is not None else None
        end: RunEnd = "completed"
        if command is not None and found is not None:
            end = await self._do(command, (found["args"] or "").strip())
        else:
            end = await self._follow(lambda: runtime.prompt(content.text, content.images))
        while self._submitted and end == "completed":
            self.feed.begin(own=False)
            end = await self._follow(partial(runtime.prompt, self._submitted.popleft()))
        return self._ended(end)

    async def _command(self, name: str) -> Callable[[str], Awaitable[RunEnd]] | None:
        """The command of this name; None if there is none, as of a path that begins a prompt."""
        extensions = self.host.extensions
        if extensions is not None:
            await extensions.ready()
            if any(each.name.lower() == name.lower() for each in extensions.commands):

                async def run(args: str) -> RunEnd:
                    await extensions.run_command(name, args)
                    return "completed"

                return run
        if name.lower() != _COMPACT:
            return None
        return lambda args: self._follow(lambda: self.host.runtime.compact(args))

    async def _do(self, command: Callable[[str], Awaitable[RunEnd]], args: str) -> RunEnd:
        try:
            return await command(args)
        except ZotError as error:
            self.feed.note(error_line(error))
            return "completed"

    async def _follow(self, begin: Callable[[], Run]) -> RunEnd:
        """Begin a run and see it to its end, however often this is cancelled meanwhile."""
        self._run = run = begin()
        try:
            while await run.next() is not None:
                pass  # events are told by the hooks; here they are only taken away, so that they do not pile up
        except asyncio.CancelledError:
            run.cancel()
        finally:
            await finish(run.task, run.cancel)
            self._run = None
        return run.end or "aborted"

    def _ended(self, end: RunEnd) -> End:
        """The protocol has fewer words for it: limits other than that on tokens count as too many requests. A prompt
        that was refused has ended, with the reason told: "refusal" would say that it is forgotten, and it is not."""
        if end == "error":
            raise Unanswered(self.feed.failure or "the prompt failed", end)
        if end == "aborted":
            return End("cancelled", end)
        if end == "completed":
            return End("max_tokens" if self.feed.cut else "end_turn", end)
        self.feed.note(self.feed.failure or f"stopped: {end.replace('_', ' ')}")
        stops = {"refused": "end_turn", "max_tokens": "max_tokens"}
        return End(stops.get(end, "max_turn_requests"), end)

    # Extensions

    def _hear(self, event: "ExtensionEvent") -> None:
        from zot_agent.extensions import events  # noqa: PLC0415  who has no extensions does not load their host

        match event:
            case events.Notify(extension, _, message):
                self.note(message, extension)
            case events.Display(extension, text):
                self.note(text, extension)
            case events.Insert(extension, text):
                self.note(f"suggests to say: {text}", extension)
            case events.Submit(extension, text):
                self._submit(extension, text)
            case events.PanelOpen(extension, panel):
                self.note("\n".join([panel.title, *panel.lines, panel.footer]).strip(), extension)
                if self.host.extensions is not None:
                    self.host.extensions.panels.close()

    def _submit(self, extension: str, text: str) -> None:
        """A turn is the editor's to begin: without one at hand, the person is told what was to be said."""
        if self.busy:
            self._submitted.append(text)
        else:
            self.note(f"wanted to say, and it was not sent because no prompt was being answered: {text}", extension)

    async def close(self) -> None:
        """Stop what runs and release everything."""
        self._announcing.cancel()
        self.cancel()
        if self._answering is not None:
            await finish(self._answering)
        await self.host.close()
