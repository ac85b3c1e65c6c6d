"""The built-in tools: an import and an entry of `BUILTIN_TOOLS` each."""

from collections.abc import Iterable

from zot_core.tools.bash import bash
from zot_core.tools.definition.tool import Tool
from zot_core.tools.edit import edit
from zot_core.tools.find import find
from zot_core.tools.glob import glob
from zot_core.tools.grep import grep
from zot_core.tools.ls import ls
from zot_core.tools.read import read
from zot_core.tools.write import write
from zot_provider.errors import ConfigError

__all__ = ["BUILTIN_TOOLS", "as_names"]

BUILTIN_TOOLS: tuple[Tool, ...] = (bash, edit, find, glob, grep, ls, read, write)


def as_names(names: Iterable[str]) -> list[str]:
    """Return tool names as a list. Raises `ConfigError` for a string, whose letters would be taken for names."""
    if isinstance(names, str):
        raise ConfigError(f"tools are named in a list, not in a string: [{names!r}], not {names!r}")
    return list(names)
