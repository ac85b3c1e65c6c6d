from typing import Any

from zot_tui.diff import diff_rows
from zot_tui.keys.key import parse_key
from zot_tui.widgets.dialogs.dialog import Dialog
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, Pages, TextInput
from zot_tui.widgets.transcript.chunks import Chunk

SIZE = (40, 14)
CHOICES = [
    ConfirmChoice("y", "Yes", "once"),
    ConfirmChoice("a", "Yes, always", "always"),
    ConfirmChoice("n", "No", "no"),
]


def shown(dialog: Dialog[Any], size: tuple[int, int] = SIZE) -> list[str]:
    return [row.decode().rstrip() for row in dialog.render(size, focus=True).text]


def answers(dialog: Dialog[Any], *keys: str) -> list[Any]:
    given: list[Any] = []
    dialog.shown(given.append)
    for key in keys:
        shown(dialog)
        dialog.press(parse_key(key))
    return given


def test_an_answer_is_given_by_its_letter_in_either_case() -> None:
    assert answers(Confirm("Run it?", CHOICES), "a") == ["always"]
    assert answers(Confirm("Run it?", CHOICES), "N") == ["no"]
    assert answers(Confirm("Run it?", CHOICES), "x") == []


def test_an_answer_is_given_by_going_to_it() -> None:
    assert answers(Confirm("Run it?", CHOICES), "enter") == ["once"]
    assert answers(Confirm("Run it?", CHOICES), "down", "down", "down", "up", "enter") == ["always"]
    assert answers(Confirm("Run it?", CHOICES, chosen=2), "enter") == ["no"]
    assert answers(Confirm("Run it?", CHOICES), "esc") == [None]


def test_a_pasted_letter_answers_nothing() -> None:
    dialog = Confirm("Run it?", CHOICES)
    given: list[Any] = []
    dialog.shown(given.append)
    dialog.paste("y\n")
    assert given == []


def test_what_is_asked_about_scrolls_while_the_answers_stay() -> None:
    dialog = Confirm("Write app.py?", CHOICES, lambda: [Chunk(lambda columns: diff_rows("-a\n+b\n c\n" * 10, columns))])
    before = shown(dialog)
    dialog.press(parse_key("pagedown"))
    after = shown(dialog)

    assert before[1] == "  Write app.py?" + " " * 17 + "1–4/30"
    assert before[3:7] == ["- a", "+ b", "  c", "- a"]
    assert after[3:7] == ["- a", "+ b", "  c", "- a"]
    assert before[8:11] == after[8:11] == ["› y  Yes", "  a  Yes, always", "  n  No"]
    assert shown(dialog, (20, 6))[1:5] == ["- a", "› y  Yes", "  a  Yes, always", "  n  No"]


def test_a_line_of_text_is_asked_for() -> None:
    dialog = TextInput("Name", text="old", placeholder="a name")

    answers(dialog, "end", "backspace", "X")
    dialog.paste("a\nb")
    assert answers(dialog, "enter") == ["olXa b"]


def test_home_and_end_are_the_texts_in_a_text_input() -> None:
    assert answers(TextInput("Name", text="b"), "home", "a", "end", "c", "enter") == ["abc"]


def test_a_secret_is_not_shown() -> None:
    dialog = TextInput("API key", masked=True)
    given = answers(dialog, *"sk-1")

    assert shown(dialog)[3] == "› ••••"
    assert not any("sk-1" in row for row in shown(dialog))
    assert answers(dialog, "enter") == ["sk-1"]
    assert given == []


def test_a_refused_text_says_why_until_it_is_changed() -> None:
    dialog = TextInput("Name", check=lambda text: "" if text else "a name is needed")

    assert answers(dialog, "enter") == []
    assert "  a name is needed" in shown(dialog)
    assert answers(dialog, "x") == []
    assert "  a name is needed" not in shown(dialog)
    assert answers(dialog, "enter") == ["x"]


def test_pages_are_read_from_the_beginning_to_the_end() -> None:
    dialog = Pages("Help", "\n".join(f"line {number}" for number in range(30)))
    first = shown(dialog)[3]
    answers(dialog, "end")
    last = shown(dialog)
    answers(dialog, "up", "pageup", "home", "down")

    assert first == "  line 0"
    assert last[11] == "  line 29"
    assert last[1].endswith("22–30/30")
    assert shown(dialog)[3] == "  line 1"
    assert answers(dialog, "enter") == [None]


def test_the_key_that_scrolls_is_named_while_there_is_more_than_is_shown() -> None:
    def hints(dialog: Dialog[Any]) -> str:
        return [*filter(None, shown(dialog, (60, 14)))][-1]

    short, long = "one line", "\n".join(f"line {number}" for number in range(30))

    assert hints(Pages("Help", short)) == "  Esc close"
    assert hints(Pages("Help", long)) == "  PgDn scroll · Esc close"
    assert hints(Confirm("Run it?", CHOICES, short)) == "  Enter choose · Esc cancel"
    assert hints(Confirm("Run it?", CHOICES, long)) == "  Enter choose · PgDn scroll · Esc cancel"


def test_the_key_that_scrolls_is_named_as_soon_as_the_window_is_too_low() -> None:
    dialog = Confirm("Run it?", CHOICES, "one\ntwo\nthree")

    assert "scroll" not in shown(dialog, (60, 12))[-1]
    assert "scroll" in shown(dialog, (60, 8))[-1]
    assert shown(dialog, (60, 8))[1].endswith("1–2/3")
    assert shown(dialog, (60, 7))[1].endswith("    1/3")


def test_hints_that_do_not_all_fit_go_on_below() -> None:
    long = "\n".join(f"line {number}" for number in range(30))

    assert shown(Pages("Help", long), (20, 9))[-2:] == ["  PgDn scroll", "  Esc close"]
    asked = shown(Confirm("Run it?", CHOICES, long), (40, 9))
    assert asked[-2:] == ["  Enter choose · PgDn scroll", "  Esc cancel"]
