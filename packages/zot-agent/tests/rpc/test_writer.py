"""`ClientWriter`: lines to a client, which may be slow or gone."""

import asyncio
import contextlib
import os
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from waiting import PATIENCE

from zot_agent.rpc.limits import DEFAULT_LIMITS, RpcLimits
from zot_agent.rpc.writer import ClientWriter


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


def written(act: Callable[[ClientWriter, int], Awaitable[None]], limits: RpcLimits = DEFAULT_LIMITS) -> list[str]:
    """Run `act` with a writer to a pipe and the pipe's other end; why the writer has ended, if it has."""

    async def main(reading: int, writing: int) -> None:
        writer = ClientWriter(limits, gone.append, moved=lambda: None, descriptor=writing)
        try:
            await within(act(writer, reading))
        finally:
            writer.close()
        assert os.get_blocking(writing)

    gone: list[str] = []
    with pipe() as ends:
        asyncio.run(main(*ends))
    return gone


def test_events_and_responses_are_lines_of_utf_8() -> None:
    async def act(writer: ClientWriter, reading: int) -> None:
        writer.publish("one")
        writer.respond("tw\u00f6")
        assert writer.waiting > 0
        await writer.drain()
        assert os.read(reading, 100) == "one\ntw\u00f6\n".encode()
        assert writer.waiting == 0

    assert written(act) == []


def test_a_client_that_lets_too_much_wait_is_stuck() -> None:
    async def act(writer: ClientWriter, reading: int) -> None:
        while not writer.closed:
            writer.publish("x" * 9_999)
            await asyncio.sleep(0)

    (why,) = written(act, RpcLimits(max_bytes=500_000))
    assert re.fullmatch(r"the client does not read: \d{6} bytes wait for it", why)


def test_a_client_that_takes_nothing_for_too_long_is_stuck() -> None:
    async def act(writer: ClientWriter, reading: int) -> None:
        writer.publish("x" * 500_000)
        await asyncio.sleep(0)
        writer.set_stall_limit(0.05)
        await writer.drain()
        assert writer.closed

    assert written(act) == ["the client has read nothing for 0.05 s"]


def test_a_disconnected_client_is_noticed_before_the_next_write() -> None:
    async def act(writer: ClientWriter, reading: int) -> None:
        os.close(reading)
        while not writer.closed:
            await asyncio.sleep(0.001)

    assert written(act) == [""]
