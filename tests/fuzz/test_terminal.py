"""What a terminal sends, and what a model and its tools put on the screen."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from hostile import cut, cuts, damaged, few, json_bytes, json_values, texts
from hypothesis import given
from hypothesis import strategies as st
from screen import Chats

from zot_provider.testing import Call, Turn
from zot_tui.terminal.input import TerminalEvent
from zot_tui.terminal.terminal import Terminal
from zot_tui.testing import Driver
from zot_tui.text.width import width

COLUMNS, ROWS = 40, 12
KEYS = [
    *(b"hello", b"\r", b"\x1b[A", b"\x1b[1;5C", b"\x1bOP", b"\x1bx", b"\x7f", b"\t", b"/help\r", b"@a", b"\x12"),
    *(b"\x1b[<0;10;5M", b"\x1b[<64;300;300m", b"\x1b[M   ", b"\x1b[13;5u", b"\x1b[I", b"\x1b[O", b"\x1b[?62;22c"),
    *(b"\x1b[200~pasted\ntext\x1b[201~", b"\x1b[200~/tmp/x.png\x1b[201~", b"\x1b]11;rgb:0/0/0\x07", b"\x1bP>|t 1\x1b\\"),
    *(b"\x1b_Gi=1;OK\x1b\\", b"\x1b[6;20;10t", b"\x1b[?2026;2$y", b"\x1b[8;9999;9999t", b"\xff\xfe", "漢é".encode()),
    *(bytes([code]) for code in range(32) if code not in (3, 4, 7, 26)),  # these four end or stop a program, or edit
]
TOKENS = [b"\x1b", b"\x1b[", b"\x1b]", b"\x1b_G", b"\x1bP", b";", b"~", b"\x1b\\", b"\x1b[200~", b"\x1b[201~", b"99999999"]


def typed(pieces: list[bytes]) -> list[TerminalEvent]:
    """The events that a terminal makes of bytes that come in these pieces."""
    events: list[TerminalEvent] = []

    async def read() -> None:
        terminal = Terminal(source, source, environment={"TERM": "xterm"}, escape_wait=0, rest_wait=0)
        terminal.listen(asyncio.get_running_loop(), events.extend, lambda: None)
        for piece in pieces:
            os.write(into, piece)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        os.close(into)
        while select_ready(terminal):
            await asyncio.sleep(0)

    reading, into = os.pipe()
    with open(reading, "rb", buffering=0) as source:
        asyncio.run(read())
    return events
