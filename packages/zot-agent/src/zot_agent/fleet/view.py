"""`FleetView`: the runs of a fleet for a program that stays, such as `zot serve`: one connection to the engine and one
to the store, made with the first use."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from zot_agent.fleet.addresses import FleetPlaces
from zot_agent.fleet.engine.client import Fleet, FleetRun, connect
from zot_agent.fleet.run_lines import fields_of
from zot_agent.fleet.store.open import open_store
from zot_core.errors import SessionNotFound
from zot_core.runtime.run_rows import RunRecord, run_of_rows

_TASK = 2000
"""Characters of a task in a list."""
_REMEMBERED = 2000
"""Runs whose tasks and questions are remembered."""


class FleetView:
    """Lists, answers, steers and stops runs. Methods raise `ZotError`."""

    def __init__(self, places: FleetPlaces) -> None:
        """Raises `ConfigError` for an address that names no store."""
        self._places = places
        self._store = open_store(places.store)
        self._fleet: Fleet | None = None
        self._connecting, self._reading = asyncio.Lock(), asyncio.Lock()
        self._records: dict[tuple[str, str, int, bool], RunRecord | None] = {}

    async def fleet(self) -> Fleet:
        """Return the runs as the engine has them, connected."""
        async with self._connecting:
            if self._fleet is None:
                self._fleet = Fleet(await connect(self._places.address), self._places.queue)
        return self._fleet

    async def list(self) -> list[dict[str, Any]]:
        """Return the fields of the runs, last begun first, with their tasks and questions as the store has them."""
        runs = await (await self.fleet()).list()
        return [await self._fields(run) for run in runs]

    async def change(self, id: str, work: Callable[[Fleet], Awaitable[object]]) -> dict[str, Any]:
        """Do something with a run, and return its fields after it."""
        fleet = await self.fleet()
        await work(fleet)
        return await self._fields(await fleet.show(id))

    async def open_states(self) -> Counter[str]:
        """Return how many runs that are not over are in each state."""
        return await (await self.fleet()).open_states()

    async def _fields(self, run: FleetRun) -> dict[str, Any]:
        record = await self._record(run) or RunRecord()
        question = {name: record.question.get(name) for name in ("call", "reason", "always")}
        asks = run.state == "waiting" and record.state == "waiting"
        return {**fields_of(run), "task": record.task[:_TASK], "question": question if asks else None}

    async def _record(self, run: FleetRun) -> RunRecord | None:
        """Return what the store says of a run, None without it. All rows are read if it waits, else the first two."""
        waits = run.state == "waiting"
        key = (run.id, run.started, run.steps if waits else 0, waits)
        if key not in self._records:
            async with self._reading:  # a store has one connection
                try:
                    rows = await asyncio.to_thread(self._store.read, run.id, 0 if waits else 2)
                    found = run_of_rows(rows)
                except SessionNotFound:
                    found = None
            while len(self._records) >= _REMEMBERED:
                del self._records[next(iter(self._records))]
            self._records[key] = found
        return self._records[key]

    async def close(self) -> None:
        await asyncio.to_thread(self._store.close)
