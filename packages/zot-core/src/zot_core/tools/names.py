"""Tools that somebody names."""

from collections.abc import Iterable

from zot_provider.errors import ConfigError, UnknownName


def several(names: Iterable[str]) -> list[str]:
    """The names of tools. Raises `ConfigError` for a text, whose letters would be taken for names."""
    if isinstance(names, str):
        raise ConfigError(f"tools are named in a list, not in a text: [{names!r}], not {names!r}")
    return list(names)


def unknown_tool(name: str, known: Iterable[str]) -> UnknownName:
    """The error for a tool that there is not; where no name is near, it tells all of them."""
    names = list(known)
    error = UnknownName.among("tool", name, names)
    return UnknownName(f"{error}; known: {', '.join(names)}") if str(error).endswith(repr(name)) else error
