from pathlib import Path

import pytest
from processes import runs
from waiting import PATIENCE, wait_until

from zot_core.machine.git import GitEnd, run_git, running_git


class Enough(Exception):
    """Somebody gives up."""


def test_what_is_given_arrives_whole_although_it_is_read_late(tmp_path: Path) -> None:
    more_than_a_pipe = b"name\0" * 500_000
    looks: list[None] = []

    def look() -> None:
        looks.append(None)
        if len(looks) == 2:
            (tmp_path / "go").touch()

    command = ["sh", "-c", "until [ -e go ]; do sleep 0.01; done; cat; echo said >&2; exit 3"]
    done = run_git(command, str(tmp_path), {"PATH": "/usr/bin:/bin"}, PATIENCE, given=more_than_a_pipe, check=look)

    assert done == (3, more_than_a_pipe, b"said\n")
    assert len(looks) >= 2


@pytest.mark.parametrize("size", [0, 1, 512, 513])
def test_the_end_of_what_is_given_is_seen(tmp_path: Path, size: int) -> None:
    done = run_git(["cat"], str(tmp_path), {"PATH": "/usr/bin:/bin"}, PATIENCE, given=b"x" * size)
    assert done == (0, b"x" * size, b"")


def test_commands_that_are_begun_together_run_beside_each_other(tmp_path: Path) -> None:
    where = str(tmp_path), {"PATH": "/usr/bin:/bin"}, PATIENCE
    with (
        running_git(["sh", "-c", "until [ -e two ]; do sleep 0.01; done; echo one"], *where) as one,
        running_git(["sh", "-c", "touch two; echo two"], *where) as two,
    ):
        assert (one().out, two().out) == (b"one\n", b"two\n")


def test_a_command_that_nobody_waits_for_ends_with_the_block(tmp_path: Path) -> None:
    number = tmp_path / "number"
    command = ["sh", "-c", "echo $$ > started; mv started number; exec sleep 1000"]
    with running_git(command, str(tmp_path), {"PATH": "/usr/bin:/bin"}, PATIENCE):
        wait_until(number.exists)
    assert not runs(int(number.read_text()))


def test_a_command_that_is_given_up_ends_with_all_that_it_has_started(tmp_path: Path) -> None:
    number = tmp_path / "number"

    def give_up_once_it_runs() -> None:
        if number.exists() and number.read_text().endswith("\n"):
            raise Enough

    with pytest.raises(Enough):
        run_git(
            ["sh", "-c", "sleep 1000 & echo $! > number; wait"],
            str(tmp_path),
            {"PATH": "/usr/bin:/bin"},
            PATIENCE,
            check=give_up_once_it_runs,
        )
    assert not runs(int(number.read_text()))


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        run_git(["sleep", "1000"], str(tmp_path), {"PATH": "/usr/bin:/bin"}, 0.1)


@pytest.mark.parametrize(
    ("said", "reason", "bare"),
    [
        (b"", "", ""),
        (b"warning: a\nfatal: no  such ref\nhint: look\n", "fatal: no such ref", "no such ref"),
        (b"error: first\nfatal: then\n", "fatal: then", "then"),
        (b"error: alone\nadvice\n", "error: alone", "alone"),
        (b"one\n\ntwo\nhint: three\n", "two", "two"),
        (b"Host key is unknown.\nfatal: Could not read from remote repository.\n", *["Host key is unknown."] * 2),
        (b"fatal: Could not read from remote repository.\n", "fatal: Could not read from remote repository.",
         "Could not read from remote repository."),
    ],
)  # fmt: skip
def test_the_line_that_says_most_is_the_reason(said: bytes, reason: str, bare: str) -> None:
    end = GitEnd(128, b"", said)
    assert (end.reason, end.bare_reason) == (reason, bare)
