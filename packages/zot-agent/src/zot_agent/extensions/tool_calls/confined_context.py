"""`confined_context`: what the tools of zot may do for an extension whose manifest has permissions."""

from typing import Unpack

from zot_agent.extensions.connection import Connection
from zot_core.errors import ToolError
from zot_core.machine.interface import ShellExit, ShellOptions
from zot_core.machine.shell import LocalShell
from zot_core.sandbox.files import SandboxedFiles
from zot_core.sandbox.sandbox import Sandbox
from zot_core.sandbox.shell import SandboxedShell
from zot_core.tools.background.jobs import Jobs
from zot_core.tools.background.output import JobLimits
from zot_core.tools.definition.context import ToolContext


class _NoShell:
    """A `Shell` that runs nothing."""

    async def run(self, command: str, **how: Unpack[ShellOptions]) -> ShellExit:
        """Raise `ToolError`."""
        raise ToolError("the extension that makes this call may not run programs: its permissions do not have exec")


def confined_context(context: ToolContext, connection: Connection, sandbox: Sandbox) -> ToolContext:
    """Return `context` with the files, hosts and programs that the extension at `connection` has in its `sandbox`."""
    shell = SandboxedShell(sandbox, LocalShell()) if connection.terms.permissions.exec is True else _NoShell()
    return context.replace(
        files=SandboxedFiles(sandbox.policy),
        shell=shell,
        network=sandbox.access,
        jobs=Jobs(JobLimits(running=0)),
        deps=None,
    )
