import re
import time
import unicodedata
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.sanitize import MARKS, Sanitizer, detached, reveal, sanitize, sanitize_line
from zot_tui.text.width import width

nasty = st.sampled_from(
    ["\x1b[31m", "\x1b]0;t\x07", "\x9b2J", "\u202e", "\u2066", "\u200b", "\ud800", "\udfff", "\r", "\r\n"]
)
texts = st.lists(nasty | st.text(max_size=5), max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ntext", "plain\ntext"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b]52;c;aGk=\x07a\x1b]0;title\x1b\\b", "ab"),
        ("\x1b[2J\x1b[1;1Ha\x1b[31mb\x9b3mc", "abc"),
        ("a\x00\x07\x08\x7f\x85\x9cb", "ab"),
        ("user\u202enimda\u202c", "user�nimda�"),
        ("a\u2067b\u2069", "a�b�"),
        ("a\u200b\u2060\ufeff\u00adb\u200e", "ab"),
        ("a\U000e0041\U000e0042b", "ab"),
        ("a\u2028b", "a b"),
        ("\ud800a\udc00", "�a�"),
        ("a\ufffeb", "a�b"),
        ("été 漢字 👩‍👧 🇩🇪 ❤️ नमस्ते", "été 漢字 👩‍👧 🇩🇪 ❤️ नमस्ते"),
        ("e" + "\u0301" * 1000, "e" + "\u0301" * MARKS),
        ("\u3164\u115f", ""),
        (b"a\xff\xc3b\xe2\x82", "a�\N{REPLACEMENT CHARACTER}b�"),
        (b"\xc2\x9b2Ja", "a"),
    ],
)
def test_what_moves_hides_or_deceives_is_gone(text: bytes | str, expected: str) -> None:
    assert sanitize(text) == expected


def test_a_chain_of_joined_characters_is_broken() -> None:
    assert width(sanitize("👩\u200d" * 1000)) > 100


def test_tabs_stay_or_become_spaces_up_to_the_next_stop() -> None:
    assert sanitize("a\tb\n\tc") == "a\tb\n\tc"
    assert sanitize("a\tb\n\tc", tab_size=4) == "a   b\n    c"
    assert sanitize_line("a\tb\nc\r\nd") == "a b c d"


def test_every_control_code_alone_leaves_nothing() -> None:
    for code in (*range(32), *range(127, 160)):
        assert sanitize(f"a{chr(code)}b") in ("ab", "a\tb", "a\nb", "a")


@given(texts)
def test_what_is_left_prints(text: str) -> None:
    for char in sanitize(text, tab_size=8):
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(char) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@given(texts)
def test_what_is_left_is_left_the_second_time(text: str) -> None:
    assert sanitize(sanitize(text)) == sanitize(text)


@given(texts.filter(lambda text: not text.endswith("\r")), texts)
def test_a_line_depends_on_itself_alone(one: str, other: str) -> None:
    assert sanitize(f"{one}\n{other}") == f"{sanitize(one)}\n{sanitize(other)}"


@pytest.mark.parametrize(
    "flood", ["a", "\x1b[31m", "e\u0301", "\u0301", "👩\u200d", "\u200b", "\u202e", "\x9d", "\u1100"]
)
def test_a_million_characters_pass(flood: str) -> None:
    text = flood * (1_000_000 // len(flood))
    assert len(sanitize(text)) <= len(text)


def test_a_mark_without_a_letter_gets_one_to_stand_on() -> None:
    assert detached("\u0301a") == "◌\u0301a"
    assert detached("a\u0301") == "a\u0301"
    assert detached("漢") == "漢"
    assert detached("") == ""


@given(texts, st.sampled_from(["a", " ", "漢"]))
def test_detached_text_takes_its_own_cells_behind_anything(text: str, before: str) -> None:
    text = detached(sanitize(text))
    assert width(before + text) == width(before) + width(text)


def test_text_holds_no_placeholder_of_an_image() -> None:
    flood = "\U0010eeee\u0305\u030d" * 300_000

    assert "\U0010eeee" not in sanitize(flood)
    assert sanitize("a\U0010eeeeb \ue000") == "a\ufffdb \ue000"


COLOR = re.compile(r"\x1b\[[0-9;:]*m")
sequences = st.sampled_from(
    [
        "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x9b", "\x9d", "\x90", "\x9c", "\x07", "\x1b\\", "0", "31", ";", ":", "m",
        "H", "?2004h", "52;c;", "a", "é", "\n", "\t", "\r", " ", "/", "\x00", "\x7f", "[", "]", "\\", "\x1b[1m",
        "\x1b[8m", "\u202e", "\u200b", "\U000e0041", "\u200d", "👩",
    ]
)  # fmt: skip
commands = st.lists(sequences | st.text(max_size=3), max_size=12).map("".join)


def fed(pieces: Iterable[str]) -> str:
    sanitizer = Sanitizer()
    return "".join(map(sanitizer.feed, pieces))


@given(commands)
def test_with_colours_nothing_else_commands_the_terminal(text: str) -> None:
    clean = sanitize(text, colors=True)
    rest = COLOR.sub(".", clean)
    assert sanitize(rest) == rest
    assert not any(unicodedata.category(char) == "Cc" for char in rest if char not in "\n\t")
    assert sanitize(clean, colors=True) == clean


@given(st.lists(st.sampled_from(["\x1b[31m", "\x1b[0m", "\x1b[m", "\x1b[38;5;8m", "\x1b[4:3m", "text", "\n"])))
def test_colours_stay_where_they_are_wanted(pieces: list[str]) -> None:
    assert sanitize("".join(pieces), colors=True) == "".join(pieces)
    assert sanitize("".join(pieces)) == COLOR.sub("", "".join(pieces))


@pytest.mark.parametrize("hidden", ["8", "08", "1;8", "8;1", "38;5;1;8", "38;8", "48;2;1;2;3;8", "8:1"])
def test_colours_that_hide_text_are_gone(hidden: str) -> None:
    assert sanitize(f"a\x1b[{hidden}mb", colors=True) == "ab"


@pytest.mark.parametrize("shown", ["38;5;8", "48;5;008", "38;2;8;8;8", "1;38;5;8;4", "38:5:8", "38;5;8;48;5;8", "18"])
def test_the_numbers_of_a_colour_hide_nothing(shown: str) -> None:
    assert sanitize(f"a\x1b[{shown}mb", colors=True) == f"a\x1b[{shown}mb"


@given(st.lists(commands, max_size=5))
def test_text_in_pieces_is_as_safe_as_the_whole(pieces: list[str]) -> None:
    assert fed(pieces) == sanitize("".join(pieces).removesuffix("\r"), colors=True)


@pytest.mark.parametrize(
    "text",
    [
        "a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c",
        "a\x1bPq#0;2;0\x1b\\b\x90q\x9cc",
        "a\x9b2Jb\x1b[2J\x1b[1;1Hc",
        "a\r\nb\x1b(0c\x1b[31md\x1b[0m",
        "e" + "\u0301" * 50 + "x" + "👩\u200d" * 30,
    ],
)
def test_it_does_not_matter_where_a_sequence_is_cut(text: str) -> None:
    whole = sanitize(text, colors=True)
    assert fed(text) == whole
    assert all(fed((text[:cut], text[cut:])) == whole for cut in range(len(text)))


def test_a_torn_sequence_is_held_back_until_it_ends() -> None:
    sanitizer = Sanitizer()
    assert sanitizer.feed("a\x1b]52;c;") == "a"
    assert sanitizer.feed("aGk=" * 100_000) == ""
    assert sanitizer.feed("\nb\x1b") == "\nb"
    assert sanitizer.feed("[3") == ""
    assert sanitizer.feed("1mc") == "\x1b[31mc"
    assert sanitizer.feed("\x1b[" + "0;" * 100) == ""
    assert sanitizer.feed("0md") == "d"
    assert sanitizer.feed("\x1b[" + "0;" * 100 + "  ") == ""
    assert sanitizer.feed("qe") == "e"


@pytest.mark.parametrize(
    "piece", ["\x1b]", "\x9d\n", "\x9d", "\x1b[", "\x1b[1;", "\x1bP\n", "\x1b ", "\x9b0", "\x1b[8m"]
)
def test_hostile_text_takes_no_longer_than_any_other(piece: str) -> None:
    began = time.process_time()  # others may use the machine meanwhile
    fed([piece * 100_000] * 2)
    sanitize(piece * 100_000, colors=True)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ls\n\ta é 漢 👍", "ls\n\ta é 漢 👍"),
        ("ls \x1b]0;rm -rf ~;\x07", r"ls \x1b]0;rm -rf ~;\x07"),
        ("a\r\nb\rc", "a\nb\\rc"),
        ("\u202ecod\u2066", r"\u202ecod\u2066"),
        ("a\u200bb\u3164c\xa0d\x9be", r"a\u200bb\u3164c\xa0d\x9be"),
        ("\ud800 \U000e0041", r"\ud800 \U000e0041"),
    ],
)
def test_what_a_person_must_judge_hides_nothing(text: str, shown: str) -> None:
    assert reveal(text) == shown


@given(texts)
def test_nothing_is_taken_out_of_a_revealed_text(text: str) -> None:
    revealed = reveal(text)
    bare = re.sub(r"[\u0300-\U000e01ef]", "", revealed)  # floods of marks are cut
    assert sanitize(bare) == bare
