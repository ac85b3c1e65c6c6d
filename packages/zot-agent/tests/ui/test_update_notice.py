from registry import Registry
from screen import Chats

from zot_agent.ui.update_notice import announce_update
from zot_agent.update.installation import Installation
from zot_provider.testing import ScriptedServer


def installed() -> Installation:
    return Installation("run it")


async def test_a_new_version_is_noted_on_the_screen_once(chats: Chats, server: ScriptedServer) -> None:
    with Registry('{"info": {"version": "99.0"}}') as registry:
        async with chats.built(server) as talk:
            await announce_update(talk.chat, registry.url, installed=installed)
            await announce_update(talk.chat, registry.url, installed=installed)
            await talk.shown("zot 99.0 is available")
        assert registry.asked == 1


async def test_the_setting_turns_it_off(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"update_notice": false}')
    with Registry('{"info": {"version": "99.0"}}') as registry:
        async with chats.built(server) as talk:
            await announce_update(talk.chat, registry.url, installed=installed)
        assert registry.asked == 0
