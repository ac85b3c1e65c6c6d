"""The commands on the jobs, which are commands in the background: `get_jobs`, `stop_job`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import CommandField, InvalidCommand, Method
from zot_core.errors import ToolError
from zot_core.tools.background.jobs import Job

if TYPE_CHECKING:
    from zot_agent.operations.stored_answers import ChangedJob, JobInfo, JobList
    from zot_agent.rpc.context import CommandContext

OUTPUT = 16_000
"""Characters of the end of a job's output in a response."""


def get_jobs(context: "CommandContext", fields: dict[str, Any]) -> "JobList":
    """List the jobs."""
    return {"jobs": [_fields(job) for job in context.runtime.agent.context.jobs.all]}


async def stop_job(context: "CommandContext", fields: dict[str, Any]) -> "ChangedJob":
    """Stop a job."""
    jobs = context.runtime.agent.context.jobs
    try:
        job = jobs.find(fields["job"])
    except ToolError as error:
        raise InvalidCommand(str(error)) from None
    await jobs.stop(job)
    return {"job": _fields(job)}


def _fields(job: Job) -> "JobInfo":
    return {
        "id": job.id,
        "command": job.command,
        "state": job.state,
        "exit_code": job.exit_code,
        "seconds": round(job.seconds, 1),
        "bytes": job.output.total,
        "output": job.output.since(0)[-OUTPUT:],
        "output_path": job.output.path,
    }


METHODS = (
    Method(
        "get_jobs",
        get_jobs,
        "List the commands that run in the background of the session, and the latest that have ended.",
    ),
    Method(
        "stop_job",
        stop_job,
        "Stop a command in the background with everything that it started. The event `job_end` comes before the "
        "response.",
        (CommandField("job", "string", "The id of the job.", required=True),),
    ),
)
