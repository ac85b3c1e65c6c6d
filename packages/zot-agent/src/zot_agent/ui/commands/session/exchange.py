"""/export /import /copy: the conversation as a file, and on the clipboard."""

import asyncio
import os
from collections.abc import Sequence
from functools import partial

from zot_agent.config.paths import sessions_root
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.version import __version__
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError
from zot_provider.messages import Message
from zot_tui.widgets.dialogs.picker import Picker, PickerItem

_NOT_YET = "there is no answer to copy yet"


async def export(chat: Chat, path: str) -> None:
    """Write the session to a file; its suffix chooses the format."""
    from zot_agent.export.formats import export_session  # noqa: PLC0415  rarely used

    session = chat.host.runtime.session
    if session is None or not os.path.exists(session.path):
        raise ConfigError("there is nothing to export yet" if session else "this conversation is not saved")
    written = await asyncio.to_thread(export_session, session.path, _absolute(chat, path))
    chat.note(f"written to {written}", "success")


async def import_file(chat: Chat, path: str) -> None:
    """Add the session in a file to the sessions of this directory, and open it."""
    from zot_core.sessions.exchange.portable import import_session  # noqa: PLC0415  rarely used

    if not path:
        raise ConfigError("/import needs the path of a .zotsession file")
    store, cwd = SessionStore(sessions_root()), chat.host.runtime.cwd
    new = await asyncio.to_thread(import_session, store, _absolute(chat, path), cwd, __version__)
    for line in await chat.host.conversation.changes.make(partial(chat.host.open_session, new)):
        chat.note(line, "warning")
    chat.note("imported; it is a session of this directory now", "success")


def _absolute(chat: Chat, path: str) -> str:
    """Return the path that a person typed, seen from the conversation's directory; an empty one stays empty."""
    return os.path.join(chat.host.runtime.cwd, os.path.expanduser(path.strip().strip("\"'"))) if path else ""


async def copy(chat: Chat, what: str) -> None:
    """Copy the last answer, one of the blocks of code in the answers, or the whole conversation."""
    if what not in ("", "block", "all"):
        raise ConfigError("/copy copies the last answer; /copy block a block of code, /copy all the conversation")
    messages = chat.host.runtime.messages
    text = _last_answer(messages) if not what else _everything(messages)
    if what == "block":
        blocks = await asyncio.to_thread(_code_blocks, messages)
        if not blocks:
            raise ConfigError("there is no block of code in the answers")
        chosen = await _choose(chat, blocks) if len(blocks) > 1 else blocks[0]
        if chosen is None:
            return
        text = chosen
    ways = await chat.app.copy(text)
    chat.note("copied" if ways else "this terminal cannot set the clipboard", "info" if ways else "warning")


def _last_answer(messages: Sequence[Message]) -> str:
    answers = [message for message in messages if message.role == "assistant" and message.text]
    if not answers:
        raise ConfigError(_NOT_YET)
    if answers[-1].hidden:
        raise ConfigError("an extension has hidden the last answer")
    return _shown(answers[-1])


def _shown(message: Message) -> str:
    """Return the text that a person sees; empty for a hidden message and for results of tools."""
    if message.hidden or message.role == "tool":
        return ""
    return message.text if message.display_text is None else message.display_text


def _everything(messages: Sequence[Message]) -> str:
    names = {"user": "You", "assistant": "zot"}
    said = [f"{names[message.role]}:\n\n{text}" for message in messages if (text := _shown(message).strip())]
    if not said:
        raise ConfigError(_NOT_YET)
    return "\n\n".join(said) + "\n"


def _code_blocks(messages: Sequence[Message]) -> list[str]:
    """Return the blocks of code in the answers, the last one first."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  not for the first screen

    parser, blocks = MarkdownIt("commonmark"), list[str]()
    for message in messages:
        if message.role == "assistant":
            tokens = parser.parse(_shown(message))
            blocks += [token.content for token in tokens if token.type in ("fence", "code_block")]
    return [block for block in reversed(blocks) if block.strip()]


async def _choose(chat: Chat, blocks: Sequence[str]) -> str | None:
    items = []
    for block in blocks:
        lines = block.strip().splitlines()
        items.append(PickerItem(block, lines[0], detail=f"{len(lines)} line{'s' if len(lines) > 1 else ''}"))
    return await chat.ask(Picker("Copy a block of code", items))


COMMANDS = (
    SlashCommand("copy", "[block|all]", "copy the last answer, some code, or all", "now", copy),
    SlashCommand("export", "[path]", "write a .zotsession, .html or .md file", "now", export),
    SlashCommand("import", "path", "open the session in a .zotsession file", "cancel", import_file),
)
