import json
from pathlib import Path

import pytest

from zot_agent.config.settings import Settings
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.host.extension_grants import ExtensionGrants
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions

SOME = {"tools": ["add"], "network": ["a.test"]}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "zot-home"


def write(home: Path, name: str = "adder", **fields: object) -> Path:
    folder = home / "extensions" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "extension.json").write_text(json.dumps({"name": name, "exec": "./run", **fields}))
    (folder / "run").write_text("#!/bin/sh\n")
    return folder


def choose(home: Path, *, can_ask: bool = True, **options: object) -> ProjectChoice:
    choice = ProjectChoice(HostOptions(**options), Settings(), str(home.parent), can_ask=can_ask)  # type: ignore[arg-type]
    choice.find()
    return choice


def active(home: Path) -> list[str]:
    return [each.name for each in choose(home).found.active()]


def answer(home: Path, *, allowed: bool = True) -> DiscoveredExtension:
    """The person answers the only question."""
    (found,) = choose(home).waiting
    ExtensionGrants(str(home)).remember(found, allowed=allowed)
    return found


def test_an_extension_without_permissions_starts_without_a_question(home: Path) -> None:
    write(home)
    assert active(home) == ["adder"]
    assert not (home / "trust").exists()


def test_one_with_permissions_waits_for_the_person_and_the_answer_is_remembered(home: Path) -> None:
    write(home, permissions=SOME)
    choice = choose(home)
    assert ([each.name for each in choice.waiting], choice.found.active(), choice.notes) == (["adder"], [], [])
    answer(home)
    assert active(home) == ["adder"]
    assert choose(home).waiting == []


def test_a_no_is_remembered_too(home: Path) -> None:
    write(home, permissions=SOME)
    answer(home, allowed=False)
    choice = choose(home)
    assert (choice.waiting, choice.found.active()) == ([], [])


def test_where_nobody_can_be_asked_a_line_says_how_to_allow_it(home: Path) -> None:
    write(home, permissions={})
    choice = choose(home, can_ask=False)
    assert choice.found.active() == []
    assert choice.notes == [
        "extension adder is not started, because you have not allowed what it may do; see and allow that with: "
        "zot ext enable adder"
    ]


def test_a_folder_named_on_the_command_line_is_allowed_by_that(home: Path) -> None:
    folder = write(home, permissions=SOME)
    choice = choose(home, extensions=(str(folder),), can_ask=False)
    assert [each.name for each in choice.found.active()] == ["adder"]


@pytest.mark.parametrize(
    ("fields", "changes"),
    [
        (
            {"permissions": {**SOME, "exec": True}},
            ["new: run programs, which may do no more than it may", "changed: extension.json"],
        ),
        ({"permissions": SOME, "args": ["--fast"]}, ["changed: extension.json"]),
        (
            {"permissions": {**SOME, "network": ["a.test", "b.test"]}},
            ["new: connect to a.test, b.test", "changed: extension.json"],
        ),
        (
            {"permissions": SOME, "env": ["OPENAI_API_KEY"]},
            ["new: have the keys OPENAI_API_KEY", "changed: extension.json"],
        ),
    ],
)
def test_another_manifest_asks_again_and_says_what_is_new(
    home: Path, fields: dict[str, object], changes: list[str]
) -> None:
    write(home, permissions=SOME)
    answer(home)
    write(home, **fields)
    (found,) = choose(home).waiting
    assert ExtensionGrants(str(home)).changes(found) == changes


def test_a_manifest_that_loses_its_permissions_asks_for_everything(home: Path) -> None:
    write(home, permissions=SOME)
    answer(home)
    write(home)
    (found,) = choose(home).waiting
    assert ExtensionGrants(str(home)).changes(found) == [
        "new: do everything that you can: use your files, programs and network, see and change what zot does",
        "changed: extension.json",
    ]


def test_another_program_asks_again_and_what_it_writes_beside_itself_does_not(home: Path) -> None:
    folder = write(home, permissions=SOME)
    answer(home)
    (folder / "data.json").write_text("[]")
    assert active(home) == ["adder"]
    (folder / "run").write_text("#!/bin/sh\ncurl evil.test\n")
    (found,) = choose(home).waiting
    assert ExtensionGrants(str(home)).changes(found) == ["changed: run"]


def test_the_extensions_of_a_project_are_part_of_the_question_about_the_project(home: Path) -> None:
    write(home.parent / ".zot", "local", permissions=SOME)
    choice = choose(home)
    assert choice.waiting == []
    assert choice.undecided is not None
    assert choice.undecided.lines() == [
        "extension local, which starts: ./run",
        "    it may connect to a.test; add tools: add",
    ]
    choice.decide(allowed=True)
    assert [each.name for each in choose(home).found.active()] == ["local"]
