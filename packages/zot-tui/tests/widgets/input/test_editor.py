from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.editor.keyed.vi import vi_mode
from zot_tui.editor.paste import Pastes
from zot_tui.keys.key import parse_key
from zot_tui.keys.keymap import Binding
from zot_tui.widgets.actions import Action
from zot_tui.widgets.input.editor import EDITOR, EDITOR_ACTIONS, EditorWidget

SIZE = (13,)  # ten cells of text


def drawn(widget: EditorWidget, columns: int = SIZE[0]) -> list[str]:
    return [text.decode().rstrip() for text in widget.render((columns,), focus=True).text]


def press(widget: EditorWidget, *keys: str) -> list[bool]:
    """Press keys in a widget of `SIZE`; whether each was used."""
    widget.rows(SIZE)
    return [widget.press(parse_key(key)) for key in keys]


def with_text(text: str, cursor: int | None = None, max_rows: int = 10) -> EditorWidget:
    widget = EditorWidget(max_rows=max_rows)
    widget.set_text(text, cursor)
    return widget


def test_typed_text_stands_behind_the_prompt_and_wraps() -> None:
    widget = EditorWidget()
    press(widget, *"one two three four")

    assert drawn(widget) == ["› one two", "  three four"]
    assert widget.render(SIZE, focus=True).cursor == (12, 1)
    assert widget.rows(SIZE) == 2


def test_an_empty_input_says_what_it_is_for() -> None:
    widget = EditorWidget(placeholder="Ask anything, or / for commands")

    assert drawn(widget) == ["› Ask anythi…"]
    assert widget.render(SIZE, focus=True).cursor == (2, 0)
    press(widget, "x")
    assert drawn(widget) == ["› x"]


def test_the_cursor_stands_behind_wide_letters() -> None:
    widget = with_text("日本語")

    assert widget.render(SIZE, focus=True).cursor == (8, 0)
    press(widget, "left")
    assert widget.render(SIZE, focus=True).cursor == (6, 0)


@pytest.mark.parametrize("text", ["👨‍👩‍👧‍👦", "می‌خواهم", "क्‍ष", "日本\u3000語", "10\xa0km"])
def test_what_an_input_method_types_is_there_whole(text: str) -> None:
    widget = EditorWidget()
    assert press(widget, *text) == [True] * len(text)
    assert widget.text == text


def test_long_lines_are_drawn_after_changes_as_if_they_were_new() -> None:
    text = "one word and another " * 250 + "\n" + "日本 words " * 600
    for cursor in (0, 2600, 5250, 5251, 9000, len(text)):
        widget = with_text(text, cursor, max_rows=1)  # the row of the cursor is in view
        drawn(widget)
        for key in ("x", " ", "backspace", "up", "y", "down", "down", "z"):
            press(widget, key)
            fresh = with_text(widget.text, widget.buffer.cursor, max_rows=1)
            assert drawn(widget) == drawn(fresh)
            assert widget.render(SIZE, focus=True).cursor == fresh.render(SIZE, focus=True).cursor


def test_a_full_row_leaves_a_cell_for_the_cursor() -> None:
    widget = with_text("1234567890")

    assert drawn(widget) == ["› 1234567890"]
    assert widget.render(SIZE, focus=True).cursor == (12, 0)


def test_it_grows_up_to_its_rows_and_then_scrolls_with_the_cursor() -> None:
    widget = with_text("\n".join("abcdefg"), max_rows=3)

    assert drawn(widget) == ["↑ e", "  f", "  g"]
    press(widget, "up", "up", "up")
    assert drawn(widget) == ["↑ d", "  e", "↓ f"]
    press(widget, "down")
    assert drawn(widget) == ["↑ d", "  e", "↓ f"]
    press(widget, "ctrl+home")
    assert drawn(widget) == ["› a", "  b", "↓ c"]


def test_what_is_deleted_leaves_no_blank_rows() -> None:
    widget = with_text("\n".join("abcdefg"), max_rows=3)
    drawn(widget)
    widget.set_text("x\ny")

    assert drawn(widget) == ["› x", "  y"]


def test_up_and_down_go_by_rows_and_keep_the_column() -> None:
    widget = with_text("123456789 x\nabcdefgh", 5)

    assert press(widget, "down", "down") == [True, True]
    assert widget.buffer.cursor == 12 + 5
    assert press(widget, "up", "up") == [True, True]
    assert widget.buffer.cursor == 5


def test_up_on_the_first_row_and_down_on_the_last_are_the_owners() -> None:
    widget = with_text("one")

    assert press(widget, "up", "down", "left") == [False, False, True]
    assert not widget.up()


def test_keys_without_an_action_here_are_the_owners() -> None:
    widget = EditorWidget()

    assert press(widget, "enter", "esc", "f5", "ctrl+o", "tab") == [False] * 5
    assert not widget.handle(parse_key("x"), Binding("x", "elsewhere", (EDITOR,)))
    assert widget.text == ""


@pytest.mark.parametrize("action", EDITOR_ACTIONS, ids=lambda action: action.name)
def test_every_action_works_on_an_empty_text(action: Action[EditorWidget]) -> None:
    widget = EditorWidget()
    action.run(widget)

    assert widget.text == ("\n" if action.name == "newline" else "")


def test_a_long_paste_is_a_chip_that_is_passed_and_deleted_as_one() -> None:
    widget = EditorWidget(pastes=Pastes(lines=2))
    press(widget, "a")
    widget.paste("1\n2\n3")
    press(widget, "b")
    chip = "[pasted 3 lines #1]"

    assert widget.text == f"a{chip}b"
    press(widget, "left", "left")
    assert widget.buffer.cursor == 1
    press(widget, "right")
    assert widget.buffer.cursor == 1 + len(chip)
    press(widget, "backspace")
    assert widget.text == "ab"
    press(widget, "ctrl+_")
    assert widget.text == f"a{chip}b"
    assert widget.pastes.expand(widget.text) == "a1\n2\n3b"


def test_a_chip_is_cut_and_yanked_as_one() -> None:
    widget = EditorWidget(pastes=Pastes(lines=1))
    widget.paste("1\n2")
    widget.insert(" x")
    press(widget, "ctrl+w", "ctrl+w")
    assert widget.text == ""
    press(widget, "ctrl+y")
    assert widget.text == "[pasted 2 lines #1] "
    press(widget, "home", "delete")
    assert widget.text == " "


def test_a_chip_is_drawn_in_its_own_style() -> None:
    widget = EditorWidget(pastes=Pastes(lines=1))
    widget.paste("1\n2")
    (row,) = widget.render((40,), focus=True).content()

    styles = {text.decode(): str(style) for style, _, text in row}
    assert "accent" in styles["[pasted 2 lines #1]"]


def test_up_over_a_chip_stands_beside_it() -> None:
    widget = EditorWidget(pastes=Pastes(lines=1))
    widget.paste("1\n2")
    widget.insert("\nabcdef")
    widget.rows((60,))
    widget.press(parse_key("up"))

    assert widget.buffer.cursor == 0


def test_a_paste_is_inserted_once_whatever_its_size() -> None:
    changes: list[int] = []
    widget = EditorWidget()
    widget.edited.connect(lambda: changes.append(len(widget.text)))
    widget.paste("x" * 200_000)

    assert changes == [len("[pasted 200000 characters #1]")]


def test_a_masked_input_shows_dots_and_holds_one_line() -> None:
    widget = EditorWidget(masked=True)
    widget.paste("sk-1\n")
    press(widget, "shift+enter", "é")

    assert widget.text == "sk-1é"
    assert drawn(widget) == ["› •••••"]


def test_control_sequences_do_not_get_in_or_out() -> None:
    widget = EditorWidget()
    widget.insert("a\x1b[2Jb\x07")
    assert widget.text == "ab"
    widget.buffer.set("a\x1b[2J\u202eb")
    widget.changed()
    assert drawn(widget) == ["› a�[2J�b"]


def test_it_is_drawn_in_the_smallest_of_screens() -> None:
    widget = with_text("日本 abc def\n[x] y", max_rows=3)

    for columns in (5, 6, 20):
        canvas = widget.render((columns,), focus=True)
        assert all(len(text.decode()) <= columns for text in canvas.text)
        assert canvas.cursor is not None
        assert 0 <= canvas.cursor[0] < columns


def _insert(text: str) -> Callable[[EditorWidget], None]:
    return lambda widget: widget.insert(text)


@given(
    st.lists(
        st.one_of(
            st.sampled_from([action.run for action in EDITOR_ACTIONS]),
            st.sampled_from(["a", " ", "日", "word and more", "\n", "\u0301"]).map(_insert),
            st.just(lambda widget: widget.paste("1\n2\n3")),
        ),
        max_size=60,
    ),
    st.integers(5, 30),
    st.integers(1, 4),
)
def test_whatever_is_done_the_cursor_is_in_sight_and_in_no_chip(
    steps: list[Callable[[EditorWidget], object]], columns: int, rows: int
) -> None:
    widget = EditorWidget(pastes=Pastes(lines=1), max_rows=rows)
    for step in steps:
        step(widget)
        canvas = widget.render((columns,), focus=True)
        assert 1 <= canvas.rows() <= rows
        assert canvas.cursor is not None
        assert canvas.cursor[0] < columns
        assert canvas.cursor[1] < canvas.rows()
        cursor = widget.buffer.cursor
        assert not any(found.start < cursor < found.end for found in widget.pastes.find(widget.text))


# Another mode.


def with_vi(text: str, cursor: int | None = None) -> EditorWidget:
    widget = EditorWidget(pastes=Pastes(lines=1))
    widget.mode = vi_mode(widget.buffer, widget.spans)
    widget.set_text(text)
    widget.escape()
    if cursor is not None:
        widget.buffer.move(cursor)
        widget.changed()
    return widget


def test_keys_are_the_modes_before_they_are_the_bindings() -> None:
    widget = with_vi("one two", 4)
    assert press(widget, "d", "b", "enter", "ctrl+a") == [True, True, False, True]
    assert widget.text == "two"
    press(widget, "A", *" and", "alt+x")
    assert widget.text == "two an"
    assert widget.mode.name == "normal"


def test_a_change_of_mode_is_told_once() -> None:
    names: list[str] = []
    widget = with_vi("one")
    widget.mode_changed.connect(lambda: names.append(widget.mode.name))
    press(widget, "l", "i", "x")
    widget.escape()
    press(widget, "v", "l")
    widget.escape()
    widget.escape()
    assert names == ["", "normal", "visual", "normal"]


def test_what_a_mode_selects_is_drawn_so_over_chips_too() -> None:
    widget = with_vi("")
    press(widget, "i")
    widget.paste("1\n2")
    widget.insert(" and more")
    press(widget, "alt+0", "v")
    (row,) = widget.render((40,), focus=True).content()
    assert [text.decode() for style, _, text in row if "selection" in str(style)] == ["[pasted 2 lines #1]"]
    press(widget, "w")
    (row,) = widget.render((40,), focus=True).content()
    assert [text.decode() for style, _, text in row if "selection" in str(style)] == ["[pasted 2 lines #1] a"]
    press(widget, "d")
    assert widget.text == "nd more"


def test_rows_are_gone_through_by_g_and_the_column_is_kept() -> None:
    widget = with_vi("123456789 x\nabcdefghijklm", 5)
    press(widget, "g", "j", "g", "j")
    assert widget.buffer.cursor == 12 + 5
    press(widget, "g", "k", "g", "k")
    assert widget.buffer.cursor == 5
    press(widget, "j")
    assert widget.buffer.cursor == 12 + 5


def test_beyond_the_text_the_owner_is_asked() -> None:
    ways: list[str] = []
    widget = with_vi("one\ntwo", 0)
    widget.edge_reached.connect(ways.append)
    press(widget, "k", "j", "j", "g", "j")
    assert ways == ["up", "down", "down"]


@pytest.mark.parametrize(
    ("keys", "after"),
    [("", "one: two"), ("0", ": onetwo"), ("h", "on: etwo"), ("v", "on: two"), ("vb", ": two"), ("d", "one: two")],
)
def test_a_paste_where_characters_are_commands_goes_behind_the_cursor_or_over_what_is_selected(
    keys: str, after: str
) -> None:
    widget = with_vi("onetwo", 2)
    press(widget, *keys)
    widget.paste(": ")
    assert widget.text == after
    assert widget.mode.name == "normal"
    press(widget, "x")
    assert len(widget.text) == len(after) - 1


def test_a_paste_at_the_end_of_a_line_in_normal_mode_follows_it() -> None:
    widget = with_vi("one\ntwo", 2)
    widget.paste("1\n2")
    assert widget.text == "one[pasted 2 lines #1]\ntwo"
    press(widget, *"oxx")
    widget.escape()
    press(widget, "shift+enter", *"iy")
    assert widget.text == "one[pasted 2 lines #1]\nxx\ny\ntwo"


def test_a_paste_in_the_middle_of_typing_is_part_of_the_change() -> None:
    widget = with_vi("")
    press(widget, "i", "a")
    widget.paste("b")
    press(widget, "c", "alt+u")
    assert widget.text == ""
    press(widget, "ctrl+r", "$", ".")
    assert widget.text == "ababcc"


def test_who_begins_anew_types() -> None:
    widget = with_vi("one")
    widget.restart()
    press(widget, *"dd")
    assert widget.text == "dd"


def test_what_is_taken_back_by_its_own_key_is_what_was_typed() -> None:
    widget = with_vi("one ")
    press(widget, "A", *"two", "ctrl+_")
    assert widget.text == "one "
    press(widget, *"three", "alt+u")
    assert widget.text == "one "
