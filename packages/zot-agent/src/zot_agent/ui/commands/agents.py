"""/agents: the sub-agents of the session. They can be opened, steered and stopped here."""

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.commands.follow_dialogs import ask_following, show_conversation
from zot_agent.ui.format.amounts import tokens
from zot_core.aio import spawn
from zot_core.runtime.subagents.listing import AgentEntry
from zot_provider.messages import Message
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.amounts import duration
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import TextInput

ENDED = "this agent has ended"


async def known(chat: Chat) -> list[AgentEntry]:
    from zot_core.runtime.subagents.listing import known_agents  # noqa: PLC0415  many conversations have none

    return await known_agents(chat.host.runtime, chat.host.runtime.agents)


class AgentPicker(Picker["AgentEntry"]):
    """The sub-agents, the newest first. They can be steered and stopped here."""

    def __init__(self, chat: Chat, entries: list[AgentEntry]) -> None:
        self._chat = chat
        actions = (
            RowAction["AgentEntry"]("ctrl+s", "steer", lambda each: spawn(self._steer(each), "steer agent"), "", _over),
            RowAction["AgentEntry"](
                "ctrl+d", "stop", lambda each: spawn(self._stop(each), "stop agent"), "stop this agent?", _over
            ),
        )
        super().__init__("Agents", (), empty="no agents in this session", actions=actions)
        self.show(entries)

    def show(self, entries: list[AgentEntry]) -> None:
        self.set_items([PickerItem(each, _label(each), detail=_detail(each)) for each in reversed(entries)])

    async def reload(self) -> None:
        self.show(await known(self._chat))

    async def _steer(self, entry: AgentEntry) -> None:
        title = f"Message to agent {entry.id}"
        text = await self._chat.ask(TextInput(title, placeholder="read before its next model call"))
        if text and text.strip() and (entry.live is None or not entry.live.steer(text)):
            self._chat.note(ENDED, "warning")

    async def _stop(self, entry: AgentEntry) -> None:
        if entry.live is not None:
            await entry.live.end_early()
        await self.reload()
        self._chat.app.redraw()


def _over(entry: AgentEntry) -> str:
    return "" if entry.live is not None and not entry.end else ENDED


def _label(entry: AgentEntry) -> str:
    inner = "  " if entry.parent else ""
    name = f"{entry.name}  " if entry.name else ""
    return f"{inner}{entry.id}  {name}{sanitize_line(entry.task)}"


def _detail(entry: AgentEntry) -> str:
    took = duration(entry.seconds) if entry.seconds >= 1 else ""
    return " · ".join(filter(None, [sanitize_line(entry.status), entry.branch, tokens(entry.tokens), took]))


async def agents(chat: Chat, _: str) -> None:
    """List the agents; show the conversation of the chosen one until it is closed."""
    while True:
        picker = AgentPicker(chat, await known(chat))
        entry = await ask_following(chat, picker, picker.reload, lambda: chat.host.runtime.agents.running)
        if entry is None:
            return
        await _open(chat, entry)


async def _open(chat: Chat, entry: AgentEntry) -> None:
    async def read() -> tuple[list[Message], str]:
        line = entry.live.line if entry.live is not None and entry.live.end is None else entry.status
        return await entry.transcript(), f"agent {entry.id}: {line}"

    await show_conversation(chat, f"Agent {entry.id}: {entry.task}", read, lambda: chat.host.runtime.agents.running)


COMMANDS = (SlashCommand("agents", "", "show, steer and stop sub-agents", "now", agents),)
