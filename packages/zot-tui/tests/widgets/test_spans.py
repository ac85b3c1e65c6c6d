"""Lines of other programs follow the theme, and cannot move the cursor."""

from hypothesis import example, given
from hypothesis import strategies as st

from zot_tui.color import Color
from zot_tui.text.ansi import Sgr
from zot_tui.theme import builtin
from zot_tui.widgets.spans import line_runs

DARK = builtin("dark")


def test_a_span_with_a_token_alone_follows_the_theme() -> None:
    assert line_runs([{"text": "a", "style": "success"}, {"text": "b"}], DARK, "muted") == [
        ("success", "a"),
        ("muted", "b"),
    ]


def test_attributes_and_grounds_make_a_style_of_the_colours() -> None:
    ((style, _),) = line_runs([{"text": "a", "style": "#ff0000", "bg": "#000080", "bold": True}], DARK)
    assert style == Sgr(Color("#ff0000"), Color("#000080"), ("bold",))
    ((style, _),) = line_runs([{"text": "a", "style": "error", "underline": True}], DARK)
    assert (style.foreground, style.attributes) == (DARK.style("error").foreground, ("underline",))


def test_unknown_tokens_and_colours_count_as_none() -> None:
    assert line_runs([{"text": "a", "style": "no-such"}], DARK) == [(Sgr(DARK.style("text").foreground), "a")]
    assert line_runs([{"text": "a", "style": "#zzz"}], DARK) == [(Sgr(DARK.style("text").foreground), "a")]


@given(st.text(st.characters(codec="utf-8")))
@example("a\tb")
def test_no_line_has_control_characters(text: str) -> None:
    for line in (text, [{"text": text}]):
        drawn = "".join(part for _, part in line_runs(line, DARK))
        assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in drawn)
