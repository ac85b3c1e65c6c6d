import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.keys.key import parse_key
from zot_tui.terminal.input import (
    REPLY_LIMIT,
    FocusChange,
    InputSplitter,
    KeyBytes,
    MouseEvent,
    Paste,
    TerminalEvent,
    TerminalInput,
    TerminalReply,
    parse_event,
)


def split(*pieces: bytes) -> list[TerminalInput]:
    splitter = InputSplitter()
    found = [each for piece in pieces for each in splitter.feed(piece)]
    assert splitter.unfinished == ""
    return found


def joined(found: list[TerminalInput]) -> list[TerminalInput]:
    """With neighbouring keys in one."""
    result: list[TerminalInput] = []
    for each in found:
        if isinstance(each, KeyBytes) and result and isinstance(result[-1], KeyBytes):
            result[-1] = KeyBytes(result[-1].data + each.data)
        else:
            result.append(each)
    return result


def test_keys_a_paste_and_an_answer_come_in_the_order_in_which_they_were_sent() -> None:
    sent = b"a\x1b[A\x1b[200~one\r\ntwo\rthree\x1b[201~b\x1b]11;rgb:00/00/00\x1b\\\xc3\xa9"

    assert split(sent) == [
        KeyBytes(b"a\x1b[A"),
        Paste("one\ntwo\nthree"),
        KeyBytes(b"b"),
        TerminalReply("\x1b]11;rgb:00/00/00\x1b\\"),
        KeyBytes("é".encode()),
    ]


PIECES = st.lists(
    st.sampled_from(
        [
            *(
                b"a",
                b"\r",
                b"\x03",
                "é".encode(),
                "漢".encode(),
                "👩‍🚀".encode(),
                b"\x1b[A",
                b"\x1b[1;5C",
                b"\x1bOP",
                b"\x1bx",
            ),
            *(b"\x1b[<0;10;5M", b"\x1b[13;5u", b"\x1b[I", b"\x1b[?62;22c", b"\x1b[?2026;2$y"),
            *(b"\x1b[200~\x1b[20 text\x1b[201~", b"\x1b[200~\x1b[201~", b"\x1b[200~" + "é".encode() + b"\x1b[201~"),
            *(b"\x1b]11;rgb:0/0/0\x07", b"\x1b]11;#ffffff\x1b\\", b"\x1bP>|term 1\x1b\\", b"\x1b_Gi=1;OK\x1b\\"),
        ]
    ),
    max_size=12,
)


@given(PIECES, st.lists(st.integers(1, 9), min_size=1))
def test_it_makes_no_difference_in_which_pieces_input_arrives(pieces: list[bytes], lengths: list[int]) -> None:
    sent = b"".join(pieces)
    splitter = InputSplitter()
    found: list[TerminalInput] = []
    rest, turn = sent, 0
    while rest:
        length = lengths[turn % len(lengths)]
        found += splitter.feed(rest[:length])
        rest, turn = rest[length:], turn + 1

    assert joined(found + splitter.flush()) == joined(split(sent))


@given(st.binary(max_size=200), st.integers(1, 50))
def test_no_input_breaks_it_and_keys_are_never_changed(sent: bytes, length: int) -> None:
    splitter = InputSplitter()
    found: list[TerminalInput] = []
    for start in range(0, len(sent), length):
        found += splitter.feed(sent[start : start + length])
    found += splitter.flush()

    assert splitter.unfinished == ""
    if b"\x1b" not in sent:
        assert b"".join(each.data for each in found if isinstance(each, KeyBytes)) == sent


def test_an_escape_by_itself_is_a_key_when_nothing_follows() -> None:
    splitter = InputSplitter()

    assert splitter.feed(b"\x1b") == []
    assert splitter.unfinished == "keys"
    assert splitter.flush() == [KeyBytes(b"\x1b")]


def test_alt_with_a_bracket_or_a_capital_p_is_a_key() -> None:
    for sent in (b"\x1b]", b"\x1bP", b"\x1b_"):
        splitter = InputSplitter()
        assert joined(splitter.feed(sent + b"x") + splitter.flush()) == [KeyBytes(sent + b"x")]


def test_a_paste_whose_end_does_not_come_is_taken_as_far_as_it_came() -> None:
    splitter = InputSplitter()

    assert splitter.feed(b"\x1b[200~half a\x1b[2") == []
    assert splitter.unfinished == "paste"
    assert splitter.flush() == [Paste("half a\x1b[2")]
    assert splitter.feed(b"x") == [KeyBytes(b"x")]


def test_half_an_answer_is_dropped_and_keys_after_it_are_keys() -> None:
    splitter = InputSplitter()

    assert splitter.feed(b"\x1b]11;rgb:ff") == []
    assert splitter.unfinished == "reply"
    assert splitter.flush() == []
    assert splitter.feed(b"x") == [KeyBytes(b"x")]


def test_an_answer_cut_short_by_a_key_loses_no_key() -> None:
    assert split(b"\x1b]11;rgb:ff\x1b[Ax") == [KeyBytes(b"\x1b[Ax")]
    assert split(b"\x1b]11;rgb:ff\x18x") == [KeyBytes(b"x")]


def test_an_answer_without_end_does_not_keep_input_for_ever() -> None:
    splitter = InputSplitter()
    splitter.feed(b"\x1b]11;" + b"0" * (REPLY_LIMIT + 1))

    assert splitter.feed(b"x") == [KeyBytes(b"x")]


def test_a_paste_of_broken_text_is_still_a_paste() -> None:
    assert split(b"\x1b[200~\xff\x1b[201~") == [Paste("\ufffd")]


@pytest.mark.parametrize(
    ("event", "value"),
    [
        ("shift meta left", parse_key("alt+shift+left")),
        ("a", parse_key("a")),
        ("focus in", FocusChange(here=True)),
        ("focus out", FocusChange(here=False)),
        (("mouse press", 1, 2, 3), MouseEvent("mouse press", 1, 2, 3)),
        ("<csi 6;40;20t>", TerminalReply("\x1b[6;40;20t")),
        ("left shift", None),
        ("window resize", None),
        (("status ok",), None),
    ],
)
def test_an_event_of_urwid_becomes_a_value_or_nothing(event: object, value: TerminalEvent | None) -> None:
    assert parse_event(event) == value
