"""Attempts to reach a host that is not allowed through the proxy of a sandbox, over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_server import Handler, RawServer, start_raw_server
from waiting import PATIENCE

from zot_core.machine.hosts import host_patterns
from zot_core.machine.network import NetworkAccess
from zot_core.sandbox.proxy import FilteringProxy, ProxyLimits, Unacceptable, read_request


class Origin:
    """A server that keeps what it reads in `read` and answers each request with `answer`. Every name leads to it."""

    def __init__(self) -> None:
        self.read = b""
        self.answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
        self.looked_up: list[str] = []
        self.address = "127.0.0.1"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65536):
            self.read += piece
            if self.read.endswith((b"\r\n\r\n", b"body")):
                writer.write(self.answer)
                if b"close" in self.read:
                    return

    async def look_up(self, name: str, port: int) -> list[str]:
        self.looked_up.append(name)
        return [self.address]


class Inside:
    """A client inside: sends bytes to the proxy, and reads the answer to its end."""

    def __init__(self, origin: Origin, server: RawServer, proxy: FilteringProxy, listening: RawServer) -> None:
        self.origin, self.port, self.proxy, self._listening = origin, server.port, proxy, listening
        self._server = server

    @property
    def reached(self) -> int:
        """Connections to the server."""
        return self._server.connections

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._listening.port)

    async def send(self, text: str, *, end: bool = False) -> str:
        reader, writer = await self.connect()
        writer.write(text.replace("PORT", str(self.port)).encode("latin-1"))
        if end:
            writer.write_eof()
        answer = b""
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionError):
                answer = await reader.read()
        writer.close()
        return answer.decode("latin-1")


@asynccontextmanager
async def inside(
    *hosts: str, private: bool = True, limits: ProxyLimits | None = None, handle: Handler | None = None
) -> AsyncIterator[Inside]:
    """A client whose sandbox allows `hosts`, in which PORT is the port of the server."""
    origin = Origin()
    async with start_raw_server(handle or origin.handle) as server:
        patterns = host_patterns(each.replace("PORT", str(server.port)) for each in hosts)
        proxy = FilteringProxy(NetworkAccess(hosts=patterns, private=private, lookup=origin.look_up), limits)
        async with start_raw_server(proxy.serve, limit=proxy.limits.head_bytes) as listening:
            yield Inside(origin, server, proxy, listening)


CHUNKED = "POST http://ok.test:PORT/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4;x\r\nbody\r\n0\r\n\r\n"
GET = "GET http://{0}/x HTTP/1.1\r\nHost: {0}\r\n\r\n"
CONNECT = "CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\n"


async def test_a_request_to_an_allowed_host_is_sent_on_without_what_concerns_the_proxy() -> None:
    async with inside("ok.test:PORT") as client:
        own = (
            "Connection: upgrade",
            "Upgrade: h2c",
            "Keep-Alive: 9",
            "Proxy-Connection: x",
            "TE: trailers",
            "Trailer: A",
        )
        lines = ["GET http://OK.test.:PORT/a?b HTTP/1.1", "Host: ok.TEST:PORT", "Proxy-Authorization: x", *own, "A: b"]
        answer = await client.send("\r\n".join([*lines, "", ""]))
        assert answer == "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
        sent = f"GET /a?b HTTP/1.1\r\nHost: ok.test:{client.port}\r\nConnection: close\r\nA: b\r\n\r\n"
        assert client.origin.read.decode() == sent
        assert client.origin.looked_up == ["ok.test"]


@pytest.mark.parametrize(
    "host",
    [
        "ok.test.evil:PORT",
        "evilok.test:PORT",
        "sub.ok.test:PORT",
        "ok.test@evil.test:PORT",
        "evil\x00.ok.test:PORT",
        "evil.test:PORT",
        "evil.test#ok.test:PORT",
        "evil.test\\ok.test:PORT",
        "ok.test:22",
        "ok.test",
        "ok.test:0",
        "127.0.0.1:PORT",
        "2130706433:PORT",
        "0x7f.1:PORT",
        "[::ffff:127.0.0.1]:PORT",
        "127.1:PORT",
        "ok%2etest:PORT",
    ],
)
@pytest.mark.parametrize("request_to", [GET, CONNECT])
async def test_no_other_host_and_no_other_port_is_reached(request_to: str, host: str) -> None:
    async with inside("ok.test:PORT") as client:
        answer = await client.send(request_to.format(host))
        assert answer.startswith(("HTTP/1.1 403 ", "HTTP/1.1 400 "))
        assert "zot's sandbox: " in answer
        assert client.reached == 0
        assert not client.origin.looked_up


@pytest.mark.parametrize("request_to", [GET, CONNECT])
async def test_an_empty_list_allows_nothing(request_to: str) -> None:
    async with inside(limits=ProxyLimits(linger_seconds=2 * PATIENCE)) as client:  # nobody waits so long for an answer
        assert "is not among the hosts" in await client.send(request_to.format("ok.test:PORT"))
        assert client.reached == 0


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "fd00::1"])
async def test_a_name_that_leads_to_a_private_network_is_not_reached(address: str) -> None:
    async with inside("ok.test:PORT", "localhost:PORT", "127.0.0.1:PORT", private=False) as client:
        client.origin.address = address
        assert "leads to this machine" in await client.send(CONNECT.format("ok.test:PORT"))
        for own in ("localhost:PORT", "127.0.0.1:PORT", "0x7f.1:PORT"):
            assert "of this machine or of a private network" in await client.send(GET.format(own))
        assert client.reached == 0


@pytest.mark.parametrize(
    "request_text",
    [
        "GET http://ok.test:PORT/ HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        "GET http://ok.test:PORT/ HTTP/1.1\r\nHost: ok.test:PORT\r\nHost: evil.test\r\n\r\n",
        "GET http://ok.test:PORT/ HTTP/1.1\r\nHost: ok.test:PORT\r\nHost: ok.test:PORT\r\n\r\n",
        "GET http://ok.test:PORT/ HTTP/1.1\r\nHost: ok.test:1\r\n\r\n",
        "GET http://ok.test:PORT/ HTTP/1.1\r\nHost : evil.test\r\n\r\n",
        "GET http://ok.test:PORT/ HTTP/1.1\r\nA: b\r\n Host: evil.test\r\n\r\n",
        "GET http://ok.test:PORT/ HTTP/1.1\r\nA: b\nHost: evil.test\r\n\r\n",
        "GET http://ok.test:PORT/ HTTP/1.1\r\nA: b\rHost: evil.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: ok.test:PORT\r\n\r\n",
        "GET https://ok.test:PORT/ HTTP/1.1\r\nHost: ok.test:PORT\r\n\r\n",
        "GET ftp://ok.test:PORT/ HTTP/1.1\r\nHost: ok.test:PORT\r\n\r\n",
        "GET  http://ok.test:PORT/ HTTP/1.1\r\nHost: ok.test:PORT\r\n\r\n",
        "GET http://ok.test:PORT/ HTTP/2.0\r\nHost: ok.test:PORT\r\n\r\n",
        "CONNECT ok.test:PORT HTTP/1.1\r\nHost: evil.test:PORT\r\n\r\n",
        "CONNECT ok.test HTTP/1.1\r\n\r\n",
        "POST http://ok.test:PORT/ HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 9\r\n\r\nbody",
        "POST http://ok.test:PORT/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nbody",
        "POST http://ok.test:PORT/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST http://ok.test:PORT/ HTTP/1.1\r\nContent-Length: +4\r\n\r\nbody",
        "\x16\x03\x01\x02\r\n\r\n",
        "SSH-2.0-x\r\n\r\n",
    ],
)
async def test_a_request_that_can_be_read_in_two_ways_is_refused(request_text: str) -> None:
    async with inside("ok.test:PORT") as client:
        assert (await client.send(request_text)).startswith("HTTP/1.1 400 ")
        assert client.reached == 0


@pytest.mark.parametrize(
    ("request_text", "body"),
    [
        ("GET http://ok.test:PORT/ HTTP/1.1\r\n\r\n", ""),
        ("POST http://ok.test:PORT/ HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody", "body"),
        ("GET http://ok.test:PORT/ HTTP/1.1\r\n\r\n4\r\nbody\r\n0\r\n\r\n", ""),
        (CHUNKED, "4\r\nbody\r\n0\r\n\r\n"),
    ],
)
async def test_a_second_request_on_a_connection_reaches_no_server(request_text: str, body: str) -> None:
    async with inside("ok.test:PORT") as client:
        second = "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n"
        assert (await client.send(request_text + second)).endswith("ok")
        assert client.origin.read.decode().partition("\r\n\r\n")[2] == body
        assert b"evil" not in client.origin.read


@pytest.mark.parametrize(("body", "sent_on"), [("body\r\n", b""), ("4\r\nbody--4\r\nmore\r\n0\r\n\r\n", b"4\r\nbody")])
async def test_a_body_that_is_not_valid_is_sent_on_to_there_and_the_answer_comes(body: str, sent_on: bytes) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    async with inside("ok.test:PORT") as client:
        head = "POST http://ok.test:PORT/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert (await client.send(head + body)).endswith("ok")
        assert client.origin.read.partition(b"\r\n\r\n")[2] == sent_on
    assert faults == []


async def test_a_redirect_is_the_clients_to_follow_and_is_judged_again() -> None:
    async with inside("ok.test:PORT") as client:
        client.origin.answer = b"HTTP/1.1 302 Found\r\nlocation: http://evil.test/\r\ncontent-length: 0\r\n\r\n"
        assert "location: http://evil.test/" in await client.send(GET.format("ok.test:PORT"))
        assert "HTTP/1.1 403" in await client.send(GET.format("evil.test"))


async def test_a_tunnel_carries_bytes_both_ways_until_an_end() -> None:
    async with inside("*.ok.test:PORT") as client:
        client.origin.answer = b"from there"
        answer = await client.send(CONNECT.format("a.ok.test:PORT") + "anything close\r\n\r\n")
        assert answer == "HTTP/1.1 200 Connection established\r\n\r\nfrom there"
        assert client.origin.read == b"anything close\r\n\r\n"


async def test_the_end_of_what_a_client_sends_through_a_tunnel_reaches_the_server() -> None:
    async with inside("ok.test:PORT") as client:
        answer = await client.send(CONNECT.format("ok.test:PORT") + "all", end=True)  # the server waits for the end
        assert answer == "HTTP/1.1 200 Connection established\r\n\r\n"
        assert client.origin.read == b"all"


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def tunnel() -> AsyncIterator[tuple[Streams, Streams]]:
    """Yield the streams of a client, and those of a server that only the test reads and writes."""
    there: asyncio.Future[Streams] = asyncio.get_running_loop().create_future()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there.set_result((reader, writer))
        await asyncio.Event().wait()

    async with inside("ok.test:PORT", handle=handle) as client:
        reader, writer = await client.connect()
        writer.write(CONNECT.format(f"ok.test:{client.port}").encode())
        await reader.readuntil(b"\r\n\r\n")
        yield (reader, writer), await there
        writer.transport.abort()


async def test_a_client_sends_on_through_a_tunnel_after_the_server_has_said_all() -> None:
    async with tunnel() as ((reader, writer), (there, back)):
        back.write_eof()
        assert await reader.read() == b""
        writer.write(b"late")
        writer.write_eof()
        assert await there.read() == b"late"


MUCH, PIECE = 64 << 20, 64 << 10


@pytest.mark.parametrize("to_client", [True, False])
async def test_who_does_not_read_lets_the_other_side_wait_and_the_proxy_keep_little(*, to_client: bool) -> None:
    async with tunnel() as (client, server):
        _, writer = server if to_client else client
        written = idle = 0
        while idle < 100 and written < MUCH:
            idle = idle + 1 if writer.transport.get_write_buffer_size() else 0
            if not idle:
                writer.write(bytes(PIECE))
                written += PIECE
            await asyncio.sleep(0)  # client, proxy and server are in this loop
    assert written < MUCH


class Later(asyncio.SelectorEventLoop):
    """A loop in which time can be made to pass."""

    passed = 0.0

    def time(self) -> float:
        return super().time() + self.passed


@pytest.mark.parametrize("to_client", [True, False])
def test_a_tunnel_is_not_idle_while_one_side_sends(*, to_client: bool) -> None:
    loop = Later()

    async def talk() -> None:
        async with tunnel() as (client, server):
            (reader, _), (_, writer) = (client, server) if to_client else (server, client)
            for _ in range(3):
                loop.passed += 0.7 * ProxyLimits().idle_seconds
                writer.write(b"x")
                assert await reader.readexactly(1) == b"x"

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(talk())


async def test_a_change_of_the_allowed_hosts_counts_from_the_next_request_on() -> None:
    async with inside("ok.test:PORT") as client:
        assert (await client.send(GET.format("ok.test:PORT"))).endswith("ok")
        client.proxy.access = client.proxy.access.replace(hosts=[])
        assert "HTTP/1.1 403" in await client.send(GET.format("ok.test:PORT"))


async def test_a_server_that_is_not_there_is_a_bad_gateway() -> None:
    async with inside("ok.test:1") as client:
        answer = await client.send(GET.format("ok.test:1"))
        assert answer.startswith("HTTP/1.1 502 ")
        assert "zot's sandbox: cannot connect to ok.test: [Errno" in answer
        assert (await client.send(CONNECT.format("ok.test:1"))).startswith("HTTP/1.1 502 ")


async def test_a_head_without_end_or_measure_is_given_up() -> None:
    async with inside("ok.test", limits=ProxyLimits(head_seconds=0.1)) as client:
        assert await client.send("GET http://ok") == ""
    async with inside("ok.test", limits=ProxyLimits(head_bytes=2000)) as client:
        assert "too long" in await client.send("GET http://ok.test/ HTTP/1.1\r\nA: " + "a" * 4000)
        assert await client.send("GET ", end=True) == ""


async def test_an_idle_connection_is_closed() -> None:
    async with inside("ok.test:PORT", limits=ProxyLimits(idle_seconds=0.2)) as client:
        assert await client.send(CONNECT.format("ok.test:PORT")) == "HTTP/1.1 200 Connection established\r\n\r\n"


async def test_there_are_only_so_many_connections() -> None:
    async with inside("ok.test:PORT", limits=ProxyLimits(connections=1)) as client:
        reader, writer = await client.connect()
        writer.write(CONNECT.format(f"ok.test:{client.port}").encode())
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
        for _ in range(3):  # who is refused takes no place, and leaves none
            assert await client.send(GET.format("ok.test:PORT")) == ""
        writer.close()


async def test_the_proxy_of_the_environment_is_asked_for_a_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    async def corporate(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        if b"far" in asked[-1]:
            writer.write(b"HTTP/1.1 403 No\r\n\r\n")
            return
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nthrough")

    async with inside("ok.test", "far.test") as client, start_raw_server(corporate) as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:pw@127.0.0.1:{proxy.port}")
        assert (await client.send(GET.format("ok.test"))).endswith("through")
        assert asked[0].startswith(b"CONNECT ok.test:80 HTTP/1.1\r\n")
        assert b"Proxy-Authorization: Basic bWU6cHc=\r\n" in asked[0]
        assert "refuses the connection" in await client.send(GET.format("far.test"))
        assert "HTTP/1.1 403" in await client.send(GET.format("evil.test"))
        assert not client.origin.looked_up
        monkeypatch.setenv("http_proxy", f"https://me:pw@127.0.0.1:{proxy.port}")  # it would get the password in clear
        assert "spoken to in http, not in https" in await client.send(GET.format("ok.test"))
    assert len(asked) == 2


async def test_a_host_that_the_environment_excepts_is_reached_without_its_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with inside("ok.test:PORT") as client:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        monkeypatch.setenv("no_proxy", "ok.test")
        assert (await client.send(GET.format("ok.test:PORT"))).endswith("ok")


async def test_a_proxy_of_the_environment_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    limits = ProxyLimits(connect_seconds=0.1)
    async with inside("ok.test", limits=limits) as client, start_raw_server(silent) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        answer = await client.send(GET.format("ok.test"))
    assert answer.startswith("HTTP/1.1 502 ")
    assert answer.endswith("\r\n\r\nzot's sandbox: ok.test does not answer\n")


@given(st.binary(max_size=200) | st.text("GETCONhtp:/.os \r\n\0@", max_size=80).map(lambda text: text.encode()))
def test_every_head_is_read_or_refused(head: bytes) -> None:
    try:
        request = read_request(head + b"\r\n\r\n")
    except Unacceptable:
        return
    assert request.host
