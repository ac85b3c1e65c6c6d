import json
import os
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.theme import Paint, SpinnerStyle, ThemeError, builtin, builtin_names, load_theme, parse_theme
from zot_tui.theme.load import MAX_BYTES, NAMED
from zot_tui.theme.theme import Theme
from zot_tui.theme.tokens import TOKENS


def parse(data: object, mode: Literal["dark", "light"] = "dark") -> Theme:
    return parse_theme(json.dumps(data), mode, source="mine.json")


def test_any_subset_of_entries_is_a_theme() -> None:
    assert parse({}).name == "mine"
    theme = parse({"name": "pink", "description": "Pink.", "colors": {"accent": 204}})
    assert (theme.name, theme.description) == ("pink", "Pink.")
    assert theme.paints == {"accent": Paint("204")}
    assert theme.notes == []


def test_colours_may_differ_by_mode_and_one_mode_serves_both() -> None:
    data = {"colors": {"accent": 1, "tool": 2, "dark": {"accent": 204}, "light": {"accent": 161}}}
    assert parse(data, "dark").paints == {"accent": Paint("204"), "tool": Paint("2")}
    assert parse(data, "light").paints["accent"] == Paint("161")
    assert parse({"colors": {"dark": {"accent": 204}}}, "light").paints == {"accent": Paint("204")}


def test_entries_at_the_top_count_too_and_the_closer_ones_win() -> None:
    theme = parse({"accent": 1, "error": 2, "colors": {"accent": 3}})
    assert theme.paints == {"accent": Paint("3"), "error": Paint("2")}


def test_foregrounds_backgrounds_and_groups_have_their_names() -> None:
    colors = {
        "fg": 1,
        "background": "#000",
        "selection_fg": 2,
        "selection_bg": 3,
        "syntax": {"keyword": "#81a1c1 bold"},
    }
    theme = parse({"colors": colors})
    assert theme.paints == {"text": Paint("1"), "selection": Paint("2"), "syntax.keyword": Paint("#81a1c1", ("bold",))}
    assert theme.backgrounds == {"text": "#000000", "selection": "3"}


def test_a_value_may_be_attributes_alone() -> None:
    assert parse({"markdown": {"strong": "italics bold"}}).paints == {
        "markdown.strong": Paint(None, ("bold", "italic"))
    }


def test_spinners_may_stand_at_every_level() -> None:
    data = {
        "spinner_frames": ["◢", "◣"],
        "colors": {"spinner_messages": ["shipping"], "dark": {"spinner_interval_ms": 120}},
    }
    assert parse(data).spinner == SpinnerStyle(("◢", "◣"), ("shipping",), 120)


def test_what_is_not_known_is_noted_and_left_out() -> None:
    theme = parse(
        {"acent": 1, "colors": {"dark": {"syntax": {"keywort": 2}, "spinner_color": 3, "spinner_interval_ms": 0}}}
    )
    assert theme.paints == {}
    assert theme.notes == [
        "'colors.dark.spinner_interval_ms': expected a number of at least 20; it is left out",
        "3 entries are unknown and left out: 'acent', 'colors.dark.syntax.keywort', 'colors.dark.spinner_color'",
    ]


def test_unknown_entries_are_one_note_however_many_there_are() -> None:
    assert parse({"acent": 1}).notes == ["'acent': no such entry; it is left out"]
    (note,) = parse({f"key{number}": 1 for number in range(60)}).notes
    assert note.startswith("60 entries are unknown and left out: 'key0', 'key1', ")
    assert note.endswith(f"'key{NAMED - 1}' and {60 - NAMED} more")


def test_entries_for_people_and_for_highlighters_are_accepted() -> None:
    theme = parse(
        {"color_descriptions": {"accent": "x"}, "syntax_base_style": "monokai", "syntax": {"text": "#fff bg:#000"}}
    )
    assert theme.paints == {"syntax.text": Paint("#ffffff")}
    assert theme.notes == ["'syntax.text': 'bg:#000' is left out"]


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"colors": {"dark": {"accent": "purplish"}}}, "'colors.dark.accent': 'purplish' is not a colour"),
        ({"colors": {"selection_bg": 300}}, "'colors.selection_bg': 300 is not a colour"),
        ({"syntax": {"text": "#fff #000"}}, "'syntax.text': \"#fff #000\" has two colours"),
        ({"fg": ""}, "'fg': '' is not a colour"),
        ({"fg": None}, "'fg': None is not a colour"),
        ({"colors": 5}, "'colors': expected an object, not 5"),
        ({"colors": {"light": []}}, "'colors.light': expected an object, not []"),
        ({"name": 5}, "'name': expected a string, not 5"),
        ({"mode": "dim"}, "'mode': expected 'dark' or 'light'"),
        ({"spinner_frames": []}, "'spinner_frames': expected a list of strings"),
        ([], "expected an object, not []"),
    ],
)
def test_a_bad_entry_is_named_in_one_line(data: dict[str, object], named: str) -> None:
    with pytest.raises(ThemeError) as caught:
        parse(data)
    assert str(caught.value).startswith(f"theme 'mine.json': {named}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", '{"a": 1,}', "[" * 100_000, "9" * 5000])
def test_what_is_no_json_is_a_theme_error(text: str) -> None:
    with pytest.raises(ThemeError) as caught:
        parse_theme(text)
    assert "\n" not in str(caught.value)


def test_a_file_is_read_and_names_the_theme(tmp_path: Path) -> None:
    file = tmp_path / "sea.json"
    file.write_text('\ufeff{"accent": 31}', encoding="utf-8")
    assert load_theme(file).name == "sea"


def test_a_file_that_cannot_be_read_is_a_theme_error(tmp_path: Path) -> None:
    with pytest.raises(ThemeError, match="No such file"):
        load_theme(tmp_path / "none.json")
    file = tmp_path / "latin.json"
    file.write_bytes(b'{"name": "\xe9"}')
    with pytest.raises(ThemeError, match="not UTF-8 at byte 10"):
        load_theme(file)


def test_the_built_in_themes_are_found_by_name() -> None:
    names = builtin_names()
    assert names == sorted(names)
    assert {"colour-blind", "dark", "ember", "high-contrast", "light", "parchment"} <= {*names}
    with pytest.raises(ThemeError, match=r"no theme 'drak': there are .*dark, ember, high-contrast, light"):
        builtin("drak")


@pytest.mark.parametrize("name", builtin_names())
def test_a_built_in_theme_is_complete_and_free_of_notes(name: str) -> None:
    theme = builtin(name)
    assert (theme.name, theme.notes) == (name, [])
    assert theme.description
    assert {"text", "muted", "accent", "error", "warning", "tool", "selection"} <= set(theme.paints)
    assert None not in (theme.spinner.frames, theme.spinner.messages, theme.spinner.interval_ms)


keys = st.sampled_from(
    [*(token.key for token in TOKENS), "selection_bg", "colors", "dark", "light", "syntax", "spinner_frames", "mode"]
) | st.text(max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | st.just("#fff"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(keys, values, max_size=6))
def test_whatever_a_file_holds_is_a_theme_or_one_line(data: dict[str, object]) -> None:
    message = ""
    try:
        parse(data)
    except ThemeError as error:
        message = str(error)
    assert "\n" not in message


def test_a_theme_that_is_not_a_regular_file_or_too_large_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "terminal").symlink_to("/dev/ptmx")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "large").write_bytes(b" " * (MAX_BYTES + 1))
    for name, words in (
        *((name, "not a regular file") for name in ("pipe", "terminal", "zero")),
        ("large", "larger than 1,048,576 bytes"),
        ("", "Is a directory"),
    ):
        with pytest.raises(ThemeError, match=f"{words}$"):
            load_theme(tmp_path / name)
