"""What terminals answer, in the forms of real ones, through a whole `Terminal`."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zot_tui.keys.key import Key
from zot_tui.terminal.input import TerminalEvent, TerminalReply, canonical
from zot_tui.terminal.terminal import Terminal

ANSWERS = {
    "kitty": (b"\x1b[?0u", b"\x1b[?62;52;c", b"\x1b[?62;c", b"\x1bP>|kitty(0.26.5)\x1b\\", b"\x1b[>1;4000;29c"),
    "foot": (b"\x1b[?0u", b"\x1b[?62;4;22;28;29;52c", b"\x1bP>|foot(1.16.2)\x1b\\", b"\x1b[?2026;2$y"),
    "WezTerm": (b"\x1b[?0u", b"\x1b[?65;4;6;18;22;52c", b"\x1bP>|WezTerm 20240203-110809-5046fc22\x1b\\"),
    "Ghostty": (b"\x1b[?0u", b"\x1b[?62;22;52c", b"\x1bP>|ghostty 1.1.3\x1b\\", b"\x1b[?2027;1$y"),
    "iTerm2": (b"\x1b[?0u", b"\x1b[?64;1;2;4;6;17;18;21;22;52c", b"\x1bP>|iTerm2 3.5.10\x1b\\", b"\x1b[>4;m"),
    "Windows Terminal": (b"\x1b[?61;4;6;7;14;21;22;23;24;28;32;42;52c", b"\x1b[>0;10;1c", b"\x1b[?2026;0$y"),
    "xterm": (b"\x1b[>4;0m", b"\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c", b"\x1bP>|XTerm(390)\x1b\\", b"\x1b[>4m"),
    "tmux": (b"\x1b[?1;2;4c", b"\x1bP>|tmux 3.4\x1b\\", b"\x1b]11;rgb:1e1e/1e1e/1e1e\x07", b"\x1b[>84;0;0c"),
    "screen": (b"\x1b[?1;2c", b"\x1b[>83;50000;0c"),
    "VTE": (b"\x1b[?65;1;9c", b"\x1bP>|VTE(7600)\x1b\\", b"\x1b[>65;7600;1c", b"\x1b[?2026;2$y"),
    "Konsole": (b"\x1b[?62;1;4c", b"\x1bP>|Konsole 24.02.1\x1b\\", b"\x1b]11;rgb:2323/2626/2727\x1b\\"),
    "Apple Terminal": (b"\x1b[?1;2c", b"\x1b]11;rgb:ffff/ffff/ffff\x07"),
    "8-bit end": (b"\x1b]11;rgb:ff/ff/ff\x9c", b"\x1b]11;rgba:ff/ff/ff/ff\xc2\x9c", b"\x1b[?6c"),
    "left out": (b"\x1b[?u", b"\x1b[?2026;$y", b"\x1b[?2026$y", b"\x1b[?c", b"\x1b[?;22c", b"\x1b[?1:0;2u"),
}


class Typing:
    """A terminal at the end of a pipe, and the events that it has reported."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        reader, self._writer = os.pipe()
        self._source, self._sink = os.fdopen(reader, "rb"), Path(os.devnull).open("wb")  # noqa: SIM115  until `close`
        self._loop = loop
        self.events: list[TerminalEvent] = []
        self.screen = Terminal(self._source, self._sink, environment={}, escape_wait=0, rest_wait=60)
        self.screen.listen(loop, self.events.extend, lambda: None)

    def send(self, data: bytes) -> None:
        os.write(self._writer, data)
        for _ in range(4):  # one turn of the loop reads, the next ones end the waits of no length
            self._loop.run_until_complete(asyncio.sleep(0))

    def keys(self) -> str:
        return "".join(each.text for each in self.events if isinstance(each, Key))

    def close(self) -> None:
        self.screen.unlisten()
        self._source.close()
        self._sink.close()
        os.close(self._writer)


@contextmanager
def typing() -> Iterator[Typing]:
    loop = asyncio.new_event_loop()
    terminal = Typing(loop)
    try:
        yield terminal
    finally:
        terminal.close()
        loop.close()


@pytest.mark.parametrize("terminal", ANSWERS)
def test_no_answer_of_a_real_terminal_is_typed_however_it_is_cut(terminal: str) -> None:
    sent = b"a" + b"".join(ANSWERS[terminal]) + b"b"
    for cut in range(1, len(sent)):
        if sent[cut - 1] == 0x1B or sent[cut - 2 : cut] in (b"\x1b[", b"\x1b]", b"\x1bP"):
            continue  # which is Esc, or Alt and a letter, when nothing follows
        with typing() as found:
            found.send(sent[:cut])
            found.send(sent[cut:])
            assert found.keys() == "ab", sent[cut:]
            assert [each for each in found.events if isinstance(each, Key)] == found.events[:1] + found.events[-1:]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (b"\x1b[?62;52;c", b"\x1b[?62c"),
        (b"\x1b[?c", b"\x1b[?0c"),
        (b"\x1b[?u", b"\x1b[?0u"),
        (b"\x1b[?1:3;2u", b"\x1b[?1u"),
        (b"\x1b[?2026;$y", b"\x1b[?2026;0$y"),
        (b"\x1b[?2026;2$y", b"\x1b[?2026;2$y"),
        (b"\x1b[>4;m", b"\x1b[>4;m"),
        (b"\x1b[1;5C", b"\x1b[1;5C"),
    ],
)
def test_a_report_is_read_in_one_form(sent: bytes, read: bytes) -> None:
    assert canonical(sent) == read


LETTERS = st.text("abcxyz?;0ä漢", min_size=1, max_size=3).map(str.encode)
PARAMETERS = st.text("0123456789;:", max_size=90)
REPORTS = st.builds(
    lambda private, parameters, last: f"\x1b[{private}{parameters}{last}".encode(),
    st.sampled_from("?>="), PARAMETERS, st.sampled_from(["c", "u", "$y", "m", "n", "R", "q", "t", "y", "x", "S"]),
)  # fmt: skip
STRINGS = st.builds(
    lambda first, text, last: first + text.encode() + last,
    st.sampled_from([b"\x1b]11;", b"\x1b]4;1;", b"\x1bP>|", b"\x1bP1$r", b"\x1bP!|", b"\x1b_Gi=1;"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40),
    st.sampled_from([b"\x07", b"\x1b\\"]),
)


@given(st.lists(LETTERS | REPORTS | STRINGS, max_size=12))
@example([b"\x1b[?" + b"1;" * 60 + b"c", b"a"])
def test_only_letters_are_typed_whatever_is_answered_between_them(sent: list[bytes]) -> None:
    with typing() as found:
        found.send(b"".join(sent))
        assert found.keys() == b"".join(each for each in sent if not each.startswith(b"\x1b")).decode()


PIECES = st.sampled_from(
    [
        *b"\x1b\x1b\x1b[[[]PO_^X?<>=;:$0129cumyMtRIA~\\\x07\x18\x00\x7f\x9b\x9c\xc2\xc3\xe6\xffa \n",
        *(b"200~", b"201~", b"9" * 70),
    ]
).map(lambda each: each if isinstance(each, bytes) else bytes([each]))


@given(
    st.lists(st.lists(PIECES, max_size=30).map(b"".join) | st.binary(max_size=30), max_size=4), st.binary(max_size=4)
)
def test_no_bytes_at_all_stop_the_input(sent: list[bytes], last: bytes) -> None:
    with typing() as found:
        for each in sent:
            if each:
                found.send(each)
        found.send(b"\x18\x1b\\\x1b[201~ok")  # ends what is open
        assert found.keys().endswith("ok")


def test_an_answer_after_an_escape_is_not_a_key() -> None:
    with typing() as found:
        found.send(b"\x1b\x1b[?62;52;c\x1b\x1b[1;5C\x1b[6;20;10t")
        assert [str(each) for each in found.events[:2]] == ["esc", "ctrl+alt+right"]
        assert found.events[2:] == [TerminalReply("\x1b[6;20;10t")]


@pytest.mark.parametrize(
    "piece", [b"\x1b" + b"x" * 60_000, b"\x1b" * 60_000, b"\x1b[" + b"1;" * 30_000, b"\x1b[1" * 20_000]
)
def test_each_key_costs_the_same_however_many_arrive_at_once(piece: bytes) -> None:
    """urwid copies the rest of its input for each key: 60,000 letters after an Esc took 13 s."""
    with typing() as found:
        reads = -(-len(piece) // 65536)
        os.set_blocking(found.screen.descriptor or 0, False)
        for _ in range(reads):
            found.send(piece)
        found.send(b"\x18\x1b\\ok")
        assert found.keys().endswith("ok")
