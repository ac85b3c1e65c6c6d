import os
import socket
import subprocess
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_agent.cli.ext.folder.git import Git, GitError, is_url, without_password


@pytest.mark.parametrize(
    "source",
    ["https://h/x", "http://h/x", "git@h:a/x", "ssh://h/x", "git://h/x", "file:///a/x", "h:a/x.git", "x.git/"],
)
def test_what_git_can_be_asked_for(source: str) -> None:
    assert is_url(source)


@pytest.mark.parametrize("source", ["weather", "./weather", "/a/weather", "~/weather", "ftp://h/x", ""])
def test_what_git_cannot_be_asked_for(source: str) -> None:
    assert not is_url(source)


def test_a_protocol_that_starts_programs_is_never_allowed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(GitError, match="transport 'ext' not allowed"):
        Git().clone(f"ext::sh -c 'touch {mark}' %S/x.git", str(tmp_path / "x"))
    assert not mark.exists()


def test_a_url_is_no_option(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(GitError):
        Git().clone(f"--upload-pack=touch {mark};.git", str(tmp_path / "x"))
    assert not mark.exists()


def test_a_failure_is_one_line_without_a_password(tmp_path: Path) -> None:
    with pytest.raises(GitError) as caught:
        Git().clone("http://me:hunter2@127.0.0.1:1/x.git", str(tmp_path / "x"))
    said = str(caught.value)
    assert said.startswith("git clone: unable to access 'http://127.0.0.1:1/x.git/'")
    assert "\n" not in said
    assert "hunter2" not in said
    assert not (tmp_path / "x").exists()


def test_a_server_that_says_nothing_is_given_up_and_git_with_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(GitError, match=r"git clone took longer than 1 s"):
            Git(seconds=1.0).clone(f"git://127.0.0.1:{port}/x", str(tmp_path / "x"))
        connection, _ = server.accept()
        with connection:
            connection.settimeout(PATIENCE)
            while connection.recv(4096):
                pass  # until the other end is closed, as it is once git has ended
    assert not (tmp_path / "x").exists()


def test_a_repository_that_runs_us_is_not_taken_for_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path / "mine")], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "theirs"))
    top = Git().run("rev-parse", "--show-toplevel", cwd=str(tmp_path / "mine"))
    assert top == os.path.realpath(tmp_path / "mine")


def test_without_git_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git is not installed"):
        Git().run("status")


def test_user_and_password_leave_an_address() -> None:
    assert without_password("clone https://a:b@h/x and ssh://git@h/y") == "clone https://h/x and ssh://h/y"
    assert without_password("cannot reach https://a:b@h/x", "https://a:b@h/x") == "cannot reach https://h/x"
    assert without_password("git@h:x") == "git@h:x"


def test_a_minute_or_two_are_enough() -> None:
    assert Git().seconds == 120.0


def test_why_ssh_found_no_repository_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\necho 'ssh: Could not resolve hostname h: Name or service not known' >&2\nexit 255\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    with pytest.raises(GitError, match=r"^git clone: ssh: Could not resolve hostname h: Name or service not known$"):
        Git().clone("git@h:x/y.git", str(tmp_path / "x"))
