"""/new /clear /compact /search /jump /btw /study /retry: the conversation."""

import os
from functools import partial

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.search.row import SearchRow
from zot_agent.ui.side_chat.chat import SideChat
from zot_agent.ui.side_chat.dialog import SideDialog
from zot_core.aio import finish
from zot_provider.errors import ConfigError
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.dialogs.questions import TextInput

STUDY = """Get to know the project in this directory. Read its README and whatever describes its structure, look at \
the folders and the most important files, and find out how it is built and tested. Then tell me in a few short \
paragraphs what it is, how it is organised, and where to begin when changing something. Do not change anything."""


async def new(chat: Chat, _: str) -> None:
    session = chat.host.runtime.session
    kept = session is not None and os.path.exists(session.path)  # created with the first message
    await chat.host.conversation.changes.make(chat.host.conversation.new_session)
    chat.note("a new session; the old one is in /sessions" if kept else "a new session")


async def clear(chat: Chat, _: str) -> None:
    await chat.host.conversation.changes.make(chat.host.conversation.branches.clear)


async def compact(chat: Chat, instructions: str) -> None:
    """Replace the conversation with a summary."""
    await chat.host.conversation.compact(instructions)


async def search(chat: Chat, text: str) -> None:
    """Search what the conversation shows."""
    row = SearchRow(chat, text)
    try:
        await chat.ask(row)
    finally:
        row.leave()


async def jump(chat: Chat, text: str) -> None:
    """Scroll to an earlier prompt: the last prompt that contains `text`, or the choice from a list."""
    prompts = chat.transcript.headings()
    if text:
        found = [prompt for prompt in prompts if text.lower() in prompt.text.lower()]
        if not found:
            raise ConfigError(f"no prompt contains {text!r}")
        chat.transcript.show(found[-1].number)
        return
    items = [PickerItem(prompt.number, prompt.text) for prompt in reversed(prompts)]
    number = await chat.ask(Picker("Jump to", items, empty="no prompts yet"))
    if number is not None:
        chat.transcript.show(number)


async def retry(chat: Chat, _: str) -> None:
    """Send the last prompt again, whose run failed or was stopped. The part of an answer that arrived stays in the
    tree."""
    conversation, messages = chat.host.conversation, chat.host.runtime.messages
    answered = not messages or messages[-1].role == "assistant"
    if conversation.busy or (answered and (not chat.latest_run.cut_off or len(messages) < 2)):
        raise ConfigError("no prompt has failed; /edit changes an earlier prompt and sends it again")
    if answered:
        await conversation.changes.make(partial(conversation.branches.go_to, messages[-2].id))
    prompt = next((each for each in reversed(messages) if each.is_prompt), None)
    conversation.resend("" if prompt is None else prompt.shown_text)


async def study(chat: Chat, _: str) -> None:
    """Have the model explore the project and explain it."""
    chat.send(STUDY)


async def btw(chat: Chat, question: str) -> None:
    """Ask a side question; neither question nor answer becomes part of the conversation."""
    side, dialog = SideChat(chat.host.runtime), SideDialog(chat.app.redraw)
    placeholder = "a side question"
    while question or (question := await chat.ask(TextInput("By the way", placeholder=placeholder)) or ""):
        answering = dialog.ask(side, question)
        try:
            await chat.ask(dialog)
        finally:
            answering.cancel()
            await finish(answering)
        if not answering.cancelled():
            answering.result()
        if not dialog.more:
            return
        question, placeholder = "", "another question"


COMMANDS = (
    SlashCommand("new", "", "start a new session", "cancel", new),
    SlashCommand("clear", "", "clear the conversation", "cancel", clear),
    SlashCommand("compact", "[instructions]", "replace the conversation with a summary", "cancel", compact),
    SlashCommand("search", "[text]", "search the conversation", "now", search, ("f3",)),
    SlashCommand("jump", "[text]", "scroll to a prompt", "now", jump),
    SlashCommand("btw", "[question]", "ask a side question that is not kept", "now", btw),
    SlashCommand("study", "", "have the model explore and explain the project", "wait", study),
    SlashCommand("retry", "", "send a failed prompt again", "wait", retry, ("f5",)),
)
