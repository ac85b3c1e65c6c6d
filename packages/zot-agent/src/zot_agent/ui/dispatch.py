"""`CommandDispatcher`: runs slash commands: the screen's own, prompt templates, skills, and extensions' commands."""

import asyncio
import logging
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any

from zot_agent.ui.commands import ELSEWHERE, KEYS, command_sections, slash_commands
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.input import prompts
from zot_core.aio import spawn
from zot_core.conversation.commands import SKILL, CommandError, CommandRefused, read_command
from zot_core.conversation.commands import Command as ConversationCommand
from zot_core.errors import error_line
from zot_provider.errors import ConfigError, UnknownName, ZotError
from zot_tui.editor.completion_sources import CommandCompletion
from zot_tui.signal import Signal

_log = logging.getLogger("zot_agent")

SLOW_AFTER = 0.3
"""Seconds after which an extension command that has not answered is shown as running."""

_GROUPS = {"template": "prompt templates", "skill": "skills", "extension": "extensions"}


class CommandDispatcher:
    """Runs commands for `chat`, beside each other, and beside the conversation where `SlashCommand.busy` allows it.

    `changed` is emitted when `slow_command` changes.
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self.changed: Signal[[]] = Signal()
        self._conversation = chat.host.conversation
        self._conversation.reserve_commands(KEYS)
        self._tasks: set[asyncio.Task[None]] = set()
        self._slow: dict[asyncio.Task[Any], str] = {}

    def offered(self) -> Iterator[CommandCompletion]:
        """Yield what can be typed after a slash. Enter sends a completed command, except a template that needs
        arguments: a hint such as `<file>` says so."""
        for section, commands in command_sections().items():
            yield from (CommandCompletion(command.name, command.help, section) for command in commands)
        for each in self._conversation.commands:
            text = " · ".join(filter(None, [each.arguments, each.description]))
            takes = each.arguments.startswith("<") or self._chat.prompt_input.arguments(each.name)
            yield CommandCompletion(each.name, text, _GROUPS[each.kind], takes)

    def list_templates(self) -> None:
        """Read the prompt templates again, and offer them."""
        self.begin(self._list_templates())

    async def _list_templates(self) -> None:
        await self._conversation.list_templates()
        self._chat.prompt_input.commands_changed()

    def start(self, typed: str) -> bool:
        """Start the command in `typed`. Return False if it holds none (a path is not a command).

        Raises `UnknownName`, and `ConfigError` for a file that cannot be attached, and for words behind a command that
        takes none: it would do something else than they say.
        """
        first = typed.split(maxsplit=1)[0] if typed.strip() else ""
        found = read_command(typed)
        command = None if found is None else slash_commands().get(found[0].lower())
        if command is None and first.startswith("/") and first.strip("/:;,.").lower() in KEYS:
            raise self._unknown(first[1:])
        if found is None:
            return False
        name, args = found
        if command is not None:
            if args and not command.arguments:
                raise ConfigError(f"/{command.name} takes no words, so {args!r:.60} would not count")
            self.begin(self._run(command, args))
        elif (foreign := self._conversation.find_command(name)) is None:
            if "." in name:  # README.md
                return False
            if not (starting := self._starting()):
                raise self._unknown(name)
            self.begin(self._when_known(typed, name, starting))
        elif foreign.kind == "extension":
            self.begin(self._ask(foreign, args))
        else:
            chat = self._chat
            sent = prompts.message(typed, chat.prompt_input.editor.pastes, chat.host.runtime.cwd)
            chat.send(sent.text, sent.images, sent.attached, typed=typed)
        return True

    def is_whole(self, typed: str, offered: str) -> bool:
        """Whether a command is meant as typed, and not the one offered first: its name is known, even if it is not
        listed yet, or an extension that is starting may have it."""
        if (found := read_command(typed)) is None:
            return False
        name = found[0].lower()
        if name in KEYS or self._conversation.find_command(name) is not None:
            return True
        return bool(self._starting()) and not offered.lower().startswith(name)

    def _starting(self) -> "list[asyncio.Task[None]]":
        """Return the starts of the extensions whose commands are not known yet."""
        extensions = self._chat.host.extensions
        members = [] if extensions is None else extensions.members
        return [each.started for each in members if each.late is None and not each.started.done()]

    def _unknown(self, name: str) -> UnknownName:
        if advice := ELSEWHERE.get(name.lower()):
            return UnknownName(f"/{name}: {advice}")
        if name.lower().startswith(SKILL):
            skills = [skill.name for skill in self._chat.host.runtime.skills]
            return UnknownName.among("skill", name[len(SKILL) :], skills)
        return UnknownName.among("command", f"/{name}", [f"/{each.name}" for each in self.offered()])

    async def _run(self, command: SlashCommand, args: str) -> None:
        if command.busy == "cancel" and self._conversation.busy:
            self._chat.stop()
            await self._conversation.idle()
        await command.run(self._chat, args)

    async def _when_known(self, typed: str, name: str, starting: "Sequence[asyncio.Task[None]]") -> None:
        """Start the command of an extension that may not have registered yet; an unknown one is typed again."""
        for start in starting:
            if self._conversation.find_command(name) is None and not await self._patiently(_end(start), f"/{name}"):
                return
        if self._conversation.find_command(name) is not None:
            self.start(typed)
            return
        if not self._chat.prompt_input.text:
            self._chat.prompt_input.set(typed)
        raise self._unknown(name)

    async def _ask(self, command: ConversationCommand, args: str) -> None:
        """Have an extension run its command; the user can give up waiting for a slow one."""
        label = f"/{command.name} · {command.source}"
        try:
            await self._patiently(self._conversation.run_command(command.name, args), label)
        except CommandRefused as error:
            raise CommandError(f"/{command.name}: extension {command.source}: {error}") from None
        except CommandError as error:
            if not error.reported:
                raise

    async def _patiently(self, work: Coroutine[Any, Any, object], label: str) -> bool:
        """Await what the user can give up when it is slow; False if they did. `label` begins with the command."""
        asked = spawn(work, label)
        slow = self._chat.app.after(SLOW_AFTER, lambda: self._is_slow(asked, label))
        try:
            await asyncio.wait([asked])
        finally:
            slow.cancel()
            asked.cancel()
            if self._slow.pop(asked, ""):
                self.changed.emit()
        try:
            asked.result()
        except asyncio.CancelledError:
            self._chat.note(f"stopped waiting for {label.partition(' ')[0]}")
            return False
        return True

    def _is_slow(self, asked: asyncio.Task[Any], label: str) -> None:
        self._slow[asked] = label
        self.changed.emit()

    @property
    def slow_command(self) -> str:
        """The newest extension command that is slow to answer, with its extension; empty if all have answered."""
        return next(reversed(self._slow.values()), "")

    def give_up(self) -> bool:
        """Stop waiting for `slow_command`. Return False if all have answered."""
        asked = next(reversed(self._slow), None)
        return asked is not None and asked.cancel()

    def begin(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine in the background and show its error, if any, as a note."""

        async def guarded() -> None:
            try:
                await work
            except ZotError as error:
                self._chat.note(error_line(error), "error")
            except Exception as error:  # noqa: BLE001  the top of a command: the screen stays open
                _log.error("a command failed", exc_info=error)
                self._chat.note(f"this is a bug in zot, please report it: {error_line(error)}", "error")
            self._chat.refresh()

        task = spawn(guarded(), "command")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()


async def _end(task: "asyncio.Task[None]") -> None:
    """Wait for the end of a task without cancelling it."""
    await asyncio.wait([task])
