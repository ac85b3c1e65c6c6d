"""What an agent may do, as plain code: known commands alone, each within a minute, writing in one folder.

uv run examples/sdk/policy.py drafts "write a haiku into haiku.txt"

Say what is allowed, not what is forbidden: a shell knows many ways to say `sudo`. A path is checked where the file is
written, because there it is absolute, whatever the model called it.
"""

import asyncio
import os
import sys

from zot_core import Runtime, ToolError, ToolRequest
from zot_core.machine.files import LocalFiles

COMMANDS = ("date", "git status", "git diff")


def known_commands(call: ToolRequest) -> bool | str:
    """For `confirm=`: text refuses, and is what the model reads."""
    if call.name == "bash" and call.arguments.get("command") not in COMMANDS:
        return f"this command is not allowed here; allowed commands: {', '.join(COMMANDS)}"
    return True


def one_minute(call: ToolRequest) -> ToolRequest | None:
    """For `hooks.tool_call`, which may change arguments; None leaves them."""
    return call.replace(arguments=call.arguments | {"timeout": 60}) if call.name == "bash" else None


class WritesBelow(LocalFiles):
    """The files of this machine, of which those below `folder` can be written."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder)

    async def write(self, path: str, data: bytes) -> None:
        if not os.path.realpath(path).startswith(self.folder + os.sep):
            raise ToolError(f"{path} was not written: only what is below {self.folder} can be")
        await super().write(path, data)


async def main(folder: str, task: str) -> None:
    os.makedirs(folder, exist_ok=True)
    async with Runtime(cwd=folder, confirm=known_commands, files=WritesBelow(folder)) as rt:
        rt.hooks.tool_call.add(one_minute)
        print(await rt.ask(task))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit('usage: policy.py FOLDER "task"')
    asyncio.run(main(*sys.argv[1:]))
