"""What is asked, the answers and the keys can all be read on a small screen."""

import asyncio

import pytest
from screen import Chats, Talk, bash

from zot_agent.ui.first_run.mode_offer import offer_mode
from zot_agent.ui.questions.locked_session import copy_question
from zot_provider.testing import ScriptedServer, Turn

small = pytest.mark.parametrize(("columns", "rows"), [(60, 20), (40, 15)])


async def read(talk: Talk) -> set[str]:
    """The words that are shown, at first and after the keys for which there are hints."""
    found = {*talk.screen().split()}
    for key, hint in (("<ctrl+o>", "Ctrl+O read on"), ("<pagedown>", "PgDn scroll")):
        for _ in range(12 if hint in " ".join(talk.screen().split()) else 0):
            await talk.press(key)
            found |= {*talk.screen().split()}
    return found


@small
async def test_the_question_of_the_first_run(chats: Chats, server: ScriptedServer, columns: int, rows: int) -> None:
    async with chats.built(server, columns, rows) as talk:
        asking = asyncio.create_task(offer_mode(talk.chat))
        await talk.shown("May tools run")
        await talk.until_hidden("you can answer")
        text = """n no, ask before a tool writes, runs something or reads elsewhere (ask) (accept-edits) (yolo)
            only changes of files in the working directory The model reads files, changes them and runs commands, with
            all rights that you have. Shift+Tab and /permissions change the answer at any time. esc decides nothing:
            tools ask this time, and you are asked again at the next start Enter choose Esc cancel"""
        assert {*text.split()} - await read(talk) == set()
        await talk.press("<esc>")
        await asking


@small
async def test_the_question_about_a_session_that_is_open(chats: Chats, columns: int, rows: int) -> None:
    async with chats.open([], columns, rows) as talk:
        asking = asyncio.create_task(talk.chat.ask(copy_question()))
        await talk.shown("Another zot has")
        await talk.until_hidden("you can answer")
        text = """Another zot has this session open. Continue in a copy? continue in a copy leave it Enter Esc
            Two programs cannot write to one session. A copy is a new session with the same conversation."""
        assert {*text.split()} - await read(talk) == set()
        await talk.press("<esc>")
        await asking


@small
async def test_the_question_about_a_call(chats: Chats, columns: int, rows: int) -> None:
    words = [f"word-{number}" for number in range(60)]
    async with chats.open([Turn("So.", calls=[bash(f"touch {' '.join(words)}")]), "I see."], columns, rows) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown("Run bash")
        await talk.until_hidden("you can answer")
        assert {*words, "yes,", "no,", "tell", "model", "why", "Enter", "Esc"} - await read(talk) == set()
        await talk.press("n<enter>")
        await talk.quiet()


@small
@pytest.mark.parametrize(
    "command", ["model", "tree", "sessions", "settings", "help", "theme", "context", "login", "permissions"]
)
async def test_the_keys_of_every_list(
    chats: Chats, server: ScriptedServer, columns: int, rows: int, command: str
) -> None:
    server.add("one")
    async with chats.built(server, columns, rows) as talk:
        await talk.send("first")
        talk.type(f"/{command}<enter>")
        await talk.shown("Esc close")
        shown = await read(talk)
        top = talk.chat.view.stack.top
        assert top is not None
        assert {word for hint in top.hints for word in str(hint.help).split()} - {"scroll"} - shown == set()
        assert not any(row.rstrip().endswith("…") for row in talk.rows() if row.startswith(("› ", "  Enter")))
        await talk.press("<esc>")
