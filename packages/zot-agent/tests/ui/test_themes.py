import json
import os
from pathlib import Path
from typing import Any

import pytest

from zot_agent.extensions.discover import Found
from zot_agent.ui.themes import AUTO, Themes
from zot_ext.manifest import Manifest
from zot_tui.theme import ThemeError, builtin


def write(path: Path, **theme: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(theme))
    return path


def extension(folder: Path, name: str) -> Found:
    return Found(name, str(folder), "global", Manifest(name))


def test_ones_own_theme_is_laid_over_that_of_its_kind(tmp_path: Path) -> None:
    write(tmp_path / "themes" / "mine.json", colors={"accent": "#010203"})
    theme = Themes(str(tmp_path), list).load("mine", "light")

    assert theme.style("accent").foreground == "#010203"
    assert theme.style("error") == builtin("light").style("error")


def test_all_themes_can_be_chosen_and_ones_own_come_first(tmp_path: Path) -> None:
    write(tmp_path / "themes" / "dark.json", colors={"accent": "#010203"})
    brought = write(tmp_path / "ext" / "themes" / "theme.json", colors={}).parents[1]
    choices = Themes(str(tmp_path), lambda: [extension(brought, "solar")]).choices()

    assert [(each.name, each.source) for each in choices] == [
        ("dark", "yours"),
        ("solar", "extension"),
        (AUTO, "the terminal's"),
        ("high-contrast", "zot"),
        ("light", "zot"),
    ]


def test_without_a_name_the_terminal_decides(tmp_path: Path) -> None:
    themes = Themes(str(tmp_path), list)

    assert themes.load("", "light") is builtin("light")
    assert themes.load(AUTO, None) is builtin("dark")


def test_an_unknown_theme_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(ThemeError, match="no theme 'nope': there are dark"):
        Themes(str(tmp_path), list).load("nope", "dark")


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    write(tmp_path / "themes" / "mine.json").write_text("{")

    with pytest.raises(ThemeError, match="no JSON"):
        Themes(str(tmp_path), list).load("mine", "dark")


def test_a_change_of_the_file_in_use_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "themes" / "mine.json", colors={})
    themes = Themes(str(tmp_path), list)
    themes.load("mine", "dark")
    assert not themes.stale()

    os.utime(path, (1, 1))

    assert themes.stale()
    themes.load("dark", "dark")
    assert not themes.stale()


def test_a_theme_in_use_is_read_anew_when_the_person_looks_again(tmp_path: Path) -> None:
    path = write(tmp_path / "themes" / "mine.json", colors={"accent": "#010203", "acent": 1})
    used: list[str] = []
    notes: list[str] = []
    themes = Themes(
        str(tmp_path), list, use=lambda theme: used.append(theme.style("accent").foreground), note=notes.append
    )

    themes.use("mine")
    themes.looked_at(here=True)
    write(path, colors={"accent": "#040506"})
    os.utime(path, (1, 1))
    themes.looked_at(here=False)
    themes.looked_at(here=True)
    themes.use("nope")

    assert used == ["#010203", "#040506"]
    assert notes[0] == "theme mine: 'colors.acent': no such entry; it is left out"
    assert notes[-1].startswith("no theme 'nope'")
    assert themes.name == "mine"
