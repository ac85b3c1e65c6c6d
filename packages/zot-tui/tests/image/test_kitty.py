"""kitty's graphics protocol: what is sent, and the text that stands for it."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.color import rgb
from zot_tui.image.kitty import (
    CHUNK,
    DIACRITICS,
    PLACEHOLDER,
    deletion,
    knows_placeholders,
    number_color,
    numbers,
    placeholder_rows,
    transmission,
)
from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import plain, runs_width
from zot_tui.theme.detect import TRUE_COLOR

COMMAND = re.compile(r"\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\")
BASE64 = st.text("ABCDwxyz0189+/", max_size=3 * CHUNK + 7)


def commands(sequence: str) -> list[tuple[dict[str, str], str]]:
    """Keys and payload of each command; there is nothing else."""
    assert COMMAND.sub("", sequence) == ""
    return [(dict(key.split("=") for key in keys.split(",")), payload) for keys, payload in COMMAND.findall(sequence)]


@given(BASE64, st.sampled_from(numbers(TRUE_COLOR, 0)), st.integers(1, 297), st.integers(1, 297))
def test_the_chunks_of_a_transmission_joined_are_its_data(data: str, number: int, columns: int, rows: int) -> None:
    sent = commands(transmission(number, columns, rows, data))

    assert "".join(payload for _, payload in sent) == data
    assert all(len(payload) <= CHUNK and len(payload) % 4 == 0 for _, payload in sent[:-1])
    assert [keys["m"] for keys, _ in sent] == ["1"] * (len(sent) - 1) + ["0"]
    first, *others = [keys for keys, _ in sent]
    assert first | {"m": ""} == {
        **{"a": "T", "U": "1", "i": str(number), "c": str(columns), "r": str(rows), "f": "100", "q": "2", "m": ""}
    }
    assert all(keys.keys() == {"q", "m"} for keys in others)


@given(st.sampled_from(numbers(TRUE_COLOR, 0)), st.integers(1, 255), st.integers(1, 297), st.integers(1, 60))
def test_every_cell_says_its_image_its_row_and_its_column(number: int, high: int, columns: int, rows: int) -> None:
    for depth in (TRUE_COLOR, 256):
        named = number if depth == TRUE_COLOR else numbers(256, high)[number % 240]
        last = "" if depth == TRUE_COLOR else DIACRITICS[high]
        drawn = placeholder_rows(named, columns, rows, depth)  # type: ignore[arg-type]  # one of the depths
        assert len(drawn) == rows
        for row, runs in enumerate(drawn):
            ((style, text),) = runs
            assert isinstance(style, Sgr)
            assert style == Sgr(foreground=number_color(named, depth))  # type: ignore[arg-type]
            cells = [PLACEHOLDER + each for each in text.split(PLACEHOLDER)[1:]]
            assert cells == [PLACEHOLDER + DIACRITICS[row] + DIACRITICS[column] + last for column in range(columns)]
            red, green, blue = rgb(style.foreground) or (0, 0, 0)
            if depth == TRUE_COLOR:
                assert red << 16 | green << 8 | blue == named
            else:
                assert high << 24 | int(style.foreground) == named


def test_a_placeholder_takes_one_cell() -> None:
    assert [runs_width(runs) for runs in placeholder_rows(70000, 297, 297, TRUE_COLOR)] == [297] * 297
    assert [runs_width(runs) for runs in placeholder_rows(numbers(256, 255)[0], 297, 2, 256)] == [297] * 2


def test_the_diacritics_are_the_297_of_the_protocol() -> None:
    """Marks above of class 230 without a decomposition: the first and the last are given in the protocol's own file."""
    assert len(DIACRITICS) == len(set(DIACRITICS)) == 297
    assert (DIACRITICS[0], DIACRITICS[1], DIACRITICS[-1]) == ("\u0305", "\u030d", "\U0001d244")
    assert list(DIACRITICS) == sorted(DIACRITICS)
    for mark in DIACRITICS:
        assert (unicodedata.category(mark), unicodedata.combining(mark)) == ("Mn", 230)
        assert unicodedata.normalize("NFC", "A" + mark) == "A" + mark
    with pytest.raises(IndexError):
        placeholder_rows(70000, 298, 1, TRUE_COLOR)


def test_numbers_can_be_said_by_the_colours_there_are() -> None:
    assert (numbers(TRUE_COLOR, 7)[0], numbers(TRUE_COLOR, 7)[-1]) == (0x10000, 0xFFFFFF)
    assert (numbers(256, 7)[0], numbers(256, 7)[-1]) == (0x7000010, 0x70000FF)


def test_an_image_is_deleted_with_its_data() -> None:
    assert commands(deletion(70000)) == [({"a": "d", "d": "I", "i": "70000", "q": "2"}, "")]


def test_tmux_passes_each_command_on() -> None:
    wrapped = transmission(70000, 2, 1, "A" * (CHUNK + 4), tmux=True)
    passed = re.findall(r"\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\", wrapped)

    assert len(passed) == 2
    assert "".join(passed).replace("\x1b\x1b", "\x1b") == transmission(70000, 2, 1, "A" * (CHUNK + 4))
    assert plain(placeholder_rows(70000, 1, 1, TRUE_COLOR)[0]).isascii() is False


@pytest.mark.parametrize(
    ("reply", "known"),
    [
        ("\x1b[>1;4000;28c", True),
        ("\x1b[>1;4000;100c", True),
        ("\x1b[>1;4001;0c", True),
        ("\x1b[>1;4000;27c", False),
        ("\x1b[>1;277;0c", False),  # WezTerm
        ("\x1b[>1;10;0c", False),  # mosh
        ("\x1b[>84;0;0c", False),  # tmux
        ("\x1b[>1;4000c", False),
        ("\x1b[?62;52;c", False),
    ],
)
def test_kitty_knows_placeholders_since_0_28(reply: str, known: bool) -> None:
    assert knows_placeholders(reply) is known
