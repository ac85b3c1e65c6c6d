import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from zot_agent.cli.ext import run

LINES = "".join(f"line {number}\n" for number in range(20))


class Origin:
    """A repository with an extension, and its clone among the extensions."""

    def __init__(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str = "weather") -> None:
        self._capsys = capsys
        self.folder = tmp_path / "origin" / name
        self.clone = tmp_path / "zot-home" / "extensions" / name
        self.folder.mkdir(parents=True)
        (self.folder / "run").write_text("#!/bin/sh\n")
        (self.folder / "run").chmod(0o755)
        (self.folder / "data").write_text(LINES)
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)

    def commit(self, version: str = "1.0.0", **fields: Any) -> None:
        """Another version, whose line stands beside that of the flag."""
        fields = {"name": self.folder.name, "exec": "./run", "version": version, "enabled": True, **fields}
        (self.folder / "extension.json").write_text(json.dumps(fields, indent=2) + "\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", version)

    def install(self) -> None:
        self.ext("install", f"file://{self.folder}", "--yes")

    def ext(self, *arguments: str, code: int = 0) -> str:
        given = run(arguments)
        out, err = self._capsys.readouterr()
        assert given == code, out + err
        assert err.count("\n") == (1 if code else 0)
        return str(err[5:-1] if code else out)

    @property
    def manifest(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.clone / "extension.json").read_text())
        return value

    def state(self) -> dict[str, bytes]:
        """All that a person may have changed, and what git has put aside."""
        found = {name: (self.clone / name).read_bytes() for name in os.listdir(self.clone) if name != ".git"}
        for about in (["stash", "list"], ["rev-parse", "HEAD"], ["status", "--porcelain"]):
            found[about[0]] = subprocess.run(["git", *about], cwd=self.clone, check=True, capture_output=True).stdout
        return found


@pytest.fixture
def origin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Origin:
    made = Origin(tmp_path, capsys)
    made.install()
    return made


def test_nothing_new_is_up_to_date(origin: Origin) -> None:
    before = origin.state()
    assert origin.ext("update", "weather") == "weather is up to date\n"
    assert origin.state() == before


def test_a_shallow_clone_goes_forward_several_versions(origin: Origin) -> None:
    origin.commit("1.1.0")
    origin.commit("1.2.0")
    assert origin.ext("update", "weather").startswith("weather was updated: 1.0.0 -> 1.2.0 (")
    assert origin.manifest["version"] == "1.2.0"
    assert origin.ext("update", "weather") == "weather is up to date\n"


def test_a_disabled_one_stays_disabled_though_the_line_beside_the_flag_changes(origin: Origin) -> None:
    origin.ext("disable", "weather")
    origin.commit("1.1.0")
    origin.ext("update", "weather")
    assert (origin.manifest["version"], origin.manifest["enabled"]) == ("1.1.0", False)


def test_an_author_cannot_let_it_run(origin: Origin) -> None:
    origin.commit("1.1.0", enabled=False)
    origin.ext("update", "weather")
    assert origin.manifest["enabled"] is True  # as the person had it
    origin.ext("disable", "weather")
    origin.commit("1.2.0")
    origin.ext("update", "weather")
    assert (origin.manifest["version"], origin.manifest["enabled"]) == ("1.2.0", False)


def test_local_changes_are_kept(origin: Origin) -> None:
    (origin.clone / "data").write_text(LINES + "mine\n")
    (origin.clone / "todos.json").write_text("[]")
    (origin.folder / "data").write_text("theirs\n" + LINES)
    origin.commit("1.1.0")
    origin.ext("update", "weather")
    assert (origin.clone / "data").read_text() == "theirs\n" + LINES + "mine\n"
    assert (origin.clone / "todos.json").read_text() == "[]"
    assert origin.state()["stash"] == b""


def test_changes_that_do_not_go_together_leave_everything_as_it_was(origin: Origin) -> None:
    origin.ext("disable", "weather")
    (origin.clone / "data").write_text("mine\n" + LINES)
    before = origin.state()
    (origin.folder / "data").write_text("theirs\n" + LINES)
    origin.commit("1.1.0")
    said = origin.ext("update", "weather", code=2)
    assert said == (
        f"weather: your changes to data conflict with the new version; nothing was changed in {origin.clone}"
    )
    assert origin.state() == before


def test_a_file_in_the_way_leaves_everything_as_it_was(origin: Origin) -> None:
    (origin.clone / "todos.json").write_text("mine")
    before = origin.state()
    (origin.folder / "todos.json").write_text("theirs")
    origin.commit("1.1.0")
    assert origin.ext("update", "weather", code=2).startswith("weather: git merge: ")
    assert origin.state() == before


def test_a_version_that_is_no_extension_leaves_everything_as_it_was(origin: Origin) -> None:
    (origin.clone / "data").write_text(LINES + "mine\n")
    before = origin.state()
    origin.commit("1.1.0", exec="")
    said = origin.ext("update", "weather", code=2)
    assert said.startswith("weather: new version: extension.json: field 'exec' is missing or empty")
    assert origin.state() == before
    (origin.folder / "out").symlink_to("/etc")
    origin.commit("1.2.0")
    assert "out is a link that leads out" in origin.ext("update", "weather", code=2)
    assert origin.state() == before


def test_a_history_that_was_rewritten_is_not_followed(origin: Origin) -> None:
    before = origin.state()
    origin.git("commit", "--quiet", "--amend", "-m", "another")
    said = origin.ext("update", "weather", code=2)
    assert said.startswith("weather: the remote history was rewritten; run zot ext remove weather")
    assert origin.state() == before


def test_a_commit_of_ones_own_stays(origin: Origin) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "mine"]
    subprocess.run(command, cwd=origin.clone, check=True)
    assert origin.ext("update", "weather") == "weather is up to date\n"


def test_a_clone_without_a_branch_to_follow_is_told(origin: Origin) -> None:
    subprocess.run(["git", "checkout", "--quiet", "-b", "mine"], cwd=origin.clone, check=True)
    assert "has no upstream" in origin.ext("update", "weather", code=2)
    subprocess.run(["git", "checkout", "--quiet", "--detach"], cwd=origin.clone, check=True)
    assert "is at a tag or a commit, not at a branch" in origin.ext("update", "weather", code=2)


def test_another_command_line_is_shown(origin: Origin) -> None:
    origin.commit("1.1.0", args=["--new"])
    assert origin.ext("update", "weather").endswith("  runs       ./run --new\n")


def test_what_was_copied_says_where_from(origin: Origin, tmp_path: Path) -> None:
    source = tmp_path / "mine"
    source.mkdir()
    (source / "extension.json").write_text('{"name": "mine", "exec": "sh"}')
    origin.ext("install", str(source))
    assert origin.ext("update", "mine", code=2) == (
        f"mine was copied from {source}, not cloned; to update it: zot ext remove mine, then zot ext install {source}"
    )


def test_a_link_to_a_working_copy_is_updated_there(origin: Origin) -> None:
    link = origin.clone.parent / "linked"
    link.symlink_to(origin.folder)
    assert origin.ext("update", str(link), code=2) == f"{link} is a link to {origin.folder}: update it there"


def test_without_a_name_all_clones_are_updated_and_one_that_fails_stops_no_other(
    origin: Origin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = Origin(tmp_path, capsys, "alarm")
    other.install()
    other.commit("1.1.0")
    other.folder.rename(other.folder.with_name("gone"))
    origin.commit("1.1.0")
    assert run(["update"]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("weather was updated: 1.0.0 -> 1.1.0 (")
    assert err.startswith("zot: alarm: git fetch: ")
    assert err.count("\n") == 1


def test_without_any_clone_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["update"]) == 0
    assert capsys.readouterr() == ("no extension was installed with git\n", "")


def test_what_the_repository_of_an_extension_configures_never_runs(origin: Origin, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 $* >>{mark}\nexit 1\n")
    program.chmod(0o755)
    hooks = origin.clone / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-merge", "post-checkout", "post-index-change"):
        (hooks / name).symlink_to(program)
    (origin.clone / ".git" / "info").mkdir(exist_ok=True)
    (origin.clone / ".git" / "info" / "attributes").write_text("* filter=f diff=f merge=f\n")
    (origin.clone / ".git" / "more").write_text(f"[core]\n\teditor = {program}\n\tfsmonitor = {program}\n")
    settings = {
        "core.fsmonitor": program,
        "core.hooksPath": hooks,
        "core.sshCommand": program,
        "core.askPass": program,
        "credential.helper": f"!{program}",
        "remote.origin.uploadpack": program,
        "include.path": "more",
        "merge.f.driver": program,
        **{f"filter.f.{each}": program for each in ("clean", "smudge", "process")},
        **{f"diff.f.{each}": program for each in ("textconv", "command")},
    }
    for name, value in settings.items():
        subprocess.run(["git", "config", "--file", origin.clone / ".git" / "config", name, str(value)], check=True)
    (origin.clone / "data").write_text(LINES + "mine\n")
    (origin.folder / "data").write_text("theirs\n" + LINES)
    origin.commit("1.1.0")

    assert origin.ext("update", "weather").startswith("weather was updated: 1.0.0 -> 1.1.0 (")

    assert not mark.exists()
    assert (origin.clone / "data").read_text() == "theirs\n" + LINES + "mine\n"


def test_an_updated_clone_is_a_clone_as_any_other(origin: Origin) -> None:
    origin.commit("1.1.0")
    origin.ext("update", "weather")
    said = subprocess.run(["git", "status", "-sb"], cwd=origin.clone, check=True, capture_output=True, text=True).stdout
    branch, _, upstream = said.strip().removeprefix("## ").partition("...")
    assert upstream == f"origin/{branch}"
    origin.commit("1.2.0")
    subprocess.run(["git", "pull", "--quiet"], cwd=origin.clone, check=True)
    assert origin.ext("update", "weather") == "weather is up to date\n"
    assert origin.manifest["version"] == "1.2.0"


@pytest.mark.parametrize("branch", ["../../../out", "a/../../../../out"])
def test_a_branch_cannot_be_written_outside_of_the_clone(origin: Origin, branch: str) -> None:
    git = origin.clone / ".git"
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=origin.clone, check=True, capture_output=True).stdout
    (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
    target = origin.clone / "out"
    target.write_bytes(commit)
    for name, value in (("remote", "origin"), ("merge", "refs/heads/master")):
        subprocess.run(["git", "config", "--file", git / "config", f"branch.{branch}.{name}", value], check=True)
    origin.commit("1.1.0")
    origin.ext("update", "weather", code=2)
    assert target.read_bytes() == commit


@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs", "shallow"])
def test_a_file_of_the_repository_that_would_be_waited_for_is_left_out(origin: Origin, name: str) -> None:
    origin.commit("1.1.0")
    path = origin.clone / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    essential = name in ("HEAD", "config")
    said = origin.ext("update", "weather", code=2 if essential else 0)
    assert ("has no upstream" if essential else "was updated: 1.0.0 -> 1.1.0") in said


def test_a_repository_inside_of_a_clone_is_not_entered(origin: Origin) -> None:
    subprocess.run(["git", "init", "--quiet", origin.clone / "inner"], check=True)
    said = origin.ext("update", "weather", code=2)
    assert said == f"{origin.clone / 'inner'} is a repository of its own; update {origin.clone} there"
