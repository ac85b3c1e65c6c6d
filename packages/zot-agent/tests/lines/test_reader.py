import asyncio
import contextlib
import itertools
import os
import socket
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_agent.lines.reader import LineReader
from zot_ext.protocol.splitter import Oversized


class Pipe:
    """A reader that owns its end, the end that is written to, and what has come."""

    def __init__(self, limit: int = 1 << 20) -> None:
        source, self.target = os.pipe()
        self.lines: list[bytes | Oversized] = []
        self.ended = asyncio.Event()
        self.ends = 0
        self.reader = LineReader(source, limit, self.take, self.end, owned=True)
        self.enough = 0
        """Closed after so many lines, if not 0."""

    def take(self, line: bytes | Oversized) -> None:
        self.lines.append(line)
        if len(self.lines) == self.enough:
            self.reader.close()

    def end(self) -> None:
        self.ends += 1
        self.ended.set()

    def close(self) -> None:
        self.reader.close()
        os.close(self.target)


def read(descriptor: int, limit: int = 1000) -> list[bytes | Oversized]:
    """The lines up to the end of a descriptor that the reader does not own."""
    found: list[bytes | Oversized] = []

    async def work() -> None:
        ended = asyncio.Event()
        reader = LineReader(descriptor, limit, found.append, ended.set)
        await ended.wait()
        assert reader.closed

    run(work)
    return found


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(PATIENCE):
            await work()

    asyncio.run(limited())


@settings(max_examples=30)
@given(st.lists(st.binary(min_size=1, max_size=300).filter(lambda line: b"\n" not in line), max_size=40))
async def test_all_lines_arrive_the_last_also_without_its_end(parts: list[bytes]) -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        os.write(pipe.target, b"\n".join(b"|" + part + b"|" for part in parts))
        os.close(pipe.target)
        await pipe.ended.wait()
        assert pipe.lines == [b"|" + part + b"|" for part in parts]
        assert (pipe.ends, pipe.reader.closed) == (1, True)
        pipe.reader.close()


async def test_a_line_too_long_is_told_as_such() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(limit=10)
        os.write(pipe.target, b"0123456789a\nshort\n")
        pipe.reader.drain()
        assert pipe.lines == [Oversized(10, b"0123456789"), b"short"]
        pipe.close()


async def test_draining_takes_what_is_there_for_the_end_although_somebody_holds_the_pipe() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        os.write(pipe.target, b"a\nb")
        pipe.reader.drain()
        await pipe.ended.wait()
        assert (pipe.lines, pipe.ends) == ([b"a", b"b"], 1)
        pipe.reader.drain()
        assert pipe.ends == 1
        pipe.close()


async def test_draining_ends_although_somebody_writes_without_end() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        gone = threading.Event()

        def flood() -> None:
            while True:
                try:
                    os.write(pipe.target, b"x" * 1000 + b"\n")
                except BrokenPipeError:
                    return gone.set()

        thread = threading.Thread(target=flood)
        thread.start()
        pipe.reader.drain()
        await pipe.ended.wait()
        await asyncio.to_thread(gone.wait, PATIENCE)
        thread.join()
        pipe.close()


async def test_who_closes_the_reader_over_a_line_gets_no_other() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        pipe.enough = 1
        os.write(pipe.target, b"a\nb\n")
        while not pipe.lines:
            await asyncio.sleep(0)
        assert (pipe.lines, pipe.ends) == ([b"a"], 0)
        os.close(pipe.target)


@given(text=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=5), owned=st.booleans())
async def test_lines_come_as_they_are_however_they_are_cut(text: bytes, cuts: list[int], owned: bool) -> None:
    found: list[bytes | Oversized] = []
    async with asyncio.timeout(PATIENCE):
        reading, writing = os.pipe()
        ended = asyncio.Event()
        LineReader(reading, 1000, found.append, ended.set, owned=owned)
        places = [0, *sorted(cuts), len(text)]
        for start, end in itertools.pairwise(places):
            os.write(writing, text[start:end])
            await asyncio.sleep(0)
        os.close(writing)
        await ended.wait()
        if not owned:
            os.close(reading)
    lines = [line.removesuffix(b"\r") for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    assert [line for line in found if line != b"\r"] == [line for line in lines if line and not line.isspace()]


def test_a_file_and_no_input_at_all_are_read_to_their_end(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"one\n" + b"x" * 2000 + b"\nlast")
    with open(tmp_path / "lines", "rb") as file, open(os.devnull, "rb") as nothing:
        assert read(file.fileno()) == [b"one", Oversized(1000, b"x" * 200), b"last"]
        assert read(nothing.fileno()) == []


def test_a_socket_and_a_terminal_are_read_to_their_end() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"one\ntwo")
        theirs.close()
        assert read(ours.fileno()) == [b"one", b"two"]
    person, terminal = os.openpty()
    os.write(person, b"typed\n\x04")
    assert read(terminal) == [b"typed"]
    os.close(person)
    assert read(terminal) == []
    os.close(terminal)


def test_what_cannot_be_read_has_ended(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    assert read(folder) == []
    os.close(folder)


async def test_the_settings_of_a_pipe_that_others_share_are_left_alone() -> None:
    found: list[bytes | Oversized] = []
    async with asyncio.timeout(PATIENCE):
        reading, writing = os.pipe()
        reader = LineReader(reading, 1000, found.append, lambda: None)
        os.write(writing, b"line\n" * 10_000)  # several pieces
        while len(found) < 10_000:
            await asyncio.sleep(0)
        assert os.get_blocking(reading)
        reader.close()
        os.close(reading)
        os.close(writing)


@pytest.mark.parametrize("name", ["shared pipe", "owned pipe", "file"])
async def test_reading_can_be_paused(tmp_path: Path, name: str) -> None:
    lines = b"".join(b"%d" % number * 65_535 + b"\n" for number in range(3))
    found: list[bytes | Oversized] = []

    def take(line: bytes | Oversized) -> None:
        found.append(line)
        reader.pause()

    reader: LineReader
    async with asyncio.timeout(PATIENCE):
        ended = asyncio.Event()
        (tmp_path / "lines").write_bytes(lines)
        if name == "file":
            descriptor = os.open(tmp_path / "lines", os.O_RDONLY)
        else:
            descriptor, target = os.pipe()
            writer = threading.Thread(target=write_all, args=(target, lines))
            writer.start()
        reader = LineReader(descriptor, 100_000, take, ended.set, owned=name == "owned pipe")
        for count in range(1, 4):
            while len(found) < count:
                await asyncio.sleep(0)
            for _ in range(3):
                await asyncio.sleep(0)
            assert len(found) == count
            reader.resume()
        await ended.wait()
        if name != "owned pipe":
            os.close(descriptor)
        if name != "file":
            writer.join()


def write_all(target: int, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(target, "wb") as pipe:
        pipe.write(data)


LARGE = b"y" * 3_000_000


async def test_a_long_line_is_read_beside_the_loop_and_what_follows_comes_in_its_order() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(limit=len(LARGE))
        writer = threading.Thread(target=write_all, args=(pipe.target, b"a\n" + LARGE + b"\nb\n" + LARGE + b"z\nc"))
        writer.start()
        await pipe.ended.wait()
        await asyncio.to_thread(writer.join)
        assert pipe.lines == [b"a", LARGE, b"b", Oversized(len(LARGE), LARGE[:200]), b"c"]


@pytest.mark.parametrize("how", ["pause", "close", "drain"])
async def test_reading_stops_in_the_middle_of_a_long_line(how: str) -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe(limit=len(LARGE))
        os.write(pipe.target, b"a\n")
        writer = threading.Thread(target=write_all, args=(os.dup(pipe.target), LARGE[:2_000_000]))
        writer.start()
        while pipe.lines != [b"a"]:
            await asyncio.sleep(0)
        if how != "close":
            await asyncio.to_thread(writer.join)
        if how == "pause":
            pipe.reader.pause()
            os.write(pipe.target, b"\n")
            pipe.reader.resume()
            while len(pipe.lines) < 2:
                await asyncio.sleep(0)
        elif how == "drain":
            pipe.reader.drain()
            await pipe.ended.wait()
        pipe.close()
        await asyncio.to_thread(writer.join)
        assert pipe.lines == ([b"a"] if how == "close" else [b"a", LARGE[:2_000_000]])


async def test_what_is_drained_comes_although_the_reader_is_paused() -> None:
    async with asyncio.timeout(PATIENCE):
        pipe = Pipe()
        pipe.reader.pause()
        os.write(pipe.target, b"a\nb\n")
        await asyncio.sleep(0)
        assert pipe.lines == []
        pipe.reader.drain()
        await pipe.ended.wait()
        assert (pipe.lines, pipe.ends) == ([b"a", b"b"], 1)
        pipe.close()


@pytest.mark.parametrize("start", [LineReader.resume, LineReader.drain])
async def test_a_peer_that_keeps_the_reader_busy_does_not_keep_the_loop(start: Callable[[LineReader], None]) -> None:
    async with asyncio.timeout(PATIENCE):
        source, target = os.pipe()
        os.write(target, (b"x" * 1023 + b"\n") * 64)
        turn = 0
        turns: list[int] = []

        def take(line: bytes | Oversized) -> None:
            time.sleep(0.001)  # the work that a line gives
            turns.append(turn)

        reader = LineReader(source, 2000, take, lambda: None, owned=True)
        start(reader)
        while len(turns) < 64:
            await asyncio.sleep(0)
            turn += 1
        assert len(set(turns)) >= 3
        reader.close()
        os.close(target)
