from hypothesis import given
from hypothesis import strategies as st

from zot_tui.keys.key import parse_key
from zot_tui.keys.keymap import Binding
from zot_tui.widgets.dialogs.dialog import Dialog, Hint
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.scroll import Scroll


def shown(dialog: Dialog[None], columns: int, rows: int) -> list[str]:
    return [row.decode().rstrip() for row in dialog.render((columns, rows), focus=True).text]


def dialog(**options: object) -> Dialog[None]:
    body = Scroll("one\ntwo\nthree")
    return Dialog("Title", body, note="What it is about.", **options)  # type: ignore[arg-type]


def test_a_dialog_is_a_title_a_note_a_body_and_hints() -> None:
    made = dialog()

    assert made.wanted(30) == 9
    assert shown(made, 30, 9) == [
        "─" * 30,
        "  Title",
        "  What it is about.",
        "",
        "  one",
        "  two",
        "  three",
        "",
        "  Esc close",
    ]


def test_a_low_one_keeps_title_and_body() -> None:
    made = dialog()

    assert shown(made, 20, 6) == ["─" * 20, "  Title", "  What it is about.", "  one", "  two", "  Esc close"]
    assert shown(made, 20, 2) == ["  Title", "  one"]
    assert shown(made, 20, 1)[0] == "  Title"


def test_the_body_may_be_any_flow_widget_and_has_the_cursor() -> None:
    editor = EditorWidget()
    editor.set_text("abc")
    made: Dialog[None] = Dialog("Title", editor)
    canvas = made.render((20, made.wanted(20)), focus=True)

    assert canvas.cursor == (5, 3)


def test_hints_name_the_keys_that_are_bound() -> None:
    made = dialog(hints=(Hint("dialog_accept", "go"), Hint("ctrl+r", "rename")))
    made.keymap = made.keymap.over([Binding("f2", "dialog_accept", ("dialog",))])

    assert shown(made, 30, 9)[-1] == "  F2 go · Ctrl+R rename"
    assert shown(made, 20, 9)[-2:] == ["  F2 go", "  Ctrl+R rename"]
    assert shown(made, 20, 7)[-1] == "  F2 go"


def test_a_dialog_answers_once() -> None:
    made = dialog()
    answers: list[None] = []
    made.shown(answers.append)
    assert made.press(parse_key("esc"))
    made.close(None)

    assert answers == [None]


def test_letters_and_pastes_go_no_further_and_other_keys_do() -> None:
    made = dialog()

    answers: list[None] = []
    made.shown(answers.append)
    made.paste("y\n")
    keys = ["x", "enter", "tab", "ctrl+l"]
    assert [made.press(parse_key(key)) for key in keys] == [True, True, False, False]
    assert answers == []


def test_a_key_turns_a_title_and_a_note_that_are_not_all_in_view() -> None:
    said = " ".join(f"word{number}" for number in range(60))
    made: Dialog[None] = Dialog(said, Scroll("one\ntwo\nthree"), note=said, hints=(Hint("dialog_cancel", "close"),))
    seen: list[str] = []
    for _ in range(30):
        rows = shown(made, 40, 11)
        assert rows[0] == "─" * 40
        assert "Ctrl+O read on" in rows[-1]
        seen += " ".join(rows).split()
        made.press(parse_key("ctrl+o"))

    assert {f"word{number}" for number in range(60)} < {*seen}
    assert "word0" in " ".join(shown(made, 40, 11)) or seen.count("word0") > 2


def test_all_of_the_body_is_in_view_below_a_long_title() -> None:
    said = " ".join(f"word{number}" for number in range(60))
    made: Dialog[None] = Dialog(said, Scroll("\n".join(f"line {number}" for number in range(9))))

    assert "  line 8" in shown(made, 40, made.wanted(40))


def test_a_title_begins_again_when_its_rows_have_another_width() -> None:
    made: Dialog[None] = Dialog(" ".join(f"word{number}" for number in range(60)), Scroll("one"))
    assert "word0" in shown(made, 40, 11)[1]
    made.press(parse_key("ctrl+o"))
    assert "word0" not in shown(made, 40, 11)[1]

    assert "word0" in shown(made, 50, 11)[1]


@given(st.integers(1, 60), st.integers(1, 30), st.text(max_size=30))
def test_it_fills_what_it_is_given_and_no_more(columns: int, rows: int, title: str) -> None:
    canvas = Dialog[None](title, Scroll(title), note=title).render((columns, rows), focus=True)

    assert (canvas.cols(), canvas.rows()) == (columns, rows)
