"""The commands on the jobs, which are commands in the background: `get_jobs`, `stop_job`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandField, InvalidCommand, Method
from zot_core.errors import ToolError
from zot_core.tools.background.jobs import Job

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext

OUTPUT = 16_000
"""Characters of the end of a job's output in a response."""


def get_jobs(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """List the jobs."""
    return {"jobs": [_fields(job) for job in context.runtime.agent.context.jobs.all]}


async def stop_job(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Stop a job."""
    jobs = context.runtime.agent.context.jobs
    try:
        job = jobs.find(fields["job"])
    except ToolError as error:
        raise InvalidCommand(str(error)) from None
    await jobs.stop(job)
    return {"job": _fields(job)}


def _fields(job: Job) -> dict[str, Any]:
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


_JOB = (
    '{"id": "1", "command": "npm run dev", "state": "running", "exit_code": null, "seconds": 12.5, "bytes": 6, '
    '"output": "ready\\n", "output_path": ""}'
)

METHODS = (
    Method(
        "get_jobs",
        get_jobs,
        "List the commands that run in the background of the session, and the latest that have ended. `state` is "
        "running, ended, stopped or failed; `output` is the end of what a job has printed, `output_path` a file with "
        "more of it, empty while it is short.",
        (),
        f'{{"jobs": [{_JOB}]}}',
    ),
    Method(
        "stop_job",
        stop_job,
        "Stop a command in the background with everything that it started. The event `job_end` comes before the "
        "response.",
        (CommandField("job", "string", "The id of the job.", required=True),),
        f'{{"job": {_JOB}}}',
    ),
)
