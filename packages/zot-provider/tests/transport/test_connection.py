import asyncio
from typing import Any

import pytest
from raw_server import StartRawServer
from waiting import PATIENCE

from zot_provider.transport.connection import BrokenConnection, HttpConnection, NotHttp, request_bytes
from zot_provider.transport.pool import ConnectionPool, Origin

REQUEST = request_bytes(b"POST", b"/", [(b"host", b"h"), (b"content-length", b"2")], b"{}")
HEAD = b"HTTP/1.1 200 OK\r\n"


async def take_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    return head + await reader.readexactly(2)


def answering(*pieces: bytes, close: bool = True, pause: float = 0.01) -> Any:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await take_request(reader)
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause)
            if close:
                return

    return handler


async def exchange(connection: HttpConnection, limit: float = PATIENCE) -> tuple[int, list[bytes]]:
    connection.send(REQUEST)
    status, _ = await connection.head(limit)
    return status, [chunk async for chunk in connection.chunks(limit)]


BODIES = [
    pytest.param([HEAD + b"content-length: 5\r\n\r\nhe", b"llo"], id="content-length"),
    pytest.param([HEAD + b"transfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\n", b"llo\r\n0\r\n\r\n"], id="chunked"),
    pytest.param([HEAD + b"\r\nhe", b"llo"], id="until the connection closes"),
    pytest.param([b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"content-length: 5\r\n\r\nhello"], id="100"),
    pytest.param([b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", HEAD, b"content-length: 5\r\n\r\nhello"], id="103"),
    pytest.param([bytes([byte]) for byte in HEAD + b"content-length: 5\r\n\r\nhello"], id="byte by byte"),
    pytest.param([b"HTTP/1.0 200 OK\r\n\r\nhello"], id="HTTP/1.0"),
]


@pytest.mark.parametrize("pieces", BODIES)
async def test_a_body_ends_where_its_framing_says(raw_server: StartRawServer, pieces: list[bytes]) -> None:
    async with raw_server(answering(*pieces, pause=0.001)) as server:
        connection, reused = await ConnectionPool().acquire(Origin("127.0.0.1", server.port), 60.0)
        assert not reused
        status, chunks = await exchange(connection)
        assert (status, b"".join(chunks)) == (200, b"hello")
        connection.abort()


CUTS = [
    pytest.param([HEAD + b"content-length: 9\r\n\r\nhello"], id="content-length"),
    pytest.param([HEAD + b"transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n"], id="chunked"),
    pytest.param([HEAD + b"transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n"], id="nonsense"),
    pytest.param([HEAD], id="no header's end"),
    pytest.param([b"SSH-2.0-OpenSSH\r\n"], id="no HTTP"),
    pytest.param([], id="nothing"),
]


@pytest.mark.parametrize("pieces", CUTS)
async def test_a_body_that_does_not_reach_its_end_is_a_broken_connection(
    raw_server: StartRawServer, pieces: list[bytes]
) -> None:
    async with raw_server(answering(*pieces)) as server:
        pool = ConnectionPool()
        connection, _ = await pool.acquire(Origin("127.0.0.1", server.port), 60.0)
        with pytest.raises((BrokenConnection, NotHttp)):
            await exchange(connection)
        assert not connection.reusable
        pool.release(Origin("127.0.0.1", server.port), connection)


async def test_a_connection_is_used_again_after_its_answer_was_read(raw_server: StartRawServer) -> None:
    async with raw_server(answering(HEAD + b"content-length: 2\r\n\r\nok", close=False)) as server:
        pool = ConnectionPool()
        for turn in range(3):
            connection, reused = await pool.acquire(Origin("127.0.0.1", server.port), 60.0)
            assert reused == (turn > 0)
            assert await exchange(connection) == (200, [b"ok"])
            pool.release(Origin("127.0.0.1", server.port), connection)
        assert server.connections == 1
        pool.close()
        pool.close()


@pytest.mark.parametrize("header", [b"connection: close\r\n", b""])
async def test_a_connection_closed_by_the_server_is_not_reused(raw_server: StartRawServer, header: bytes) -> None:
    answer = HEAD + header + (b"content-length: 2\r\n" if header else b"") + b"\r\nok"
    async with raw_server(answering(answer)) as server:
        pool = ConnectionPool()
        for _ in range(2):
            connection, reused = await pool.acquire(Origin("127.0.0.1", server.port), 60.0)
            assert not reused
            assert await exchange(connection) == (200, [b"ok"])
            pool.release(Origin("127.0.0.1", server.port), connection)
        assert server.connections == 2


async def test_a_slow_reader_slows_the_server_and_loses_nothing(raw_server: StartRawServer) -> None:
    size = 40 << 20
    sent = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await take_request(reader)
        writer.write(HEAD + b"content-length: %d\r\n\r\n" % size)
        while sent < size:
            writer.write(b"x" * (1 << 20))
            await writer.drain()
            sent += 1 << 20

    async with raw_server(handler) as server:
        connection, _ = await ConnectionPool().acquire(Origin("127.0.0.1", server.port), 60.0)
        connection.send(REQUEST)
        await connection.head(60.0)
        await asyncio.sleep(0.3)
        assert sent < size
        received = 0
        async for chunk in connection.chunks(60.0):
            received += len(chunk)
        assert received == size
        connection.abort()


async def test_a_paused_connection_whose_answer_was_not_read_can_be_used_again(raw_server: StartRawServer) -> None:
    body = b"x" * ((1 << 20) + 1)  # the last byte is one too many to go on reading
    answer = HEAD + b"content-length: %d\r\n\r\n" % len(body) + body
    async with raw_server(answering(answer, close=False)) as server:
        connection, _ = await ConnectionPool().acquire(Origin("127.0.0.1", server.port), 60.0)
        for _ in range(2):
            connection.send(REQUEST)
            assert (await connection.head(60.0))[0] == 200
            while not connection.reusable:
                await asyncio.sleep(0.01)
        connection.abort()


async def test_waiting_has_a_limit(raw_server: StartRawServer) -> None:
    async with raw_server(answering(b"", pause=0.5)) as server:
        connection, _ = await ConnectionPool().acquire(Origin("127.0.0.1", server.port), 60.0)
        connection.send(REQUEST)
        with pytest.raises(TimeoutError):
            await connection.head(0.05)
        connection.abort()
    async with raw_server(answering(HEAD + b"\r\nab", b"", b"", pause=0.4)) as server:
        connection, _ = await ConnectionPool().acquire(Origin("127.0.0.1", server.port), 60.0)
        with pytest.raises(TimeoutError):
            await exchange(connection, limit=0.2)
        connection.abort()


async def test_sending_on_a_closed_connection_says_so(raw_server: StartRawServer) -> None:
    async with raw_server(answering(HEAD + b"content-length: 0\r\n\r\n")) as server:
        connection, _ = await ConnectionPool().acquire(Origin("127.0.0.1", server.port), 60.0)
        connection.abort()
        await asyncio.sleep(0.01)
        with pytest.raises(BrokenConnection):
            connection.send(REQUEST)


def test_a_request_is_written_as_http_wants_it() -> None:
    assert REQUEST == b"POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n{}"
