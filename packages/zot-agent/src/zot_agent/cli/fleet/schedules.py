"""`zot fleet schedules` and `zot fleet unschedule`."""

from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.fleet.addresses import FleetPlaces, find_places
from zot_agent.fleet.extra import needs_extra, run_and_leave


def list_schedules(*, places: FleetPlaces) -> int:
    """List the schedules with their next run."""
    with needs_extra():
        from zot_agent.fleet.engine.client import connect  # noqa: PLC0415  an extra
        from zot_agent.fleet.engine.schedules import schedules  # noqa: PLC0415  an extra

    async def go() -> int:
        found = await schedules(await connect(find_places(places).address))
        if found:
            print_table([("schedule", "next run", "last run"), *((each.id, each.next, each.last) for each in found)])
        else:
            print_line("no schedules; zot run --fleet --id NAME --schedule CRON makes one")
        return 0

    run_and_leave(go())


def remove_schedule(id: str, *, places: FleetPlaces) -> int:
    """Remove a schedule; runs that have begun continue.

    ID: the name of its runs without the time
    """
    with needs_extra():
        from zot_agent.fleet.engine.client import connect  # noqa: PLC0415  an extra
        from zot_agent.fleet.engine.schedules import unschedule  # noqa: PLC0415  an extra

    async def go() -> int:
        await unschedule(await connect(find_places(places).address), id)
        return 0

    run_and_leave(go())
