"""`remove_run` and `prune_runs`: remove runs that are over from the store and the engine, with their rows and contents.

A run is removed only if the engine has no work left on it, no schedule copies it, and nobody has submitted it again
since the engine was asked. A worker that was declared dead and still has it cannot append from then on.
"""

import asyncio
from contextlib import suppress

from zot_agent.fleet.engine.client import Fleet
from zot_agent.fleet.store.interface import FleetStore
from zot_core.errors import SessionNotFound
from zot_provider.errors import ConfigError

_DAY = 24 * 3600.0


async def remove_run(fleet: Fleet, store: FleetStore, id: str) -> None:
    """Remove a run. Raises `ConfigError` if it is not over or begins again, `SessionNotFound`, `ZotError`."""
    if id in await fleet.templates():
        raise ConfigError(f"a schedule begins runs like {id}; zot fleet unschedule {id} ends that first")
    try:
        submission = await asyncio.to_thread(store.submissions, id)
    except SessionNotFound:
        if not await fleet.is_over(id) or not await fleet.forget(id):
            raise
        return
    if not await fleet.is_over(id):
        raise ConfigError(f"run {id} is not over; zot runs cancel {id} --fleet ends it first")
    if not await asyncio.to_thread(store.remove, id, submission):
        raise ConfigError(f"run {id} was begun again meanwhile; it was not removed")
    await fleet.forget(id)


async def prune_runs(fleet: Fleet, store: FleetStore, days: float) -> list[str]:
    """Remove the runs that are over and have had no row for `days` days, and return their names. Raises
    `ZotError`."""
    removed, templates = [], await fleet.templates()
    for id in await asyncio.to_thread(store.unchanged, days * _DAY):
        if id in templates:
            continue
        with suppress(SessionNotFound):  # another process removes it
            submission = await asyncio.to_thread(store.submissions, id)
            if await fleet.is_over(id) and await asyncio.to_thread(store.remove, id, submission):
                removed.append(id)
                await fleet.forget(id)
    return removed
