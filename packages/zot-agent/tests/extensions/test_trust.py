import json
import os
from pathlib import Path
from typing import Any

import pytest

from zot_agent.extensions.discover import MANIFEST_FILE, DiscoveredExtension, read_extension
from zot_agent.extensions.trust import TRUST_FILE, Trust, fingerprint
from zot_provider.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An extension of a project: a program, which is run with two files of its own."""
    made = tmp_path / "project" / ".zot" / "extensions" / "a"
    made.mkdir(parents=True)
    for name in ("run", "main.py", "other.py"):
        (made / name).write_text(f"# {name}\n")
    describe(made)
    return made


def describe(folder: Path, **fields: Any) -> None:
    fields = {"name": "a", "exec": "./run", "args": ["main.py", "--fast"], **fields}
    (folder / MANIFEST_FILE).write_text(json.dumps(fields))


def found(folder: Path) -> DiscoveredExtension:
    one = read_extension(str(folder), "project")
    assert isinstance(one, DiscoveredExtension)
    return one


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(str(tmp_path / "zot-home"))


def test_nothing_was_said_about_a_new_extension(trust: Trust, folder: Path) -> None:
    assert trust.decision(found(folder)) is None
    assert not os.path.exists(os.path.dirname(trust.path))


@pytest.mark.parametrize("allowed", [True, False])
def test_an_answer_is_remembered_by_the_next_process(trust: Trust, folder: Path, allowed: bool) -> None:
    trust.remember(found(folder), allowed)
    assert Trust(os.path.dirname(trust.path)).decision(found(folder)) is allowed


def test_the_last_answer_counts_and_others_are_kept(trust: Trust, folder: Path) -> None:
    other = folder.parent / "b"
    other.mkdir()
    describe(other, name="b")
    trust.remember(found(other), True)
    trust.remember(found(folder), True)
    trust.remember(found(folder), False)
    assert trust.decision(found(folder)) is False
    assert trust.decision(found(other)) is True


@pytest.mark.parametrize("changed", ["run", "main.py"])
def test_a_changed_program_is_asked_about_again(trust: Trust, folder: Path, changed: str) -> None:
    trust.remember(found(folder), True)
    with open(folder / changed, "a") as file:
        file.write("# more\n")
    assert trust.decision(found(folder)) is None


def test_a_changed_manifest_is_asked_about_again(trust: Trust, folder: Path) -> None:
    trust.remember(found(folder), True)
    describe(folder, args=["other.py"])
    assert trust.decision(found(folder)) is None


def test_what_the_extension_writes_beside_its_program_asks_nothing(trust: Trust, folder: Path) -> None:
    trust.remember(found(folder), True)
    (folder / "todos.json").write_text("[]")
    assert trust.decision(found(folder)) is True


def test_a_program_that_comes_later_is_asked_about_again(trust: Trust, folder: Path) -> None:
    (folder / "run").unlink()
    trust.remember(found(folder), True)
    (folder / "run").write_text("#!/bin/sh\n")
    assert trust.decision(found(folder)) is None


def test_bytes_cannot_move_from_one_file_to_the_next(folder: Path) -> None:
    (folder / "run").write_text("ab")
    (folder / "main.py").write_text("c")
    before = fingerprint(found(folder))
    (folder / "run").write_text("a")
    (folder / "main.py").write_text("bc")
    assert fingerprint(found(folder)) != before


def test_an_argument_outside_of_the_folder_counts_when_it_is_relative_to_it(folder: Path) -> None:
    outside = folder.parent / "beside.py"
    outside.write_text("one")
    describe(folder, exec="python3", args=["../beside.py"])
    before = fingerprint(found(folder))
    outside.write_text("two")
    assert fingerprint(found(folder)) != before


def test_a_program_of_the_machine_may_change(folder: Path, tmp_path: Path) -> None:
    interpreter = tmp_path / "interpreter"
    interpreter.write_text("1.0")
    describe(folder, exec=str(interpreter), args=["nul\0", "\ud800"])
    before = fingerprint(found(folder))
    interpreter.write_text("1.1")
    assert fingerprint(found(folder)) == before
    describe(folder, exec=str(folder / "run"), args=[])
    before = fingerprint(found(folder))
    (folder / "run").write_text("1.1")
    assert fingerprint(found(folder)) != before


def test_another_folder_with_the_same_files_is_asked_about(trust: Trust, folder: Path) -> None:
    trust.remember(found(folder), True)
    copy = folder.parent / "copy"
    copy.mkdir()
    for name in os.listdir(folder):
        (copy / name).write_bytes((folder / name).read_bytes())
    assert fingerprint(found(copy)) == fingerprint(found(folder))
    assert trust.decision(found(copy)) is None
    link = folder.parent / "link"
    link.symlink_to(folder)
    assert trust.decision(found(link)) is True


def test_the_file_is_for_the_person_alone_and_nothing_else_is_left(trust: Trust, folder: Path) -> None:
    trust.remember(found(folder), True)
    trust.remember(found(folder), False)
    assert os.stat(trust.path).st_mode & 0o777 == 0o600
    assert os.listdir(os.path.dirname(trust.path)) == [TRUST_FILE]


@pytest.mark.parametrize(
    "garbage", [b"", b"{", b"[]", b"\xff", b'{"%s": 3}', b'{"%s": {"allowed": true}}', b'{"%s": {"allowed": ["yes"]}}']
)
def test_a_file_that_cannot_be_understood_holds_no_answers(trust: Trust, folder: Path, garbage: bytes) -> None:
    os.makedirs(os.path.dirname(trust.path))
    with open(trust.path, "wb") as file:
        file.write(garbage.replace(b"%s", os.fsencode(folder)))
    assert trust.decision(found(folder)) is None
    trust.remember(found(folder), True)
    assert trust.decision(found(folder)) is True


def test_a_home_that_cannot_be_written_is_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"cannot write .*trusted-extensions\.json: (File exists|Not a directory)"):
        Trust(str(tmp_path / "file")).remember(found(folder), True)
