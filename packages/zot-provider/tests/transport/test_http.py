import asyncio
import base64
import gzip
import socket
import ssl
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import Any

import pytest
from raw_server import StartRawServer
from waiting import PATIENCE

from zot_provider.errors import (
    ConfigError,
    ConnectError,
    ProtocolError,
    ProviderError,
    ResponseTimeout,
    StatusError,
    StreamCut,
)
from zot_provider.transport.http import HttpLimits, HttpTransport

CERTIFICATE = Path(__file__).with_name("localhost.pem")
"""A key and a certificate for localhost that signs itself; made for this test and good for nothing else."""

STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
LIMITS, IMPATIENT = HttpLimits(), HttpLimits(read=0.2)


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b":0")
    return head, await reader.readexactly(int(length.partition(b":")[2]))


def answering(answer: bytes, seen: list[Any] | None = None, rest: float = 0.0) -> Any:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            request = await read_request(reader)
            if seen is not None:
                seen.append(request)
            writer.write(answer)
            await writer.drain()
            if rest:
                await asyncio.sleep(rest)
            if b"content-length" not in answer and b"chunked" not in answer:
                return

    return handler


async def post(transport: HttpTransport, url: str, body: bytes = b"{}") -> bytes:
    async with aclosing(transport.post(url, {"x-key": "k"}, body)) as chunks:
        return b"".join([chunk async for chunk in chunks])


def failure(raw_server: StartRawServer, answer: bytes, limits: HttpLimits = LIMITS, rest: float = 0.0) -> ProviderError:
    """What posting to a server with this answer raises."""

    async def main() -> ProviderError:
        async with raw_server(answering(answer, rest=rest)) as server:
            transport = HttpTransport(limits)
            try:
                with pytest.raises(ProviderError) as caught:
                    await post(transport, server.url)
            finally:
                await transport.close()
            return caught.value

    return asyncio.run(main())


def test_the_limits_are_the_documented_ones() -> None:
    assert HttpLimits() == HttpLimits(connect=15.0, read=300.0, write=60.0, idle=90.0, answer=128 << 20)


async def test_a_post_sends_json_once_and_the_connection_is_used_again(raw_server: StartRawServer) -> None:
    seen: list[Any] = []
    answer = STREAM + b"transfer-encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
    async with raw_server(answering(answer, seen)) as server:
        transport = HttpTransport()
        for _ in range(3):
            assert await post(transport, server.url, '{"ü":1}'.encode()) == b"one"
        assert server.connections == 1
        await transport.close()
        await transport.close()
    head, body = seen[0]
    assert body == '{"ü":1}'.encode()
    lines = head.lower().split(b"\r\n")
    assert lines[0] == b"post /v1/x http/1.1"
    for line in (b"content-type: application/json", b"accept: text/event-stream", b"accept-encoding: identity"):
        assert line in lines
    assert b"x-key: k" in lines
    assert sum(line.startswith(b"content-length") for line in lines) == 1


async def test_a_connection_that_went_stale_is_replaced(raw_server: StartRawServer) -> None:
    async def one_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(STREAM + b"content-length: 2\r\n\r\nok")
        await writer.drain()
        if server.connections == 1:  # closes in answer to the second request, as a server may at any time
            await reader.read(1)
            writer.transport.abort()

    async with raw_server(one_answer) as server:
        transport = HttpTransport()
        assert await post(transport, server.url) == b"ok"
        assert await post(transport, server.url) == b"ok"
        assert server.connections == 2
        await transport.close()


async def test_a_connection_that_was_idle_for_too_long_is_replaced(raw_server: StartRawServer) -> None:
    async with raw_server(answering(STREAM + b"content-length: 2\r\n\r\nok")) as server:
        transport = HttpTransport(HttpLimits(idle=0.0))
        assert [await post(transport, server.url) for _ in range(3)] == [b"ok"] * 3
        assert server.connections == 3
        await transport.close()


@pytest.mark.parametrize("how", ["leaving", "cancelling"])
async def test_giving_up_in_the_middle_closes_the_connection_at_once(raw_server: StartRawServer, how: str) -> None:
    closed = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(STREAM + b"\r\ndata: 1\n\n")
        await reader.read()  # until the client is gone
        closed.set()

    async def read() -> None:
        async with aclosing(transport.post(server.url, {}, b"{}")) as chunks:
            async for _ in chunks:
                begun.set()
                if how == "leaving":
                    return

    async with raw_server(endless) as server:
        transport, begun = HttpTransport(), asyncio.Event()
        task = asyncio.get_running_loop().create_task(read())
        await asyncio.wait_for(begun.wait(), PATIENCE)
        if how == "cancelling":
            task.cancel()
        await asyncio.wait([task])
        await asyncio.wait_for(closed.wait(), PATIENCE)
        await transport.close()


def test_a_server_that_accepts_the_request_and_sends_nothing(raw_server: StartRawServer) -> None:
    error = failure(raw_server, b"", IMPATIENT, rest=1.0)
    assert isinstance(error, ResponseTimeout)
    assert "stopped answering; try again, or check the server" in str(error)


def test_a_server_that_stops_in_the_middle(raw_server: StartRawServer) -> None:
    error = failure(raw_server, STREAM + b"content-length: 9\r\n\r\nab", IMPATIENT, rest=1.0)
    assert isinstance(error, ResponseTimeout)


def test_a_stream_that_is_cut(raw_server: StartRawServer) -> None:
    error = failure(raw_server, STREAM + b"transfer-encoding: CHUNKED\r\n\r\n3\r\none\r\n")
    assert isinstance(error, StreamCut)
    assert "broke off in the middle (the server closed the connection); try again" in str(error)


def test_a_server_that_speaks_something_else(raw_server: StartRawServer) -> None:
    error = failure(raw_server, b"SSH-2.0-OpenSSH_9.7\r\n")
    assert isinstance(error, ConnectError)
    assert "not an HTTP answer" in str(error)


def test_an_error_body_of_any_size_is_read_in_part(raw_server: StartRawServer) -> None:
    body = b'{"error": "' + b"x" * 5_000_000
    head = b"HTTP/1.1 500 No\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
    error = failure(raw_server, head + body)
    assert isinstance(error, StatusError)
    assert error.status == 500
    assert len(str(error)) < 500


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        (b"text/html; charset=utf-8", b"<p>hello", "a web page, not with"),
        (b"application/json", b'{"error":"no such endpoint"}', "JSON (no such endpoint), not with"),
    ],
)
def test_an_answer_that_is_no_stream(raw_server: StartRawServer, kind: bytes, body: bytes, words: str) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n" % (kind, len(body))
    error = failure(raw_server, head + body)
    assert isinstance(error, ProtocolError)
    assert words in str(error)


async def test_an_answer_without_end_is_cut_off(raw_server: StartRawServer) -> None:
    sent = 0

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await read_request(reader)
        writer.write(STREAM + b"\r\n")
        while True:
            writer.write(b": more\n\n" * 10_000)
            await writer.drain()
            sent += 80_000

    async with raw_server(flood) as server:
        transport = HttpTransport(HttpLimits(answer=3 << 20))
        with pytest.raises(ProtocolError) as caught:
            await post(transport, server.url)
        await transport.close()
        assert str(caught.value).endswith("/v1/x sent more than 3 MiB; cut off")
    assert sent < 30 << 20


def raised(url: str, limits: HttpLimits = LIMITS) -> ProviderError:
    async def main() -> ProviderError:
        transport = HttpTransport(limits)
        with pytest.raises(ProviderError) as caught:
            await post(transport, url)
        await transport.close()
        return caught.value

    return asyncio.run(main())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_refused_connection(scheme: str) -> None:
    error = raised(f"{scheme}://me:secret@127.0.0.1:1/v1?key=secret")
    assert str(error) == (
        f"cannot connect to {scheme}://127.0.0.1:1/v1: connection refused; is the server running there?"
    )
    assert not error.retryable


def test_a_host_that_does_not_exist() -> None:
    error = raised("http://no-such-host.invalid/v1")
    assert str(error) == "cannot find the host of http://no-such-host.invalid/v1; check the address and the network"


async def test_a_connection_that_is_never_accepted() -> None:
    with socket.socket() as listener, ExitStack() as waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):  # the queue of a listener that accepts nobody: once it is full, the system drops attempts
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        with pytest.raises(ConnectError, match=r": no connection within 0\.2 s$"):
            await post(HttpTransport(HttpLimits(connect=0.2)), f"http://127.0.0.1:{listener.getsockname()[1]}/")


def secure(
    raw_server: StartRawServer, trusted: bool, monkeypatch: pytest.MonkeyPatch, *, insecure: bool = False
) -> bytes:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))

    async def main() -> bytes:
        async with raw_server(answering(STREAM + b"content-length: 2\r\n\r\nok"), ssl=context) as server:
            transport = HttpTransport(insecure=insecure)
            try:
                return await post(transport, f"https://localhost:{server.port}/v1")
            finally:
                await transport.close()

    return asyncio.run(main())


def test_a_certificate_that_nobody_vouches_for_is_refused(
    raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConnectError) as caught:
        secure(raw_server, trusted=False, monkeypatch=monkeypatch)
    assert "no secure connection to https://localhost:" in str(caught.value)
    assert str(caught.value).endswith(
        ": certificate verify failed: self-signed certificate (SSL_CERT_FILE may name a file of certificates to trust)"
    )


def test_a_certificate_that_the_environment_trusts_is_accepted(
    raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert secure(raw_server, trusted=True, monkeypatch=monkeypatch) == b"ok"


def test_any_certificate_is_accepted_where_that_was_asked_for(
    raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert secure(raw_server, trusted=False, monkeypatch=monkeypatch, insecure=True) == b"ok"


async def test_https_spoken_to_a_server_without_it(raw_server: StartRawServer) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with raw_server(plain) as server:
        transport = HttpTransport()
        with pytest.raises(ConnectError) as caught:
            await post(transport, server.url.replace("http:", "https:"))
        await transport.close()
        assert str(caught.value).endswith("; does the server speak http:// instead?")


async def test_a_proxy_of_the_environment_is_asked(raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    async with raw_server(answering(STREAM + b"content-length: 2\r\n\r\nok", seen)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("NO_PROXY", "")
        transport = HttpTransport()
        assert await post(transport, "http://far.example/v1/x") == b"ok"
        await transport.close()
    assert seen[0][0].startswith(b"POST http://far.example/v1/x HTTP/1.1\r\n")


async def test_a_proxy_for_https_is_asked_to_connect(
    raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")

    async with raw_server(proxy) as running:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:secret@127.0.0.1:{running.port}")
        transport = HttpTransport()
        with pytest.raises(ConnectError) as caught:
            await post(transport, "https://far.example/v1")
        await transport.close()
        assert not caught.value.retryable
        said, port = str(caught.value), running.port
    assert said == (
        f"no connection to https://far.example/v1 through the proxy http://127.0.0.1:{port}: "
        "407 Proxy Authentication Required"
    )
    assert seen[0].startswith(b"CONNECT far.example:443 HTTP/1.1\r\n")


@pytest.mark.parametrize(("scheme", "proxy"), [("http", "http://me:secret@127.0.0.1:1"), ("https", "127.0.0.1:1")])
def test_a_proxy_that_refuses_is_named_in_the_error(monkeypatch: pytest.MonkeyPatch, scheme: str, proxy: str) -> None:
    monkeypatch.setenv(f"{scheme}_proxy", proxy)
    error = raised(f"{scheme}://far.example/v1")
    assert isinstance(error, ConnectError)
    assert not error.retryable
    assert str(error) == (
        f"cannot connect to the proxy http://127.0.0.1:1 on the way to {scheme}://far.example/v1: connection refused; "
        "check the proxy"
    )


def test_a_proxy_with_an_unknown_host_is_named_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://no-such-proxy.invalid:3128")
    assert ": no such host; check the proxy" in str(raised("http://far.example/v1"))


async def test_no_proxy_of_the_environment_is_respected(
    raw_server: StartRawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw_server(answering(STREAM + b"content-length: 2\r\n\r\nok")) as server:
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        transport = HttpTransport()
        assert await post(transport, server.url) == b"ok"
        await transport.close()


@pytest.mark.parametrize(
    ("name", "value"),
    [("HTTPS_PROXY", "gopher://me:secret@x"), ("ALL_PROXY", "http://"), ("ALL_PROXY", "socks5://host:port")],
)
async def test_an_unusable_proxy_variable_is_named_as_the_cause(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    transport = HttpTransport()
    with pytest.raises(ConfigError, match="the proxy of the environment") as caught:
        await post(transport, "https://127.0.0.1:1/")
    await transport.close()
    assert "secret" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:Invalid `SSL_CERT_FILE`")
def test_an_unusable_certificate_variable_is_named_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates")
    error = raised("https://127.0.0.1:1/")
    assert str(error).startswith("cannot use a proxy or certificate file named in the environment: ")
    assert not error.retryable


async def test_a_document_is_read_whole_or_is_an_error(raw_server: StartRawServer) -> None:
    transport = HttpTransport()
    async with raw_server(answering(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")) as server:
        assert await transport.get(server.url, {}) == b"{}"
    async with raw_server(answering(b"HTTP/1.1 404 No\r\ncontent-length: 2\r\n\r\n{}")) as server:
        with pytest.raises(StatusError):
            await transport.get(server.url, {})
    async with raw_server(answering(b"", rest=0.5)) as server:
        with pytest.raises(ResponseTimeout):
            await transport.get(server.url, {}, limit=0.1)
    await transport.close()


async def test_requests_at_the_same_time_have_connections_of_their_own(raw_server: StartRawServer) -> None:
    answer = STREAM + b"content-length: 2\r\n\r\nok"
    async with raw_server(answering(answer, rest=0.05)) as server:
        transport = HttpTransport()
        assert await asyncio.gather(*(post(transport, server.url) for _ in range(3))) == [b"ok"] * 3
        assert server.connections == 3
        await transport.close()


@pytest.mark.parametrize("secured", [False, True])
async def test_coalescing_joins_the_data_after_a_piece(raw_server: StartRawServer, secured: bool) -> None:
    count = 60  # of chunks: a pause after each would take longer than the test may
    heard = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(STREAM + b"transfer-encoding: chunked\r\n\r\n3\r\none\r\n")
        await heard.wait()
        for _ in range(count):
            writer.write(b"2\r\nab\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    async with raw_server(handler, ssl=context if secured else None) as server:
        transport = HttpTransport(HttpLimits(coalesce_seconds=1.0), insecure=True)
        url = f"https://localhost:{server.port}/v1" if secured else server.url
        pieces = []
        try:
            async with asyncio.timeout(PATIENCE), aclosing(transport.post(url, {}, b"{}")) as chunks:
                async for chunk in chunks:
                    pieces.append(chunk)
                    heard.set()
        finally:
            await transport.close()
        first, *rest = pieces

    assert (first, b"".join(rest)) == (b"one", b"ab" * count)
    assert len(rest) <= 2 if secured else len(rest) == 1  # TLS reads its records 256 KiB at a time


async def test_an_answer_abandoned_during_coalescing_closes_its_connection(raw_server: StartRawServer) -> None:
    closed = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(STREAM + b"transfer-encoding: chunked\r\n\r\n3\r\none\r\n")
        await reader.read()
        closed.set()

    async with raw_server(handler) as server:
        transport = HttpTransport(HttpLimits(coalesce_seconds=600.0))
        heard = asyncio.Event()

        async def ask() -> None:
            async with aclosing(transport.post(server.url, {}, b"{}")) as chunks:
                async for _ in chunks:
                    heard.set()

        asking = asyncio.create_task(ask())
        await heard.wait()
        asking.cancel()
        await asyncio.wait([asking])
        async with asyncio.timeout(PATIENCE):
            await closed.wait()
        await transport.close()
        assert asking.cancelled()


async def test_a_compressed_document_is_decompressed(raw_server: StartRawServer) -> None:
    seen: list[Any] = []
    packed = gzip.compress(b"{}")
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n"
    transport = HttpTransport()
    async with raw_server(answering(head % len(packed) + packed, seen)) as server:
        assert await transport.get(server.url, {}) == b"{}"
        assert b"accept-encoding: gzip\r\n" in seen[0][0]
    async with raw_server(answering(head % 4 + b"\0no\0")) as server:
        with pytest.raises(ConnectError, match="the compressed answer is damaged"):
            await transport.get(server.url, {})
    await transport.close()


async def test_a_user_and_password_in_the_address_are_sent(raw_server: StartRawServer) -> None:
    seen: list[Any] = []
    async with raw_server(answering(STREAM + b"content-length: 2\r\n\r\nok", seen)) as server:
        transport = HttpTransport()
        assert await post(transport, f"http://me:s%40cret@127.0.0.1:{server.port}/v1?a=b#c") == b"ok"
        await transport.close()
    lines = seen[0][0].split(b"\r\n")
    assert lines[0] == b"POST /v1?a=b HTTP/1.1"
    assert b"host: 127.0.0.1:%d" % server.port in lines
    assert b"authorization: Basic " + base64.b64encode(b"me:s@cret") in lines


async def test_a_header_with_a_line_break_is_refused() -> None:
    with pytest.raises(ConfigError, match="has a line break"):
        await HttpTransport().get("http://127.0.0.1:1/", {"x-key": "a\r\nhost: b"})
