"""`open_store`: the store at an address."""

from zot_agent.fleet.extra import needs_extra
from zot_agent.fleet.store.folder import FolderStore
from zot_agent.fleet.store.interface import FleetStore, StoreLimits
from zot_provider.errors import ConfigError

_POSTGRES = ("postgresql://", "postgres://")


def open_store(address: str, limits: StoreLimits | None = None) -> FleetStore:
    """Return the store at `postgresql://...`, or in the folder `PATH`. Nothing is contacted yet. Raises
    `ConfigError`."""
    if address.startswith(_POSTGRES):
        with needs_extra():
            from zot_agent.fleet.store.postgres import PostgresStore  # noqa: PLC0415  an extra

        return PostgresStore(address, limits)
    if not address:
        raise ConfigError(
            "a fleet needs a store for its runs: set ZOT_FLEET_STORE to postgresql://USER@HOST/NAME, or to a folder on"
            " one machine"
        )
    if "://" in address:
        raise ConfigError(f"{address!r} is not a store of a fleet: postgresql://USER@HOST/NAME, or a folder")
    return FolderStore(address)
