from zot_tui.terminal.canvas import rows_of
from zot_tui.theme import builtin
from zot_tui.widgets.dialogs.framed_panel import FramedPanel


def shown(panel: FramedPanel, columns: int) -> list[str]:
    return [b"".join(text for _, _, text in row).decode() for row in rows_of(panel.render((columns,)))]


def make(*, boxed: bool = True) -> FramedPanel:
    return FramedPanel(lambda: builtin("dark"), boxed=boxed, closes="Esc")


def test_a_box_is_around_the_lines_and_says_how_to_close_it() -> None:
    panel = make()
    panel.update("A title", ["one", [{"text": "two", "style": "error"}], "left out"], "", height=4, focused=True)
    assert shown(panel, 30) == [
        "╭─ A title ────── Esc close ─╮",
        "│one                         │",
        "│two                         │",
        "╰────────────────────────────╯",
    ]


def test_lines_are_clipped_and_missing_ones_are_blank() -> None:
    panel = make()
    panel.update("", ["\x1b[31mfar too long\x1b[2J"], "keys", height=4, focused=False)
    assert shown(panel, 10) == ["╭────────╮", "│far too…│", "│        │", "╰─ keys ─╯"]


def test_rules_are_above_and_below_lines_without_a_box() -> None:
    panel = make(boxed=False)
    panel.update("T", ["one"], "", height=3, focused=False)
    assert shown(panel, 12) == ["── T ───────", "one         ", "────────────"]


def test_the_cursor_is_within_the_lines_of_a_focused_panel() -> None:
    panel = make()
    for focused, cursor, seen in (
        (True, (1, 2), (3, 2)),
        (False, (1, 2), None),
        (True, (2, 0), None),
        (True, (0, 8), None),
        (True, None, None),
    ):
        panel.update("", ["a", "b"], "", height=4, focused=focused, cursor=cursor)
        assert panel.render((10,)).cursor == seen


def test_a_changed_line_is_drawn_and_a_new_theme_used() -> None:
    panel = make(boxed=False)
    panel.update("", ["a", "b"], "", height=4, focused=False)
    assert shown(panel, 6)[1:3] == ["a     ", "b     "]
    panel.update("", ["a", "c"], "", height=4, focused=False)
    assert shown(panel, 6)[1:3] == ["a     ", "c     "]
    panel.update("", ["c"], "", height=3, focused=False)
    assert shown(panel, 6)[1:2] == ["c     "]
    panel.dress()
    assert shown(panel, 3) == ["───", "c  ", "───"]


def test_a_frame_fits_into_any_width() -> None:
    panel = make()
    for columns in range(3, 40):
        panel.update("a title", ["x"], "a footer", height=3, focused=True)
        assert {len(row) for row in shown(panel, columns)} == {columns}, columns
