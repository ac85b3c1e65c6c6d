"""Requests through a real proxy, which answers CONNECT and passes bytes in both directions."""

import asyncio
import ssl
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
import trustme
from raw_server import StartRawServer
from waiting import until

from zot_provider.errors import ConnectError, ProviderError
from zot_provider.transport.http import HttpLimits, HttpTransport

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


class Tunnels:
    """A proxy that leads every CONNECT to the server on this port. `asked` has the heads of the requests."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.asked: list[bytes] = []

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append(await reader.readuntil(b"\r\n\r\n"))
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        with suppress(ConnectionError):
            await back.wait_closed()

    @staticmethod
    async def _pass(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
        target.close()


async def two_parts(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer each request with a stream of two parts."""
    while True:
        await reader.readuntil(b"\r\n\r\n{}")
        for part in (HEAD, b"3\r\none\r\n", b"3\r\ntwo\r\n0\r\n\r\n"):
            writer.write(part)
            await writer.drain()


async def post(client: HttpTransport, url: str) -> bytes:
    async with aclosing(client.post(url, {}, b"{}")) as chunks:
        return b"".join([chunk async for chunk in chunks])


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """The certificate of `model.example`, of an authority that `SSL_CERT_FILE` names."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("model.example").configure_cert(made)
    return made


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
async def test_an_answer_comes_through_a_proxy_whose_tunnel_is_used_again(
    context: ssl.SSLContext, raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    tunnels = Tunnels()
    async with raw_server(two_parts, ssl=context) as server, raw_server(tunnels.handle) as proxy:
        tunnels.port = server.port
        monkeypatch.setenv(variable, f"http://me:secret@127.0.0.1:{proxy.port}")
        client = HttpTransport()
        for _ in range(3):
            assert await post(client, "https://model.example/v1") == b"onetwo"
        await client.close()
        await until(lambda: proxy.ended == server.ended == 1)
    (asked,) = tunnels.asked
    lines = asked.lower().split(b"\r\n")
    assert lines[0] == b"connect model.example:443 http/1.1"
    assert b"proxy-authorization: basic bwu6c2vjcmv0" in lines


async def test_a_host_that_needs_no_proxy_is_asked_without_one(
    context: ssl.SSLContext, raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    client = HttpTransport(insecure=True)  # the certificate is for another name
    async with raw_server(two_parts, ssl=context) as server:
        assert await post(client, f"https://127.0.0.1:{server.port}/v1") == b"onetwo"
        await client.close()


async def test_the_certificate_behind_a_proxy_is_checked(
    context: ssl.SSLContext, raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw_server(two_parts, ssl=context) as server, raw_server(Tunnels(server.port).handle) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        client = HttpTransport()
        with pytest.raises(ConnectError, match="certificate"):
            await post(client, "https://other.example/v1")
        await client.close()
        await until(lambda: proxy.ended == 1)


async def test_a_proxy_that_says_nothing_is_given_up_in_time(
    raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(-1)

    async with raw_server(silent) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        client = HttpTransport(HttpLimits(connect=0.1, read=0.1, write=0.1))
        with pytest.raises(ProviderError, match=r"answer|limit"):
            await post(client, "https://model.example/v1")
        await client.close()
