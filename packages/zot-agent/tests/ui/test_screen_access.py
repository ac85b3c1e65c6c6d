"""What extensions can do with the editor, the theme and the keys."""

import json
from pathlib import Path

import pytest
from extension_folder import write_extension
from screen import Chats

from zot_provider.errors import ConfigError, UnknownName
from zot_provider.testing import ScriptedServer


async def test_an_extension_reads_and_writes_what_is_typed(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.press("hello<left>")
        assert talk.access.editor == ("hello", 4)
        talk.access.paste("-")
        assert talk.access.editor == ("hell-o", 5)
        talk.access.edit("one two", 3)
        await talk.press("!")
        assert talk.editor == "one! two"


async def test_a_key_of_an_extension_runs_its_command(chats: Chats) -> None:
    async with chats.open() as talk:
        talk.access.bind("x", "ctrl+alt+h", "help")
        talk.type("<ctrl+alt+h>")
        await talk.until(lambda: talk.dialog_open)
        await talk.press("<esc>")
        talk.access.unbind("x")
        await talk.press("<ctrl+alt+h>")
        assert not talk.dialog_open


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("ctrl+c", "ctrl+c keeps its meaning; choose a function key, or one with ctrl or alt"),
        ("enter", "enter keeps its meaning"),
        ("a", "keeps its meaning"),
        ("up", "up keeps its meaning"),
        ("ctrl+nothing", "ctrl+nothing"),
        ("f6", "f6 belongs to extension other"),
    ],
)
async def test_a_key_that_cannot_be_taken_is_refused_in_one_line(chats: Chats, key: str, words: str) -> None:
    async with chats.open() as talk:
        talk.access.bind("other", "f6", "help")
        with pytest.raises(ConfigError, match=words.replace("+", r"\+")):
            talk.access.bind("x", key, "help")


async def test_a_key_of_the_person_is_stronger(
    chats: Chats, server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "own-home"
    home.mkdir()
    monkeypatch.setenv("ZOT_HOME", str(home))
    (home / "config.json").write_text(json.dumps({"keymap": {"f6": "/help"}}))
    async with chats.built(server) as talk:
        with pytest.raises(ConfigError, match="f6 is in the keymap of the user"):
            talk.access.bind("x", "f6", "help")


async def test_an_extension_changes_the_theme_until_the_end(chats: Chats) -> None:
    async with chats.open() as talk:
        assert {"dark", "light"} <= {*talk.access.themes}
        talk.access.use_theme("light")
        assert talk.access.theme == talk.theme == "light"
        colors = talk.access.theme_colors
        assert colors["error"].startswith("#")
        assert colors["selection.background"].startswith("#")
        assert "error.background" not in colors
        with pytest.raises(UnknownName, match="no theme 'none': there are auto, "):
            talk.access.use_theme("none")
        assert talk.theme == "light"


async def test_an_extension_uses_a_theme_that_it_brings_while_it_runs(
    chats: Chats, server: ScriptedServer, tmp_path: Path
) -> None:
    body = """
@ext.command("dress")
def dress(_):
    ext.resources.set(themes=["plum.json"])
    ext.widgets.use_theme("plum")
    return "dressed"
"""
    folder = write_extension(tmp_path / "tailor", body, more="capabilities=('widgets', 'resources')")
    (folder / "plum.json").write_text(json.dumps({"name": "plum", "based_on": "dark"}))
    async with chats.built(server, extensions=[str(folder)]) as talk:
        await talk.press("/dress<enter>")
        await talk.shown("[tailor] dressed")
        assert talk.theme == "plum"


async def test_an_extension_is_greeted_with_the_theme_and_the_terminal(
    chats: Chats, server: ScriptedServer, tmp_path: Path
) -> None:
    body = """
@ext.command("look")
def look(_):
    import json
    host = ext.host
    return json.dumps([host.mode, host.theme, host.terminal.value, host.reasoning])
"""
    folder = write_extension(tmp_path / "looker", body, more="capabilities=('cancel',)")
    async with chats.built(server, extensions=[str(folder)]) as talk:
        extensions = talk.chat.host.extensions
        assert extensions is not None
        await extensions.ready()
        mode, theme, terminal, reasoning = json.loads((await extensions.run_command("look")).text)
        assert (mode, theme, reasoning) == ("tui", talk.access.theme, talk.chat.host.runtime.agent.reasoning)
        assert terminal == talk.access.terminal
        assert (terminal["width"], terminal["height"]) == talk.chat.app.window.size
