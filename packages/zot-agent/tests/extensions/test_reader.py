import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from zot_agent.extensions.reader import LineReader
from zot_ext.protocol.splitter import Oversized

LONG = 60.0


class Pipe:
    """A reader, the end that is written to, and what has come."""

    def __init__(self, limit: int = 1 << 20) -> None:
        source, self.target = os.pipe()
        os.set_blocking(source, False)
        self.lines: list[bytes | Oversized] = []
        self.ended = asyncio.Event()
        self.ends = 0
        self.reader = LineReader(source, limit, self.take, self.end)
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


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(LONG):
            await work()

    asyncio.run(limited())


@settings(max_examples=settings.default.max_examples * 3 // 10)
@given(st.lists(st.binary(min_size=1, max_size=300).filter(lambda line: b"\n" not in line), max_size=40))
def test_all_lines_arrive_the_last_also_without_its_end(parts: list[bytes]) -> None:
    async def work() -> None:
        pipe = Pipe()
        os.write(pipe.target, b"\n".join(b"|" + part + b"|" for part in parts))
        os.close(pipe.target)
        await pipe.ended.wait()
        assert pipe.lines == [b"|" + part + b"|" for part in parts]
        assert (pipe.ends, pipe.reader.closed) == (1, True)
        pipe.reader.close()

    run(work)


def test_a_line_too_long_is_told_as_such() -> None:
    async def work() -> None:
        pipe = Pipe(limit=10)
        os.write(pipe.target, b"0123456789a\nshort\n")
        pipe.reader.drain()
        assert pipe.lines == [Oversized(10, b"0123456789"), b"short"]
        pipe.close()

    run(work)


def test_draining_takes_what_is_there_for_the_end_although_somebody_holds_the_pipe() -> None:
    async def work() -> None:
        pipe = Pipe()
        os.write(pipe.target, b"a\nb")
        pipe.reader.drain()
        assert (pipe.lines, pipe.ends) == ([b"a", b"b"], 1)
        pipe.reader.drain()
        assert pipe.ends == 1
        pipe.close()

    run(work)


def test_draining_ends_although_somebody_writes_without_end() -> None:
    async def work() -> None:
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
        await asyncio.to_thread(gone.wait, LONG)
        thread.join()
        pipe.close()

    run(work)


def test_who_closes_the_reader_over_a_line_gets_no_other() -> None:
    async def work() -> None:
        pipe = Pipe()
        pipe.enough = 1
        os.write(pipe.target, b"a\nb\n")
        while not pipe.lines:
            await asyncio.sleep(0)
        assert (pipe.lines, pipe.ends) == ([b"a"], 0)
        os.close(pipe.target)

    run(work)
