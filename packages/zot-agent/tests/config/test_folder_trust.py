import os
import subprocess
from pathlib import Path

import pytest

from zot_agent.config.folder_trust import FolderContent, FolderTrust, TrustLimits
from zot_provider.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose program `tool/main.py` loads `tool/helper.py`."""
    made = tmp_path / "project"
    (made / "tool").mkdir(parents=True)
    for name in ("main.py", "helper.py"):
        (made / "tool" / name).write_text(f"# {name}\n")
    (made / "SKILL.md").write_text("text")
    return made


@pytest.fixture
def trust(tmp_path: Path) -> FolderTrust:
    return FolderTrust(str(tmp_path / "zot-home"))


def content(folder: Path) -> FolderContent:
    entries = [str(folder / "tool" / "main.py"), str(folder / "SKILL.md")]
    return FolderContent(str(folder), entries, [str(folder / "tool")])


def files(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "zot-home" / "trust").iterdir())


def track(folder: Path, *names: str) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", *names], cwd=folder, check=True)


def test_nothing_was_said_about_a_new_folder(trust: FolderTrust, folder: Path, tmp_path: Path) -> None:
    assert trust.decision(content(folder)) is None
    assert trust.changes(content(folder)) == []
    assert not (tmp_path / "zot-home").exists()


@pytest.mark.parametrize("allowed", [True, False])
def test_an_answer_is_remembered_by_the_next_process(tmp_path: Path, folder: Path, allowed: bool) -> None:
    FolderTrust(str(tmp_path / "zot-home")).remember(content(folder), allowed=allowed)
    assert FolderTrust(str(tmp_path / "zot-home")).decision(content(folder)) is allowed


def test_the_last_answer_counts_and_those_of_other_folders_are_kept(
    trust: FolderTrust, folder: Path, tmp_path: Path
) -> None:
    other = FolderContent(str(tmp_path))
    trust.remember(other, allowed=True)
    trust.remember(content(folder), allowed=True)
    trust.remember(content(folder), allowed=False)
    assert trust.decision(content(folder)) is False
    assert trust.decision(other) is True


@pytest.mark.parametrize("name", ["tool/main.py", "tool/helper.py", "SKILL.md"])
def test_a_changed_file_is_asked_about_again(trust: FolderTrust, folder: Path, name: str) -> None:
    trust.remember(content(folder), allowed=True)
    (folder / name).write_text("other")
    assert trust.decision(content(folder)) is None
    assert trust.changes(content(folder)) == [name]
    trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is True


def test_a_module_that_is_gone_is_asked_about_and_a_text_that_is_gone_is_not(trust: FolderTrust, folder: Path) -> None:
    trust.remember(content(folder), allowed=True)
    (folder / "SKILL.md").unlink()
    assert trust.decision(FolderContent(str(folder), [], [str(folder / "tool")])) is True
    (folder / "tool" / "helper.py").unlink()
    assert trust.changes(content(folder)) == ["tool/helper.py"]


def test_a_program_that_comes_later_is_asked_about(trust: FolderTrust, folder: Path) -> None:
    (folder / "tool" / "main.py").unlink()
    trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is True
    (folder / "tool" / "main.py").write_text("late")
    assert trust.decision(content(folder)) is None


def test_what_a_program_writes_beside_itself_asks_nothing_even_after_the_next_answer(
    trust: FolderTrust, folder: Path
) -> None:
    track(folder, "tool")
    trust.remember(content(folder), allowed=True)
    (folder / "tool" / "todos.json").write_text("[]")
    (folder / "tool" / "__pycache__").mkdir()
    (folder / "tool" / "__pycache__" / "helper.pyc").write_bytes(b"1")
    assert trust.decision(content(folder)) is True

    (folder / "tool" / "helper.py").write_text("new version")
    trust.remember(content(folder), allowed=True)
    (folder / "tool" / "todos.json").write_text("[1]")
    (folder / "tool" / "__pycache__" / "helper.pyc").write_bytes(b"2")
    assert trust.decision(content(folder)) is True


def test_a_new_file_that_git_tracks_is_asked_about(trust: FolderTrust, folder: Path) -> None:
    track(folder, "tool")
    trust.remember(content(folder), allowed=True)
    (folder / "tool" / "json.py").write_text("shadows a module that the program imports")
    assert trust.decision(content(folder)) is True
    track(folder, "tool")
    assert trust.changes(content(folder)) == ["tool/json.py"]


@pytest.mark.parametrize("where", ["a repository of its own", "a parent", "elsewhere"])
def test_it_is_the_nearest_repository_that_counts(trust: FolderTrust, folder: Path, tmp_path: Path, where: str) -> None:
    root = folder / "tool"
    if where == "elsewhere":
        root = tmp_path / "elsewhere"
        (folder / "tool").rename(root)
    repository = {"a parent": folder.parent}.get(where, root)
    asked = FolderContent(str(folder), [], [str(root)])
    track(folder, ".")
    track(repository, str(root))
    trust.remember(asked, allowed=True)
    (root / "json.py").touch()
    assert trust.decision(asked) is True
    track(folder if where == "a parent" else repository, str(root / "json.py"))
    assert trust.decision(asked) is None


def test_listing_what_git_tracks_runs_no_program_of_the_repository(
    trust: FolderTrust, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    track(folder, "tool")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    program.chmod(0o755)
    for place in (folder, folder / "tool"):
        (place / "git").symlink_to(program)
    for name in ("core.fsmonitor", "core.sshCommand", "core.editor", "core.pager"):
        subprocess.run(["git", "config", name, program], cwd=folder, check=True)
    subprocess.run(["git", "config", "pager.ls-files", program], cwd=folder, check=True)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is True
    assert not (tmp_path / "mark").exists()


def test_an_accepted_change_of_one_file_asks_nothing(trust: FolderTrust, folder: Path) -> None:
    skill = folder / "SKILL.md"
    trust.accept(str(folder), str(skill))
    assert trust.decision(content(folder)) is None
    trust.remember(content(folder), allowed=True)
    skill.write_text("changed by the person, with zot")
    trust.accept(str(folder), str(skill))
    trust.accept(str(folder), str(folder / "another"))
    assert trust.decision(content(folder)) is True
    skill.write_text("changed by somebody")
    assert trust.decision(content(folder)) is None


def test_links_count_by_what_they_lead_to(trust: FolderTrust, folder: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "lib.py").write_text("one")
    (folder / "tool" / "lib").symlink_to(library)
    (folder / "tool" / "self").symlink_to(folder / "tool")
    trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is True
    (library / "lib.py").write_text("two")
    assert trust.changes(content(folder)) == ["../library/lib.py"]


def test_a_pipe_among_the_files_blocks_nothing(trust: FolderTrust, folder: Path) -> None:
    (folder / "tool" / "main.py").unlink()
    os.mkfifo(folder / "tool" / "main.py")
    trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is True


@pytest.mark.parametrize("limits", [TrustLimits(files=2), TrustLimits(bytes=10)])
def test_an_answer_for_too_much_is_refused_in_one_line(folder: Path, tmp_path: Path, limits: TrustLimits) -> None:
    trust = FolderTrust(str(tmp_path / "zot-home"), limits)
    with pytest.raises(ConfigError, match="cannot be remembered; allow them for one run with --trust"):
        trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is None


def test_an_answer_covers_as_much_as_the_page_says() -> None:
    assert TrustLimits() == TrustLimits(files=5_000, bytes=128 << 20, git_seconds=5.0)


def test_answers_that_cannot_be_read_are_one_line(trust: FolderTrust, tmp_path: Path) -> None:
    (tmp_path / "zot-home").mkdir()
    (tmp_path / "zot-home" / "trust").write_text("no folder")
    with pytest.raises(ConfigError, match=r"cannot read .*/trust: Not a directory"):
        trust.answers()


def test_without_an_answer_no_line_of_a_question_is_new(trust: FolderTrust, folder: Path) -> None:
    asked = content(folder).replace(lines=["it may write files"])
    assert trust.new_lines(asked) == []
    trust.remember(asked, allowed=False)
    assert trust.new_lines(asked) == []


def test_the_answer_is_for_the_person_alone(trust: FolderTrust, folder: Path, tmp_path: Path) -> None:
    trust.remember(content(folder), allowed=True)
    trust.remember(content(folder), allowed=False)
    (path,) = files(tmp_path)
    assert os.stat(path).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("garbage", [b"", b"{", b"[]", b"\xff", b'{"allowed": true}', b'{"allowed": "yes"}'])
def test_a_file_that_cannot_be_understood_is_no_answer(
    trust: FolderTrust, folder: Path, tmp_path: Path, garbage: bytes
) -> None:
    trust.remember(content(folder), allowed=True)
    (path,) = files(tmp_path)
    path.write_bytes(garbage)
    assert trust.decision(content(folder)) is None
    trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is True


def test_a_home_that_cannot_be_written_is_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"cannot write .*\.json: (File exists|Not a directory)"):
        FolderTrust(str(tmp_path / "file")).remember(content(folder), allowed=True)


def test_an_answer_that_cannot_be_removed_is_not_said_to_be_forgotten(
    trust: FolderTrust, folder: Path, tmp_path: Path
) -> None:
    trust.remember(content(folder), allowed=True)
    (answer,) = files(tmp_path)
    answer.unlink()
    answer.mkdir()
    with pytest.raises(ConfigError, match=f"^cannot remove {answer}: "):
        trust.forget(str(folder))


def test_without_git_the_files_count_that_were_there(
    trust: FolderTrust, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    track(folder, "tool")
    monkeypatch.setenv("PATH", "")
    trust.remember(content(folder), allowed=True)
    (folder / "tool" / "helper.py").write_text("import evil\n")
    assert trust.changes(content(folder)) == ["tool/helper.py"]


@pytest.mark.parametrize("broken", ["the PATH", ".git/index", ".git/HEAD"])
def test_where_git_cannot_say_what_it_tracks_every_new_file_is_asked_about(
    trust: FolderTrust, folder: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    track(folder, "tool")
    trust.remember(content(folder), allowed=True)
    (folder / "tool" / "json.py").write_text("shadows a module that the program imports")
    if broken == "the PATH":
        monkeypatch.setenv("PATH", "")
    else:
        (folder / broken).write_text("damaged")
    assert trust.changes(content(folder)) == ["tool/json.py"]
    trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is True


def test_a_link_to_a_folder_around_it_is_not_walked_again(folder: Path, tmp_path: Path) -> None:
    trust = FolderTrust(str(tmp_path / "zot-home"), TrustLimits(files=3))
    (folder / "tool" / "again").symlink_to(folder / "tool")
    (folder / "tool" / "once-more").symlink_to(folder / "tool")
    trust.remember(content(folder), allowed=True)
    assert trust.decision(content(folder)) is True
