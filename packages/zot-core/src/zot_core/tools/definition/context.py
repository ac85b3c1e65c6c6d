"""`ToolContext`: everything that a tool can use."""

from collections.abc import Callable
from typing import Any

from zot_core.machine.interface import Files, Shell
from zot_core.tools.definition.file_order import FileOrder
from zot_provider.record import Record, field, record


def _ignore(text: str) -> None:
    """Progress nobody watches."""


@record
class ToolContext(Record):
    """What a tool call may use.

    `cwd` is absolute; relative paths are below it. `arguments` is the JSON text of what `run` gets parsed, with every
    digit as it was written. `progress` shows text while the tool runs. `env` is for child processes. `turns` is one
    for all calls of an agent. `deps` is the object that was given to `Runtime`. Cancelling is by task: a tool sees
    `asyncio.CancelledError` and must leave nothing running.
    """

    cwd: str
    files: Files
    shell: Shell
    call_id: str = ""
    arguments: str = "{}"
    env: dict[str, str] = field(default_factory=dict)
    progress: Callable[[str], None] = _ignore
    turns: FileOrder = field(default_factory=FileOrder)
    deps: Any = None
