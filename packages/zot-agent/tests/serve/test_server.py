"""The server on a Unix socket."""

import os
import socket
import stat
from pathlib import Path

import httpx
from served import Serving

from zot_agent.serve.address import Address


async def test_a_unix_socket_is_its_owners_alone_and_goes_with_the_process(serving: Serving, tmp_path: Path) -> None:
    path = tmp_path / "zot.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))  # what a killed process leaves
    async with serving(address=Address(path=str(path))) as served:
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        await served.open()
        assert len(await served.sessions()) == 1
        async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=str(path))) as stranger:
            assert (await stranger.get("http://localhost/sessions")).status_code == 401
    assert not path.exists()
