"""/swarm: the agents that live on beside the conversation. They can be started, opened, steered, stopped and merged."""

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from zot_agent.host.options import HostOptions
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.commands.follow_dialogs import ask_following, show_conversation
from zot_agent.ui.format.amounts import tokens
from zot_agent.ui.format.status import shown_folder
from zot_core.aio import spawn
from zot_core.errors import error_line
from zot_provider.errors import ConfigError, UnknownName, ZotError
from zot_provider.messages import Message
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, TextInput

if TYPE_CHECKING:
    from zot_agent.swarm.member import Member
    from zot_agent.swarm.swarm import Choice, Swarm

WATCH = 1.0
"""Seconds between two looks at a member that this screen has started."""


async def swarm(chat: Chat, text: str) -> None:
    """List the members, or do what the text says, as `zot swarm` does."""
    from zot_agent.swarm.verbs import STARTING, VERBS  # noqa: PLC0415  as in `open_swarm`

    verb, _, rest = text.strip().partition(" ")
    id, _, words = rest.strip().partition(" ")
    if verb in ("", "list"):
        await _show(chat)
    elif verb == "new":
        await _new(chat, rest.strip())
    elif verb != "logs" and verb not in VERBS:
        raise UnknownName.among("verb of /swarm", verb, ["list", "new", "logs", *VERBS])
    elif not id:
        raise ConfigError(f"/swarm {verb} needs the id of a member; /swarm lists them")
    elif verb == "logs":
        await _open(chat, id)
    else:
        members = open_swarm()
        member = await asyncio.to_thread(members.find, id) if verb in STARTING else None
        chat.note(await asyncio.to_thread(VERBS[verb], members, id, words.strip()), "success")
        if member is not None and not member.active:
            await _watch(chat, member.id)


def open_swarm() -> "Swarm":
    from zot_agent.swarm.swarm import Swarm  # noqa: PLC0415  many conversations have none

    return Swarm()


async def _new(chat: Chat, task: str) -> None:
    if not task:
        task = await chat.ask(TextInput("Task of a new agent", placeholder="it works on when you close zot")) or ""
    if not task.strip():
        return
    member, notes = await asyncio.to_thread(open_swarm().new, task, options_of(chat))
    for note in notes:
        chat.note(note, "warning")
    where = "in this folder" if member.tree is None else f"on the branch {member.tree.branch}"
    chat.note(f"{member.id} works {where}; /swarm shows it", "success")
    await _watch(chat, member.id)


async def _watch(chat: Chat, id: str) -> None:
    """Say what a member asks, and how it ends, while the screen is open."""
    from zot_agent.swarm.words import question_text, status  # noqa: PLC0415  as in `open_swarm`

    asked = ""
    while True:
        await asyncio.sleep(WATCH)
        try:
            member = await asyncio.to_thread(open_swarm().find, id)
        except ZotError:  # it was removed
            return
        if (question := question_text(member)) and question != asked:
            chat.note(f"{id} asks: {question}; /swarm answers it", "warning")
        asked = question
        if not member.active:
            break
    said = member.answer.partition("\n")[0]
    chat.note(f"{id}: {status(member)}" + (f": {said}" if said and member.state == "done" else ""))


def options_of(chat: Chat) -> HostOptions:
    """Return the options of a member that works as this conversation does. Raises `ConfigError` for a key that was
    given on the command line, since keys are not stored."""
    host = chat.host
    options, state = host.options, host.runtime.state
    if options.api_key:
        raise ConfigError("an agent of the swarm cannot have the key of --api-key; set the variable, or use /login")
    policy = None if host.sandbox is None else host.sandbox.policy
    other = bool(options.provider) and host.models is not None and host.models.id_of(options.provider) != state.provider
    return options.replace(
        cwd=host.runtime.cwd,
        provider=state.provider,
        model=state.model,
        base_url="" if other else options.base_url,
        reasoning=host.runtime.agent.reasoning,
        permission_mode=host.conversation.permissions.mode,
        sandbox="off" if policy is None else "strict" if policy.strict else "on",
    )


class SwarmPicker(Picker[str]):
    """The members by the folder that they work for, the newest first. They can be steered and stopped here."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self.known: dict[str, Member] = {}
        self._said: set[str] = set()
        actions = (
            RowAction[str]("ctrl+s", "send", lambda id: spawn(self._say(id), "message to a member")),
            RowAction[str](
                "ctrl+d", "stop", lambda id: spawn(self._stop(id), "stop a member"), "stop this agent?", self._over
            ),
        )
        super().__init__("Swarm", (), empty="no agents in the swarm; /swarm new TASK starts one", actions=actions)

    async def reload(self) -> None:
        from zot_agent.swarm.words import status  # noqa: PLC0415  as in `open_swarm`

        found, problems = await asyncio.to_thread(open_swarm().members)
        for problem in set(problems) - self._said:
            self._chat.note(problem, "warning")
        self._said.update(problems)
        home, here = os.path.realpath(os.path.expanduser("~")), os.path.realpath(self._chat.host.runtime.cwd)
        found.sort(key=lambda each: (each.folder != here, each.folder))
        self.known = {each.id: each for each in found}
        self.set_items(
            [
                PickerItem(
                    each.id,
                    f"{each.id}  {sanitize_line(each.task)}",
                    detail=f"{sanitize_line(status(each))} · {tokens(each.tokens)}",
                    group=sanitize_line(shown_folder(each.folder, home)),
                )
                for each in found
            ]
        )

    def _over(self, id: str) -> str:
        return "" if self.known[id].active else "this agent does not work now"

    async def _say(self, id: str) -> None:
        text = await self._chat.ask(TextInput(f"Message to {id}"))
        if text and text.strip():
            await self._do(lambda: open_swarm().send(id, text))

    async def _stop(self, id: str) -> None:
        await self._do(lambda: open_swarm().kill(id))

    async def _do(self, work: Callable[[], object]) -> None:
        try:
            await asyncio.to_thread(work)
        except ZotError as error:
            self._chat.note(error_line(error), "warning")
        await self.reload()
        self._chat.app.redraw()


async def _show(chat: Chat) -> None:
    while True:
        picker = SwarmPicker(chat)
        await picker.reload()
        id = await ask_following(chat, picker, picker.reload, lambda: True)
        if id is None:
            return
        if picker.known[id].question is None:
            await _open(chat, id)
        else:
            await _decide(chat, picker.known[id])


async def _decide(chat: Chat, member: "Member") -> None:
    """Ask the question that a member waits with."""
    from zot_agent.swarm.words import question_text  # noqa: PLC0415  as in `open_swarm`

    choices = [ConfirmChoice("y", "yes", "yes"), ConfirmChoice("n", "no", "no")]
    if member.question is not None and member.question.get("rules"):
        choices.insert(1, ConfirmChoice("a", "always", "always"))
    title = f"May {member.id} run this?"
    choice = await chat.ask(Confirm(title, choices, sanitize_line(question_text(member))))
    if choice is not None:
        await asyncio.to_thread(open_swarm().answer, member.id, cast("Choice", choice))


async def _open(chat: Chat, name: str) -> None:
    """Show the conversation of a member until it is closed."""
    from zot_agent.swarm.words import status  # noqa: PLC0415  as in `open_swarm`
    from zot_core.sessions.file import load  # noqa: PLC0415  as above

    swarm = open_swarm()
    seen, messages = (0, 0), list[Message]()
    member = await asyncio.to_thread(swarm.find, name)

    def look() -> tuple[list[Message], str]:
        nonlocal seen, messages, member
        member = swarm.find(member.id)
        changed = _version(member.session)
        if changed != seen:
            seen, messages = changed, load(member.session).messages
        return messages, f"{member.id}: {member.line if member.state == 'working' and member.line else status(member)}"

    async def read() -> tuple[list[Message], str]:
        return await asyncio.to_thread(look)

    await show_conversation(chat, f"{member.id}: {member.task}", read, lambda: True)


def _version(path: str) -> tuple[int, int]:
    """Return what changes with a file; zeros without one."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


COMMANDS = (
    SlashCommand("swarm", "[new TASK]", "agents that live on beside the conversation, in worktrees", "now", swarm),
)
