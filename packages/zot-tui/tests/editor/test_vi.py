import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.editor.buffer import Buffer
from zot_tui.editor.keyed.vi import vi_mode
from zot_tui.editor.mode import EditorMode, Outcome
from zot_tui.keys.key import RUNE, Key, parse_key
from zot_tui.text.width import graphemes

CHIP = "[pasted 3 lines #1]"


def chips(text: str) -> list[tuple[int, int]]:
    return [(found.start(), found.end()) for found in re.finditer(re.escape(CHIP), text)]


def words(text: str) -> list[str]:
    return text.split()


class Hands:
    """Types into a buffer as an editor with this mode does."""

    def __init__(self, text: str = "", cursor: int = 0) -> None:
        self.buffer = Buffer(text)
        self.mode = vi_mode(self.buffer, chips)
        self.mode.escape()
        self.move(cursor)

    def move(self, offset: int) -> None:
        self.buffer.move(offset)
        self.mode.settle()

    def press(self, name: str) -> Outcome:
        """`name` is a character, or a key's name in angle brackets."""
        key = parse_key(name[1:-1]) if len(name) > 1 else Key(RUNE, (), name)
        outcome: Outcome = "used"
        if name == "<esc>":
            self.mode.escape()
        elif name == "<enter>":
            outcome = "used" if self.mode.enter() else ""
        else:
            outcome = self.mode.press(key)
            if not outcome and name == "<backspace>":
                self.buffer.backspace()
            elif not outcome and key.text:
                self.buffer.insert(key.text)
        self.mode.settle()
        return outcome

    def type(self, keys: str) -> str:
        for name in re.findall(r"<[a-z+]{3,}>|.", keys):
            self.press(name)
        return self.buffer.text

    @property
    def state(self) -> tuple[str, int]:
        return self.buffer.text, self.buffer.cursor

    def borders(self) -> list[int]:
        """Where a cursor may stand: between two graphemes, and not within a chip."""
        text = self.buffer.text
        at, found = 0, []
        for grapheme in graphemes(text):
            found.append(at)
            at += len(grapheme)
        inside = {each for start, end in chips(text) for each in range(start + 1, end)}
        return [each for each in (*found, at) if each not in inside]


texts = st.lists(
    st.sampled_from(
        ["a", "b_c", "foo", " ", "  ", ".", "(", ")", '"', "\n", "\n\n", "漢", "🇩🇪", "e\u0301", "👩\u200d👧", CHIP]
    ),
    max_size=12,
).map("".join)
cursors = st.integers(0, 60)
MOTIONS = words("h l 0 ^ $ w b e W B E ge gE j k gg G { } % fa Fb t( T. ; , g_ 3|")
CHANGES = words(
    'x X D C<esc> S<esc> cwab<esc> ciw漢<esc> dd dw db de d$ d0 dj dk daw dap di( da" p P J ~ rx iab<esc> ae<esc> '
    "Ifoo<esc> A<esc> onew<esc> Oup<esc> Rzz<esc> >> << g~w gUU guiw yyp 2dd 3x 2p 2ia<esc> vld Vd vjcz<esc> viwU vep "
    "gJ r<enter> v$d Vj2> V2p"
)
commands = st.sampled_from(MOTIONS) | st.sampled_from(CHANGES)
loose = st.lists(
    st.sampled_from(
        [*'hjklwbeWBEG0^$fFtT;,%{}dcyxXDCYsSpPJu.~rRiaIAoOvVg123"(<>[ \n', "<esc>", "<ctrl+r>", "<backspace>"]
    ).filter(lambda key: key != "\n"),
    max_size=25,
)


@given(texts, cursors, loose)
def test_whatever_is_typed_the_cursor_stands_on_a_border_within_the_text(
    text: str, cursor: int, keys: list[str]
) -> None:
    hands = Hands(text, cursor)
    for key in keys:
        hands.press(key)
        assert hands.buffer.cursor in hands.borders()


@given(texts, cursors, loose)
def test_in_normal_mode_the_cursor_stands_on_a_character_unless_its_line_is_empty(
    text: str, cursor: int, keys: list[str]
) -> None:
    hands = Hands(text, cursor)
    for key in keys:
        hands.press(key)
        if hands.mode.name == "normal":
            text, at = hands.state
            assert (at < len(text) and text[at] != "\n") or at == 0 or text[at - 1] == "\n"


@given(texts, cursors, st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4))
def test_each_change_is_one_step_to_take_back(text: str, cursor: int, changes: list[str]) -> None:
    hands = Hands(text, cursor)
    before = []
    for change in changes:
        shown = hands.buffer.text
        if hands.type(change) != shown:
            before.append(shown)
    after = hands.buffer.text
    for shown in reversed(before):
        assert hands.type("u") == shown
    hands.type(f"{len(before)}<ctrl+r>" if before else "")
    assert hands.buffer.text == after


@given(texts, cursors, st.sampled_from([each for each in CHANGES if each[0] not in "vV2p" and each != "yyp"]))
def test_a_dot_is_the_change_once_more(text: str, cursor: int, change: str) -> None:
    hands, other = Hands(text, cursor), Hands(text, cursor)
    if hands.type(change) == text:
        return  # what could not be done is not done again
    other.type(change)
    hands.type(change)
    other.type(".")
    if hands.buffer.text != other.buffer.text:
        assert hands.buffer.text == text  # it could be done once only, and the second time another one was at hand
    else:
        assert hands.state == other.state


@given(texts, cursors, st.sampled_from(words("h l w b e W B E ge gE j k")), st.integers(2, 5))
def test_a_count_is_a_motion_as_often(text: str, cursor: int, motion: str, count: int) -> None:
    hands, other = Hands(text, cursor), Hands(text, cursor)
    hands.type(f"{count}{motion}")
    other.type(motion * count)
    assert hands.state == other.state


@given(texts, cursors, st.lists(commands, max_size=8))
def test_chips_are_never_split(text: str, cursor: int, done: list[str]) -> None:
    hands = Hands(text, cursor)
    for each in done:
        hands.type(each)
        rest = hands.buffer.text.replace(CHIP, "")
        assert "pasted" not in rest
        assert "#1" not in rest


def test_a_chip_is_passed_and_changed_as_one_character() -> None:
    hands = Hands(f"a{CHIP}b", 0)
    hands.type("l")
    assert hands.state == (f"a{CHIP}b", 1)
    hands.type("l")
    assert hands.buffer.cursor == 1 + len(CHIP)
    assert hands.type("hx") == "ab"
    assert hands.type("P") == f"a{CHIP}b"
    assert hands.type("0g~$") == f"A{CHIP}B"


def test_characters_of_two_cells_keep_their_column() -> None:
    hands = Hands("漢漢漢\nabcdef", 2)
    hands.type("j")
    assert hands.buffer.cursor == 4 + 4
    hands.type("k")
    assert hands.buffer.cursor == 2


@pytest.mark.parametrize(
    ("keys", "name", "shape"),
    [
        ("", "normal", "block"),
        ("i", "", "bar"),
        ("R", "replace", "underline"),
        ("v", "visual", "block"),
        ("V", "visual line", "block"),
        ("vV", "visual line", "block"),
        ("vv", "normal", "block"),
        ("ib<alt+v>", "visual", "block"),
    ],
)
def test_a_mode_has_a_name_and_a_cursor(keys: str, name: str, shape: str) -> None:
    hands = Hands("abc")
    hands.type(keys)
    assert (hands.mode.name, hands.mode.shape) == (name, shape)


def test_esc_leaves_one_thing_at_a_time_and_then_means_nothing_here() -> None:
    hands = Hands("abc", 0)
    hands.type("vl")
    assert hands.mode.selection == (0, 2)
    assert hands.mode.escape()
    assert hands.mode.selection is None
    hands.type("2d")
    assert hands.mode.escape()
    hands.type("w")
    assert hands.state == ("abc", 2)
    assert not hands.mode.escape()


def test_esc_leaves_a_selection_with_the_count_that_was_typed_in_it() -> None:
    hands = Hands("abc", 0)
    hands.type("v2")
    assert hands.mode.escape()
    assert (hands.mode.name, hands.mode.selection) == ("normal", None)
    assert not hands.mode.escape()


def test_a_key_that_begins_nothing_is_dropped_with_what_was_typed_before_it() -> None:
    hands = Hands("one two", 0)
    hands.type("dq")
    hands.type("w")
    assert hands.state == ("one two", 4)


def test_beyond_the_first_and_the_last_line_is_history() -> None:
    hands = Hands("one\ntwo", 0)
    assert hands.press("k") == "up"
    assert hands.press("j") == "used"
    assert hands.press("j") == "down"
    hands.type("dj")
    assert hands.buffer.text == "one\ntwo"


def test_enter_ends_half_a_command_and_is_no_command_by_itself() -> None:
    hands = Hands("one two", 0)
    for begun in ("d", "f", "2", "g"):
        hands.press(begun)
        assert hands.press("<enter>") == "used"
        hands.press("w")
        assert hands.press("<enter>") == ""
    assert hands.buffer.text == "one two"


def test_rows_are_the_editors() -> None:
    hands = Hands("one", 0)
    hands.press("g")
    assert hands.press("j") == "row_down"
    hands.press("g")
    assert hands.press("k") == "row_up"


@pytest.mark.parametrize("character", "/!@")
def test_what_begins_a_command_is_typed_into_an_empty_text(character: str) -> None:
    hands = Hands()
    assert hands.type(character) == character
    assert hands.mode.types


def test_keys_that_are_no_commands_are_the_bindings() -> None:
    hands = Hands("one")
    for name in ("<ctrl+a>", "<f5>", "<alt+enter>", "<pageup>"):
        assert hands.press(name) == ""


def test_what_is_typed_in_two_places_is_two_changes() -> None:
    hands = Hands("", 0)
    hands.type("iab")
    hands.move(0)
    assert hands.type("c<esc>") == "cab"
    assert hands.type("u") == "ab"
    assert hands.type("u") == ""


def test_what_was_put_in_while_typing_is_typed_again() -> None:
    hands = Hands("x", 0)
    hands.type("i@re")
    hands.buffer.replace(0, 3, "@README.md ")
    hands.mode.settle()
    assert hands.type("<esc>") == "@README.md x"
    assert hands.type("$a <esc>u.") == "@README.md x "


def test_after_a_text_was_sent_one_types() -> None:
    hands = Hands("one two", 0)
    hands.type("dw")
    hands.mode.pause()
    hands.buffer.set("")
    hands.mode.restart()
    assert hands.mode.types
    assert hands.type("a b<esc>") == "a b"
    assert hands.type("0.") == "a ba b"


def test_a_count_makes_no_text_without_end() -> None:
    hands = Hands("x" * 5000, 0)
    hands.type("yy999999999p")
    assert len(hands.buffer.text) < 3 * 2**20


def test_what_the_emacs_keys_cut_is_put_by_p() -> None:
    hands = Hands("one two", 3)
    hands.buffer.kill_line_end()
    hands.mode.settle()
    assert hands.type("0P") == " twoone"


def test_the_other_mode_wants_nothing() -> None:
    mode = EditorMode()
    assert not mode.enter()
    assert mode.press(Key(RUNE, (), "x")) == ""
    assert not mode.escape()
    assert (mode.name, mode.shape, mode.types, mode.selection) == ("", "", True, None)
