"""Tools that somebody names."""

from collections.abc import Iterable

from zot_provider.errors import ConfigError


def as_names(names: Iterable[str]) -> list[str]:
    """The names of tools. Raises `ConfigError` for a text, whose letters would be taken for names."""
    if isinstance(names, str):
        raise ConfigError(f"tools are named in a list, not in a text: [{names!r}], not {names!r}")
    return list(names)
