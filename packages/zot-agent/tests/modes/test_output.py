import asyncio
import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from zot_agent.modes.output import Output


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


async def test_what_comes_in_one_turn_of_the_loop_is_written_at_once(capfd: pytest.CaptureFixture[str]) -> None:
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


async def test_a_reader_that_has_gone_is_reported_once() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with stdout_at(writing):
        calls: list[int] = []
        output = Output(lambda: calls.append(1))
        for _ in range(3):
            output.write("x")
            output.flush()
        assert calls == [1]
        assert output.disconnected
        assert output.failure == ""


async def test_a_write_that_the_system_refuses_is_a_failure() -> None:
    with stdout_at(os.open(os.devnull, os.O_RDONLY)):
        output = Output(lambda: None)
        output.write("x")
        output.flush()
        assert output.failure == f"cannot write to standard output: {os.strerror(errno.EBADF)}"


@pytest.mark.parametrize("blocking", [True, False])
async def test_stop_waiting_gives_up_a_reader_that_has_stopped_reading(blocking: bool) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    with stdout_at(writing):
        output = Output(lambda: None)
        output.stop_waiting()
        output.stop_waiting()
        output.write("x" * 1_000_000)
        output.flush()
        assert output.disconnected
        assert output.failure == ""
        assert not os.get_blocking(1)
        output.restore()
        assert os.get_blocking(1) == blocking
    os.close(reading)


def written_to_terminal(*texts: str, plain: bool = False) -> str:
    """What a terminal gets of these texts, each flushed by itself; the last one ends with a line break."""

    async def main() -> None:
        output = Output(lambda: None, plain=plain)
        for text in texts:
            output.write(text)
            output.flush()

    master, slave = os.openpty()
    with stdout_at(slave):
        asyncio.run(main())
        seen = b""
        while not seen.endswith(b"end\r\n"):  # a terminal may hand on each write by itself
            seen += os.read(master, 1000)
    os.close(master)
    return seen.decode().replace("\r\n", "\n").removesuffix("end\n")


UNSAFE = "\x1b]0;owned\x07a\x1b[2J\x1b[31mb\u202ec\u200bd\x9b2Je\x1bPq\x1b\\f👩\u200d👧"


def test_a_terminal_gets_no_control_sequences() -> None:
    assert written_to_terminal(UNSAFE, "end\n") == "ab\ufffdcdef👩\u200d👧"


def test_a_sequence_that_is_split_over_two_writes_does_not_reach_the_terminal() -> None:
    assert written_to_terminal(*UNSAFE, "end\n") == "ab\ufffdcdef👩\u200d👧"
    assert written_to_terminal("a\x1b]52;c;", "aGk=" * 20_000, "aGk=", "\x07b", "end\n") == "ab"


def test_json_on_a_terminal_has_escapes_for_what_does_not_print() -> None:
    line = json.dumps({"text": UNSAFE, "more": "\U000e0041é"}, ensure_ascii=False) + "\n"
    seen = written_to_terminal(line, "end\n", plain=True)
    assert seen.replace("\n", "").isprintable()
    assert json.loads(seen) == json.loads(line)
    assert "é" in seen


async def test_a_pipe_gets_text_as_it_is() -> None:
    reading, writing = os.pipe()
    with stdout_at(writing), open(reading, "rb") as pipe:
        output = Output(lambda: None)
        for each in UNSAFE:
            output.write(each)
            output.flush()
        os.dup2(2, 1)
        assert pipe.read().decode() == UNSAFE
