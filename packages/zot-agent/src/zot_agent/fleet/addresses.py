"""Where a fleet is: the addresses of the engine and of the store."""

import os

from zot_provider.record import Record

ADDRESS = "ZOT_FLEET_ADDRESS"
STORE = "ZOT_FLEET_STORE"
QUEUE = "ZOT_FLEET_QUEUE"

DEFAULT_ADDRESS = "127.0.0.1:7233"
DEFAULT_QUEUE = "zot"


class FleetPlaces(Record):
    """Where a fleet is.

    --address HOST:PORT: Temporal (default: $ZOT_FLEET_ADDRESS, else 127.0.0.1:7233)
    --queue NAME: the queue of runs (default: $ZOT_FLEET_QUEUE, else zot)
    --store URL: the store of rows: postgresql://USER@HOST/NAME, or a folder of one machine (default: $ZOT_FLEET_STORE)
    """

    address: str = ""
    queue: str = ""
    store: str = ""


def find_places(named: FleetPlaces) -> FleetPlaces:
    """Return the places that were named, else the places in the variables, else the defaults."""
    return FleetPlaces(
        named.address or os.environ.get(ADDRESS) or DEFAULT_ADDRESS,
        named.queue or os.environ.get(QUEUE) or DEFAULT_QUEUE,
        named.store or os.environ.get(STORE) or "",
    )
