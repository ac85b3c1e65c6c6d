"""The runs of a fleet as tests see them: what a model does in them, their rows, and their processes."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from command import Zot
from fleet_servers import Postgres, Workers
from go_zot import check_accepted
from temporalio.client import Client
from waiting import PATIENCE, wait_until

from zot_agent.fleet.engine.client import Fleet
from zot_core.runtime.run_rows import RunRecord, run_of_rows
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import read_message
from zot_provider.messages import Message, TextBlock, ToolResultBlock
from zot_provider.testing import Call, Received, Turn


def model(steps: int, file: Path | str = "effects", delay: float = 0.0) -> Any:
    """A model with so many steps, each with one effect that a second one would show. Its marks begin with the task."""

    def answer(request: Received) -> Turn:
        messages = request.body["messages"]
        # An answer that was stopped in the middle has its text, and no call.
        step = sum(len(message.get("tool_calls", ())) for message in messages if message["role"] == "assistant")
        # What has changed in the folder since the run was submitted stands below the task.
        task = next(message["content"] for message in messages if message["role"] == "user").partition("\n")[0]
        if step >= steps:
            return Turn("all done", delay=delay)
        return Turn(f"step {step}", calls=[Call("bash", {"command": f"echo {task}/{step} >> {file}"}, f"c{step}")],
                    delay=delay)  # fmt: skip

    return answer


def wait_for_runs(database: Postgres, ids: list[str], *states: str, seconds: float = PATIENCE) -> None:
    """Wait until the rows of all these runs have one of the states, and their processes have ended."""

    left = list(ids)

    def all_there() -> bool:
        while left and record_of(database, left[-1]).state in states:
            left.pop()
        return not left

    wait_until(all_there, f"{ids} are {states}", seconds, pause=0.1)


def states_of(zot: Zot) -> dict[str, str]:
    """The state of each run, as `zot runs list --fleet` has it. A process for each look would cost half a second."""

    async def listed() -> dict[str, str]:
        fleet = Fleet(await Client.connect(zot.env["ZOT_FLEET_ADDRESS"]), zot.env["ZOT_FLEET_QUEUE"])
        return {run.id: run.state for run in await fleet.list()}

    return asyncio.run(listed())


def rows_of(database: Postgres, id: str) -> bytes:
    return database.store.read(id)


def record_of(database: Postgres, id: str) -> RunRecord:
    record = run_of_rows(rows_of(database, id))
    assert record is not None
    return record


def messages_of(rows: bytes) -> list[Message]:
    found = [read_row(line) for line in rows.splitlines()]
    messages = [read_message(row.get("message")) for row in found if row.get("type") == "message"]
    return [each for each in messages if each is not None]


def check(database: Postgres, id: str, steps: int, effects: Counter[str]) -> int:
    """Check that a run is complete, and each effect there as often as its result says; return how many outcomes are
    unknown."""
    rows = rows_of(database, id)
    check_accepted(rows)
    record = run_of_rows(rows)
    assert record is not None
    assert record.state == "done"
    results: dict[str, str] = {}
    for message in messages_of(rows):
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                assert block.call_id not in results
                results[block.call_id] = "".join(each.text for each in block.content if isinstance(each, TextBlock))
    assert results.keys() == {f"c{step}" for step in range(steps)}
    unknown = 0
    for step in range(steps):
        count, text = effects[f"{id}/{step}"], results[f"c{step}"]
        if "[exit 0]" in text:
            assert count == 1, (id, step, text)
        else:  # unknown, or stopped with the worker
            unknown += 1
            assert count <= 1, (id, step, text)
    return unknown


def run_processes(workers: Workers) -> list[int]:
    """The process ids of runs."""
    return [pid for server in fork_servers(workers) for pid in children(server)]


def fork_servers(workers: Workers) -> list[int]:
    return [pid for each in workers.running for pid in children(each.pid)]


def children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def begin(zot: Zot, schedule: str) -> None:
    """Begin the next run of a schedule now."""

    async def trigger() -> None:
        client = await Client.connect(zot.env["ZOT_FLEET_ADDRESS"])
        await client.get_schedule_handle(f"zot-schedule-{schedule}").trigger()

    asyncio.run(trigger())
