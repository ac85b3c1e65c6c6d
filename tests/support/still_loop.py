"""`StillLoop`: an event loop whose clock moves when a test says so, for limits that no busy machine may reach."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class StillLoop(asyncio.SelectorEventLoop):
    """Its time begins at 0 seconds. What it waits for without a timer, such as a pipe, happens as always."""

    now = 0.0

    def time(self) -> float:
        return self.now


def run_still(test: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a loop of its own, whose time only `passes` moves."""
    with asyncio.Runner(loop_factory=StillLoop) as runner:
        runner.run(test)


async def passes(seconds: float) -> None:
    """Let time pass, and what is due then happen."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StillLoop)
    loop.now += seconds
    for _ in range(5):
        await asyncio.sleep(0)
