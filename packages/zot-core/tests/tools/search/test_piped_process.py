import asyncio
import os
import sys
import time

import pytest

from zot_core.tools.search.piped_process import PipedProcess

ECHO = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line.upper()); sys.stdout.flush()"


def python(code: str) -> PipedProcess:
    return PipedProcess([sys.executable, "-I", "-S", "-c", code])


async def test_lines_are_answered_one_by_one() -> None:
    child = python(ECHO)
    try:
        assert [await child.ask(line) for line in (b"a\n", b"b" * 200_000 + b"\n")] == [b"A\n", b"B" * 200_000 + b"\n"]
    finally:
        child.close()


async def test_all_output_comes_with_the_exit_code() -> None:
    child = python("print('x' * 100_000); raise SystemExit(3)")
    try:
        assert await child.output() == (3, b"x" * 100_000 + b"\n")
    finally:
        child.close()


async def test_a_process_that_has_ended_is_a_broken_pipe() -> None:
    child = python("")
    try:
        with pytest.raises(BrokenPipeError):
            await child.ask(b"a\n")
    finally:
        child.close()


async def test_cancelling_kills_the_process_and_leaves_nothing_open() -> None:
    child = python("import time\nwhile True: pass")
    process = child._process.pid
    task = asyncio.ensure_future(child.ask(b"a\n"))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    child.close()
    assert time.monotonic() - began < 60
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_program_that_is_not_there_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        PipedProcess(["zot-no-such-program"])
