import asyncio
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from zot_agent.modes.output import Output, complain


@contextmanager
def stdout_at(descriptor: int) -> Iterator[None]:
    """`descriptor` in place of standard output, and closed afterwards."""
    kept = os.dup(1)
    os.dup2(descriptor, 1)
    os.close(descriptor)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def test_what_comes_in_one_turn_of_the_loop_is_written_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        output = Output(lambda: None)
        output.write("a")
        output.write("ü\n")
        assert capfd.readouterr().out == ""
        await asyncio.sleep(0)
        assert capfd.readouterr().out == "aü\n"
        output.write("b\ud800")
        output.flush()
        assert capfd.readouterr().out == "b?"
        await asyncio.sleep(0)
        output.flush()
        assert capfd.readouterr().out == ""

    asyncio.run(main())


def test_a_reader_that_has_gone_is_reported_once() -> None:
    async def main() -> None:
        calls: list[int] = []
        output = Output(lambda: calls.append(1))
        for _ in range(3):
            output.write("x")
            output.flush()
        assert calls == [1]
        assert output.gone
        assert output.failure == ""

    reading, writing = os.pipe()
    os.close(reading)
    with stdout_at(writing):
        asyncio.run(main())


def test_a_write_that_the_system_refuses_is_a_failure() -> None:
    async def main() -> None:
        output = Output(lambda: None)
        output.write("x")
        output.flush()
        assert output.failure == f"cannot write to standard output: {os.strerror(errno.EBADF)}"

    with stdout_at(os.open(os.devnull, os.O_RDONLY)):
        asyncio.run(main())


@pytest.mark.parametrize("blocking", [True, False])
def test_hurrying_gives_up_a_reader_that_reads_no_more(blocking: bool) -> None:
    async def main() -> None:
        output = Output(lambda: None)
        output.hurry()
        output.hurry()
        output.write("x" * 1_000_000)
        output.flush()
        assert output.gone
        assert output.failure == ""
        assert not os.get_blocking(1)
        output.restore()
        assert os.get_blocking(1) == blocking

    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    with stdout_at(writing):
        asyncio.run(main())
    os.close(reading)


def test_a_terminal_gets_no_control_sequences_and_a_pipe_gets_them() -> None:
    async def main() -> None:
        for plain in (False, True):
            output = Output(lambda: None, plain=plain)
            output.write("\x1b]0;owned\x07a\x1b[2J\x1b[31mb\n")
            output.flush()

    master, slave = os.openpty()
    with stdout_at(slave):
        asyncio.run(main())
        seen = b""
        while seen.count(b"\n") < 2:  # a terminal may hand on each write by itself
            seen += os.read(master, 1000)
    os.close(master)
    assert seen == b"a\x1b[31mb\r\n" + b"\x1b]0;owned\x07a\x1b[2J\x1b[31mb\r\n"


def test_a_complaint_is_one_line_without_control_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    complain("a\nb\r\n  c \x1b[2J\x07")
    assert capsys.readouterr().err == "zot: a b c \n"
