"""The network of a sandbox that may reach some hosts; with real bubblewrap and curl-like clients in Python."""

import asyncio
import os
import shlex
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from raw_server import start_raw_server
from sandbox_world import SandboxWorld
from waiting import PATIENCE, until

from zot_core.machine.interface import ShellExit
from zot_core.machine.shell import Launch, LocalShell, ShellLimits
from zot_core.sandbox.network import SandboxNetwork, proxy_variables
from zot_core.sandbox.proxy import ProxyLimits
from zot_core.sandbox.sandbox import Sandbox
from zot_core.sandbox.shell import SandboxedShell, stopped_by

CLIENT = """
import sys, urllib.request, urllib.error
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print("failed", error)
"""


async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    body = b"reached " + head.split()[1]
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))


class Inside:
    """A sandbox that may reach `ok.test` at `port`, a server on this machine."""

    def __init__(self, sandbox: Sandbox, world: SandboxWorld, port: int) -> None:
        self.sandbox, self.port = sandbox, port
        self._cwd = str(world.project)
        assert sandbox.network is not None
        self.proxy = sandbox.network.proxy
        self.proxy.access = self.proxy.access.replace(private=True, lookup=self._look_up)

    async def _look_up(self, name: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async def run(self, command: str) -> tuple[ShellExit, str]:
        shell = SandboxedShell(self.sandbox, LocalShell(ShellLimits(kill_after=0.5)))
        parts: list[bytes] = []
        ended = await shell.run(command, cwd=self._cwd, env={}, timeout=PATIENCE, output=parts.append)
        return ended, b"".join(parts).decode(errors="replace")

    async def python(self, program: str, *arguments: Any) -> str:
        ended, text = await self.run(shlex.join([sys.executable, "-c", program, *map(str, arguments)]))
        assert ended.exit_code == 0, text
        return text.strip()


@asynccontextmanager
async def inside(world: SandboxWorld) -> AsyncIterator[Inside]:
    async with start_raw_server(served) as server:
        sandbox = world.open(hosts=[f"ok.test:{server.port}"])
        try:
            yield Inside(sandbox, world, server.port)
        finally:
            sandbox.close()


@pytest.mark.needs("bwrap")
async def test_an_allowed_host_is_reached_and_no_other(world: SandboxWorld) -> None:
    async with inside(world) as client:
        assert await client.python(CLIENT, f"http://ok.test:{client.port}/a") == "reached /a"
        refused, _, why = (await client.python(CLIENT, "http://evil.test/")).partition("\n\n")
        assert refused == "403 zot's sandbox: evil.test is not among the hosts that the sandbox allows"
        assert "it needs a host that sandbox_hosts does not name" in why
        assert "403" in await client.python(CLIENT, "https://evil.test/")
        client.sandbox.allow([])
        assert "403" in await client.python(CLIENT, f"http://ok.test:{client.port}/a")


DIRECT = """
import socket, sys
port = int(sys.argv[1])
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
    (socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
    (socket.AF_INET6, socket.SOCK_STREAM, ("2001:db8::1", 80)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53)),
    (socket.AF_INET, socket.SOCK_RAW, ("192.0.2.1", 0)),
    (socket.AF_UNIX, socket.SOCK_STREAM, "\\0/tmp/.X11-unix/X0"),
    (socket.AF_VSOCK, socket.SOCK_STREAM, (2, 1)),
):
    try:
        with socket.socket(family, kind) as one:
            one.settimeout(5)
            one.connect(address)
        print("escaped", address)
    except OSError:
        pass
try:
    print("escaped", socket.getaddrinfo("example.com", 80))
except OSError:
    pass
"""


@pytest.mark.needs("bwrap")
async def test_without_the_proxy_nothing_is_reached(world: SandboxWorld) -> None:
    async with inside(world) as client:
        assert await client.python(DIRECT, client.port) == ""
        unset = "unset HTTP_PROXY http_proxy ALL_PROXY all_proxy; NO_PROXY='*' no_proxy='*' "
        program = shlex.join([sys.executable, "-c", CLIENT, f"http://127.0.0.1:{client.port}/"])
        assert "failed" in (await client.run(unset + program))[1]


HELD = """
import os, socket
for name in os.listdir("/proc/self/fd"):
    try:
        print(os.readlink("/proc/self/fd/" + name))
    except OSError:
        pass
print([name for name in os.environ if "proxy" in name.lower()][:1])
"""


@pytest.mark.needs("bwrap")
async def test_a_command_gets_no_descriptor_that_leads_out_and_usual_signals(world: SandboxWorld) -> None:
    async with inside(world) as client:
        assert "socket:" not in await client.python(HELD)
        ended, text = await client.run("yes | head -n 1; grep SigIgn /proc/self/status")
        first, _, ignored = text.split()
        assert first == "y"
        assert not int(ignored, 16) & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)  # which Python ignores
        assert ended.exit_code == 0


@pytest.mark.needs("bwrap")
async def test_sandboxes_side_by_side_have_a_proxy_each_and_leave_nothing(world: SandboxWorld) -> None:
    async with inside(world) as client:
        urls = [f"http://ok.test:{client.port}/{number}" for number in range(4)]
        texts = await asyncio.gather(*(client.python(CLIENT, url) for url in urls))
        assert texts == [f"reached /{number}" for number in range(4)]
        assert client.sandbox.network is not None
        await until(lambda: not client.sandbox.network.tasks)


@pytest.mark.needs("bwrap")
async def test_a_sandbox_is_served_also_where_the_descriptors_of_an_earlier_one_were(world: SandboxWorld) -> None:
    async with inside(world) as client:
        assert client.sandbox.network is not None
        for number in range(3):
            assert await client.python(CLIENT, f"http://ok.test:{client.port}/{number}") == f"reached /{number}"
            await until(lambda: not client.sandbox.network.tasks)


@pytest.mark.needs("bwrap")
async def test_the_loopback_of_a_sandbox_is_reached_without_the_proxy(world: SandboxWorld) -> None:
    async with inside(world) as client:
        _, text = await client.run("echo $no_proxy $NO_PROXY")
    assert text.split() == ["localhost,127.0.0.1,::1"] * 2


@pytest.mark.needs("bwrap")
async def test_a_command_without_hosts_has_no_proxy(world: SandboxWorld) -> None:
    shell = SandboxedShell(world.sandbox, LocalShell())
    parts: list[bytes] = []
    await shell.run("env", cwd=str(world.project), env={}, timeout=PATIENCE, output=parts.append)
    assert b"_PROXY" not in b"".join(parts)


async def test_a_socket_that_does_not_listen_is_not_served() -> None:
    network = SandboxNetwork(["ok.test"])
    _, launch = network.join(Launch(["true"], "/", {}))
    here, given = socket.socketpair()
    with here, given, socket.socket(fileno=launch.descriptors[0]) as door:
        socket.send_fds(door, [b"x"], [given.fileno()])
        given.close()
        await until(lambda: not network.tasks)
        assert here.recv(1) == b""
    os.close(launch.descriptors[1])


async def test_a_sandbox_that_never_hands_its_socket_out_holds_nothing_up() -> None:
    network = SandboxNetwork(["ok.test"])
    _, launch = network.join(Launch(["true"], "/", {}))
    went_on, found = threading.Event(), list[bool]()

    def end() -> None:
        found.append(went_on.wait(PATIENCE))
        for each in launch.descriptors:
            os.close(each)

    ending = threading.Thread(target=end)
    ending.start()
    for _ in range(5):  # the task of the sandbox comes to its first wait
        await asyncio.sleep(0)
    went_on.set()
    await until(lambda: not network.tasks)
    ending.join()
    assert found == [True]


async def test_a_sandbox_without_a_network_of_its_own_is_served_on_the_loopback_until_the_end() -> None:
    network = SandboxNetwork(["ok.test"], ProxyLimits(head_seconds=2 * PATIENCE))
    port, launch = network.listen(Launch(["true"], "/", {"A": "b"}))
    held, end = await asyncio.open_connection("127.0.0.1", port)
    assert network.listen(launch)[0] == port
    assert (launch.env["A"], launch.env["HTTPS_PROXY"]) == ("b", f"http://127.0.0.1:{port}")
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"CONNECT evil.test:443 HTTP/1.1\r\n\r\n")
    writer.write_eof()
    assert b"evil.test is not among the hosts" in await reader.read()
    writer.close()
    network.close()
    async with asyncio.timeout(PATIENCE):
        assert await held.read() == b""
    end.close()
    await until(lambda: not network.tasks)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_the_end_of_a_sandbox_is_the_end_of_its_network(world: SandboxWorld) -> None:
    sandbox = world.open(hosts=["ok.test"])
    assert sandbox.network is not None
    port, _ = sandbox.network.listen(Launch(["true"], "/", {}))
    (await asyncio.open_connection("127.0.0.1", port))[1].close()
    sandbox.close()
    await until(lambda: not sandbox.network.tasks)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


def test_a_wrong_host_is_an_error_before_anything_runs(world: SandboxWorld) -> None:
    with pytest.raises(ValueError, match="expected HOST"):
        world.open(hosts=["https://ok.test/"])


def test_a_tunnel_that_the_proxy_refused_counts_as_stopped() -> None:
    reason = "it needs a host that sandbox_hosts does not name"
    assert stopped_by(56, b"curl: (56) CONNECT tunnel failed, response 403\n") == reason
    assert stopped_by(1, b"OSError('Tunnel connection failed: 403 Forbidden')") == reason


@pytest.mark.needs("bwrap")
async def test_a_command_that_is_too_long_for_an_argument_runs_behind_the_proxy(world: SandboxWorld) -> None:
    async with inside(world) as client:
        ended, text = await client.run(f"echo '{'x' * 200_000}' | wc -c")
        assert (ended.exit_code, text.strip()) == (0, "200001")


def test_programs_find_the_proxy_by_each_name_that_they_look_for() -> None:
    found = proxy_variables(1)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        assert found[name] == found[name.upper()] == "http://127.0.0.1:1"
