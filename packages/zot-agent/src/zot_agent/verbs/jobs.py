"""The operations on jobs, which are commands in the background."""

from typing import TYPE_CHECKING

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import operation
from zot_core.errors import ToolError
from zot_core.tools.background.jobs import Job

if TYPE_CHECKING:
    from zot_ext.protocol.agent_answers import ChangedJob, JobInfo, JobList

OUTPUT = 16_000
"""Characters of the end of a job's output in a response."""


@operation("jobs.list", group="control", scope="watch", needs=("conversation",))
def list_jobs(caller: OperationCaller) -> "JobList":
    """List the commands that run in the background of the session, and the latest that have ended."""
    return {"jobs": [_fields(job) for job in caller.conversation.runtime.agent.context.jobs.all]}


@operation("jobs.stop", group="control", scope="drive", needs=("conversation", "restore"))
async def stop(caller: OperationCaller, job: str) -> "ChangedJob":
    """Stop a command in the background with everything that it started. The event `job_end` comes before the response.

    job: The id of the job.
    """
    jobs = caller.conversation.runtime.agent.context.jobs
    try:
        found = jobs.find(job)
    except ToolError as error:
        raise OperationFailed("not_found", str(error)) from None
    await jobs.stop(found)
    return {"job": _fields(found)}


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
