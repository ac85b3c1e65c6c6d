"""`Dispatch`: slash commands by their names: the screen's own, those of skills, those of extensions."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from zot_agent.ui.commands import BY_NAME, COMMANDS
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_core.aio import spawn
from zot_core.conversation.commands import SKILL, CommandError, CommandRefused, read_command
from zot_core.conversation.commands import Command as ForeignCommand
from zot_core.errors import error_line
from zot_provider.errors import UnknownName, ZotError
from zot_tui.editor.completion import CommandCompletion

_log = logging.getLogger("zot_agent")

PATIENCE = 0.3
"""Seconds after which a command of an extension that has not answered is said to run."""


class Dispatch:
    """Runs commands for `chat`, beside each other and beside the conversation as each of them allows. `changed` is
    called when `runs` is another one."""

    def __init__(self, chat: Chat, changed: Callable[[], None]) -> None:
        self._chat, self._changed = chat, changed
        self._conversation = chat.host.conversation
        self._tasks: set[asyncio.Task[None]] = set()
        self._slow: dict[asyncio.Task[Any], str] = {}

    def offered(self) -> Iterator[CommandCompletion]:
        """What can be typed behind a slash. None of them needs arguments, so that Enter sends what it completes."""
        for command in COMMANDS:
            yield CommandCompletion(command.name, command.help)
        for each in self._conversation.commands:
            yield CommandCompletion(each.name, each.description, "skills" if each.is_skill else "extensions")

    def take(self, typed: str) -> bool:
        """Begin the command in `typed`; whether it is one: a path is none. Raises `UnknownName`."""
        found = read_command(typed)
        if found is None:
            return False
        name, args = found
        command = BY_NAME.get(name.lower())
        foreign = self._conversation.find_command(name)
        if command is not None:
            self.begin(self._run(command, args))
        elif foreign is None:
            raise self._unknown(name)
        elif foreign.is_skill:
            self._chat.submit_text(typed)
        else:
            self.begin(self._ask(foreign, args))
        return True

    def _unknown(self, name: str) -> UnknownName:
        if name.lower().startswith(SKILL):
            skills = [skill.name for skill in self._chat.host.runtime.skills]
            return UnknownName.among("skill", name[len(SKILL) :], skills)
        return UnknownName.among("command", f"/{name}", [f"/{each.name}" for each in self.offered()])

    async def _run(self, command: SlashCommand, args: str) -> None:
        if command.busy == "cancel" and self._conversation.busy:
            self._chat.stop()
            await self._conversation.idle()
        await command.run(self._chat, args)

    async def _ask(self, command: ForeignCommand, args: str) -> None:
        """Have an extension run its command; one that takes long can be given up."""
        asked = spawn(self._conversation.run_command(command.name, args), f"/{command.name}")
        slow = self._chat.app.after(PATIENCE, lambda: self._is_slow(asked, f"/{command.name} · {command.source}"))
        try:
            await asyncio.wait([asked])
        finally:
            slow.cancel()
            asked.cancel()
            if self._slow.pop(asked, ""):
                self._changed()
        try:
            asked.result()
        except asyncio.CancelledError:
            self._chat.note(f"/{command.name} was given up")
        except CommandRefused as error:
            raise CommandError(f"/{command.name}: extension {command.source}: {error}") from None
        except CommandError as error:
            if not error.reported:
                raise

    def _is_slow(self, asked: asyncio.Task[Any], label: str) -> None:
        self._slow[asked] = label
        self._changed()

    @property
    def runs(self) -> str:
        """The command of an extension that is waited for, and whose it is; empty if there is none."""
        return next(reversed(self._slow.values()), "")

    def give_up(self) -> bool:
        """Wait no longer for that command; whether there was one."""
        asked = next(reversed(self._slow), None)
        return asked is not None and asked.cancel()

    def begin(self, work: Coroutine[Any, Any, object]) -> None:
        """Do something in the background; what goes wrong is told."""

        async def guarded() -> None:
            try:
                await work
            except ZotError as error:
                self._chat.note(error_line(error), "error")
            except Exception as error:  # noqa: BLE001  the top of a command: the screen goes on
                _log.error("a command failed", exc_info=error)
                self._chat.note(f"this is a mistake in zot, please report it: {error_line(error)}", "error")
            self._chat.refresh()

        task = spawn(guarded(), "command")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Stop what goes on."""
        for task in list(self._tasks):
            task.cancel()
