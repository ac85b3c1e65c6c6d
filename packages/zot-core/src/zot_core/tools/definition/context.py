"""`ToolContext`: everything that a tool can use."""

from collections.abc import Awaitable, Callable
from typing import Any

from zot_core.machine.interface import Files, Shell, Spawn, Walls
from zot_core.machine.network import NetworkAccess
from zot_core.tools.background.jobs import Jobs
from zot_core.tools.definition.agent_task import AgentStarter
from zot_core.tools.definition.file_order import FileOrder
from zot_core.tools.definition.seen_files import SeenFiles
from zot_provider.record import Record, field

BASH_TIMEOUT = 300.0
"""Seconds: longer than most test suites, and short enough that a command that waits for ever does not use up a day."""


def _ignore(text: str) -> None:
    """Drop progress that nobody watches."""


class ToolContext(Record):
    """Everything that a tool call may use.

    `cwd` is absolute; relative paths are below it. `home` is the home folder where `files` are, empty for that of this
    machine. `arguments` is the JSON text of the arguments, every digit as the model wrote it; `run` receives them
    parsed. `progress` shows text while the tool runs. `env` is for child processes. `spawn` may change a command that
    is about to start; it raises `Refused`. `jobs` are the commands in the background, which end with the session.
    `bash_timeout` is the time limit, in seconds, of a command whose call names none; 0 for no limit. `overwrite_check`:
    the tool `write` refuses once to replace a file that the model has not read. `temporary` is the folder for long
    outputs, which the tools can read; empty for the usual one. `walls` belong to the sandbox in which tools work,
    None without one. `network` says which hosts the tools for the web may connect to. All calls of an agent share one
    `file_order`, and `seen_files`: what the files were like when the model last read or wrote them. `agents` returns
    what starts sub-agents; None without any. `deps` is the object that was given to `Runtime`. A call is cancelled
    through its task: the tool sees `asyncio.CancelledError` and must leave nothing running.
    """

    cwd: str
    files: Files
    shell: Shell
    call_id: str = ""
    arguments: str = "{}"
    env: dict[str, str] = field(default_factory=dict)
    bash_timeout: float = BASH_TIMEOUT
    overwrite_check: bool = False
    network: NetworkAccess = field(default_factory=NetworkAccess)
    temporary: str = ""
    walls: Walls | None = None
    home: str = ""
    progress: Callable[[str], None] = _ignore
    spawn: Callable[[Spawn], Awaitable[Spawn]] | None = None
    file_order: FileOrder = field(default_factory=FileOrder)
    seen_files: SeenFiles = field(default_factory=SeenFiles)
    jobs: Jobs = field(default_factory=Jobs)
    agents: Callable[[], AgentStarter] | None = None
    deps: Any = None
