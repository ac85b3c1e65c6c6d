"""`install`: makes the environment of an extension, with uv if there is one, else with venv and pip.

Only wheels are installed, because building a package runs its code.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence

from zot_agent.extensions.python.environment import COMPLETE, PythonEnvironment
from zot_agent.signals import defer_stop_signals
from zot_provider.errors import ConfigError
from zot_provider.record import Record

_REASON = 500
"""The most characters of what an installer says about a failure."""
_REMOVED = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")


class InstallLimits(Record):
    """The time limits of an installation."""

    seconds: float = 600.0
    """For each of the two programs that it takes."""


class InstallError(ConfigError):
    """Packages cannot be installed; the message is one line with the words of the installer."""


def install(
    environment: PythonEnvironment,
    *,
    limits: InstallLimits | None = None,
    find: Callable[[str], str | None] = shutil.which,
) -> None:
    """Make the environment, in place of earlier ones of the extension; a complete one is left as it is. `find` finds a
    program by its name. Raises `InstallError`; nothing is left then that a process would use."""
    if environment.complete:
        return
    folder, seconds = environment.folder, (limits or InstallLimits()).seconds
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder)
    try:
        os.makedirs(environment.parent, exist_ok=True)
        for command in _commands(environment, find("uv")):
            _run(environment, command, seconds)
        with open(os.path.join(folder, COMPLETE), "w") as file:
            file.write("".join(f"{each}\n" for each in environment.requirements))
    except OSError as error:
        raise InstallError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    for name in os.listdir(environment.parent):
        if (other := os.path.join(environment.parent, name)) != folder:
            shutil.rmtree(other, ignore_errors=True)


def _commands(environment: PythonEnvironment, uv: str | None) -> list[list[str]]:
    folder, wanted = environment.folder, ["--", *environment.requirements]
    if uv is not None:
        return [
            [uv, "venv", "--quiet", "--no-project", "--python", sys.executable, folder],
            [uv, "pip", "install", "--quiet", "--no-build", "--python", environment.python, *wanted],
        ]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:"]
    return [
        [sys.executable, "-m", "venv", folder],
        [environment.python, "-m", "pip", "install", *quiet, *wanted],
    ]


def _run(environment: PythonEnvironment, command: Sequence[str], seconds: float) -> None:
    what = f"cannot install the Python packages of {environment.name} ({', '.join(environment.requirements)})"
    variables = {name: value for name, value in os.environ.items() if name not in _REMOVED}
    process = None
    try:
        with defer_stop_signals():  # by then it is known what is to be ended
            process = subprocess.Popen(
                command, cwd=environment.parent, env=variables, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise InstallError(f"{what}: {os.path.basename(command[0])} took longer than {seconds:g} s") from None
    finally:
        if process is not None and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode != 0:
        raise InstallError(f"{what}: {_reason(err) or _reason(out) or f'exit code {process.returncode}'}")


def _reason(output: bytes) -> str:
    """Return what an installer says, as one line without frames, colours and passwords in addresses."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", output.decode("utf-8", "replace"))
    text = re.sub(r"(?<=://)[^/@\s]+@", "", text)
    words = [word for word in text.split() if not re.fullmatch(r"[×╰─▶│├]+", word)]
    line = " ".join(words)
    return line if len(line) <= _REASON else f"{line[:_REASON]}..."
