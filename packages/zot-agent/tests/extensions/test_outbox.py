import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zot_agent.extensions.outbox import Outbox
from zot_ext.limits import Limits

LONG = 60.0
PIPE = 1 << 16


class Pipe:
    """An outbox, the end its reader has, and what it has told."""

    def __init__(self, **limits: Any) -> None:
        self.told: list[tuple[str, int]] = []
        self.source, target = os.pipe()
        os.set_blocking(target, False)
        os.set_blocking(self.source, False)
        self.outbox = Outbox(
            target,
            Limits(**{"write_seconds": LONG, **limits}),
            stuck=lambda waiting: self.told.append(("stuck", waiting)),
            lost=lambda: self.told.append(("lost", 0)),
            recovered=lambda dropped: self.told.append(("dropped", dropped)),
        )

    def observe(self, line: bytes) -> None:
        if self.outbox.room():
            self.outbox.put(line)

    def read(self, most: int = PIPE) -> bytes | None:
        """What is there; empty at the end, `None` while there is nothing."""
        try:
            return os.read(self.source, most)
        except BlockingIOError:
            return None

    async def read_all(self) -> bytes:
        parts = []
        while (part := self.read()) != b"":
            parts.append(part or b"")
            await asyncio.sleep(0)
        return b"".join(parts)

    def close(self) -> None:
        self.outbox.close()
        os.close(self.source)


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    before = sorted(os.listdir("/proc/self/fd"))
    yield
    assert sorted(os.listdir("/proc/self/fd")) == before


async def round_of_the_loop() -> None:
    """What can be written has been, and what is due has happened."""
    for _ in range(3):
        await asyncio.sleep(0)


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(LONG):
            await work()

    asyncio.run(limited())


@settings(max_examples=settings.default.max_examples * 3 // 10)
@given(st.lists(st.sampled_from([1, 2, 70, 4096, PIPE - 1, PIPE, PIPE + 1, 3 * PIPE]), max_size=80))
def test_whatever_the_sizes_lines_arrive_whole_and_in_order(sizes: list[int]) -> None:
    async def work() -> None:
        pipe = Pipe()
        lines = [b"%d" % (number % 10) * size + b"\n" for number, size in enumerate(sizes)]
        for line in lines:
            pipe.outbox.put(line)
        pipe.outbox.finish()
        pipe.outbox.put(b"too late")
        assert await pipe.read_all() == b"".join(lines)
        assert (pipe.outbox.closed, pipe.told) == (True, [])
        pipe.close()

    run(work)


def test_what_one_round_of_the_loop_brings_is_written_in_the_next() -> None:
    async def work() -> None:
        pipe = Pipe()
        pipe.outbox.put(b"a")
        pipe.outbox.put(b"b")
        assert pipe.read() is None
        await asyncio.sleep(0)
        assert pipe.read() == b"ab"
        pipe.close()

    run(work)


def test_no_observation_is_lost_in_a_burst_that_the_pipe_can_hold() -> None:
    async def work() -> None:
        pipe = Pipe(queue_frames=10)
        for _ in range(800):
            pipe.observe(b"x" * 59 + b"\n")
        pipe.outbox.finish()
        assert len(await pipe.read_all()) == 48_000
        assert pipe.told == []
        pipe.close()

    run(work)


@pytest.mark.parametrize(("limits", "fit"), [({"queue_frames": 10}, 10), ({"queue_bytes": 3 * PIPE}, 3)])
def test_a_full_queue_drops_observations_only_and_tells_how_many(limits: dict[str, int], fit: int) -> None:
    async def work() -> None:
        pipe = Pipe(**limits)
        pipe.observe(b"-" * PIPE)  # fills the pipe
        for number in range(50):
            pipe.observe(b"%02d" % number * (PIPE // 2))
        pipe.outbox.put(b"!")
        pipe.outbox.finish()
        found = await pipe.read_all()
        assert found == b"".join([b"-" * PIPE, *(b"%02d" % number * (PIPE // 2) for number in range(fit)), b"!"])
        assert pipe.told == [("dropped", 50 - fit)]
        pipe.close()

    run(work)


def test_a_full_queue_that_does_not_move_is_closed_after_the_limit() -> None:
    async def work() -> None:
        pipe = Pipe(queue_frames=3, write_seconds=0.05)
        for _ in range(5):
            pipe.outbox.put(b"x" * PIPE)
        while not pipe.told:
            await asyncio.sleep(0.01)
        assert (pipe.told, pipe.outbox.closed) == ([("stuck", 4)], True)
        pipe.outbox.put(b"x")
        pipe.close()

    run(work)


def test_a_full_queue_that_moves_has_time() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        loop.time = lambda: now  # type: ignore[method-assign]
        pipe = Pipe(queue_frames=3, write_seconds=0.5)
        for _ in range(12):
            pipe.outbox.put(b"x" * PIPE)
        for _ in range(9):
            await round_of_the_loop()
            now += 0.4
            await round_of_the_loop()
            assert pipe.read() == b"x" * PIPE
        assert pipe.told == []
        pipe.close()

    run(work)


def test_a_queue_that_is_not_full_may_wait_for_ever() -> None:
    async def work() -> None:
        pipe = Pipe(queue_frames=3, write_seconds=0.02)
        pipe.outbox.put(b"x" * 2 * PIPE)
        pipe.outbox.put(b"y")
        await asyncio.sleep(0.2)
        pipe.outbox.finish()
        assert await pipe.read_all() == b"x" * 2 * PIPE + b"y"
        assert pipe.told == []
        pipe.close()

    run(work)


def test_a_reader_that_is_gone_is_told_once() -> None:
    async def work() -> None:
        pipe = Pipe()
        source, pipe.source = pipe.source, os.open(os.devnull, os.O_RDONLY)
        os.close(source)
        pipe.outbox.put(b"x")
        pipe.outbox.put(b"y")
        await asyncio.sleep(0)
        pipe.outbox.put(b"z")
        pipe.outbox.finish()
        assert (pipe.told, pipe.outbox.closed) == ([("lost", 0)], True)
        pipe.close()

    run(work)
