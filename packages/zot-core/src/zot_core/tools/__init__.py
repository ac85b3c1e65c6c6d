"""The built-in tools: an import and a line of `BUILTIN_TOOLS` each."""

from zot_core.tools.bash import bash
from zot_core.tools.definition.tool import Tool
from zot_core.tools.edit import edit
from zot_core.tools.find import find
from zot_core.tools.glob import glob
from zot_core.tools.grep import grep
from zot_core.tools.ls import ls
from zot_core.tools.read import read
from zot_core.tools.write import write

__all__ = ["BUILTIN_TOOLS"]

BUILTIN_TOOLS: tuple[Tool, ...] = (bash, edit, find, glob, grep, ls, read, write)
