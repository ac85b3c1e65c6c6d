"""/session timeline: the prompts of the session, and what each answer took."""

import asyncio
from datetime import datetime

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.format.amounts import cost, tokens
from zot_core.sessions.timeline import PromptEntry, read_timeline, timeline
from zot_provider.errors import ConfigError
from zot_tui.widgets.amounts import duration
from zot_tui.widgets.dialogs.picker import Picker, PickerItem


async def session(chat: Chat, what: str) -> None:
    """List the prompts; Enter scrolls to one."""
    if what not in ("", "timeline"):
        raise ConfigError(f"/session knows timeline, not {what!r}; /sessions lists the sessions")
    runtime = chat.host.runtime
    if runtime.session is None:
        entries = timeline(runtime.messages)
    else:
        entries = await asyncio.to_thread(read_timeline, runtime.session.path)
    items = [PickerItem(at, entry.text or "(image)", _tools(entry), _took(entry)) for at, entry in enumerate(entries)]
    picker = Picker("Timeline", items, empty="no prompts yet")
    picker.end(last=True)
    chosen = await chat.ask(picker)
    if chosen is not None:
        _show(chat, entries, chosen)


def _show(chat: Chat, entries: list[PromptEntry], chosen: int) -> None:
    """Scroll to a prompt: as many prompts with the same text as in the timeline come after it."""
    text = entries[chosen].text
    after = sum(entry.text == text for entry in entries[chosen + 1 :])
    same = [each for each in chat.transcript.headings() if text and each.text.strip().startswith(text)]
    if after >= len(same):
        raise ConfigError("this prompt is no longer in the conversation; /tree lists all entries")
    chat.transcript.show(same[-1 - after].number)


def _tools(entry: PromptEntry) -> str:
    return ", ".join(name if count == 1 else f"{count} {name}" for name, count in entry.tools.items())


def _took(entry: PromptEntry) -> str:
    parts = [_clock(entry.time), duration(entry.seconds) if entry.seconds >= 1 else ""]
    if entry.usage is not None:
        parts.append(tokens(entry.usage.input + entry.usage.cache_read + entry.usage.cache_write + entry.usage.output))
        parts.append(cost(entry.usage.cost_usd) if entry.usage.cost_usd is not None else "")
    return " · ".join(filter(None, parts))


def _clock(time: str) -> str:
    """Format the local time of a prompt, with its date unless that is today; empty if the time is unknown."""
    try:
        local = datetime.fromisoformat(time).astimezone()
    except ValueError:
        return ""
    today = local.date() == datetime.now(local.tzinfo).date()
    return local.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")


COMMANDS = (SlashCommand("session", "timeline", "list the prompts with time, tools and cost", "now", session),)
