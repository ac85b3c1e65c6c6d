"""The environment that is measured: zot as a user installs it, and a clock that knows how fast the machine is today."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

ROOT = Path(__file__).parent.parent

LOOP = "import time; a=time.perf_counter(); t=0\nfor i in range(3_000_000): t += i\nprint(time.perf_counter()-a)"
REFERENCE_LOOP = 0.200
"""Seconds the fixed loop takes on the machine that absolute figures are expressed for."""


@dataclass
class Figure:
    """One result: `value` in `unit`, and its budget, or None."""

    name: str
    value: float
    unit: str
    budget: float | None = None
    note: str = ""

    @property
    def is_over(self) -> bool:
        return self.budget is not None and self.value > self.budget

    def line(self) -> str:
        budget = "" if self.budget is None else f"budget {self.budget:g}"
        over = "  OVER" if self.is_over else ""
        return f"{self.name:<58}{self.value:>9.2f} {self.unit:<12}{budget:<14}{self.note}{over}"


@dataclass
class Environment:
    """An installed zot. `python` and `zot` are its programs, `variables` the environment they run in."""

    folder: Path
    python: str
    zot: str
    variables: dict[str, str] = field(default_factory=dict)
    scale: float = 1.0

    def run(self, command: Sequence[str], **more: str) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end, standard input empty; its standard output is kept."""
        return subprocess.run(
            command, env=self.variables | more, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )

    def wall(self, command: Sequence[str], runs: int = 15) -> float:
        """Median seconds of a whole process, after one warm-up."""
        return statistics.median(self.samples(lambda: self.timed(command), runs))

    def timed(self, command: Sequence[str]) -> float:
        """Seconds of one whole process."""
        return self.timed_run(command)[1]

    def timed_run(self, command: Sequence[str]) -> tuple[subprocess.CompletedProcess[bytes], float]:
        """Run a command to its end; what it left behind, and its seconds."""
        begin = time.perf_counter()
        done = self.run(command)
        return done, time.perf_counter() - begin

    @staticmethod
    def samples(measure: Callable[[], T], runs: int) -> list[T]:
        """`runs` results after one warm-up."""
        return [measure() for _ in range(runs + 1)][1:]


@contextmanager
def built() -> Iterator[Environment]:
    """Build wheels of the checkout, install zot-agent from them without anything else, compile, calibrate. All is
    removed in the end."""
    folder = Path(tempfile.mkdtemp(prefix="zot-bench-"))
    try:
        yield _build(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _build(folder: Path) -> Environment:
    kept = ("PATH", "HOME", "TMPDIR", "LANG", "SSL_CERT_FILE", "VIRTUAL_ENV")
    outer = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    uv = [os.environ.get("UV", "uv")]
    venv = folder / "venv"

    def do(*command: str) -> None:
        subprocess.run([*uv, *command], cwd=ROOT, env=outer, check=True, stdout=subprocess.DEVNULL)

    do("build", "--quiet", "--all-packages", "--wheel", "--out-dir", str(folder / "dist"))
    do("venv", "--quiet", "--python", f"{sys.version_info[0]}.{sys.version_info[1]}", str(venv))
    python = str(venv / "bin" / "python")
    do("pip", "install", "--quiet", "--python", python, "--compile-bytecode", "--find-links", str(folder / "dist"),
       "zot-agent")  # fmt: skip
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    variables = {name: outer[name] for name in kept if name in outer}
    variables |= {"ZOT_HOME": str(home), "OPENAI_API_KEY": "bench", "ANTHROPIC_API_KEY": "bench", "HOME": str(home)}
    variables["ZOT_PERMISSION_MODE"] = "yolo"  # so that the screen does not ask for it
    environment = Environment(folder, python, str(venv / "bin" / "zot"), variables)
    loops = environment.samples(lambda: float(environment.run([python, "-I", "-c", LOOP]).stdout), 5)
    environment.scale = REFERENCE_LOOP / statistics.median(loops)
    return environment
