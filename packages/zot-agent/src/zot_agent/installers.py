"""`run_installer`: runs a program that installs packages, such as pip or npm, within a time limit."""

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence

from zot_agent.signals import defer_stop_signals
from zot_provider.errors import ConfigError

_REASON = 500
"""The most characters of what an installer says about a failure."""


_TRUST = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1", "NODE_USE_SYSTEM_CA": "1"}
"""Makes uv (in older versions UV_NATIVE_TLS does) and Node trust what the system trusts, as zot and pip do: where a
company's proxy signs TLS again, nobody else vouches for it."""


def installer_environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for an installer: `variables`, else the variables of this process, which count more than
    ours."""
    return {**_TRUST, **(os.environ if variables is None else variables)}


class InstallError(ConfigError):
    """Packages cannot be installed; the message is one line with the words of the installer."""


def run_installer(
    command: Sequence[str],
    folder: str,
    seconds: float,
    what: str,
    *,
    env: Mapping[str, str] | None = None,
    noise: tuple[str, ...] = (),
) -> None:
    """Run `command` in `folder`; after `seconds`, or when zot is stopped, it ends with all its processes. Raises
    `InstallError`, which begins with `what` and has the lines of the program that do not begin with one of `noise`."""
    process = None
    try:
        with defer_stop_signals():  # by then it is known what is to be ended
            process = subprocess.Popen(
                command, cwd=folder, env=installer_environment(env), stdin=subprocess.DEVNULL,
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
        reason = _reason(err, noise) or _reason(out, noise) or f"exit code {process.returncode}"
        raise InstallError(f"{what}: {reason}")


def _reason(output: bytes, noise: tuple[str, ...]) -> str:
    """Return what an installer says, as one line without frames, colours and passwords in addresses."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", output.decode("utf-8", "replace"))
    text = re.sub(r"(?<=://)[^/@\s]+@", "", text)
    lines = [line.removeprefix("npm error ") for line in text.splitlines() if not line.startswith(noise)]
    words = [word for line in lines for word in line.split() if not re.fullmatch(r"[×╰─▶│├]+", word)]
    reason = " ".join(words)
    return reason if len(reason) <= _REASON else f"{reason[:_REASON]}..."
