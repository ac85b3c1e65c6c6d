from hypothesis import given
from hypothesis import strategies as st

from zot_tui.widgets.dialogs.panel import CHARACTERS, PanelWidget


def shown(panel: PanelWidget, columns: int = 20) -> list[str]:
    assert panel.rows((columns,)) == panel.render((columns,)).rows()
    return [row.decode().rstrip() for row in panel.render((columns,)).text]


def styles(panel: PanelWidget, row: int, columns: int = 20) -> list[tuple[object, str]]:
    return [(style, text.decode()) for style, _, text in list(panel.render((columns,)).content())[row]]


def test_a_panel_has_a_title_lines_and_a_footer() -> None:
    panel = PanelWidget("Todos", ["□ ship it", "a line that is long"], "q quits")

    assert shown(panel) == ["─" * 20, "  Todos", "  □ ship it", "  a line that is", "  long", "  q quits"]


def test_the_selected_line_is_a_band() -> None:
    for mark in ("▸ ", "● ", "\u200b"):
        panel = PanelWidget("Todos", ["one", f"{mark}two"])
        assert {style for style, _ in styles(panel, 3)} == {"selection"}
        assert {style for style, _ in styles(panel, 2)} == {"text", None}


def test_what_is_done_is_a_success() -> None:
    assert ("success", "✓") in styles(PanelWidget("Todos", ["✓ done"]), 2)


def test_colours_are_kept_to_their_line_and_control_sequences_are_not() -> None:
    panel = PanelWidget("x\x1b[2J", ["a\x1b[31mred", "plain\x1b]0;t\x07\x1b[2K\rover"], "\x1b[5Afoot")

    assert shown(panel)[1:] == ["  x", "  ared", "  plainover", "  foot"]
    ((_, _), (_, _), (colour, text), _) = styles(panel, 2)
    assert (text, getattr(colour, "foreground", None)) == ("red", "dark red")
    assert ("text", "plainover") in styles(panel, 3)


def test_the_selected_line_stays_in_sight() -> None:
    def lines(selected: int) -> list[str]:
        return [("▸ " if index == selected else "  ") + f"item {index}" for index in range(30)]

    panel = PanelWidget("Items", lines(0), "foot", max_rows=8)
    assert shown(panel)[2:7] == ["  ▸ item 0", *(f"    item {index}" for index in range(1, 5))]
    panel.update("", lines(12))
    rows = shown(panel)
    assert rows[1] == "  Items    8–13/30"
    assert rows[-1] == "  ▸ item 12"
    panel.update("Other", lines(11))
    assert shown(panel)[-2:] == ["  ▸ item 11", "    item 12"]


def test_a_panel_without_a_selected_line_scrolls() -> None:
    panel = PanelWidget("Log", [str(number) for number in range(10)], max_rows=5)
    panel.scroll(2)
    assert shown(panel)[2:] == ["  2", "  3", "  4"]
    panel.scroll(99)
    assert shown(panel)[2:] == ["  7", "  8", "  9"]
    panel.scroll(-1)
    assert shown(panel)[2:] == ["  6", "  7", "  8"]


def test_an_update_keeps_an_omitted_title_and_drops_an_omitted_footer() -> None:
    panel = PanelWidget("Todos", ["a"], "foot")
    panel.update("", ["b"])

    assert shown(panel) == ["─" * 20, "  Todos", "  b"]


def test_a_panel_says_how_it_is_closed_unless_its_footer_does() -> None:
    panel = PanelWidget("Todos", ["a"], "enter ticks", closes="Esc")
    assert shown(panel)[1] == "  Todos  Esc close"
    panel.update("", ["a"], "enter ticks, esc closes")
    assert shown(panel, 40)[1] == "  Todos"
    panel.update("", ["a"], "describe it")
    assert shown(panel, 40)[1] == "  Todos                      Esc close"
    assert [style for style, _ in styles(panel, 1, 40)][2:4] == ["key", "muted"]


def test_where_a_panel_is_scrolled_to_goes_before_how_it_is_closed() -> None:
    panel = PanelWidget("Log", [str(number) for number in range(10)], max_rows=5, closes="Esc")

    assert shown(panel, 40)[1] == "  Log               1–3/10 · Esc close"
    assert shown(panel, 20)[1] == "  Log       1–3/10"
    assert shown(panel, 12)[1] == "  Log"


def test_more_text_than_anybody_reads_is_cut_off() -> None:
    panel = PanelWidget("Log", ["x" * 999] * 1000)

    assert f"/{CHARACTERS // 1000}" in shown(panel, 1200)[1]


@given(st.lists(st.text(max_size=30), max_size=8), st.integers(1, 30), st.integers(4, 9))
def test_it_stays_within_its_bounds(lines: list[str], columns: int, rows: int) -> None:
    panel = PanelWidget("Title", lines, "foot", max_rows=rows, closes="Esc")
    canvas = panel.render((columns,))

    assert canvas.rows() <= rows
    assert canvas.cols() == columns
