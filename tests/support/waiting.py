"""Waits for something that another process or task does, and how long any test waits for anything: `PATIENCE`.

A test never fails for a slow or busy machine: what a deadline is for is that a test that hangs ends.
"""

import asyncio
import os
import select
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_LOOPS, _REFERENCE = 500_000, 0.03
"""A fixed loop, and the seconds that it takes on a quick machine where nothing else runs."""


def _slowness() -> float:
    began = time.perf_counter()
    total = 0
    for number in range(_LOOPS):
        total += number
    return min(max((time.perf_counter() - began) / _REFERENCE, 1.0), 4.0)


SLOWNESS = float(os.environ.setdefault("PYTEST_SLOWNESS", f"{_slowness():.2f}"))
"""How many times as long as a quick machine this one takes, 1 to 4. It is measured once, before the tests begin."""
PATIENCE = 120 * SLOWNESS
"""Seconds after which a test fails that waits for something. It is long, since the machine may become busy later."""
INSTALLING = 1500
"""Seconds after which a test fails that has packages installed from a registry: networks are slow, and disks."""
TIME_LIMITS = (0.3, 2.0, 15.0, PATIENCE)
"""Time limits of what has to get somewhere before it is ended: try the next where it did not, on a busy machine."""


async def until(holds: Callable[[], object]) -> None:
    """Return once the condition holds, and let other tasks run meanwhile."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.005)


def wait_until(holds: Callable[[], T], what: str = "it", seconds: float = PATIENCE, pause: float = 0.01) -> T:
    """Return what `holds` returns, as soon as that is true. The test fails, naming `what`, after `seconds`."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, f"{what}: not within {seconds:g} s"
        time.sleep(pause)
    return found


def read_fifo(fifo: Path) -> str:
    """Return what a process writes into a fifo."""
    descriptor = os.open(fifo, os.O_RDWR)  # does not wait for a writer
    try:
        assert select.select([descriptor], [], [], PATIENCE)[0], f"nobody wrote into {fifo.name}"
        return os.read(descriptor, 100).decode()
    finally:
        os.close(descriptor)
