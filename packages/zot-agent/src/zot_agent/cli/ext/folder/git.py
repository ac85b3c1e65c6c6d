"""git, as far as extensions need it: it asks nothing, takes no longer than its limit, and fails in one line."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from zot_agent.signals import deferred
from zot_provider.errors import ConfigError
from zot_provider.record import Record, record

PREFIXES = ("https://", "http://", "ssh://", "git://", "file://", "git@")
_PROTOCOLS = "https:http:ssh:git:file"
_SETTINGS = (
    "protocol.ext.allow=never",
    f"core.hooksPath={os.devnull}",
    "user.name=zot",  # whoever keeps local changes aside need not have introduced themselves to git
    "user.email=zot@localhost",
)


_NOT_READ = "fatal: Could not read from remote repository."
"""What git says when ssh has failed; the line before it is ssh's and says why."""


class GitError(ConfigError):
    """What git could not do, in its own words; one line."""


@record
class Git(Record):
    """Runs git. Protocols that start programs (`ext::`) are never allowed, hooks of a repository never run."""

    seconds: float = 120.0
    """The limit of one command; then it is killed with everything it has started."""

    def clone(self, url: str, directory: str) -> None:
        """Clone the tip of `url` to `directory`, which must not be there. Raises `GitError`."""
        self.run("clone", "--quiet", "--depth", "1", "--no-recurse-submodules", "--", url, directory, secret=url)

    def run(self, *arguments: str, cwd: str | None = None, secret: str = "") -> str:
        """The standard output of a command, without the last line break. Raises `GitError`.

        A password in the address `secret` is struck out of what git says.
        """
        program = shutil.which("git")
        if program is None:
            raise GitError("git is not installed; install it, or fetch the folder by other means and install that")
        command = [program, *(word for each in _SETTINGS for word in ("-c", each)), *arguments]
        with _running(command, cwd) as process:
            try:
                out, err = process.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired:
                raise GitError(f"git {arguments[0]} took longer than {self.seconds:g} s") from None
        if process.returncode != 0:
            said = without_password(_reason(err.decode("utf-8", "replace")), secret)
            raise GitError(f"git {arguments[0]}: {said or f'exit code {process.returncode}'}")
        return out.decode("utf-8", "replace").removesuffix("\n")

    def succeeds(self, *arguments: str, cwd: str) -> bool:
        """Whether a command says yes."""
        try:
            self.run(*arguments, cwd=cwd)
        except GitError:
            return False
        return True


def is_url(source: str) -> bool:
    """Whether git can be asked for it; a folder of that name is to be preferred."""
    return source.startswith(PREFIXES) or source.rstrip("/").endswith(".git")


def without_password(text: str, url: str = "") -> str:
    """`text` without the user and password of addresses in it, and of `url` in particular."""
    if url:
        text = text.replace(url, without_password(url))
    return re.sub(r"(?<=://)[^/@\s]+@", "", text)


def _environment(base: Mapping[str, str]) -> dict[str, str]:
    """Without what a git that runs us (a hook) says of its own repository; nobody is asked anything."""
    own = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")
    environment = {name: value for name, value in base.items() if name not in own}
    ssh = base.get("GIT_SSH_COMMAND") or "ssh"
    return environment | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_SSH_COMMAND": f"{ssh} -o BatchMode=yes",
        "LANGUAGE": "en",
    }


@contextmanager
def _running(command: Sequence[str], cwd: str | None) -> "Iterator[subprocess.Popen[bytes]]":
    """A process that has ended when the block is left, however that is."""
    process = None
    try:
        with deferred():
            # A session of its own: nothing can ask for a password on the terminal, and its end ends all of it.
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=_environment(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        yield process
    finally:
        if process is not None:
            with process:
                _stop(process)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Unless it has ended, ask it to, so that it deletes what it has locked; then make it."""
    if process.returncode is not None:
        return
    for number, seconds in ((signal.SIGTERM, 2.0), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
            process.wait(seconds)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _reason(text: str) -> str:
    """The line of git's that says most."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip() and not line.startswith("hint:")]
    for start in ("fatal: ", "error: "):
        for index, line in enumerate(lines):
            if line.startswith(start):
                unsaid = line == _NOT_READ and index > 0
                return lines[index - 1] if unsaid else line.removeprefix(start)
    return lines[-1] if lines else ""
