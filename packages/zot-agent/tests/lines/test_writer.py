import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from still_loop import passes, run_still
from waiting import PATIENCE

from zot_agent.lines.writer import LineWriter, Stuck, WriterLimits

PIPE = 1 << 16


class Pipe:
    """A writer, the end its reader has, and what the writer has reported."""

    def __init__(self, limits: WriterLimits | None = None, *, watch: bool = False) -> None:
        self.reports: list[Any] = []
        self.source, target = os.pipe()
        os.set_blocking(self.source, False)
        self.writer = LineWriter(
            target,
            limits or WriterLimits(full_bytes=16 << 20, full_lines=256, stall_seconds=PATIENCE, stall_only_full=True),
            stuck=self.reports.append,
            lost=lambda error: self.reports.append(type(error)),
            moved=self.move,
            dropped=self.reports.append,
            owned=True,
            watch=watch,
        )
        self.moves = 0

    def move(self) -> None:
        self.moves += 1

    def write_if_it_fits(self, line: bytes) -> None:
        if self.writer.fits():
            self.writer.write(line)

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

    def leave(self) -> None:
        """Close the reader's end."""
        source, self.source = self.source, os.open(os.devnull, os.O_RDONLY)
        os.close(source)

    def close(self) -> None:
        self.writer.close()
        os.close(self.source)


async def turns() -> None:
    """Give the loop some turns."""
    for _ in range(5):
        await asyncio.sleep(0)


def only_full(lines: int, seconds: float) -> WriterLimits:
    return WriterLimits(full_bytes=16 << 20, full_lines=lines, stall_seconds=seconds, stall_only_full=True)


@settings(max_examples=30)
@given(st.lists(st.sampled_from([1, 2, 70, 4096, PIPE - 1, PIPE, PIPE + 1, 3 * PIPE]), max_size=80))
async def test_whatever_the_sizes_lines_arrive_whole_and_in_order(sizes: list[int]) -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        lines = [b"%d" % (number % 10) * size + b"\n" for number, size in enumerate(sizes)]
        for line in lines:
            pipe.writer.write(line)
        pipe.writer.finish()
        pipe.writer.write(b"too late")
        assert await pipe.read_all() == b"".join(lines)
        assert (pipe.writer.closed, pipe.reports) == (True, [])
        pipe.close()


async def test_what_one_round_of_the_loop_brings_is_written_in_the_next() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        pipe.writer.write(b"a")
        pipe.writer.write(b"b")
        assert pipe.read() is None
        await asyncio.sleep(0)
        assert pipe.read() == b"ab"
        pipe.close()


async def test_nothing_is_lost_in_a_burst_that_the_pipe_can_hold() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(WriterLimits(full_bytes=16 << 20, full_lines=10))
        for _ in range(800):
            pipe.write_if_it_fits(b"x" * 59 + b"\n")
        pipe.writer.finish()
        assert len(await pipe.read_all()) == 48_000
        assert pipe.reports == []
        pipe.close()


@pytest.mark.parametrize(
    ("limits", "fit"),
    [(WriterLimits(full_bytes=16 << 20, full_lines=10), 10), (WriterLimits(full_bytes=3 * PIPE), 3)],
)
async def test_a_full_queue_drops_only_what_may_be_lost_and_reports_how_much(limits: WriterLimits, fit: int) -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(limits)
        pipe.write_if_it_fits(b"-" * PIPE)  # fills the pipe
        for number in range(50):
            pipe.write_if_it_fits(b"%02d" % number * (PIPE // 2))
        pipe.writer.write(b"!")
        pipe.writer.finish()
        found = await pipe.read_all()
        assert found == b"".join([b"-" * PIPE, *(b"%02d" % number * (PIPE // 2) for number in range(fit)), b"!"])
        assert pipe.reports == [50 - fit]
        pipe.close()


async def test_a_full_queue_that_does_not_move_is_closed_after_the_limit() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(only_full(3, 0.05))
        for _ in range(5):
            pipe.writer.write(b"x" * PIPE)
        while not pipe.reports:
            await asyncio.sleep(0.01)
        assert (pipe.reports, pipe.writer.closed) == ([Stuck(4, 4 * PIPE, 0.05)], True)
        pipe.writer.write(b"x")
        pipe.close()


def test_a_full_queue_that_moves_has_time() -> None:
    async def test() -> None:
        pipe = Pipe(only_full(3, 2.0))
        for _ in range(12):
            pipe.writer.write(b"x" * PIPE)
        for _ in range(9):
            await passes(1.9)
            assert pipe.read() == b"x" * PIPE
        assert pipe.reports == []
        pipe.close()

    run_still(test())


async def test_a_queue_that_is_not_full_may_wait_for_ever() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(only_full(3, 0.02))
        pipe.writer.write(b"x" * 2 * PIPE)
        pipe.writer.write(b"y")
        await asyncio.sleep(0.2)
        pipe.writer.finish()
        assert await pipe.read_all() == b"x" * 2 * PIPE + b"y"
        assert pipe.reports == []
        pipe.close()


async def test_a_reader_that_is_gone_is_reported_once() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        pipe.leave()
        pipe.writer.write(b"x")
        pipe.writer.write(b"y")
        await asyncio.sleep(0)
        pipe.writer.write(b"z")
        pipe.writer.finish()
        assert (pipe.reports, pipe.writer.closed) == ([BrokenPipeError], True)
        pipe.close()


async def test_what_is_written_now_is_there_at_once_behind_what_waits() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        pipe.writer.write(b"a")
        pipe.writer.write(b"b", now=True)
        assert pipe.read() == b"ab"
        await asyncio.sleep(0)
        assert (pipe.read(), pipe.moves) == (None, 1)
        pipe.close()


@pytest.mark.parametrize("size", [40, 3000])
async def test_thousands_of_lines_of_one_turn_arrive_in_order_also_when_the_reader_is_slow(size: int) -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        lines = [b"%d\n" % number * (size // 8) for number in range(5000)]
        for line in lines:
            pipe.writer.write(line)
        pipe.writer.finish()
        found = bytearray()
        while (part := pipe.read(30_000)) != b"":
            found += part or b""
            await asyncio.sleep(0)
        assert found == b"".join(lines)
        pipe.close()


async def test_a_reader_holds_up_who_waits_for_room_and_no_longer_than_needed() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(WriterLimits(full_bytes=2 * PIPE))
        room = asyncio.ensure_future(pipe.writer.room())
        await room
        for _ in range(4):
            pipe.writer.write(b"x" * PIPE)
        room, drained = asyncio.ensure_future(pipe.writer.room()), asyncio.ensure_future(pipe.writer.drain())
        await turns()
        assert (pipe.writer.full, room.done(), drained.done(), pipe.writer.waiting) == (True, False, False, 3 * PIPE)
        assert pipe.read(2 * PIPE) == b"x" * PIPE
        await turns()
        assert not room.done()
        assert pipe.read(PIPE) == b"x" * PIPE
        await room
        assert not drained.done()
        while not drained.done():
            pipe.read()
            await asyncio.sleep(0)
        assert pipe.writer.waiting == 0
        pipe.close()


async def test_a_reader_that_lets_too_much_wait_is_stuck_at_once() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(WriterLimits(full_bytes=PIPE, max_bytes=3 * PIPE))
        pipe.writer.write(b"x" * 9 * PIPE)  # a long line is read for a long time
        for _ in range(5):
            pipe.writer.write(b"x" * PIPE)
        assert (pipe.reports, pipe.writer.closed) == ([Stuck(5, 13 * PIPE)], True)
        pipe.writer.write(b"of no use")
        await pipe.writer.room()
        await pipe.writer.drain()
        pipe.close()


async def test_a_reader_that_takes_nothing_is_stuck_also_when_the_queue_is_not_full() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(WriterLimits(full_bytes=16 << 20, stall_seconds=3600))
        pipe.writer.write(b"x" * 3 * PIPE)
        await asyncio.sleep(0)
        pipe.writer.set_stall_limit(0.05)
        await pipe.writer.drain()
        assert (pipe.reports, pipe.writer.closed) == ([Stuck(1, 2 * PIPE, 0.05)], True)
        pipe.close()


async def test_a_reader_that_goes_is_noticed_before_anything_is_written() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(watch=True)
        pipe.leave()
        while not pipe.writer.closed:
            await asyncio.sleep(0.001)
        assert pipe.reports == [BrokenPipeError]
        pipe.close()


async def test_a_reader_that_goes_in_the_middle_is_noticed() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        pipe.writer.write(b"x" * 500_000)
        await asyncio.sleep(0)
        pipe.leave()
        await pipe.writer.drain()
        assert (pipe.reports, pipe.writer.closed) == ([BrokenPipeError], True)
        pipe.close()


async def test_a_reader_on_a_socket_may_write_to_it_and_is_noticed_when_it_goes() -> None:
    async with asyncio.timeout(PATIENCE):
        lost: list[OSError] = []
        ours, theirs = socket.socketpair()
        with ours, theirs:
            limits = WriterLimits(full_bytes=PIPE)
            writer = LineWriter(ours.fileno(), limits, stuck=lambda how: None, lost=lost.append, watch=True)
            theirs.sendall(b"what for?")
            await asyncio.sleep(0.01)
            assert not writer.closed
            writer.write(b"still here")
            await writer.drain()
            assert theirs.recv(100) == b"still here"
            theirs.close()
            while not writer.closed:
                await asyncio.sleep(0.01)
        assert [type(error) for error in lost] == [BrokenPipeError]


@pytest.mark.parametrize("blocking", [True, False])
async def test_a_pipe_that_others_may_share_is_left_open_and_as_it_was_found(blocking: bool) -> None:
    async with asyncio.timeout(PATIENCE):
        source, target = os.pipe()
        os.set_blocking(target, blocking)
        writer = LineWriter(target, WriterLimits(full_bytes=1), stuck=lambda how: None, lost=lambda error: None)
        assert not os.get_blocking(target)
        writer.write(b"a line\n", now=True)
        writer.close()
        assert os.get_blocking(target) == blocking
        os.close(target)
        with open(source, "rb") as reader:
            assert reader.read() == b"a line\n"


async def test_a_file_takes_everything_and_its_errors_are_reported(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE):
        lost: list[OSError] = []
        with open(tmp_path / "lines", "wb") as file, open("/dev/full", "wb", buffering=0) as full:
            for descriptor in (file.fileno(), full.fileno()):
                writer = LineWriter(
                    descriptor, WriterLimits(full_bytes=1), stuck=lambda how: None, lost=lost.append, watch=True
                )
                for _ in range(20_000):
                    writer.write(b"x" * 99 + b"\n")
                await writer.drain()
                assert writer.closed == bool(lost)
                writer.close()
        assert (tmp_path / "lines").stat().st_size == 2_000_000
        assert [error.strerror for error in lost] == ["No space left on device"]
