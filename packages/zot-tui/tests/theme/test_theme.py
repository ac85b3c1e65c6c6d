import pytest

from zot_tui.theme import Paint, SpinnerStyle, Style, Theme, builtin, weaknesses
from zot_tui.theme.theme import PAPER


def test_a_token_without_colours_looks_like_its_fallback() -> None:
    theme = Theme("t", paints={"error": Paint("9")})
    assert theme.style("diff.removed") == Style("9")
    assert theme.style("success") == Style("default")


def test_attributes_alone_keep_the_colour_of_the_fallback() -> None:
    theme = Theme("t", paints={"accent": Paint("4", ("underline",)), "title": Paint(None, ("bold",))})
    assert theme.style("title") == Style("4", None, ("bold",))
    assert theme.style("key") == Style("4", None, ("underline",))


def test_a_token_without_a_background_shows_what_it_lies_on() -> None:
    theme = Theme("t", backgrounds={"text": "16", "selection": "24"})
    assert theme.style("text").background == "16"
    assert theme.style("selection").background == "24"
    assert theme.style("accent").background is None
    assert Theme("t").style("text").background == "default"


def test_a_theme_laid_over_another_keeps_its_own_and_changes_neither() -> None:
    base = Theme("base", paints={"text": Paint("1"), "error": Paint("2")}, spinner=SpinnerStyle(("a",), ("b",), 80))
    own = Theme("own", "light", paints={"error": Paint("3")}, spinner=SpinnerStyle(messages=("c",)), notes=["n"])
    over = own.over(base)
    assert over == Theme(
        "own",
        "light",
        paints={"text": Paint("1"), "error": Paint("3")},
        spinner=SpinnerStyle(("a",), ("c",), 80),
        notes=["n"],
    )
    assert own.paints == {"error": Paint("3")}
    assert base.paints["error"] == Paint("2")


def test_a_name_that_no_token_has_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        builtin("dark").style("purple")


def test_a_theme_for_the_other_kind_of_terminal_brings_its_own_background() -> None:
    light = builtin("light")

    assert light.for_background("light") is light
    assert light.for_background(None) is light
    assert light.for_background("dark").style("text").background == PAPER["light"]
    assert weaknesses(light.for_background("dark")) == []
    assert weaknesses(builtin("dark").for_background("light")) == []


def test_a_theme_with_a_background_keeps_it() -> None:
    contrast = builtin("high-contrast")

    assert contrast.for_background("light") is contrast
