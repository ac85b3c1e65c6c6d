"""Ports for servers that cannot be told to take any that is free."""

import itertools
import os
import random
import socket
from contextlib import suppress

_WORKERS = 8
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _WORKERS
_FIRST, _LAST = 10_000, 31_000
"""Below those that the system gives to connections, and to listeners that ask for any."""
_PORTS = itertools.cycle(random.SystemRandom().sample(range(_FIRST + _WORKER, _LAST, _WORKERS), (_LAST - _FIRST) // 10))


def free_port() -> int:
    """A port that nobody listens at, and that no other test gets: each worker of a test run has ports of its own, every
    eighth one, and gives one after the other."""
    for port in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError


def listens(port: int) -> bool:
    """Whether a server of this machine takes connections at a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
