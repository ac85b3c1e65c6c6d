"""Themes written for pi."""

import json
from collections.abc import Mapping

import pytest

from zot_tui.theme import ThemeError
from zot_tui.theme.load import parse_theme
from zot_tui.theme.pi import _KEYS
from zot_tui.theme.tokens import TOKENS

COLORS = {"mdHeading": "gold", "success": "#b5bd68", "text": "", "userMessageBg": 237, "borderAccent": "gold"}


def theme_of(colors: Mapping[str, object], **names: object) -> str:
    return json.dumps({"$schema": "theme-schema.json", "name": "mine", "vars": names, "colors": colors})


def test_a_theme_written_for_pi_sets_the_parts_that_zot_has_too() -> None:
    theme = parse_theme(theme_of(COLORS, gold="yellowish", yellowish="#f0c674"))
    assert theme.name == "mine"
    assert set(theme.paints) == {"markdown.heading", "success"}
    assert set(theme.backgrounds) == {"user_bubble"}
    assert theme.notes == []


@pytest.mark.parametrize("names", [{}, {"gold": "gold"}])
def test_a_colour_that_leads_nowhere_is_named(names: dict[str, object]) -> None:
    with pytest.raises(ThemeError, match=r"'colors\.mdHeading'"):
        parse_theme(theme_of(COLORS, **names))


def test_every_colour_of_pi_that_is_used_has_an_entry_of_zot() -> None:
    known = {key for token in TOKENS for key in (token.key, token.background_key)}
    assert set(_KEYS.values()) - known == set()
