"""Waits for something that another process or task does; what takes longer than `PATIENCE` fails the test."""

import asyncio
import os
import select
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0
"""Seconds."""


async def until(holds: Callable[[], object]) -> None:
    """Return once the condition holds, and let other tasks run meanwhile."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.005)


def wait_until(holds: Callable[[], object]) -> None:
    """Return once the condition holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def read_fifo(fifo: Path) -> str:
    """Return what a process writes into a fifo."""
    descriptor = os.open(fifo, os.O_RDWR)  # does not wait for a writer
    try:
        assert select.select([descriptor], [], [], PATIENCE)[0], f"nobody wrote into {fifo.name}"
        return os.read(descriptor, 100).decode()
    finally:
        os.close(descriptor)
