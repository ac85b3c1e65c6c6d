"""The chat screen. It is not built yet, and says so."""

from zot_agent.host import Host
from zot_provider.errors import ConfigError


async def run(host: Host, prompt: str) -> int:
    """Raises `ConfigError`: there is no screen to show."""
    raise ConfigError('the chat screen is not built yet; ask one question with zot -p "..."')
