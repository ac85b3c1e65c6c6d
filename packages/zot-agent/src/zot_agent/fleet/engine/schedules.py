"""Schedules of a fleet: runs that the engine begins again and again."""

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
)
from temporalio.service import RPCError, RPCStatusCode

from zot_agent.fleet.engine.errors import engine_errors
from zot_agent.fleet.engine.workflow import SCHEDULED, ScheduledWorkflow
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.record import Record

_PREFIX = "zot-schedule-"


class FleetSchedule(Record):
    """A schedule: the name of its runs without the time, when it begins the next one (ISO 8601, UTC), and the last one
    that it has begun; empty without one."""

    id: str
    next: str = ""
    last: str = ""


async def schedule(client: Client, queue: str, id: str, cron: str) -> None:
    """Begin a run like the run `id` of the store at these times, in UTC, unless the last one still works. Raises
    `ZotError`, and `ConfigError` for an expression that is wrong and for a name that is taken."""
    action = ScheduleActionStartWorkflow(ScheduledWorkflow.run, id, id=f"{SCHEDULED}-{id}", task_queue=queue)
    spec, policy = ScheduleSpec(cron_expressions=[cron]), SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP)
    async with engine_errors(id):
        try:
            await client.create_schedule(_PREFIX + id, Schedule(action, spec, policy=policy))
        except ScheduleAlreadyRunningError:
            raise ConfigError(f"there is a schedule {id}; remove it with zot fleet unschedule {id}") from None
        except RPCError as error:
            if error.status == RPCStatusCode.INVALID_ARGUMENT:
                raise ConfigError(f"--schedule {cron!r}: {error.message.splitlines()[0]}") from None
            raise


async def schedules(client: Client) -> list[FleetSchedule]:
    """Return the schedules by name. Raises `ZotError`."""
    found = []
    async with engine_errors(""):
        async for each in await client.list_schedules():
            if each.id.startswith(_PREFIX) and each.info is not None:
                times, actions = each.info.next_action_times, each.info.recent_actions
                after = times[0].isoformat(timespec="seconds") if times else ""
                last = actions[-1].started_at.isoformat(timespec="seconds") if actions else ""
                found.append(FleetSchedule(each.id.removeprefix(_PREFIX), after, last))
    return sorted(found, key=lambda each: each.id)


async def unschedule(client: Client, id: str) -> None:
    """Begin no more runs; runs that have begun continue. Raises `ZotError`, and `UnknownName` without a schedule."""
    async with engine_errors(id):
        try:
            await client.get_schedule_handle(_PREFIX + id).delete()
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                raise UnknownName(f"no schedule {id}; zot fleet schedules lists them") from None
            raise
