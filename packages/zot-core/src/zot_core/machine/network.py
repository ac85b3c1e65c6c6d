"""`NetworkAccess`: which hosts may be connected to, and the addresses to connect to."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.machine.hosts import HostPattern

Lookup: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Returns the addresses of a name. Raises OSError if it is not known."""


async def look_up(name: str, port: int) -> list[str]:
    """Return the addresses that the system knows for a name."""
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


class NetworkAccess(Record):
    """Which hosts may be connected to.

    `hosts`: patterns of the allowed hosts, None for every host, empty for no host; `denied` count more than these.
    `private`: whether addresses that are not public are allowed too, such as addresses of this machine.
    """

    hosts: "Sequence[HostPattern] | None" = None
    denied: "Sequence[HostPattern]" = ()
    private: bool = False
    lookup: Lookup = look_up

    def judge(self, host: str, port: int) -> None:
        """Judge a canonical host by its words alone, as before a proxy resolves it. Raises `AddressRefused`."""
        from zot_core.machine.hosts import judge_host  # noqa: PLC0415  4 ms, not before the first page

        judge_host(host, port, self.hosts, self.denied, private=self.private)

    async def addresses(self, host: str, port: int) -> list[str]:
        """Judge a canonical host and return its addresses, which were looked up once: connect to these. Raises
        `AddressRefused`, and OSError if the name is not known."""
        from zot_core.machine.hosts import AddressRefused, is_address, is_public  # noqa: PLC0415  as above

        self.judge(host, port)
        if is_address(host):
            return [host]
        addresses = await self.lookup(host, port)
        if not self.private and not all(map(is_public, addresses)):
            raise AddressRefused(f"the name {host} leads to this machine or to a private network")
        return addresses
