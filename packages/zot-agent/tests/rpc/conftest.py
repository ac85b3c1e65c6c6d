"""A model server, and clients of `zot rpc` processes that use it."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from json_schema import Schema
from rpc_peer import Peer, StartPeer

from zot_provider.testing import ScriptedServer


@pytest.fixture(scope="session")
def read_schema() -> Callable[[Path], Schema]:
    """Reads a schema from a file, once."""
    return cache(Schema)


@pytest.fixture
def start(server: ScriptedServer, alone: Path) -> Iterator[StartPeer]:
    peers: list[Peer] = []

    def begin(*flags: str, listens: bool = True, **env: str) -> Peer:
        peers.append(Peer(server, alone, *flags, listens=listens, **env))
        return peers[-1]

    yield begin
    for peer in peers:
        peer.kill()


@pytest.fixture
def peer(start: StartPeer) -> Peer:
    return start()
