from zot_tui.widgets.scroll import Scroll, text_source


def shown(widget: Scroll, rows: int = 3) -> list[str]:
    return [row.decode().rstrip() for row in widget.render((12, rows)).text]


def test_a_text_is_wrapped_in_its_margin_and_scrolls_as_far_as_it_goes() -> None:
    widget = Scroll(text_source("one two three four\nfive\nsix"))

    assert widget.wanted(12) == 4
    assert shown(widget) == ["  one two", "  three four", "  five"]
    assert widget.position == "1–3/4"
    widget.page(1)
    assert shown(widget) == ["  three four", "  five", "  six"]
    widget.scroll(9)
    assert widget.position == "2–4/4"
    widget.end(last=False)
    assert shown(widget)[0] == "  one two"


def test_a_line_that_is_wrapped_keeps_its_indentation() -> None:
    assert shown(Scroll(text_source("one:\n  two three four"))) == ["  one:", "    two", "    three"]


def test_what_fits_has_no_position_and_is_padded() -> None:
    widget = Scroll(text_source("one"))

    assert shown(widget) == ["  one", "", ""]
    assert widget.position == ""


def test_a_taller_screen_leaves_no_blank_rows_below() -> None:
    widget = Scroll(text_source("1\n2\n3\n4\n5"))
    shown(widget, 2)
    widget.end(last=True)

    assert shown(widget, 2) == ["  4", "  5"]
    assert shown(widget, 4) == ["  2", "  3", "  4", "  5"]


def test_who_saw_the_last_row_sees_the_last_one_of_what_grows_and_who_scrolled_up_stays() -> None:
    rows = ["1"]
    widget = Scroll(lambda columns: [[("text", row)] for row in rows])
    assert shown(widget) == ["1", "", ""]
    for more in (["2"], ["3", "4"], ["5"]):
        rows += more
        widget.changed()
    assert widget.wanted(12) == 5
    assert shown(widget) == ["3", "4", "5"]
    widget.scroll(-1)
    rows.append("6")
    widget.changed()
    widget.changed()
    assert shown(widget) == ["2", "3", "4"]
    assert widget.position == "2–4/6"
    widget.changed()
    widget.end(last=False)
    assert shown(widget) == ["1", "2", "3"]
