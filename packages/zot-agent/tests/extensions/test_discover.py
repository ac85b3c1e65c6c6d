import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from zot_agent.extensions.discover import (
    MANIFEST_FILE,
    DiscoveredExtension,
    Discovery,
    Problem,
    discover,
    read_extension,
)
from zot_ext import manifest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "zot-home"


def add(place: Path, folder: str, name: str = "", **fields: Any) -> Path:
    """An extension in `place`; its manifest's name is the folder's unless another is given."""
    directory = place / folder
    directory.mkdir(parents=True)
    fields = {"name": name or folder, "exec": "./run", **fields}
    (directory / MANIFEST_FILE).write_text(json.dumps(fields))
    return directory


def look(home: Path, *explicit: str, **options: bool) -> Discovery:
    return discover(explicit, os.getcwd(), str(home), **options)


def names(found: list[DiscoveredExtension]) -> list[tuple[str, str]]:
    return [(each.name, each.scope) for each in found]


def test_the_manifest_file_is_the_protocols() -> None:
    assert manifest.MANIFEST_FILE == MANIFEST_FILE


def test_explicit_ones_come_first_then_the_projects_then_global_ones(alone: Path, home: Path, tmp_path: Path) -> None:
    add(home / "extensions", "b")
    add(home / "extensions", "a")
    add(alone / ".zot" / "extensions", "d")
    add(alone / ".zot" / "extensions", "c")
    second, first = add(tmp_path, "y"), add(tmp_path, "z")
    found = look(home, str(first), str(second)).found
    assert [each.name for each in found] == ["z", "y", "c", "d", "a", "b"]
    assert [each.scope for each in found] == ["explicit"] * 2 + ["project"] * 2 + ["global"] * 2
    assert all(os.path.isabs(each.directory) for each in found)


def test_of_one_name_the_first_counts_whatever_its_folder_is_called(alone: Path, home: Path) -> None:
    add(home / "extensions", "weather")
    own = add(alone / ".zot" / "extensions", "working-copy", "weather")
    discovery = look(home)
    assert names(discovery.active()) == [("weather", "project")]
    assert [each.hidden_by for each in discovery.found] == ["", str(own)]


def test_a_disabled_copy_in_the_project_hides_the_global_one(alone: Path, home: Path) -> None:
    add(home / "extensions", "guard")
    add(home / "extensions", "other")
    own = add(alone / ".zot" / "extensions", "guard", enabled=False)
    discovery = look(home)
    assert names(discovery.active()) == [("other", "global")]
    assert [(each.name, each.enabled, each.hidden_by) for each in discovery.found] == [
        ("guard", False, ""),
        ("guard", True, str(own)),
        ("other", True, ""),
    ]


def test_two_folders_of_one_place_with_one_name_are_decided_by_the_folders(home: Path) -> None:
    first = add(home / "extensions", "a", "same")
    add(home / "extensions", "b", "same")
    (active,) = look(home).active()
    assert active.directory == str(first)


def test_without_installed_ones_only_explicit_ones_are_found(alone: Path, home: Path, tmp_path: Path) -> None:
    add(home / "extensions", "a")
    add(alone / ".zot" / "extensions", "b")
    mine = add(tmp_path, "c")
    assert names(look(home, str(mine), installed=False).found) == [("c", "explicit")]
    assert names(look(home, project=False).found) == [("a", "global")]


def test_explicit_paths_may_be_relative_or_begin_at_home(alone: Path, home: Path, tmp_path: Path) -> None:
    relative, at_home = add(alone, "one"), add(tmp_path, "two")
    discovery = discover(["one", "~/two", "./one/"], "/", str(home))
    assert [each.directory for each in discovery.found] == [str(relative), str(at_home)]
    assert discovery.problems == []


def test_a_link_to_a_folder_is_followed(home: Path, tmp_path: Path) -> None:
    copy = add(tmp_path, "working-copy", "linked")
    link = home / "extensions" / "linked"
    link.parent.mkdir(parents=True)
    link.symlink_to(copy)
    (home / "extensions" / "torn").symlink_to(tmp_path / "nowhere")
    (found,) = look(home).active()
    assert found.directory == str(link)
    assert look(home).problems == []


def test_files_and_folders_that_are_no_extensions_are_passed_over(home: Path) -> None:
    place = home / "extensions"
    (place / "notes").mkdir(parents=True)
    (place / "README.md").touch()
    add(place, ".half-installed", "half")
    assert look(home) == Discovery([], [])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", "there is no such folder"),
        ("file", "is not a folder"),
        ("empty", "there is no extension.json in it"),
        ("", "--ext needs the path of a folder"),
        ("nul\0", "there is no such folder"),
        ("npm:tides@1.0.0", "is not installed; install it with: zot ext install npm:tides@1.0.0"),
        ("git:/srv/tides", "is not installed; install it with: zot ext install git:/srv/tides"),
    ],
)
def test_what_was_asked_for_and_is_no_extension_is_told(alone: Path, home: Path, path: str, message: str) -> None:
    (alone / "file").touch()
    (alone / "empty").mkdir()
    add(home / "extensions", "a")
    discovery = look(home, path)
    is_path = path and not path.startswith(("npm:", "git:"))
    assert discovery.problems == [Problem(str(alone / path) if is_path else path, message)]
    assert names(discovery.active()) == [("a", "global")]


def test_an_explicit_one_that_is_disabled_is_told(alone: Path, home: Path) -> None:
    directory = add(alone, "off", enabled=False)
    discovery = look(home, "off")
    assert discovery.active() == []
    assert discovery.problems == [Problem(str(directory), '"enabled" is false in its extension.json')]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "extension.json: not a JSON object"),
        (b"{", "extension.json: not valid JSON"),
        (b"\xff", "extension.json: not UTF-8 text"),
        (b'{"exec": "./a"}', "extension.json: field 'name' is missing or empty"),
        (b'{"name": "a"}', "extension.json: field 'exec' is missing or empty"),
        (b'{"name": "a", "exec": 3}', "extension.json: "),
        (b" " * (1 << 20) + b"{}", "extension.json: cannot be read: larger than 1,048,576 bytes"),
    ],
)
def test_a_manifest_that_cannot_be_used_does_not_stop_others(home: Path, content: bytes, message: str) -> None:
    bad = add(home / "extensions", "bad")
    (bad / MANIFEST_FILE).write_bytes(content)
    add(home / "extensions", "good")
    discovery = look(home)
    assert names(discovery.active()) == [("good", "global")]
    (problem,) = discovery.problems
    assert (problem.directory, problem.scope) == (str(bad), "global")
    assert problem.message.startswith(message)
    assert "\n" not in problem.message


@pytest.mark.parametrize("name", ["extensions.json", "Extension.json", "extension.yaml", "manifest.json"])
def test_a_manifest_with_another_name_is_a_problem_that_stops_if_it_may_be_that_of_a_guard(
    name: str, home: Path
) -> None:
    folder = home / "extensions" / "a"
    folder.mkdir(parents=True)
    guard = {"name": "a", "exec": "./a", "guards": {"tool_call": {"on_exit": "block"}}}
    for content, guards in (
        (json.dumps(guard), True),
        (json.dumps({**guard, "enabled": False}), False),
        (json.dumps({"name": "a", "exec": "./a"}), False),
        ("name: a", True),
    ):
        (folder / name).write_text(content)
        [problem] = discover([], ".", str(home)).problems
        assert problem.message == f"zot reads extension.json, and not {name}"
        assert problem.guards is guards


def test_a_manifest_without_a_folder_of_its_own_is_a_problem(home: Path) -> None:
    (home / "extensions").mkdir(parents=True)
    guard = {"name": "a", "exec": "./a", "guards": {"tool_call": {"on_exit": "block"}}}
    (home / "extensions" / "extension.json").write_text(json.dumps(guard))
    [problem] = discover([], ".", str(home)).problems
    assert (problem.directory, problem.guards) == (str(home / "extensions"), True)
    assert problem.message == "extension.json must be in a folder of its own"


@pytest.mark.parametrize("name", ["package-lock.json", "extension.json.off", "extension.py", "README.md", "theme.json"])
def test_a_folder_with_other_files_is_passed_over(name: str, home: Path) -> None:
    folder = home / "extensions" / "a"
    folder.mkdir(parents=True)
    (folder / name).write_text("{}")
    found = discover([], ".", str(home))
    assert [each for each in found.problems if name in each.message] == []


def test_a_manifest_that_is_a_pipe_or_leads_nowhere_is_a_problem(home: Path) -> None:
    for folder in ("pipe", "torn"):
        (home / "extensions" / folder).mkdir(parents=True)
    os.mkfifo(home / "extensions" / "pipe" / MANIFEST_FILE)
    (home / "extensions" / "torn" / MANIFEST_FILE).symlink_to("nowhere")
    assert [problem.message for problem in look(home).problems] == [
        "extension.json: cannot be read: not a regular file",
        "extension.json: cannot be read: No such file or directory",
    ]


def test_an_extensions_folder_that_cannot_be_listed_is_a_problem(home: Path) -> None:
    home.mkdir()
    (home / "extensions").symlink_to("extensions")
    (problem,) = look(home).problems
    assert problem.directory == str(home / "extensions")
    assert problem.message.startswith("cannot be read: ")


def test_a_folder_that_only_brings_a_theme_is_an_extension(home: Path) -> None:
    directory = add(home / "extensions", "dusk", exec="")
    (directory / "theme.json").write_text("{}")
    assert names(look(home).active()) == [("dusk", "global")]


def test_where_the_home_folder_is_the_projects_its_extensions_are_global(alone: Path) -> None:
    home = alone / ".zot"
    add(home / "extensions", "a")
    assert names(look(home).found) == [("a", "global")]


def test_one_folder_can_be_read_alone(alone: Path) -> None:
    directory = add(alone, "one")
    found = read_extension(str(directory), "global")
    assert isinstance(found, DiscoveredExtension)
    assert (found.name, found.scope, found.manifest.exec) == ("one", "global", "./run")
    assert isinstance(read_extension(str(alone)), Problem)


def test_without_extensions_the_protocol_is_not_loaded(home: Path) -> None:
    (home / "extensions" / "empty").mkdir(parents=True)
    code = (
        "import sys; from zot_agent.extensions.discover import discover\n"
        f"assert discover([], '.', {str(home)!r}).found == []\n"
        "print(sorted(name for name in sys.modules if name.startswith(('zot_ext', 'asyncio', 'json'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.parametrize("manifest", [None, "{", '{"name": "guard"}'])
def test_an_explicit_one_that_cannot_be_used_does_not_leave_its_place_to_an_installed_one(
    manifest: str | None, alone: Path, home: Path
) -> None:
    first = add(home / "extensions", "copy", "guard")
    add(home / "extensions", "guard")
    add(home / "extensions", "other")
    broken = alone / "guard"
    if manifest is not None:
        broken.mkdir()
        (broken / MANIFEST_FILE).write_text(manifest)
    discovery = look(home, "./guard")
    assert names(discovery.active()) == [("other", "global")]
    assert [each.hidden_by for each in discovery.found] == [str(broken), str(first), ""]
    assert [each.directory for each in discovery.problems] == [str(broken), str(first)]
    assert discovery.problems[1].message == f"does not run: {broken} was to run in its place"
    assert names(look(home, "./guard", installed=False).found) == []
