import urwid

from zot_tui.editor.completion import Completer
from zot_tui.editor.completion_sources import CommandCompletion, CommandSource, FileSource
from zot_tui.widgets.input.suggest import Suggest

COMMANDS = [
    CommandCompletion("model", "choose a model", "Session"),
    CommandCompletion("memory", "what is remembered", "Session"),
    CommandCompletion("help", "what keys do", "General"),
]


def shown(text: str, *, down: int = 0, max_rows: int = 8) -> list[str]:
    completer = Completer([CommandSource(lambda: COMMANDS)])
    completer.update(text, len(text))
    for _ in range(down):
        completer.down()
    widget = Suggest(max_rows)
    widget.show(completer.popup)
    assert widget.rows((40,)) == widget.render((40,)).rows()
    return [row.decode().rstrip() for row in widget.render((40,)).text]


def test_all_commands_stand_under_their_groups() -> None:
    assert shown("/") == [
        "  Session",
        "› /model   choose a model",
        "  /memory  what is remembered",
        "  General",
        "  /help  what keys do",
    ]


def test_a_search_shows_what_fits_without_groups() -> None:
    assert shown("/mem") == ["› /memory  what is remembered"]


def test_what_was_found_has_its_descriptions_one_below_the_other() -> None:
    assert shown("/e") == ["› /help    what keys do", "  /model   choose a model", "  /memory  what is remembered"]


def test_more_than_its_rows_scroll_with_the_chosen_one() -> None:
    assert shown("/", down=2, max_rows=3) == [
        "  /memory  what is remembered",
        "  General",
        "› /help  what keys do",
    ]


def test_a_page_shows_what_was_below_the_last_one() -> None:
    names = [f"{letter}{number}" for letter in "abc" for number in range(6)]
    completer = Completer([CommandSource(lambda: [CommandCompletion(name, "", name[0]) for name in names])])
    completer.update("/", 1)
    widget = Suggest(6)

    def rows() -> list[str]:
        widget.show(completer.popup)
        return [row.decode().rstrip() for row in widget.render((40,)).text]

    first = rows()
    completer.page(widget.page(1))
    second = rows()
    completer.page(widget.page(-1))

    assert first == ["  a", "› /a0", "  /a1", "  /a2", "  /a3", "  1–4 of 18"]
    assert second == ["  /a4", "› /a5", "  b", "  /b0", "  /b1", "  5–8 of 18"]
    assert rows() == first


def test_going_up_comes_back_to_the_name_of_the_first_group() -> None:
    completer = Completer([CommandSource(lambda: COMMANDS)])
    completer.update("/", 1)
    widget = Suggest(2)
    for step in (completer.up, completer.down):
        step()
        widget.show(completer.popup)
        rows = [row.decode().rstrip() for row in widget.render((40,)).text]

    assert rows == ["  Session", "› /model   choose a model"]


def test_the_letters_that_were_found_are_marked_behind_the_slash() -> None:
    completer = Completer([CommandSource(lambda: COMMANDS)])
    completer.update("/hp", 3)
    widget = Suggest()
    widget.show(completer.popup)
    (row,) = widget.render((40,)).content()

    assert [text.decode() for style, _, text in row if "match" in getattr(style, "layers", ())] == ["h", "p"]


def test_the_last_row_says_which_of_how_many_are_shown() -> None:
    commands = [CommandCompletion(f"c{number:02}", "does it", "Late" if number > 9 else "") for number in range(24)]
    completer = Completer([CommandSource(lambda: commands)])
    completer.update("/", 1)
    widget = Suggest()

    def last() -> list[str]:
        widget.show(completer.popup)
        assert widget.rows((40,)) == widget.render((40,)).rows()
        return [row.decode().rstrip() for row in widget.render((40,)).text][-2:]

    assert last() == ["  /c07  does it", "  1–8 of 24"]
    for _ in range(10):
        completer.down()
    assert last() == ["› /c10  does it", "  5–11 of 24"]
    completer.up()
    completer.up()
    widget.max_rows = 5
    assert last() == ["› /c08  does it", "  6–9 of 24"]
    widget.max_rows = 4
    assert last() == ["  /c07  does it", "› /c08  does it"]


def test_files_have_no_slash_and_a_search_that_was_cut_off_says_so() -> None:
    files = [f"f{number:03}.py" for number in range(80)]
    completer = Completer([FileSource(lambda: files)])
    completer.update("@f0", 3)
    widget = Suggest()
    widget.show(completer.popup)
    rows = [row.decode().rstrip() for row in widget.render((40,)).text]

    assert rows[0] == "› f000.py"
    assert rows[-1] == "  1–8 of 50+"


def test_it_takes_no_row_while_there_is_nothing() -> None:
    widget = Suggest()
    assert [row.decode() for row in urwid.Pile([("pack", widget), ("pack", urwid.Text("x"))]).render((3,)).text] == [
        "x  "
    ]
