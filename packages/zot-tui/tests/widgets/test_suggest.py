import urwid

from zot_tui.editor.completion import Command, Completer
from zot_tui.widgets.suggest import Suggest

COMMANDS = [
    Command("model", "choose a model", "Session"),
    Command("memory", "what is remembered", "Session"),
    Command("help", "what keys do", "General"),
]


def shown(text: str, *, down: int = 0, max_rows: int = 8) -> list[str]:
    completer = Completer(lambda: COMMANDS, list)
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
        "› model   choose a model",
        "  memory  what is remembered",
        "  General",
        "  help    what keys do",
    ]


def test_a_search_shows_what_fits_without_groups() -> None:
    assert shown("/mem") == ["› memory  what is remembered"]


def test_more_than_its_rows_scroll_with_the_chosen_one() -> None:
    assert shown("/", down=2, max_rows=3) == ["  memory  what is remembered", "  General", "› help    what keys do"]


def test_going_up_comes_back_to_the_name_of_the_first_group() -> None:
    completer = Completer(lambda: COMMANDS, list)
    completer.update("/", 1)
    widget = Suggest(2)
    for step in (completer.up, completer.down):
        step()
        widget.show(completer.popup)
        rows = [row.decode().rstrip() for row in widget.render((40,)).text]

    assert rows == ["  Session", "› model   choose a model"]


def test_it_takes_no_row_while_there_is_nothing() -> None:
    widget = Suggest()
    assert [row.decode() for row in urwid.Pile([("pack", widget), ("pack", urwid.Text("x"))]).render((3,)).text] == [
        "x  "
    ]
