"""`zot fleet schedules` and `zot fleet unschedule`."""

import argparse

from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.fleet.addresses import find_places
from zot_agent.fleet.extra import needs_extra, run_and_leave


def list_schedules(given: argparse.Namespace) -> int:
    """Print the schedules, and return the exit code."""
    with needs_extra():
        from zot_agent.fleet.engine.client import connect  # noqa: PLC0415  an extra
        from zot_agent.fleet.engine.schedules import schedules  # noqa: PLC0415  an extra

    async def go() -> int:
        found = await schedules(await connect(find_places(given.address, given.queue, given.store).address))
        if found:
            print_table([("schedule", "next run", "last run"), *((each.id, each.next, each.last) for each in found)])
        else:
            print_line("no schedules; zot run --fleet --id NAME --schedule CRON makes one")
        return 0

    run_and_leave(go())


def remove_schedule(given: argparse.Namespace) -> int:
    """Remove the schedule `given.id`, and return the exit code."""
    with needs_extra():
        from zot_agent.fleet.engine.client import connect  # noqa: PLC0415  an extra
        from zot_agent.fleet.engine.schedules import unschedule  # noqa: PLC0415  an extra

    async def go() -> int:
        await unschedule(await connect(find_places(given.address, given.queue, given.store).address), given.id)
        return 0

    run_and_leave(go())
