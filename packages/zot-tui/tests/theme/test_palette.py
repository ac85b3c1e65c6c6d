import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.color import Color, from_rgb, indexed
from zot_tui.theme import TOKENS, Paint, Theme, builtin, builtin_names, palette, parse_theme
from zot_tui.theme.palette import in_256, urwid_color

colors = st.integers(0, 255).map(indexed) | st.tuples(*[st.integers(0, 255)] * 3).map(lambda each: from_rgb(*each))


def entry(theme, token):
    return next(each for each in palette(theme) if each[0] == token)


def register(theme: Theme) -> None:
    from urwid.display.raw import Screen

    screen = Screen(input=io.StringIO(), output=io.StringIO())
    screen.register_palette(palette(theme))


@pytest.mark.parametrize("name", builtin_names())
def test_urwid_takes_the_palette_of_a_built_in_theme(name: str) -> None:
    register(builtin(name))


@given(colors, colors, colors)
def test_urwid_takes_whatever_colours_a_theme_has(foreground: Color, background: Color, other: Color) -> None:
    paints = {"text": Paint(foreground, ("bold", "faint", "italic", "underline", "inverse", "strike"))}
    register(Theme("t", paints=paints, backgrounds={"text": background, "selection": other}))


def test_there_is_an_entry_for_each_token_and_one_for_the_rest() -> None:
    assert [each[0] for each in palette(builtin("dark"))] == [None, *(token.name for token in TOKENS)]


def test_an_entry_says_what_each_kind_of_terminal_shows() -> None:
    theme = parse_theme('{"accent": "#ff0000 bold italic", "selection_fg": 231, "selection_bg": 24}')
    assert entry(theme, "accent") == (
        "accent",
        "light red,bold,italics",
        "inherit",
        "bold,italics",
        "#ff0000,bold,italics",
        "inherit",
    )
    assert entry(theme, "selection") == ("selection", "white", "dark blue", "standout", "h231", "h24")
    assert entry(theme, "text") == ("text", "default", "default", "default", "default", "default")


@pytest.mark.parametrize("name", builtin_names())
def test_a_chosen_row_stands_out_in_sixteen_colours(name: str) -> None:
    theme = builtin(name)
    for token in ("selection", "user_bubble"):
        _, foreground, background, *_ = entry(theme, token)
        assert background not in ("default", "inherit", entry(theme, "text")[2])
        assert foreground.split(",")[0] != background


def test_a_colour_keeps_its_hue_in_sixteen_colours_or_gets_the_next_one_that_can_be_read() -> None:
    tokens = ("success", "error", "warning", "assistant", "accent", "dim")
    assert [entry(builtin("dark"), token)[1] for token in tokens] == [
        "light green", "light red", "yellow", "light cyan", "light cyan", "light gray",
    ]  # fmt: skip
    assert [entry(builtin("light"), token)[1] for token in tokens] == [
        "black", "dark red", "dark red", "dark blue", "dark blue", "dark gray",
    ]  # fmt: skip


def test_what_is_changed_in_a_line_is_underlined_where_there_are_no_bands() -> None:
    assert entry(builtin("dark"), "diff.added_word")[1:4] == ("light green,underline", "inherit", "underline")
    assert "underline" not in entry(builtin("dark"), "diff.added_word")[4]
    assert "underline" not in entry(builtin("dark"), "diff.added_line")[1]


def test_colours_are_written_as_urwid_reads_them() -> None:
    assert [urwid_color(each) for each in (None, "default", "#aabbcc", "12", "200")] == [
        "inherit",
        "default",
        "#aabbcc",
        "light blue",
        "h200",
    ]


def test_a_terminal_of_256_colours_gets_the_nearest_and_keeps_the_attributes() -> None:
    given = ("text", "white,bold", "black", "bold", "#12301d,bold", "#ffd7d7")
    assert in_256(given) == ("text", "white,bold", "black", "bold", "h235,bold", "h224")
    assert in_256(("text", "", "", "", "default", "inherit"))[4:] == ("default", "inherit")


def test_a_band_keeps_its_hue_in_256_colours_and_gets_an_ink_that_is_read_on_it() -> None:
    assert in_256(("diff.added_word", "", "", "", "#9fd18b", "#143522"))[4:] == ("h150,underline", "h22")
    assert in_256(("diff.removed_line", "", "", "", "#ff9a94", "#fbe5e5"))[4:] == ("h126", "h224")
    assert in_256(("diff.removed_line", "", "", "", "default", "#222222"))[4:] == ("default", "h235")
    assert in_256(("diff.removed_line", "", "", "", "#ff9a94", "h52"))[4:] == ("h210", "h52")
