from zot_tui.text.ansi import Sgr
from zot_tui.widgets.rows import Rows, canvas


def test_rows_are_padded_to_the_width_and_keep_their_styles() -> None:
    drawn = canvas([[("error", "no"), ("muted", " way")], []], 8)

    assert [text.decode() for text in drawn.text] == ["no way  ", "        "]
    assert [
        [(attribute, length) for attribute, _, text in row for length in [len(text)]] for row in drawn.content()
    ] == [
        [("error", 2), ("muted", 4), (None, 2)],
        [(None, 8)],
    ]


def test_a_band_reaches_to_the_edge() -> None:
    (row,) = canvas([[("user", "hi"), ("user_bubble", "")]], 5).content()

    assert [(attribute, text) for attribute, _, text in row] == [("user", b"hi"), ("user_bubble", b"   ")]


def test_wide_letters_take_two_cells() -> None:
    (text,) = canvas([[("text", "日本")]], 6).text

    assert text.decode() == "日本  "


def test_colours_of_programs_become_attributes_of_their_own() -> None:
    ((attribute, _, _),) = next(iter(canvas([[(Sgr("#ff0000", "#000000", ("bold",)), "x")]], 1).content()))

    assert (attribute.foreground, attribute.background) == ("#ff0000,bold", "#000000")


def test_the_source_is_asked_once_a_width_and_again_after_a_change() -> None:
    asked: list[int] = []

    def source(columns: int) -> list[list[tuple[str, str]]]:
        asked.append(columns)
        return [[("text", "x")]]

    widget = Rows(source)
    assert widget.rows((10,)) == 1
    widget.render((10,))
    widget.render((20,))
    widget.changed()
    widget.render((20,))

    assert asked == [10, 20, 20]
