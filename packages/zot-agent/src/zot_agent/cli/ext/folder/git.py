"""Runs git for extensions: without questions, with a time limit, and with errors of one line."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from zot_agent.signals import defer_stop_signals
from zot_core.machine.git import GitEnd, git_command, git_environment
from zot_core.machine.process_groups import end_command
from zot_provider.errors import ConfigError
from zot_provider.record import Record, field

PREFIXES = ("https://", "http://", "ssh://", "git://", "file://", "git@")
_PROTOCOLS = "https:http:ssh:git:file"
_SETTINGS = (
    "user.name=zot",  # `git stash` needs a name, and the user may have configured none
    "user.email=zot@localhost",
)


class GitError(ConfigError):
    """A failed git command; the message is one line with git's own words."""


class Git(Record):
    """Runs git. Protocols that start programs (`ext::`) are never allowed, hooks of a repository never run."""

    seconds: float = 120.0
    """The time limit of one command; after it, the command and its children are killed."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that are added to the environment."""

    def clone(self, url: str, directory: str, ref: str = "") -> None:
        """Clone the latest commit of `url`, or its branch or tag `ref`, to `directory`, which must not exist. Raises
        `GitError`."""
        branch = [f"--branch={ref}"] if ref else []
        words = ["--quiet", "--depth", "1", "--no-recurse-submodules", *branch]
        self.run("clone", *words, "--", url, directory, secret=url)

    def run(self, *arguments: str, cwd: str | None = None, secret: str = "") -> str:
        """Run a command and return its standard output without the last line break. Raises `GitError`.

        A password in the URL `secret` is removed from the error message.
        """
        try:
            command = git_command(*arguments, settings=_SETTINGS)
        except FileNotFoundError:
            raise GitError("git is not installed; install it, or download the folder and install that") from None
        with _running(command, cwd, self.environment) as process:
            try:
                out, err = process.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired:
                raise GitError(f"git {arguments[0]} took longer than {self.seconds:g} s") from None
        if process.returncode != 0:
            reason = without_password(GitEnd(process.returncode, out, err).bare_reason, secret)
            raise GitError(f"git {arguments[0]}: {reason or f'exit code {process.returncode}'}")
        return out.decode("utf-8", "replace").removesuffix("\n")

    def succeeds(self, *arguments: str, cwd: str) -> bool:
        """Run a command, and return whether its exit code is 0."""
        try:
            self.run(*arguments, cwd=cwd)
        except GitError:
            return False
        return True


def is_url(source: str) -> bool:
    """Whether `source` looks like a git URL; the caller prefers a folder of that name."""
    return source.startswith(PREFIXES) or source.rstrip("/").endswith(".git")


def without_password(text: str, url: str = "") -> str:
    """Return `text` without user names and passwords in its URLs, and in `url` in particular."""
    if url:
        text = text.replace(url, without_password(url))
    return re.sub(r"(?<=://)[^/@\s]+@", "", text)


def _environment(base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for git, which never asks, not even through ssh."""
    ssh = base.get("GIT_SSH_COMMAND") or "ssh"
    return git_environment(base, _PROTOCOLS) | {"GIT_SSH_COMMAND": f"{ssh} -o BatchMode=yes"}


@contextmanager
def _running(command: Sequence[str], cwd: str | None, more: Mapping[str, str]) -> "Iterator[subprocess.Popen[bytes]]":
    """Start a process, and make sure that it has ended when the block is left."""
    process = None
    try:
        with defer_stop_signals():
            # In a new session nothing can ask for a password on the terminal, and the whole group can be killed.
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env={**_environment(os.environ), **more},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        yield process
    finally:
        if process is not None:
            with process:
                end_command(process)
