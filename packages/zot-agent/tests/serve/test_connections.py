"""Clients that misuse connections: too many, too slow, too large."""

import asyncio
import os
import resource
import socket
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager

import pytest
from served import TOKEN, Served, Serving
from waiting import PATIENCE

from zot_agent.rpc.limits import RpcLimits

REQUEST = b"GET /sessions HTTP/1.1\r\nHost: localhost\r\n\r\n"
WITH_TOKEN = REQUEST.replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())


async def _connect(served: Served, data: bytes = b"") -> socket.socket:
    """A connection whose client sends `data` as far as the server takes it, and reads nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setblocking(False)
    await asyncio.get_running_loop().sock_connect(client, (served.address.host, served.address.port))
    try:
        while data:
            data = data[client.send(data) :]
    except (BlockingIOError, ConnectionError):
        pass
    return client


async def _send_until_closed(client: socket.socket, data: bytes, most: int = 1 << 40) -> int:
    """Send `data` again and again until the server closes the connection; return how many bytes were sent."""
    sent = 0
    async with asyncio.timeout(PATIENCE):
        while sent < most:
            try:
                await asyncio.get_running_loop().sock_sendall(client, data)
            except ConnectionError:
                break
            sent += len(data)
    return sent


async def _ended(client: socket.socket) -> None:
    """Return when the server has closed the connection."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(PATIENCE):
        try:
            while await loop.sock_recv(client, 65536):
                pass
        except ConnectionResetError:
            pass


@contextmanager
def _many_descriptors() -> Iterator[None]:
    """Allow this process, which is client and server here, twice as many descriptors as it needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("data", [b"", b"GET / HT", REQUEST * 8, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
async def test_strangers_do_not_lock_the_owner_out(serving: Serving, data: bytes) -> None:
    with _many_descriptors(), ExitStack() as clients:
        async with serving() as served:
            for _ in range(1030):
                clients.enter_context(await _connect(served, data))
            assert await served.sessions() == []
            async with served.socket(await served.open()) as peer:
                assert (await peer.call("ping"))["success"]


async def test_the_oldest_stranger_of_a_peer_makes_room_for_its_next_connection(serving: Serving) -> None:
    async with serving(peer_strangers=2) as served:
        with await _connect(served) as first, await _connect(served) as second, await _connect(served):
            await _ended(first)
            assert second.fileno() >= 0
            with pytest.raises(BlockingIOError):
                second.recv(1)


async def test_connections_that_are_in_use_are_kept_when_there_are_too_many(serving: Serving) -> None:
    async with serving(connections=2) as served:
        id = await served.open()
        async with served.socket(id) as one, served.socket(id) as two:
            with await _connect(served) as third:
                await _ended(third)
            assert (await one.call("ping"))["success"]
            assert (await two.call("ping"))["success"]


@pytest.mark.parametrize("data", [b"", b"GET / HT", REQUEST, REQUEST * 50000, WITH_TOKEN + b"GET / HT"])
async def test_a_connection_without_a_request_with_the_token_is_closed(serving: Serving, data: bytes) -> None:
    async with serving(stranger_seconds=0.3) as served:
        with await _connect(served, data) as client:
            await _ended(client)


async def test_a_request_with_the_token_may_take_longer_than_a_stranger(serving: Serving) -> None:
    async with serving(stranger_seconds=2, heartbeat_seconds=1.2) as served:
        id = await served.open()
        async with served.http.stream("GET", f"/sessions/{id}/events") as response:
            beats = 0
            async for line in response.aiter_lines():
                beats += line == ": still here"
                if beats == 2:
                    break


async def test_a_client_that_sends_requests_with_the_token_and_reads_nothing_is_closed(serving: Serving) -> None:
    async with serving(unread_seconds=0.3) as served:
        with await _connect(served) as client:
            await _send_until_closed(client, WITH_TOKEN * 1000)


@asynccontextmanager
async def _raw_web_socket(served: Served, extension: str = "") -> AsyncIterator[tuple[socket.socket, bytes]]:
    """A WebSocket of a new session as bytes, and the head of the response to its request."""
    id = await served.open()
    upgrade = (
        f"GET /sessions/{id}/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n{extension}"
        f"Authorization: Bearer {TOKEN}\r\n\r\n"
    )
    with await _connect(served, upgrade.encode()) as client:
        head = b""
        async with asyncio.timeout(PATIENCE):
            while not head.endswith(b"\r\n\r\n"):
                head += await asyncio.get_running_loop().sock_recv(client, 4096)
        yield client, head


def _frame(first: int, data: bytes) -> bytes:
    return bytes([first, 0xFF]) + len(data).to_bytes(8, "big") + bytes(4) + data


async def test_a_message_in_many_frames_is_no_longer_than_a_message_in_one(serving: Serving) -> None:
    async with serving(rpc=RpcLimits(line_bytes=1 << 20)) as served, _raw_web_socket(served) as (client, _):
        await asyncio.get_running_loop().sock_sendall(client, _frame(0x01, b"begin"))
        assert await _send_until_closed(client, _frame(0x00, b"x" * (1 << 18)), 1 << 30) < 1 << 27


async def test_compressed_messages_are_not_accepted(serving: Serving) -> None:
    offer = "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover\r\n"
    async with serving() as served, _raw_web_socket(served, offer) as (client, head):
        assert head.startswith(b"HTTP/1.1 101")
        assert b"permessage-deflate" not in head.lower()
        packed = zlib.compressobj(9, zlib.DEFLATED, -15)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(client, _frame(0xC1, packed.compress(bytes(1 << 26)) + packed.flush(zlib.Z_SYNC_FLUSH)))
        await _ended(client)


async def test_a_client_that_sends_pings_and_reads_nothing_is_closed(serving: Serving) -> None:
    async with serving(unread_seconds=0.3) as served, _raw_web_socket(served) as (client, _):
        await _send_until_closed(client, (b"\x89\xfd" + bytes(4) + b"x" * 125) * 100)


def _use_up_descriptors(opened: ExitStack) -> None:
    try:
        while True:
            opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass


async def test_accepting_continues_when_descriptors_were_used_up_and_says_so_once(
    serving: Serving, capfd: pytest.CaptureFixture[str]
) -> None:
    async with serving(accept_retry_seconds=0.05) as served:
        with socket.socket() as client, ExitStack() as opened:
            client.setblocking(False)
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            used = opened.enter_context(open(os.devnull, "rb")).fileno()
            resource.setrlimit(resource.RLIMIT_NOFILE, (used + 4, hard))
            try:
                _use_up_descriptors(opened)
                loop = asyncio.get_running_loop()
                await loop.sock_connect(client, (served.address.host, served.address.port))
                await loop.sock_sendall(client, WITH_TOKEN)
                async with asyncio.timeout(PATIENCE):
                    said = ""
                    while not said:
                        await asyncio.sleep(0.2)
                        said += capfd.readouterr().err
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            async with asyncio.timeout(PATIENCE):
                assert (await loop.sock_recv(client, 4096)).startswith(b"HTTP/1.1 200")
        assert said + capfd.readouterr().err == "zot: cannot accept connections: Too many open files\n"


@pytest.mark.parametrize("data", [b"", REQUEST * 5000, WITH_TOKEN * 5000])
async def test_the_end_does_not_wait_for_clients(serving: Serving, data: bytes) -> None:
    with ExitStack() as clients:
        async with asyncio.timeout(PATIENCE):
            async with serving(flush_seconds=0.2, unread_seconds=600) as served:
                for _ in range(20):
                    clients.enter_context(await _connect(served, data))
                id = await served.open()
                upgraded = (
                    f"GET /sessions/{id}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
                )
                clients.enter_context(await _connect(served, upgraded.encode()))
                assert len(await served.sessions()) == 1
