import os
import subprocess
import sys
from pathlib import Path

import pytest

from zot_core.skills.discover import (
    BUILTIN,
    ENTRIES_LIMIT,
    NOTES_LIMIT,
    SKILLS_LIMIT,
    ExtensionSkills,
    Skills,
    find_skills,
    project_skills,
)


def add(place: Path, name: str, description: str = "d", *, named: str = "") -> Path:
    folder = place / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: {named or name}\ndescription: {description}\n---\nDo it.\n")
    return folder / "SKILL.md"


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def person(tmp_path: Path) -> Path:
    folder = tmp_path / "person"
    folder.mkdir()
    return folder


def search(cwd: Path, home: Path | str = "", person: Path | str = "", *extensions: ExtensionSkills) -> Skills:
    """What is found beside the built-in skills."""
    skills = find_skills(str(cwd), str(home), str(person), extensions)
    skills.found = [skill for skill in skills.found if skill.source != "builtin"]
    return skills


def names(skills: Skills) -> list[str]:
    assert skills.notes == []
    return [skill.name for skill in skills.found]


def test_the_built_in_skills_are_always_there(cwd: Path) -> None:
    skills = find_skills(str(cwd))
    assert skills.notes == []
    assert [skill.name for skill in skills.found] == sorted(os.listdir(BUILTIN))
    assert {skill.source for skill in skills.found} == {"builtin"}


def test_of_one_name_the_first_place_in_the_order_wins(cwd: Path, person: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    places = [
        home / "skills",
        person / ".claude/skills",
        person / ".agents/skills",
        cwd / ".zot/skills",
        cwd / ".claude/skills",
        cwd / ".agents/skills",
    ]
    for number, place in enumerate(places):
        add(place, "same", f"from place {number}")
        add(place, f"only-{number}")
    for number, place in enumerate(places):
        skills = search(cwd, home, person)
        same = skills.get("same")
        assert same is not None
        assert same.description == f"from place {number}"
        assert same.path == str(place / "same" / "SKILL.md")
        assert same.source == ("project" if place.is_relative_to(cwd) else "user")
        found = sorted(skill.name for skill in skills.found)
        assert found == sorted(["same", *(f"only-{other}" for other in range(len(places)))])
        (place / "same" / "SKILL.md").unlink()
    assert search(cwd, home, person).get("same") is None


def test_a_project_cannot_replace_a_skill_of_the_person_silently(cwd: Path, person: Path) -> None:
    own, theirs = person / ".claude" / "skills", cwd / ".claude" / "skills"
    add(own, "commit", "mine")
    add(theirs, "commit", "theirs")
    skills = find_skills(str(cwd), "", str(person))
    commit = skills.get("commit")
    assert commit is not None
    assert commit.description == "mine"
    assert skills.notes == [
        f"{theirs}/commit/SKILL.md: you have a skill commit of your own, {own}/commit/SKILL.md; it is left out"
    ]


def test_what_a_project_brings_can_be_listed_and_left_out(cwd: Path, person: Path, tmp_path: Path) -> None:
    add(cwd / ".zot" / "skills", "theirs")
    add(person / ".agents" / "skills", "mine")
    places = (str(cwd), str(tmp_path / "home"), str(person))
    assert [skill.name for skill in project_skills(*places)] == ["theirs"]
    assert find_skills(*places, project=False).get("theirs") is None
    assert find_skills(*places, project=False).get("mine") is not None
    assert project_skills(str(person), "", str(person)) == []  # in the home folder of the person
    assert find_skills(str(person), "", str(person)).found[0].source == "user"


def test_a_skill_of_ones_own_goes_before_a_built_in_one(cwd: Path) -> None:
    builtin = find_skills(str(cwd)).found[0]
    add(cwd / ".agents" / "skills", builtin.name, "mine")
    replaced = find_skills(str(cwd)).get(builtin.name)
    assert replaced is not None
    assert (replaced.description, replaced.source) == ("mine", "project")


def test_a_collection_is_looked_into_once_and_no_deeper(cwd: Path) -> None:
    place = cwd / ".claude" / "skills"
    add(place / "collection", "inner")
    add(place / "collection" / "deep", "too-deep")
    add(place, "outer")
    add(place / "outer", "part-of-outer")
    assert names(search(cwd)) == ["outer", "inner"]


def test_a_cloned_collection_has_its_skills_in_a_folder_of_that_name(cwd: Path) -> None:
    clone = cwd / ".zot" / "skills" / "clone"
    add(clone / "skills", "inner")
    add(clone / "skills" / "skills", "too-deep")
    add(clone / "docs" / "skills", "elsewhere")
    assert names(search(cwd)) == ["inner"]


def test_a_projects_own_skill_comes_before_that_of_a_collection_and_this_is_said(cwd: Path) -> None:
    nested = add(cwd / ".zot" / "skills" / "a-clone" / "skills", "same", "of the clone")
    own = add(cwd / ".zot" / "skills", "same", "its own")
    add(cwd / ".claude" / "skills" / "clone", "other", "of the clone")
    add(cwd / ".agents" / "skills", "other", "its own")
    skills = search(cwd)
    assert [skill.description for skill in skills.found] == ["its own", "its own"]
    assert skills.notes == [f"{nested}: its name same is already used by {own}; it is left out"]


def test_a_name_with_blanks_gives_way_to_that_of_the_folder(cwd: Path) -> None:
    add(cwd / ".zot" / "skills", "release-notes", named="Release Notes")
    add(cwd / ".zot" / "skills", "two words", named="Two words")
    assert names(search(cwd)) == ["release-notes", "two-words"]


def test_many_files_that_cannot_be_used_are_not_all_named(cwd: Path) -> None:
    for number in range(NOTES_LIMIT + 3):
        add(cwd / ".zot" / "skills", f"bad-{number}").write_text("no front matter")
    notes = search(cwd).notes
    assert len(notes) == NOTES_LIMIT + 1
    assert notes[-1] == "3 more skills or folders of skills are left out"


def test_hidden_folders_packages_and_files_are_passed_over(cwd: Path) -> None:
    place = cwd / ".zot" / "skills"
    add(place, ".git")
    add(place, "node_modules")
    (place / "SKILL.md").write_text("no skill, for it has no folder")
    (place / "notes").mkdir()
    assert names(search(cwd)) == []
    assert names(search(cwd, "/nowhere", cwd / ".zot/skills/SKILL.md")) == []


def test_links_are_followed_and_a_skill_linked_twice_is_one(cwd: Path, person: Path) -> None:
    file = add(person / "elsewhere", "linked")
    place = cwd / ".claude" / "skills"
    place.mkdir(parents=True)
    (place / "a").symlink_to(file.parent)
    (place / "b").symlink_to(file.parent)
    (place / "loop").symlink_to(place)
    (place / "circle").symlink_to("circle")
    (cwd / ".agents").symlink_to(cwd / ".claude")
    skills = search(cwd)
    assert names(skills) == ["linked"]
    assert skills.found[0].folder == str(place / "a")


def test_the_user_s_home_as_working_directory_is_searched_once(person: Path) -> None:
    add(person / ".claude" / "skills", "one")
    (person / ".claude" / "skills" / "bad").mkdir()
    (person / ".claude" / "skills" / "bad" / "SKILL.md").write_text("no front matter")
    (person / ".claude" / "skills" / "gone").mkdir()
    (person / ".claude" / "skills" / "gone" / "SKILL.md").symlink_to("nowhere")
    skills = search(person, person / ".zot", person)
    assert [skill.name for skill in skills.found] == ["one"]
    assert len(skills.notes) == 2


def test_files_that_cannot_be_used_are_noted_once_with_their_line(cwd: Path) -> None:
    place = cwd / ".zot" / "skills"
    file = add(place, "nameless", named="../a")
    (place / "folder" / "SKILL.md").mkdir(parents=True)
    (place / "gone").mkdir()
    (place / "gone" / "SKILL.md").symlink_to("nowhere")
    (place / "pipe").mkdir()
    os.mkfifo(place / "pipe" / "SKILL.md")
    (place / "circle").mkdir()
    (place / "circle" / "SKILL.md").symlink_to("SKILL.md")
    skills = search(cwd)
    assert skills.found == []
    assert skills.notes == [
        f"{place}/circle/SKILL.md cannot be read (Too many levels of symbolic links); it is left out",
        f"{place}/folder/SKILL.md is not a file; it is left out",
        f"{place}/gone/SKILL.md is a broken link; it is left out",
        f"{file}:2: the name '../a' must be 1 to 64 letters, digits, hyphens, dots or underscores; it is left out",
        f"{place}/pipe/SKILL.md is not a file; it is left out",
    ]


def test_a_bad_file_leaves_its_name_to_the_next_place(cwd: Path, person: Path) -> None:
    add(cwd / ".claude" / "skills", "same").write_text("no front matter")
    add(person / ".claude" / "skills", "same", "the good one")
    skills = search(cwd, "", person)
    assert [skill.description for skill in skills.found] == ["the good one"]
    assert len(skills.notes) == 1


def test_two_of_one_name_in_one_place_are_a_mistake(cwd: Path) -> None:
    first = add(cwd / ".zot" / "skills", "a", named="same")
    second = add(cwd / ".zot" / "skills", "b", named="same")
    skills = search(cwd)
    assert [skill.path for skill in skills.found] == [str(first)]
    assert skills.notes == [f"{second}: its name same is already used by {first}; it is left out"]


def test_the_number_of_skills_and_of_entries_is_bounded(cwd: Path, person: Path) -> None:
    for number in range(SKILLS_LIMIT + 2):
        add(cwd / ".zot" / "skills", f"s{number:04}")
    for number in range(ENTRIES_LIMIT + 1):
        (person / ".agents" / "skills" / f"{number}").mkdir(parents=True)
    skills = find_skills(str(cwd), "", str(person))
    assert len(skills.found) == SKILLS_LIMIT
    assert skills.notes == [
        f"{person}/.agents/skills has more than 1000 entries; the rest is left out",
        "there are more than 500 skills; the rest is left out",
    ]


def test_an_extension_brings_skills_under_its_name(cwd: Path, tmp_path: Path) -> None:
    folder = tmp_path / "weather"
    add(folder, "by-folder")
    add(folder, "by-file")
    add(folder / "all", "one")
    add(folder / "all", "two")
    paths = ("by-folder", "./by-file/SKILL.md", "all/", "by-folder/../by-folder")
    skills = search(cwd, "", "", ExtensionSkills("my weather", str(folder), paths))
    assert names(skills) == [f"my-weather:{name}" for name in ("by-folder", "by-file", "one", "two")]
    assert {skill.source for skill in skills.found} == {"my weather"}


def test_an_extension_brings_nothing_from_outside_of_its_folder(cwd: Path, tmp_path: Path) -> None:
    outside = add(tmp_path / "outside", "secret")
    folder = tmp_path / "weather"
    folder.mkdir()
    (folder / "linked").symlink_to(outside.parent)
    (folder / "file").mkdir()
    (folder / "file" / "SKILL.md").symlink_to(outside)
    (folder / "empty").mkdir()
    paths = ("../outside/secret", str(outside), "linked", "file", "empty", "nothing", ".")
    skills = search(cwd, "", "", ExtensionSkills("weather", str(folder), paths))
    assert skills.found == []
    assert skills.notes == [
        "extension weather: its skill '../outside/secret' is not in its folder; it is left out",
        f"extension weather: its skill {str(outside)!r} is not in its folder; it is left out",
        "extension weather: its skill 'linked' is not in its folder; it is left out",
        f"{folder}/file/SKILL.md leads out of the extension's folder; it is left out",
        "extension weather: there is no SKILL.md in its skill 'empty'; it is left out",
        "extension weather: there is no SKILL.md in its skill 'nothing'; it is left out",
        "extension weather: its skill '.' is not in its folder; it is left out",
    ]


def test_the_built_in_skills_are_found_without_yaml_pydantic_or_difflib() -> None:
    code = """
import sys
from zot_core.skills import find_skills, skill_tool, skills_section
skills = find_skills("/")
assert not skills_section(skills.found)  # the tool names the only one
assert skill_tool(skills.found).description == "Instructions: write-zot-extension"
print(*[name for name in ("yaml", "pydantic", "difflib", "pathlib") if name in sys.modules])
"""
    there = "import sys, asyncio, json, dataclasses; print(*[n for n in ('difflib', 'pathlib') if n in sys.modules])"
    found, baseline = (
        subprocess.run([sys.executable, "-c", each], check=True, capture_output=True, text=True).stdout.split()
        for each in (code, there)
    )
    assert set(found) <= set(baseline)
