"""Where a fleet is: the addresses of the engine and of the store."""

import os
from collections.abc import Mapping

from zot_provider.record import Record

ADDRESS = "ZOT_FLEET_ADDRESS"
STORE = "ZOT_FLEET_STORE"
QUEUE = "ZOT_FLEET_QUEUE"

DEFAULT_ADDRESS = "127.0.0.1:7233"
DEFAULT_QUEUE = "zot"


class FleetPlaces(Record):
    """`address`: HOST:PORT of Temporal; `queue`: the queue of runs; `store`: what `open_store` takes."""

    address: str
    queue: str
    store: str


def find_places(address: str, queue: str, store: str, environ: Mapping[str, str] | None = None) -> FleetPlaces:
    """Return the places that were named, else the places in the variables, else the defaults."""
    env = os.environ if environ is None else environ
    return FleetPlaces(
        address or env.get(ADDRESS) or DEFAULT_ADDRESS,
        queue or env.get(QUEUE) or DEFAULT_QUEUE,
        store or env.get(STORE) or "",
    )
