"""Which proxy is meant, and SOCKS over real sockets."""

import asyncio
import os
import subprocess
import sys

import pytest
from waiting import PATIENCE

from zot_provider.errors import ConfigError
from zot_provider.transport.http import HttpTransport
from zot_provider.transport.proxies import checked, is_excepted


@pytest.mark.parametrize(
    ("host", "port", "exceptions", "found"),
    [
        ("api.example.com", 443, "example.com", True),
        ("api.example.com", 443, ".example.com", True),
        ("api.example.com", 443, "*.example.com", True),
        ("notexample.com", 443, "example.com", False),
        ("example.com", 443, "example.com:443", True),
        ("example.com", 8443, "example.com:443", False),
        ("10.1.2.3", 80, "10.0.0.0/8", True),
        ("10.1.2.3", 80, "192.168.0.0/16, 10.0.0.0/8", True),
        ("11.1.2.3", 80, "10.0.0.0/8", False),
        ("10.1.2.3", 80, "10.1.2.3", True),
        ("10.1.2.3", 80, "10.1.2.3:81", False),
        ("[fd00::1]", 80, "fd00::/8", True),
        ("[::1]", 8080, "[::1]:8080", True),
        ("[::1]", 8081, "[::1]:8080", False),
        ("anything", 1, "*", True),
        ("example.com", 443, "10.0.0.0/99 nonsense/8 ,, :", False),
        ("EXAMPLE.com.", 443, "Example.COM", True),
    ],
)
def test_exceptions_are_hosts_networks_and_ports(host: str, port: int, exceptions: str, found: bool) -> None:
    assert is_excepted(host, port, exceptions) is found


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("host:3128", "http://host:3128"),
        ("http://me:pw@host:3128", "http://me:pw@host:3128"),
        ("SOCKS5://host:1080", "socks5://host:1080"),
        ("socks5h://host:1080", "socks5h://host:1080"),
        ("socks://host:1080", "socks5h://host:1080"),
        ("http://[::1]:3128", "http://[::1]:3128"),
    ],
)
def test_a_proxy_has_a_scheme_that_clients_know(value: str, meant: str) -> None:
    assert checked(value) == meant


@pytest.mark.parametrize(
    "value",
    [
        "gopher://x",
        "socks4://x:1",
        "http://",
        "http://x:port",
        "http://x:99999",
        "a b",
        "http://[::1",
        "x:1:2",
        "off",
        "http://none",
    ],
)
def test_another_value_is_an_error_in_our_words(value: str) -> None:
    with pytest.raises(ConfigError, match="the proxy of the environment"):
        checked(value)


async def socks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: list[bytes]) -> None:
    """A SOCKS server (RFC 1928) that takes any address and answers the HTTP request itself."""
    greeting = await reader.readexactly(2)
    await reader.readexactly(greeting[1])
    writer.write(b"\x05\x00")
    head = await reader.readexactly(4)
    size = (await reader.readexactly(1))[0] if head[3] == 3 else 4
    asked.append(await reader.readexactly(size))
    await reader.readexactly(2)
    writer.write(b"\x05\x00\x00\x01" + bytes(6))
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
    await writer.drain()
    writer.close()


@pytest.mark.parametrize("scheme", ["socks5", "socks5h", "socks"])
async def test_a_socks_proxy_is_used(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    asked: list[bytes] = []
    server = await asyncio.start_server(lambda reader, writer: socks(reader, writer, asked), "127.0.0.1", 0)
    async with server:
        monkeypatch.setenv("ALL_PROXY", f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        transport = HttpTransport()
        assert await transport.get("http://far.example/v1/models", {}) == b"ok"
        await transport.close()
    assert asked == [b"far.example"]


def test_without_the_package_for_socks_one_line_says_how_to_get_it() -> None:
    program = (
        "import asyncio, sys; sys.modules['socksio'] = None\n"
        "from zot_provider.transport.http import HttpTransport\n"
        "asyncio.run(HttpTransport().get('http://far.example/', {}))"
    )
    environment = {**os.environ, "ALL_PROXY": "socks5://127.0.0.1:1"}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    last = ended.stderr.splitlines()[-1]
    assert "ConfigError: the proxy socks5://127.0.0.1:1 speaks SOCKS" in last
    assert "zot-agent[socks]" in last
