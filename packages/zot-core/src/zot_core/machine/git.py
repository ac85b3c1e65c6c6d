"""How zot runs git: so that nothing in a repository, which a stranger may have written, starts a program or asks."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, NamedTuple

from zot_core.machine.process_groups import end_command
from zot_core.machine.programs import find_program

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
)

_HOLD_BACK = (f"core.hooksPath={os.devnull}", "submodule.recurse=false")
"""Settings that also change what git does when it writes."""

_BARE = "safe.bareRepository=explicit"
"""A clone can bring a folder with the files of a repository: git must not use it. git-config(1), from git 2.38 on."""

_POLL = 0.05
_PIPE_BYTES = 512
"""Bytes that every pipe takes at once (_POSIX_PIPE_BUF in limits.h)."""
_OF_SSH = "fatal: Could not read from remote repository."
"""The line of git when ssh has failed; the line before it is the reason, from ssh."""

OF_A_REPOSITORY = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
"""Variables that name a repository; git sets them for a hook, which may have started zot."""


def git_command(*arguments: str, settings: tuple[str, ...] = ()) -> list[str]:
    """Return the command line for git, with `settings` (`name=value`) on top of the safe ones.

    Raises FileNotFoundError without git.
    """
    program = find_program("git")
    if program is None:
        raise FileNotFoundError("git")
    return [program, *(word for each in (*_SETTINGS, *settings) for word in ("-c", each)), *arguments]


def quiet_environment(base: Mapping[str, str], *, reads: bool) -> dict[str, str]:
    """Return variables, on top of `base`, for a command of the shell that may run git without a question: no bare
    repository in a folder counts, no monitor starts. If it only `reads`, it also starts no hook, fetches nothing and
    writes no index; otherwise hooks run, because a person who allows `git commit` expects the project's hooks."""
    settings = [_BARE, *(_SETTINGS if reads else (each for each in _SETTINGS if each not in _HOLD_BACK))]
    count = base.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isdecimal() and len(count) < 5 else 0
    found = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for at, each in enumerate(settings, first):
        found[f"GIT_CONFIG_KEY_{at}"], _, found[f"GIT_CONFIG_VALUE_{at}"] = each.partition("=")
    if reads:
        found |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
    return found | {"GIT_TERMINAL_PROMPT": "0"}


def git_environment(base: Mapping[str, str], protocols: str = "none") -> dict[str, str]:
    """Return the environment for git. `protocols` are those it may use, separated by colons; by default it reaches
    nothing, not even to fetch objects that a partial clone lacks."""
    kept = {name: value for name, value in base.items() if name not in OF_A_REPOSITORY}
    return kept | {
        "GIT_ALLOW_PROTOCOL": protocols,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LANGUAGE": "en",
    }


class GitEnd(NamedTuple):
    """The end of a command of git: its exit code, and what it has written."""

    code: int
    out: bytes
    err: bytes

    @property
    def reason(self) -> str:
        """The line of `err` that says most: the first that git calls fatal, else an error, because general advice may
        follow; else the last one. Empty if git has written nothing."""
        lines = [" ".join(line.split()) for line in self.err.decode("utf-8", "replace").splitlines()]
        lines = [line for line in lines if line and not line.startswith("hint:")]
        for start in ("fatal: ", "error: "):
            for at, line in enumerate(lines):
                if line.startswith(start):
                    return lines[at - 1] if line == _OF_SSH and at else line
        return lines[-1] if lines else ""

    @property
    def bare_reason(self) -> str:
        """The same without git's own word for it."""
        return self.reason.removeprefix("fatal: ").removeprefix("error: ")


def run_git(
    command: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    seconds: float,
    *,
    given: bytes = b"",
    check: Callable[[], None] = lambda: None,
) -> GitEnd:
    """Run a command of `git_command` with `given` on its standard input, and wait for its end. It has no terminal on
    which it could ask. `check` is called often meanwhile, and may raise to give up; git and what it has started then
    end, as they do after `seconds`. Raises TimeoutError, and OSError if it cannot be started. Run it in a thread."""
    with running_git(command, cwd, environment, seconds, given=given, check=check) as end:
        return end()


@contextmanager
def running_git(
    command: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    seconds: float,
    *,
    given: bytes = b"",
    check: Callable[[], None] = lambda: None,
) -> Iterator[Callable[[], GitEnd]]:
    """Run a command as `run_git` does, beside the block, which gets the function that waits for its end."""
    with (
        _source(given) as source,
        subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process,
    ):
        last = time.monotonic() + seconds

        def end() -> GitEnd:
            while True:
                try:
                    out, err = process.communicate(timeout=_POLL)
                    return GitEnd(process.returncode, out, err)
                except subprocess.TimeoutExpired:
                    check()
                    if time.monotonic() > last:
                        raise TimeoutError from None

        try:
            yield end
        finally:
            end_command(process)


@contextmanager
def _source(given: bytes) -> Iterator[IO[bytes] | int]:
    """Yield what has `given` to read: a pipe that holds all of it, otherwise a file, because `communicate` forgets the
    rest of its input when its time limit has passed, and leaves the pipe open (CPython 3.11)."""
    if len(given) <= _PIPE_BYTES:
        source, end = os.pipe()
        try:
            os.write(end, given)
            os.close(end)
            yield source
        finally:
            os.close(source)
        return
    from tempfile import TemporaryFile  # noqa: PLC0415  4 ms, and most commands are given little

    with TemporaryFile() as file:
        file.write(given)
        file.seek(0)
        yield file
