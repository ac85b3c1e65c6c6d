"""/new /clear /compact /jump /copy /btw /study: the conversation as it stands."""

import os

from zot_agent.ui.commands.base import Chat
from zot_agent.ui.side.side_chat import SideChat
from zot_agent.ui.side.side_dialog import SideDialog
from zot_core.aio import finish
from zot_provider.errors import ConfigError
from zot_tui.widgets.dialogs.picker import Item, Picker
from zot_tui.widgets.dialogs.questions import TextInput

STUDY = """Get to know the project in this directory. Read its README and what describes its structure, look at \
the folders and the most telling files, and find out how it is built and tested. Then tell me in a few short \
paragraphs what it is, how it is organised, and where one would begin to change something. Change nothing."""


async def new(chat: Chat, _: str) -> None:
    """Begin another session."""
    session = chat.host.runtime.session
    kept = session is not None and os.path.exists(session.path)  # the first message makes it
    chat.host.conversation.new_session()
    chat.note("a new session; the old one is in /sessions" if kept else "a new session")


async def clear(chat: Chat, _: str) -> None:
    """Forget the conversation."""
    chat.host.conversation.clear()


async def compact(chat: Chat, instructions: str) -> None:
    """Replace the conversation by a summary."""
    await chat.compact(instructions)


async def jump(chat: Chat, text: str) -> None:
    """Scroll to a prompt of before."""
    turns = chat.transcript.turns()
    if text:
        found = [turn for turn in turns if text.lower() in turn.text.lower()]
        if not found:
            raise ConfigError(f"no prompt here says {text!r}")
        chat.transcript.show(found[-1].number)
        return
    items = [Item(turn.number, turn.text) for turn in reversed(turns)]
    number = await chat.ask(Picker("Jump to", items, empty="nothing was said yet"))
    if number is not None:
        chat.transcript.show(number)


async def copy(chat: Chat, _: str) -> None:
    """Put the last answer on the clipboard."""
    answers = [message for message in chat.host.runtime.messages if message.role == "assistant" and message.text]
    if not answers:
        raise ConfigError("there is no answer to copy yet")
    last = answers[-1]
    if last.hidden:
        raise ConfigError("the last answer is hidden by an extension")
    ways = await chat.app.copy(last.text if last.display_text is None else last.display_text)
    chat.note("copied" if ways else "the terminal takes no text for the clipboard", "info" if ways else "warning")


async def study(chat: Chat, _: str) -> None:
    """Have the agent get to know the project."""
    chat.submit_text(STUDY)


async def btw(chat: Chat, question: str) -> None:
    """Ask something beside the work; nothing of it is kept."""
    side, dialog = SideChat(chat.host.runtime), SideDialog(chat.app.redraw)
    wanted = "a question beside the work"
    while question or (question := await chat.ask(TextInput("By the way", placeholder=wanted)) or ""):
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
        question, wanted = "", "another question"
