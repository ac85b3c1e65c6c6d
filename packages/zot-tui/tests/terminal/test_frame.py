import pyte
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.terminal.frame import ScreenRow, frame

COLUMNS, ROWS = 12, 9
STYLES = {None: "\x1b[0m", "red": "\x1b[0;31m", "band": "\x1b[0;44m", "reversed": "\x1b[0;7m"}


def row(text: str, style: str | None = None) -> ScreenRow:
    width = len(text.encode("cp1252", "replace"))
    return [(style, None, text.encode()), (None, None, b" " * (COLUMNS - width))]


def written(rows: list[ScreenRow], before: list[ScreenRow]) -> str:
    return frame(rows, before, lambda style: STYLES[style], lambda style: style != "reversed")  # type: ignore[index]


def cells(screen: pyte.Screen) -> list[list[tuple[str, str, str, bool]]]:
    lines = [[screen.buffer[line][column] for column in range(COLUMNS)] for line in range(ROWS)]
    return [[(cell.data, cell.fg, cell.bg, cell.reverse) for cell in line] for line in lines]


drawn_rows = st.lists(
    st.tuples(st.sampled_from([None, *(key for key in STYLES if key)]), st.text("ab ö", max_size=COLUMNS - 1)).map(
        lambda pair: [(pair[0], None, pair[1].encode()), (pair[0], None, b" " * (COLUMNS - len(pair[1])))]
    ),
    min_size=ROWS,
    max_size=ROWS,
)


@given(st.lists(st.tuples(drawn_rows, st.integers(0, ROWS), st.integers(0, ROWS)), min_size=1, max_size=5))
def test_a_screen_that_gets_only_the_changes_shows_what_one_that_gets_everything_does(
    steps: list[tuple[list[ScreenRow], int, int]],
) -> None:
    changed = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(changed)
    before: list[ScreenRow] = []
    for fresh, by, kept in steps:
        rows = fresh
        if before:  # mostly rows of before, moved up by some
            rows = [*before[by : by + kept], *fresh][:ROWS]
        stream.feed(written(rows, before))
        whole = pyte.Screen(COLUMNS, ROWS)
        pyte.Stream(whole).feed(written(rows, []))
        assert cells(changed) == cells(whole)
        before = rows


SIZES = [(1, 1), (1, 9), (2, 6), (12, 1), (20, 6), (12, 12)]


@st.composite
def screens(draw: st.DrawFn) -> tuple[int, int, list[list[ScreenRow]]]:
    """Columns, rows, and screens of that size, each mostly made of rows of the one before that have moved."""
    columns, height = draw(st.sampled_from(SIZES))
    letters = st.sampled_from(["a", "b", " ", "ö", "日", "本"] if columns > 1 else ["a", " "])

    def filled(styles: list[str | None], text: list[str]) -> ScreenRow:
        row: ScreenRow = []
        left = columns
        for index, letter in enumerate(text):
            cells = 1 + (letter in "日本")
            if cells > left:
                break
            left -= cells
            row.append((styles[index % len(styles)], None, letter.encode()))
        return [*row, (styles[-1], None, b" " * left)] if left else row

    some = st.builds(
        filled, st.lists(st.sampled_from([*STYLES]), min_size=1, max_size=3), st.lists(letters, max_size=24)
    )
    found = [draw(st.lists(some, min_size=height, max_size=height))]
    for _ in range(draw(st.integers(1, 4))):
        rows = [*draw(st.lists(some, min_size=height, max_size=height))]
        top, by, kept = (draw(st.integers(0, height)) for _ in range(3))
        moved = found[-1][top + by : top + by + kept]
        rows[top : top + len(moved)] = moved
        found.append([*found[-1][:top], *rows[top:]][:height])
    return columns, height, found


@given(screens(), st.booleans())
def test_it_does_at_every_size_with_wide_letters_and_where_erasing_leaves_no_colour(
    drawn: tuple[int, int, list[list[ScreenRow]]], bce: bool
) -> None:
    columns, height, steps = drawn

    def output(rows: list[ScreenRow], before: list[ScreenRow]) -> str:
        erases = (lambda style: style != "reversed") if bce else (lambda _: False)
        return frame(rows, before, lambda style: STYLES[style], erases)  # type: ignore[index]

    def seen(screen: pyte.Screen) -> list[list[tuple[str, str, str, bool]]]:
        lines = [[screen.buffer[line][column] for column in range(columns)] for line in range(height)]
        return [[(cell.data, cell.fg, cell.bg, cell.reverse) for cell in line] for line in lines]

    def expected(rows: list[ScreenRow]) -> list[list[str]]:
        """By hand: a wide letter and the empty cell behind it."""
        texts = [b"".join(text for _, _, text in row).decode() for row in rows]
        return [
            [cell for letter in text for cell in ([letter, ""] if letter in "日本" else [letter])] for text in texts
        ]

    changed = pyte.Screen(columns, height)
    stream = pyte.Stream(changed)
    before: list[ScreenRow] = []
    for rows in steps:
        sequence = output(rows, before)
        assert bce or "\x1b[K" not in sequence
        stream.feed(sequence)
        whole = pyte.Screen(columns, height)
        pyte.Stream(whole).feed(output(rows, []))
        assert seen(changed) == seen(whole)
        assert [[cell[0] for cell in line] for line in seen(changed)] == expected(rows)
        before = rows


def test_nothing_is_written_where_nothing_has_changed() -> None:
    rows = [row(f"line {number}") for number in range(ROWS)]
    assert written(rows, [row(f"line {number}") for number in range(ROWS)]) == ""


def test_a_row_that_has_changed_is_written_alone() -> None:
    rows = [row(f"line {number}") for number in range(ROWS)]
    after = [*rows[:3], row("other"), *rows[4:]]
    assert written(after, rows) == "\x1b[4;1H\x1b[0mother\x1b[0m\x1b[K"


def test_rows_that_move_up_are_moved_by_the_terminal() -> None:
    rows = [row(f"line {number}") for number in range(ROWS - 1)]
    after = [*rows[1:], row("new")]
    status = row("status")
    moved = written([*after, status], [*rows, status])
    assert moved == f"\x1b[0m\x1b[1;{ROWS - 1}r\x1b[1;1H\x1b[1M\x1b[r\x1b[{ROWS - 1};1H\x1b[0mnew\x1b[0m\x1b[K"


def test_blanks_in_a_style_that_erasing_would_lose_are_written() -> None:
    text = written([[("reversed", None, b"ab  ")]], [])
    assert text.endswith("ab  ")


def test_control_characters_that_come_this_far_are_shown_as_question_marks() -> None:
    assert "a?[2Jb?c" in written([[(None, None, "a\x1b[2Jb\u009bc".encode())]], [])
