"""The notice that there is a new version of zot, at most once a day."""

from collections.abc import Callable

from zot_agent.config.paths import zot_home
from zot_agent.ui.commands.base import Chat
from zot_agent.update.installation import Installation, installation
from zot_agent.update.latest import REGISTRY, look_daily
from zot_agent.version import __version__


async def announce_update(
    chat: Chat, registry: str = REGISTRY, *, installed: Callable[[], Installation] = installation
) -> None:
    """Look for a new version, and note it. Nothing happens without a network, or if the settings turn it off."""
    if not chat.host.settings.update_notice:
        return
    if version := await look_daily(zot_home(), registry, installed=installed):
        chat.note(f"zot {version} is available, this is {__version__}: update it with zot update")
