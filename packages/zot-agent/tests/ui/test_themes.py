import json
import os
from pathlib import Path
from typing import Any

import pytest

from zot_agent.extensions.discover import DiscoveredExtension, Scope
from zot_agent.ui.themes import AUTO, Themes
from zot_ext.manifest import Manifest
from zot_tui.theme import ThemeError, builtin


def write(path: Path, **theme: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(theme))
    return path


def extension(folder: Path, name: str, scope: Scope = "global") -> DiscoveredExtension:
    return DiscoveredExtension(name, str(folder), scope, Manifest(name))


def watching(tmp_path: Path) -> tuple[Themes, list[str], list[str]]:
    """Themes, the accents of those that were used, and the notes about them."""
    used: list[str] = []
    notes: list[str] = []
    themes = Themes(str(tmp_path), list)
    themes.switched.connect(lambda theme: used.append(theme.style("accent").foreground))
    themes.noted.connect(notes.append)
    return themes, used, notes


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
        *((name, "zot") for name in ("colour-blind", "ember", "high-contrast", "light", "parchment")),
    ]


def test_an_extension_can_bring_several_themes(tmp_path: Path) -> None:
    for name in ("dark", "sea", "sand"):
        write(tmp_path / "ext" / "more" / f"{name}.json", colors={"accent": "#010203"})
    found = DiscoveredExtension("kit", str(tmp_path / "ext"), "global", Manifest("kit", themes=("more",)))
    themes = Themes(str(tmp_path), lambda: [found])
    assert [each.name for each in themes.choices() if each.source == "extension"] == ["dark", "sand", "sea"]
    assert themes.load("sea", "dark").style("accent").foreground == "#010203"
    found.scope = "project"
    assert [each.name for each in themes.choices() if each.source == "project"] == ["sand", "sea"]


def test_without_a_name_the_terminal_decides(tmp_path: Path) -> None:
    themes = Themes(str(tmp_path), list)

    assert themes.load("", "light") is builtin("light")
    assert themes.load(AUTO, None) is builtin("dark")


def test_an_unknown_theme_names_those_there_are(tmp_path: Path) -> None:
    write(tmp_path / "themes" / "mine.json")
    with pytest.raises(ThemeError, match="no theme 'nope': there are mine, auto, colour-blind, dark, ember, high-"):
        Themes(str(tmp_path), list).load("nope", "dark")


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    write(tmp_path / "themes" / "mine.json").write_text("{")

    with pytest.raises(ThemeError, match="not JSON"):
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


def test_a_theme_of_a_project_replaces_none_of_its_name(tmp_path: Path) -> None:
    write(tmp_path / "brought" / "theme.json", colors={"text": "#000000"})
    brought = [extension(tmp_path / "brought", name, "project") for name in ("dark", "solar")]
    themes = Themes(str(tmp_path), lambda: brought)
    assert themes.load("dark", "dark") is builtin("dark")
    assert [(each.name, each.source) for each in themes.choices()][-1] == ("solar", "project")


def test_a_change_of_a_projects_theme_is_not_shown_unasked(tmp_path: Path) -> None:
    path = write(tmp_path / "brought" / "theme.json", colors={"accent": "#010203"})
    used: list[str] = []
    themes = Themes(str(tmp_path), lambda: [extension(tmp_path / "brought", "solar", "project")])
    themes.switched.connect(lambda theme: used.append(theme.style("accent").foreground))
    themes.use("solar")
    write(path, colors={"accent": "#000000"})
    os.utime(path, (1, 1))
    themes.focus(here=True)
    assert used == ["#010203"]


def test_a_theme_in_use_is_read_anew_when_the_person_looks_again(tmp_path: Path) -> None:
    path = write(tmp_path / "themes" / "mine.json", colors={"accent": "#010203", "acent": 1})
    themes, used, notes = watching(tmp_path)

    themes.use("mine")
    themes.focus(here=True)
    write(path, colors={"accent": "#040506"})
    os.utime(path, (1, 1))
    themes.focus(here=False)
    themes.focus(here=True)
    themes.use("nope")

    assert used == ["#010203", "#040506"]
    assert notes[0] == "theme mine: 'colors.acent': no such entry; it is left out"
    assert notes[-1].startswith("no theme 'nope'")
    assert themes.name == "mine"


def look_again(themes: Themes, path: Path, moment: int) -> None:
    os.utime(path, (moment, moment))
    themes.focus(here=True)


def test_a_theme_that_could_not_be_read_is_used_once_it_can(tmp_path: Path) -> None:
    path = tmp_path / "themes" / "mine.json"
    write(path).write_text("{")
    themes, used, notes = watching(tmp_path)

    themes.use("mine")
    assert (themes.name, len(notes)) == ("", 1)
    write(path, colors={"accent": "#010203"})
    look_again(themes, path, 1)

    assert used == ["#010203"]
    assert themes.name == "mine"


def test_a_wrong_name_does_not_end_the_watch_over_the_theme_in_use(tmp_path: Path) -> None:
    path = write(tmp_path / "themes" / "mine.json", colors={"accent": "#010203"})
    themes, used, _ = watching(tmp_path)

    themes.use("mine")
    themes.use("nope")
    write(path, colors={"accent": "#040506"})
    look_again(themes, path, 1)

    assert used == ["#010203", "#040506"]


def test_a_theme_whose_file_goes_and_comes_again_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "themes" / "mine.json", colors={"accent": "#010203"})
    themes, used, notes = watching(tmp_path)

    themes.use("mine")
    path.unlink()
    themes.focus(here=True)
    themes.focus(here=True)
    assert [note.partition(":")[0] for note in notes] == ["no theme 'mine'"]
    write(path, colors={"accent": "#040506"})
    look_again(themes, path, 1)

    assert used == ["#010203", "#040506"]


def test_what_is_wrong_with_a_theme_is_told_once_while_it_is_edited(tmp_path: Path) -> None:
    path = write(tmp_path / "themes" / "mine.json", name="Other", colors={"acent": 1, "eror": 2})
    themes, _, notes = watching(tmp_path)

    themes.use("mine")
    write(path, name="Other", colors={"acent": 1, "warnin": 3})
    look_again(themes, path, 1)
    look_again(themes, path, 2)
    told = [
        "theme mine: 2 entries are unknown and left out: 'colors.acent', 'colors.eror'",
        "theme mine: 2 entries are unknown and left out: 'colors.acent', 'colors.warnin'",
    ]
    assert notes == told

    themes.use("mine")
    assert notes == [*told, told[-1]]
