"""`zot fleet prune`: removes old runs of a fleet."""

from zot_agent.cli.ext.terminal import print_line
from zot_agent.fleet.addresses import FleetPlaces, find_places
from zot_agent.fleet.extra import needs_extra, run_and_leave
from zot_agent.fleet.store.open import open_store
from zot_provider.errors import ConfigError


def prune(*, days: float = 30.0, places: FleetPlaces) -> int:
    """Remove old runs that are over, with their rows and files.

    --days DAYS: the age of the last row from which they are removed (default: %(default)g)
    """
    if not days > 0:
        raise ConfigError(f"--days must be greater than 0, got {days:g}")
    with needs_extra():
        from zot_agent.fleet.engine.client import Fleet, connect  # noqa: PLC0415  an extra
        from zot_agent.fleet.engine.removal import prune_runs  # noqa: PLC0415  an extra

    places = find_places(places)
    store = open_store(places.store)

    async def go() -> int:
        try:
            removed = await prune_runs(Fleet(await connect(places.address), places.queue), store, days)
        finally:
            store.close()
        print_line(f"removed {len(removed)} runs" if len(removed) != 1 else f"removed {removed[0]}")
        return 0

    run_and_leave(go())
