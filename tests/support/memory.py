"""Peak memory of a command."""

import sys
from pathlib import Path

_LAUNCHER = """
import resource, signal, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
status = process.wait()
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status >= 0 else 128 - status)
"""


class PeakMemory:
    """Runs a command below a small process that asks the system for the command's peak memory.

    A process inherits `ru_maxrss` from its parent, so a child of the tests would report the memory of the tests.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "peak-memory"

    def command(self, command: list[str]) -> list[str]:
        """Return the command to run in place of `command`, with the same input, output and exit code."""
        return [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(self._file), *command]

    @property
    def bytes(self) -> int:
        """Peak memory after the command has ended."""
        return int(self._file.read_text()) * 1024
