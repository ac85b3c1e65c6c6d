from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from zot_tui.editor.buffer import Buffer, KillRing
from zot_tui.text.width import graphemes

pieces = st.text(alphabet="ab_ .\n漢🇩🇪e\u0301👩\u200d👧\r", max_size=4)
MOTIONS = ("left", "right", "word_left", "word_right", "line_start", "line_end")
CUTS = ("kill_word_left", "kill_word_right", "kill_line_start", "kill_line_end")
VERBS = (*MOTIONS, *CUTS, "backspace", "delete", "yank", "yank_pop", "undo", "redo")


def buffer(text: str, cursor: int | None = None) -> Buffer:
    made = Buffer(text)
    if cursor is not None:
        made.move(cursor)
    return made


def typed(text: str) -> Buffer:
    made = Buffer()
    for char in text:
        made.insert(char)
    return made


def state(made: Buffer) -> tuple[str, int]:
    return made.text, made.cursor


def test_the_cursor_goes_behind_what_is_inserted() -> None:
    made = buffer("ac", 1)
    made.insert("b")
    assert state(made) == ("abc", 2)


def test_a_grapheme_is_deleted_as_a_whole() -> None:
    made = buffer("x👩\u200d👧")
    made.backspace()
    assert state(made) == ("x", 1)
    made = buffer("e\u0301x", 0)
    made.delete()
    assert state(made) == ("x", 0)


def test_a_mark_typed_after_a_letter_joins_it() -> None:
    made = typed("e\u0301")
    made.left()
    assert made.cursor == 0


def test_line_breaks_of_any_kind_are_one_kind() -> None:
    made = buffer("a\r\nb\rc")
    assert made.text == "a\nb\nc"
    assert made.position == (2, 1)


def test_cuts_in_a_row_make_one_text() -> None:
    made = buffer("one two three", 7)
    made.kill_word_left()
    made.kill_line_end()
    assert made.text == "one "
    assert made.kills.text == "two three"
    made.yank()
    assert state(made) == ("one two three", 13)


def test_a_motion_between_cuts_separates_them() -> None:
    made = buffer("one two")
    made.kill_word_left()
    made.left()
    made.kill_line_start()
    assert made.kills.text == "one"
    made.yank()
    made.yank_pop()
    assert made.text == "two "
    made.left()
    made.yank_pop()
    assert made.text == "two "


def test_cutting_at_the_end_of_a_line_takes_its_break() -> None:
    made = buffer("a\nb", 1)
    made.kill_line_end()
    assert made.text == "ab"
    made = buffer("a\nb", 2)
    made.kill_line_start()
    assert made.text == "ab"


def test_buffers_may_share_what_was_cut() -> None:
    ring = KillRing()
    one, other = Buffer("word", ring), Buffer("", ring)
    one.kill_line_start()
    other.yank()
    assert other.text == "word"


def test_a_yank_is_replaced_even_if_another_buffer_cut_meanwhile() -> None:
    ring = KillRing()
    one, other = Buffer("first second", ring), Buffer("x", ring)
    one.kill_word_left()
    one.yank()
    other.kill_line_start()
    one.yank_pop()
    assert one.text == "first second"


def test_a_typed_word_is_one_step_of_undo() -> None:
    made = typed("one two")
    made.undo()
    assert state(made) == ("one ", 4)
    made.undo()
    made.undo()
    assert state(made) == ("", 0)
    made.redo()
    made.redo()
    made.redo()
    assert state(made) == ("one two", 7)
    made.redo()
    assert state(made) == ("one two", 7)


def test_setting_the_text_can_be_undone() -> None:
    made = buffer("draft", 2)
    made.set("from history", 4)
    assert state(made) == ("from history", 4)
    made.undo()
    assert state(made) == ("draft", 2)


@given(st.lists(st.sampled_from(VERBS) | pieces.map(lambda text: ("insert", text)), max_size=30))
def test_undoing_everything_gives_the_beginning_and_redoing_everything_the_end(
    steps: list[str | tuple[str, str]],
) -> None:
    made = Buffer("a 漢\nb")
    before = made.text
    for step in steps:
        if isinstance(step, tuple):
            made.insert(step[1])
        elif step not in ("undo", "redo"):
            getattr(made, step)()
    after = made.text
    for _ in steps:
        made.undo()
    assert made.text == before
    for _ in steps:
        made.redo()
    assert made.text == after


class AgainstAList(RuleBasedStateMachine):
    """A buffer of letters and line breaks against a list of them and an index."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = Buffer()
        self.letters: list[str] = []
        self.at = 0

    @rule(text=st.text(alphabet="ab \n", max_size=5))
    def insert(self, text: str) -> None:
        self.buffer.insert(text)
        self.letters[self.at : self.at] = text
        self.at += len(text)

    @rule(offset=st.integers(0, 30))
    def move(self, offset: int) -> None:
        self.buffer.move(offset)
        self.at = min(offset, len(self.letters))

    @rule()
    def left(self) -> None:
        self.buffer.left()
        self.at = max(self.at - 1, 0)

    @rule()
    def right(self) -> None:
        self.buffer.right()
        self.at = min(self.at + 1, len(self.letters))

    @rule()
    def backspace(self) -> None:
        self.buffer.backspace()
        del self.letters[max(self.at - 1, 0) : self.at]
        self.at = max(self.at - 1, 0)

    @rule()
    def delete(self) -> None:
        self.buffer.delete()
        del self.letters[self.at : self.at + 1]

    @rule()
    def line_start(self) -> None:
        self.buffer.line_start()
        while self.at and self.letters[self.at - 1] != "\n":
            self.at -= 1

    @rule()
    def line_end(self) -> None:
        self.buffer.line_end()
        while self.at < len(self.letters) and self.letters[self.at] != "\n":
            self.at += 1

    @rule()
    def kill_and_yank(self) -> None:
        if self.at < len(self.letters):
            self.buffer.kill_line_end()
            self.buffer.yank()
            self.at = self.buffer.cursor

    @invariant()
    def is_the_same(self) -> None:
        assert state(self.buffer) == ("".join(self.letters), self.at)


class WithAllVerbs(RuleBasedStateMachine):
    """Whatever is done, the cursor stands between two graphemes."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = Buffer()

    @rule(text=pieces)
    def insert(self, text: str) -> None:
        self.buffer.insert(text)

    @rule(offset=st.integers(-2, 40))
    def move(self, offset: int) -> None:
        self.buffer.move(offset)

    @rule(verb=st.sampled_from(VERBS))
    def do(self, verb: str) -> None:
        getattr(self.buffer, verb)()

    @invariant()
    def the_cursor_stands_at_a_border(self) -> None:
        text, cursor = state(self.buffer)
        assert "".join([*graphemes(text[:cursor]), *graphemes(text[cursor:])]) == text
        assert [*graphemes(text[:cursor]), *graphemes(text[cursor:])] == list(graphemes(text))


TestAgainstAList = AgainstAList.TestCase
TestWithAllVerbs = WithAllVerbs.TestCase


def test_what_is_done_between_two_marks_is_one_step() -> None:
    made = buffer("one two", 3)
    made.begin_step()
    made.kill_word_left()
    made.insert("x")
    made.left()
    made.insert("y")
    made.end_step()
    made.insert("z")
    assert made.text == "yzx two"
    made.undo()
    assert made.text == "yx two"
    made.undo()
    assert state(made) == ("one two", 3)
    made.redo()
    assert made.text == "yx two"


def test_taking_back_ends_a_step() -> None:
    made = buffer("one")
    made.begin_step()
    made.insert(" ")
    made.insert("two")
    made.undo()
    assert made.text == "one"
    made.insert("x")
    made.end_step()
    made.undo()
    assert made.text == "one"


def test_a_step_that_came_to_nothing_is_none() -> None:
    made = typed("one")
    made.begin_step()
    made.insert("x")
    made.backspace()
    made.end_step()
    made.undo()
    assert made.text == ""


def test_a_long_step_is_one_all_the_same() -> None:
    made = buffer("one\n")
    made.begin_step()
    for _ in range(700):
        made.insert("x ")
    made.end_step()
    made.undo()
    assert made.text == "one\n"


@given(pieces, pieces, pieces, st.integers(0, 12))
def test_a_step_is_taken_back_and_done_again_whatever_it_was(text: str, first: str, second: str, at: int) -> None:
    made = buffer(text, at)
    before = state(made)
    made.begin_step()
    made.insert(first)
    made.move(at // 2)
    made.insert(second)
    made.backspace()
    made.end_step()
    after = made.text
    made.undo()
    assert made.text == before[0]
    if after != before[0]:
        assert state(made) == before
    made.redo()
    assert made.text == after
