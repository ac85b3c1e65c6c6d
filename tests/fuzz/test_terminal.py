"""What a terminal sends, and what a model and its tools put on the screen."""

import asyncio
import os
from pathlib import Path

import pytest
from hostile import cut, cuts, damaged, few, json_bytes, json_values, texts
from hypothesis import given
from hypothesis import strategies as st
from screen import Chats, Talk

from zot_provider.testing import Call, Turn
from zot_tui.keys.key import Key
from zot_tui.terminal.input import Paste, TerminalEvent
from zot_tui.terminal.terminal import Terminal
from zot_tui.text.width import width

COLUMNS, ROWS = 40, 12
KEYS = [
    *(b"hello", b"\r", b"\x1b[A", b"\x1b[1;5C", b"\x1bOP", b"\x1bx", b"\x7f", b"\t", b"/help\r", b"@a", b"\x12"),
    *(b"\x1b[<0;10;5M", b"\x1b[<64;300;300m", b"\x1b[M   ", b"\x1b[13;5u", b"\x1b[I", b"\x1b[O", b"\x1b[?62;22c"),
    *(
        b"\x1b[200~pasted\ntext\x1b[201~",
        b"\x1b[200~/tmp/x.png\x1b[201~",
        b"\x1b]11;rgb:0/0/0\x07",
        b"\x1bP>|t 1\x1b\\",
    ),
    *(b"\x1b_Gi=1;OK\x1b\\", b"\x1b[6;20;10t", b"\x1b[?2026;2$y", b"\x1b[8;9999;9999t", b"\xff\xfe", "漢é".encode()),
    *(bytes([code]) for code in range(32) if code not in (3, 4, 7, 26)),  # these four end or stop a program, or edit
]
TOKENS = [
    b"\x1b",
    b"\x1b[",
    b"\x1b]",
    b"\x1b_G",
    b"\x1bP",
    b";",
    b"~",
    b"\x1b\\",
    b"\x1b[200~",
    b"\x1b[201~",
    b"99999999",
]


@pytest.fixture
def chats(tmp_path: Path) -> Chats:
    return Chats(tmp_path)


async def typed(pieces: list[bytes]) -> list[TerminalEvent]:
    """The events that a terminal makes of bytes that come in these pieces."""
    events: list[TerminalEvent] = []
    reading, into = os.pipe()
    ended = asyncio.Event()
    with open(reading, "rb", buffering=0) as source:
        terminal = Terminal(source, source, environment={"TERM": "xterm"}, escape_wait=0, rest_wait=0)
        terminal.listen(asyncio.get_running_loop(), events.extend, ended.set)
        for piece in pieces:
            os.write(into, piece)
            for _ in range(3):
                await asyncio.sleep(0)
        os.close(into)
        await ended.wait()
    return [event for event in events if not runs_something(event)]


def runs_something(event: TerminalEvent) -> bool:
    """Whether it would stop this process, open an editor or begin a command of the shell."""
    if isinstance(event, Key):
        return str(event) in ("ctrl+z", "ctrl+g", "!")
    return isinstance(event, Paste) and "!" in event.text


async def is_filled(talk: Talk) -> None:
    """The screen is drawn, each row as wide as it."""
    await talk.settle()
    assert [width(row) for row in talk.lines()] == [COLUMNS] * ROWS


MOST = 500
"""Bytes typed in one example. Each key is drawn by itself, which a long line makes slower."""


@few
@given(st.lists(damaged(KEYS, TOKENS, most=1), max_size=12).map(lambda parts: b"".join(parts)[:MOST]), cuts(8))
async def test_a_terminal_may_send_anything_and_the_screen_is_drawn(
    chats: Chats, data: bytes, places: list[int]
) -> None:
    events = await typed(cut(data, places))
    async with chats.open(["an answer"] * 20, COLUMNS, ROWS) as talk:
        for event in events:
            talk.hear(event)
            if talk.over:
                return
        await is_filled(talk)


MARKDOWN = [
    *(
        b"# Title\n\ntext *em* `code` **bold**\n",
        b"```python\ndef f(): pass\n```\n",
        b"| a | b |\n|---|---|\n| 1 | 2 |\n",
    ),
    *(
        b"1. one\n   - two\n     > three\n",
        b"[link](http://x)",
        b"\x1b[31mred\x1b[0m \x1b]8;;x\x07",
        "漢字 👩\u200d🚀 e\u0301".encode(),
    ),
    *(b"<b>html</b> &amp; &#0;", b"---\n===\n***\n", b"\t\tcode\n", b"\\* \\` \\_\n"),
]
said = st.lists(damaged(MARKDOWN), min_size=1, max_size=5).map(lambda parts: b"".join(parts).decode("utf-8", "replace"))


@few
@given(said | texts, said, json_values.map(json_bytes), st.integers(1, 9))
async def test_a_model_may_say_anything_and_the_screen_is_drawn(
    chats: Chats, text: str, thought: str, arguments: bytes, chunk: int
) -> None:
    call = Call("read", arguments.decode("utf-8", "surrogatepass"))
    turns = [Turn(text, reasoning=thought, calls=[call], chunk=chunk), Turn(text or "so")]
    async with chats.open(turns, COLUMNS, ROWS) as talk:
        await talk.send("go")
        await is_filled(talk)
        talk.resize(7, 3)
        await talk.settle()
        talk.resize(COLUMNS, ROWS)
        await is_filled(talk)
        assert "\x1b" not in talk.screen()
