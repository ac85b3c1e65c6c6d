"""The built-in tools, by name. A tool's module is imported with its first call."""

from collections.abc import Iterable

from zot_core.tools.definition.builtin import BuiltinTool
from zot_provider.errors import ConfigError

__all__ = ["BUILTIN_TOOLS", "as_names"]

_NAMES = ("bash", "edit", "fetch", "find", "glob", "grep", "job", "ls", "read", "todo", "write")
_REPLACEABLE = ("fetch", "job", "todo")
"""The Go zot has no tools of these names, so extensions may have some."""
BUILTIN_TOOLS = tuple(BuiltinTool(name, replaceable=name in _REPLACEABLE) for name in _NAMES)


def as_names(names: Iterable[str]) -> list[str]:
    """Return tool names as a list. Raises `ConfigError` for a string, whose letters would be taken for names."""
    if isinstance(names, str):
        raise ConfigError(f"tools are named in a list, not in a string: [{names!r}], not {names!r}")
    return list(names)
