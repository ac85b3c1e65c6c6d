"""Answers without end: each is given up at a limit of size or time, over a real socket."""

import asyncio
import gzip
from collections.abc import Iterator
from contextlib import aclosing
from itertools import chain, repeat
from typing import Any

import pytest
from raw_server import StartRawServer
from waiting import PATIENCE

from zot_provider.errors import ConnectError, ProviderError, ResponseTimeout, StatusError, StreamCut
from zot_provider.transport.http import HttpLimits, HttpTransport

IMPATIENT = HttpLimits(read=0.3, connect=0.3, write=0.3)
OK = b"HTTP/1.1 200 OK\r\n"
STREAM = OK + b"content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def sending(pieces: Iterator[bytes], pause: float = 0.0) -> Any:
    """A handler that sends pieces until the client has closed the connection."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
        await reader.read()  # the headers end here, the body may not

    return handler


async def failure(raw_server: StartRawServer, handler: Any, limits: HttpLimits = IMPATIENT) -> ProviderError:
    """Return what posting to a server with this handler raises, within a minute."""
    async with raw_server(handler) as server:
        transport = HttpTransport(limits)
        try:
            async with asyncio.timeout(PATIENCE), aclosing(transport.post(server.url, {}, b"{}")) as chunks:
                async for _ in chunks:
                    pass
        except ProviderError as error:
            return error
        finally:
            await transport.close()
        raise AssertionError("the answer was accepted")


ENDLESS = [
    pytest.param(chain([OK + b"x: "], repeat(b"y" * 8192)), ConnectError, id="a header"),
    pytest.param(chain([OK], repeat(b"x: y\r\n" * 1000)), ConnectError, id="headers"),
    pytest.param(repeat(CONTINUE * 1000), ConnectError, id="interim answers"),
    pytest.param(chain([STREAM + b"2\r\nab\r\n0\r\n"], repeat(b"x: y\r\n" * 1000)), StreamCut, id="trailers"),
    pytest.param(chain([STREAM + b"2\r\nab\r\n2;x="], repeat(b"y" * 8192)), StreamCut, id="the size of a chunk"),
]


@pytest.mark.parametrize(("pieces", "kind"), ENDLESS)
async def test_headers_without_end_are_refused_at_a_size(
    raw_server: StartRawServer, pieces: Iterator[bytes], kind: type[ProviderError]
) -> None:
    error = await failure(raw_server, sending(pieces), HttpLimits())
    assert type(error) is kind
    assert "more than 256 KiB of headers" in str(error)
    assert error.retryable == (kind is StreamCut)


SLOW = [
    pytest.param(repeat(CONTINUE), id="interim answers"),
    pytest.param(chain([OK], repeat(b"x: y\r\n")), id="headers"),
    pytest.param(chain([STREAM + b"2\r\nab\r\n0\r\n"], repeat(b"x: y\r\n")), id="trailers"),
    pytest.param(chain([b"HTTP/1.1 500 Error\r\n\r\n"], repeat(b"no ")), id="the body of an error"),
    pytest.param(chain([OK + b"content-type: text/html\r\n\r\n"], repeat(b"<p>")), id="a web page"),
]


@pytest.mark.parametrize("pieces", SLOW)
async def test_what_comes_drop_by_drop_is_given_up_in_time(raw_server: StartRawServer, pieces: Iterator[bytes]) -> None:
    assert isinstance(await failure(raw_server, sending(pieces, pause=0.05)), ResponseTimeout)


async def test_interim_answers_of_a_proxy_are_given_up_in_time(
    raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw_server(sending(repeat(CONTINUE), pause=0.05)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        transport = HttpTransport(IMPATIENT)
        with pytest.raises(ResponseTimeout):
            await asyncio.wait_for(anext(transport.post("http://far.example/v1", {}, b"{}")), PATIENCE)
        await transport.close()


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip, gzip", "br", "nonsense"])
async def test_an_error_that_unpacks_to_gigabytes_is_not_unpacked(raw_server: StartRawServer, encoding: str) -> None:
    body = gzip.compress(gzip.compress(gzip.compress(b"a" * 10_000_000)))
    head = b"HTTP/1.1 400 Bad\r\ncontent-encoding: %b\r\ncontent-length: %d\r\n\r\n" % (encoding.encode(), len(body))
    error = await failure(raw_server, sending(iter([head + body])))
    assert isinstance(error, StatusError)
    assert (len(error.message) < 500, encoding == "gzip" or not error.message) == (True, True)
    assert str(error).isprintable()
