import json
import os
from pathlib import Path

import pytest

from zot_core.skills.discover import ExtensionSkills, Skills, find_skills, project_skills
from zot_core.version import __version__

FRONT = """---
name: {name}
description: {description}
allowed-tools: [read]
disable-model-invocation: true
license: MIT
metadata:
  version: "1"
---
Text.
"""


def add(folder: Path, name: str, description: str = "d") -> Path:
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "SKILL.md").write_text(FRONT.format(name=name, description=description))
    return folder / name / "SKILL.md"


class Search:
    """Searches one home folder, with its cache."""

    def __init__(self, home: Path) -> None:
        self.home, self.cache = home, home / "cache.json"

    def find(self) -> Skills:
        extension = ExtensionSkills("Ext 1", str(self.home / "ext"), ["two"])
        skills = find_skills("/nowhere", str(self.home), "", [extension], cache=str(self.cache))
        skills.found = [each for each in skills.found if each.source != "builtin"]
        return skills

    def doctor(self) -> None:
        """Change the descriptions in the cache."""
        self.cache.write_text(self.cache.read_text().replace('"d"', '"from the cache"'))


@pytest.fixture
def search(tmp_path: Path) -> Search:
    add(tmp_path / "skills", "one")
    add(tmp_path / "ext", "two")
    return Search(tmp_path)


def test_a_skill_from_the_cache_is_the_same_as_from_its_file(search: Search) -> None:
    first, again = search.find(), search.find()
    assert first == again
    assert [each.name for each in first.found] == ["one", "Ext-1:two"]
    search.doctor()
    assert [each.description for each in search.find().found] == ["from the cache"] * 2
    assert search.cache.stat().st_mode & 0o777 == 0o600


def test_a_file_that_has_changed_is_read_again(search: Search) -> None:
    search.find()
    search.doctor()
    add(search.home / "skills", "one", "e")
    assert [each.description for each in search.find().found] == ["e", "from the cache"]
    (search.home / "skills/one/SKILL.md").write_text("no front matter")
    assert [each.name for each in search.find().found] == ["Ext-1:two"]
    assert len(search.find().notes) == 1


def test_what_is_gone_leaves_the_cache(search: Search) -> None:
    search.find()
    gone = search.home / "skills/one/SKILL.md"
    gone.unlink()
    add(search.home / "skills", "three")
    search.find()
    assert str(gone) not in json.loads(search.cache.read_text())["skills"]


@pytest.mark.parametrize(
    "damage", [b"", b"\xff", b"[]", b"{}", b'{"version": "%s", "skills": []}' % __version__.encode(), b"[" * 100_000]
)
def test_a_damaged_cache_is_written_again(search: Search, damage: bytes) -> None:
    found = search.find()
    search.cache.write_bytes(damage)
    assert search.find() == found
    search.doctor()
    assert search.find() != found


def test_the_cache_of_another_version_is_written_again(search: Search) -> None:
    found = search.find()
    search.doctor()
    value = json.loads(search.cache.read_text())
    search.cache.write_text(json.dumps(value | {"version": "0.0.9"}))
    assert search.find() == found


@pytest.mark.parametrize("entry", [None, 1, [], ["x"] * 7, [[0], "one", 1, [], False, True, {}]])
def test_an_entry_that_is_damaged_is_read_again(search: Search, entry: object) -> None:
    found = search.find()
    value = json.loads(search.cache.read_text())
    value["skills"] = dict.fromkeys(value["skills"], entry)
    search.cache.write_text(json.dumps(value))
    assert search.find() == found


def test_a_cache_that_cannot_be_written_does_no_harm(search: Search) -> None:
    search.cache.mkdir()
    assert len(search.find().found) == 2
    assert find_skills(str(search.home / "ext"), cache="/nowhere/cache.json").found
    assert os.listdir(search.cache) == []


def test_without_skills_of_ones_own_there_is_no_cache(tmp_path: Path) -> None:
    assert find_skills("/nowhere", cache=str(tmp_path / "cache.json")).found
    assert os.listdir(tmp_path) == []


def test_the_skills_of_a_project_are_read_from_the_cache_too(tmp_path: Path) -> None:
    add(tmp_path / ".zot/skills", "one")
    cache = tmp_path / "cache.json"
    find_skills(str(tmp_path), cache=str(cache))
    cache.write_text(cache.read_text().replace('"d"', '"from the cache"'))
    assert [each.description for each in project_skills(str(tmp_path), cache=str(cache))] == ["from the cache"]
