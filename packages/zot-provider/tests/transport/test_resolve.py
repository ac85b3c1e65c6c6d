"""Requests whose names are looked up by a function of the caller."""

import asyncio

import pytest
from raw_server import StartRawServer

from zot_provider.errors import ConnectError
from zot_provider.transport.http import HttpLimits, HttpTransport


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    assert b"host: somewhere.test:" in head
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["127.0.0.2", "::1", "127.0.0.1"]])
async def test_the_first_address_that_answers_is_used(raw_server: StartRawServer, addresses: list[str]) -> None:
    asked: list[str] = []

    async def resolve(name: str, port: int) -> list[str]:
        asked.append(name)
        return addresses

    async with raw_server(answer) as server:
        transport = HttpTransport(HttpLimits(connect=10), resolve=resolve)
        reply = await transport.send("GET", f"http://somewhere.test:{server.port}/", {})
        assert reply.body == b"hello"
        assert asked == ["somewhere.test"]
        await transport.close()


@pytest.mark.parametrize("addresses", [[], ["127.0.0.1"]])
async def test_a_host_without_an_address_that_answers_is_an_error(addresses: list[str]) -> None:
    async def resolve(name: str, port: int) -> list[str]:
        return addresses

    transport = HttpTransport(resolve=resolve)
    with pytest.raises(ConnectError):
        await transport.send("GET", "http://somewhere.test:1/", {})
    await transport.close()


async def test_what_the_function_raises_ends_the_request() -> None:
    async def refuse(name: str, port: int) -> list[str]:
        raise LookupError(name)

    transport = HttpTransport(resolve=refuse)
    with pytest.raises(LookupError, match=r"somewhere\.test"):
        await transport.send("GET", "http://somewhere.test/", {})
    await transport.close()
