"""`install`: makes the environment of an extension, with uv if there is one, else with venv and pip.

Only wheels are installed, because building a package runs its code.
"""

import contextlib
import os
import shutil
import sys
from collections.abc import Callable

from zot_agent.extensions.python.environment import COMPLETE, PythonEnvironment
from zot_agent.installers import InstallError, run_installer
from zot_provider.files.private_folder import make_private
from zot_provider.record import Record

_REMOVED = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")


class InstallLimits(Record):
    seconds: float = 600.0
    """For each of the two programs that it takes."""


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
        make_private(environment.parent)
        what = f"cannot install the Python packages of {environment.name} ({', '.join(environment.requirements)})"
        variables = {name: value for name, value in os.environ.items() if name not in _REMOVED}
        for command in _commands(environment, find("uv")):
            run_installer(command, environment.parent, seconds, what, env=variables)
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
