import asyncio
import contextlib
import itertools
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.rpc.limits import DEFAULT_LIMITS, RpcLimits
from zot_agent.rpc.reader import Reader
from zot_agent.rpc.writer import Writer
from zot_ext.protocol.splitter import Oversized

PATIENCE = 60
ZOT = [
    sys.executable,
    "-m",
    "zot_agent",
    "rpc",
    "--provider",
    "openai",
    "--model",
    "m",
    "--base-url",
    "http://127.0.0.1:9/v1",
]


@contextlib.contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """Both ends of a pipe, closed at the end by whoever has not done so before."""
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            with contextlib.suppress(OSError):
                os.close(end)


async def within(waiting: Awaitable[Any]) -> Any:
    async with asyncio.timeout(PATIENCE):
        return await waiting


def written(act: Callable[[Writer, int], Awaitable[None]], limits: RpcLimits = DEFAULT_LIMITS) -> list[str]:
    """Run `act` with a writer to a pipe and the pipe's other end; why the writer has ended, if it has."""

    async def main(reading: int, writing: int) -> None:
        writer = Writer(limits, gone.append, descriptor=writing)
        try:
            await within(act(writer, reading))
        finally:
            writer.close()
        assert os.get_blocking(writing)

    gone: list[str] = []
    with pipe() as ends:
        asyncio.run(main(*ends))
    return gone


def read(descriptor: int, limit: int = 1000) -> list[bytes | Oversized]:
    """The lines up to the end."""

    async def main() -> list[bytes | Oversized]:
        found: list[bytes | Oversized] = []
        ended = asyncio.Event()
        reader = Reader(limit, found.append, ended.set, descriptor=descriptor)
        await within(ended.wait())
        assert reader.closed
        return found

    return asyncio.run(main())


def test_what_one_round_of_the_loop_brings_is_one_write() -> None:
    async def act(writer: Writer, reading: int) -> None:
        writer.send("one")
        writer.send("tw\u00f6 \ud800")
        assert writer.waiting > 0
        await writer.drain()
        assert os.read(reading, 100) == "one\ntw\u00f6 ?\n".encode()
        assert writer.waiting == 0

    assert written(act) == []


def test_what_the_client_has_not_read_waits_and_is_bounded() -> None:
    async def act(writer: Writer, reading: int) -> None:
        loop, room = asyncio.get_running_loop(), asyncio.Event()
        for _ in range(40):
            writer.send("x" * 9_999)
        waiting = asyncio.ensure_future(writer.room())
        waiting.add_done_callback(lambda _: room.set())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not room.is_set()
        taken = 0
        while not room.is_set() or writer.waiting:
            taken += len(await loop.run_in_executor(None, os.read, reading, 50_000))
            await asyncio.sleep(0)
        await writer.drain()
        os.set_blocking(reading, False)
        with contextlib.suppress(BlockingIOError):
            while taken < 400_000:
                taken += len(os.read(reading, 50_000))
        assert taken == 400_000

    assert written(act, RpcLimits(pause=100_000)) == []


def test_a_client_that_lets_too_much_wait_is_stuck() -> None:
    async def act(writer: Writer, reading: int) -> None:
        while not writer.closed:
            writer.send("x" * 9_999)
            await asyncio.sleep(0)
        writer.send("of no use")
        await writer.room()
        await writer.drain()

    (why,) = written(act, RpcLimits(most=500_000))
    assert why.startswith("the client does not read")


def test_a_client_that_takes_nothing_for_too_long_is_stuck() -> None:
    async def act(writer: Writer, reading: int) -> None:
        writer.send("x" * 500_000)
        await asyncio.sleep(0)
        writer.hurry(0.05)
        await writer.drain()
        assert writer.closed

    (why,) = written(act)
    assert why == "the client has read nothing for 0.05 s"


def test_a_client_that_goes_is_noticed_before_anything_is_written() -> None:
    async def act(writer: Writer, reading: int) -> None:
        os.close(reading)
        while not writer.closed:
            await asyncio.sleep(0.001)

    assert written(act) == [""]


def test_a_client_that_goes_in_the_middle_is_noticed() -> None:
    async def act(writer: Writer, reading: int) -> None:
        writer.send("x" * 500_000)
        await asyncio.sleep(0)
        os.close(reading)
        await writer.drain()

    assert written(act) == [""]


def test_a_client_on_a_socket_may_say_something_there_and_is_missed_when_it_goes() -> None:
    async def main() -> list[str]:
        gone: list[str] = []
        ours, theirs = socket.socketpair()
        with ours, theirs:
            writer = Writer(DEFAULT_LIMITS, gone.append, descriptor=ours.fileno())
            theirs.sendall(b"what for?")
            await asyncio.sleep(0.01)
            assert not writer.closed
            writer.send("still here")
            await within(writer.drain())
            assert theirs.recv(100) == b"still here\n"
            theirs.close()
            async with asyncio.timeout(PATIENCE):
                while not writer.closed:
                    await asyncio.sleep(0.01)
        return gone

    assert asyncio.run(main()) == [""]


@given(text=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=5))
def test_lines_come_as_they_are_however_they_are_cut(text: bytes, cuts: list[int]) -> None:
    async def main(reading: int, writing: int) -> list[bytes | Oversized]:
        found: list[bytes | Oversized] = []
        ended = asyncio.Event()
        Reader(1000, found.append, ended.set, descriptor=reading)
        places = [0, *sorted(cuts), len(text)]
        for start, end in itertools.pairwise(places):
            os.write(writing, text[start:end])
            await asyncio.sleep(0)
        os.close(writing)
        await within(ended.wait())
        return found

    with pipe() as ends:
        found = asyncio.run(main(*ends))
    lines = [line.removesuffix(b"\r") for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    assert [line for line in found if line != b"\r"] == [line for line in lines if line and not line.isspace()]


def test_a_file_and_no_input_at_all_are_read_to_their_end(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"one\n" + b"x" * 2000 + b"\nlast")
    with open(tmp_path / "lines", "rb") as file, open(os.devnull, "rb") as nothing:
        assert read(file.fileno()) == [b"one", Oversized(1000, b"x" * 200), b"last"]
        assert read(nothing.fileno()) == []


@pytest.mark.parametrize("name", ["pipe", "file"])
def test_reading_can_be_paused(tmp_path: Path, name: str) -> None:
    async def main(descriptor: int) -> None:
        found: list[bytes | Oversized] = []
        ended = asyncio.Event()

        def take(line: bytes | Oversized) -> None:
            found.append(line)
            reader.pause()

        reader = Reader(100_000, take, ended.set, descriptor=descriptor)
        for count in range(1, 4):
            async with asyncio.timeout(PATIENCE):
                while len(found) < count:
                    await asyncio.sleep(0)
            for _ in range(3):
                await asyncio.sleep(0)
            assert len(found) == count
            reader.go_on()
        await within(ended.wait())

    lines = b"".join(b"%d" % number * 65_535 + b"\n" for number in range(3))
    (tmp_path / "lines").write_bytes(lines)
    if name == "file":
        with open(tmp_path / "lines", "rb") as file:
            asyncio.run(main(file.fileno()))
    else:
        with subprocess.Popen(["cat", tmp_path / "lines"], stdout=subprocess.PIPE) as cat:
            assert cat.stdout is not None
            asyncio.run(main(cat.stdout.fileno()))


def zot(alone: Path, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    env = os.environ | {"OPENAI_API_KEY": "sk-x"}
    return subprocess.run(ZOT, cwd=alone, env=env, stderr=subprocess.PIPE, timeout=PATIENCE, check=False, **options)


def test_commands_may_stand_in_a_file_and_answers_go_to_one(alone: Path) -> None:
    (alone / "commands").write_text('{"type":"ping"}\n{"type":"prompt","message":"hi"}\n')

    with open(alone / "commands", "rb") as commands, open(alone / "answers", "wb") as answers:
        done = zot(alone, stdin=commands, stdout=answers)

    lines = (alone / "answers").read_text().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "pong" in lines[0]
    assert lines[-1] == '{"type":"done"}'


def test_without_input_there_is_nothing_to_do(alone: Path) -> None:
    done = zot(alone, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_prompt_on_the_command_line_is_a_mistake(alone: Path) -> None:
    env = os.environ | {"OPENAI_API_KEY": "sk-x"}
    done = subprocess.run([*ZOT, "hello"], cwd=alone, env=env, capture_output=True, timeout=PATIENCE, check=False)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"zot: zot rpc takes no prompt")
