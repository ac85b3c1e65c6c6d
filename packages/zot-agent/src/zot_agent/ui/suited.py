"""Whether the chat screen can be drawn at all."""

from collections.abc import Mapping

from zot_provider.errors import ConfigError


def check_terminal(environ: Mapping[str, str]) -> None:
    """Raises `ConfigError` for a terminal that says of itself that it can only print lines."""
    if environ.get("TERM") == "dumb":
        raise ConfigError('this terminal (TERM=dumb) cannot show the chat screen: ask with zot -p "your question"')
