import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.sanitize import MARKS, detached, sanitize, sanitize_line
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
def test_what_moves_hides_or_deceives_is_gone(text, expected):
    assert sanitize(text) == expected


def test_a_chain_of_joined_characters_is_broken():
    assert width(sanitize("👩\u200d" * 1000)) > 100


def test_tabs_stay_or_become_spaces_up_to_the_next_stop():
    assert sanitize("a\tb\n\tc") == "a\tb\n\tc"
    assert sanitize("a\tb\n\tc", tab_size=4) == "a   b\n    c"
    assert sanitize_line("a\tb\nc\r\nd") == "a b c d"


def test_every_control_code_alone_leaves_nothing():
    for code in (*range(32), *range(127, 160)):
        assert sanitize(f"a{chr(code)}b") in ("ab", "a\tb", "a\nb", "a")


@given(texts)
def test_what_is_left_prints(text):
    for char in sanitize(text, tab_size=8):
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(char) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@given(texts)
def test_what_is_left_is_left_the_second_time(text):
    assert sanitize(sanitize(text)) == sanitize(text)


@given(texts.filter(lambda text: not text.endswith("\r")), texts)
def test_a_line_depends_on_itself_alone(one, other):
    assert sanitize(f"{one}\n{other}") == f"{sanitize(one)}\n{sanitize(other)}"


@pytest.mark.parametrize(
    "flood", ["a", "\x1b[31m", "e\u0301", "\u0301", "👩\u200d", "\u200b", "\u202e", "\x9d", "\u1100"]
)
def test_a_million_characters_pass(flood):
    text = flood * (1_000_000 // len(flood))
    assert len(sanitize(text)) <= len(text)


def test_a_mark_without_a_letter_gets_one_to_stand_on():
    assert detached("\u0301a") == "◌\u0301a"
    assert detached("a\u0301") == "a\u0301"
    assert detached("漢") == "漢"
    assert detached("") == ""


@given(texts, st.sampled_from(["a", " ", "漢"]))
def test_detached_text_takes_its_own_cells_behind_anything(text, before):
    text = detached(sanitize(text))
    assert width(before + text) == width(before) + width(text)


def test_text_holds_no_placeholder_of_a_picture():
    flood = "\U0010eeee\u0305\u030d" * 300_000

    assert "\U0010eeee" not in sanitize(flood)
    assert sanitize("a\U0010eeeeb \ue000") == "a\ufffdb \ue000"
