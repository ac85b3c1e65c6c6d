import pytest

from zot_tui.color import contrast, rgb
from zot_tui.theme import Paint, Theme, builtin, builtin_names, weaknesses


@pytest.mark.parametrize("name", builtin_names())
def test_every_token_of_a_built_in_theme_can_be_read(name: str) -> None:
    assert [str(weakness) for weakness in weaknesses(builtin(name))] == []


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("token", ["text", "muted", "accent", "match"])
def test_what_a_chosen_row_shows_can_be_seen_on_it(name: str, token: str) -> None:
    theme = builtin(name)
    assert contrast(rgb(theme.style(token).foreground), rgb(theme.style("selection").background)) >= 3


def test_the_high_contrast_theme_has_seven_to_one() -> None:
    theme = builtin("high-contrast")
    assert all(contrast(rgb(theme.style(token).foreground), (0, 0, 0)) >= 7 for token in theme.paints)


def test_a_weak_token_is_named_with_its_ratio() -> None:
    theme = Theme("t", paints={"text": Paint("#ffffff"), "muted": Paint("#555555")}, backgrounds={"text": "#000000"})
    weak = {weakness.token: str(weakness) for weakness in weaknesses(theme)}
    assert weak["muted"] == "muted: #555555 on #000000 is 2.8:1, below 4.5:1"
    assert weak["dim"] == "dim: #555555 on #000000 is 2.8:1, below 3:1"
    assert "text" not in weak


def test_the_terminals_own_colours_cannot_be_judged() -> None:
    assert weaknesses(Theme("t")) == []
