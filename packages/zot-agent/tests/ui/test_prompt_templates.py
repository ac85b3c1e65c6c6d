"""Prompt templates on the screen."""

from pathlib import Path

import pytest
from extension_folder import write_extension
from screen import Chats

from zot_provider.testing import ScriptedServer


@pytest.fixture
def prompts(chats: Chats) -> Path:
    folder = chats.root / "zot-home" / "prompts"
    folder.mkdir(parents=True)
    (folder / "greet.md").write_text("---\ndescription: says hello\nargument-hint: <name>\n---\nSay hello to $1.\n")
    return folder


async def test_a_template_is_offered_with_its_hint_and_sent_with_its_arguments(
    chats: Chats, server: ScriptedServer, prompts: Path
) -> None:
    server.add("Hello!")
    async with chats.built(server, no_skills=True) as talk:
        talk.type("/gre")
        await talk.shown("› /greet  <name> · says hello")
        await talk.press("<enter>")
        assert talk.editor == "/greet "
        await talk.send("'the world'")
        assert talk.asked == ["Say hello to the world."]
        await talk.shown("▌ /greet 'the world'")
        await talk.shown("▌ … the model reads 1 line (ctrl+o)")
        await talk.press("<ctrl+o>")
        await talk.shown("▌ Say hello to the world.")


async def test_a_new_template_is_offered_the_next_time(chats: Chats, server: ScriptedServer, prompts: Path) -> None:
    server.add("ok")
    async with chats.built(server, no_skills=True) as talk:
        talk.type("/gre")
        await talk.shown("› /greet")
        talk.type("<ctrl+u>")
        (prompts / "xylem.md").write_text("# About wood")
        talk.type("/xyl")
        await talk.shown("› /xylem  About wood")
        talk.type("<enter>")
        await talk.until(lambda: talk.asked == ["# About wood"])


async def test_a_template_that_is_not_listed_yet_is_sent_by_its_name_and_not_as_what_is_similar(
    chats: Chats, server: ScriptedServer, prompts: Path
) -> None:
    (prompts / "mdl.md").write_text("Which models are there?")
    server.add("ok")
    async with chats.built(server) as talk:
        talk.type("/mdl<enter>")
        await talk.until(lambda: talk.asked == ["Which models are there?"])


async def test_a_command_of_an_extension_that_starts_is_waited_for_and_not_taken_for_what_is_similar(
    chats: Chats, server: ScriptedServer
) -> None:
    say = "ext.command('mdl', 'lists them')(lambda args: display('there are two'))"
    async with chats.built(server, extensions=[str(write_extension(chats.root / "lists", say))]) as talk:
        talk.type("/mdl<enter>")
        assert talk.editor == ""
        talk.type("/hel<enter>")  # the beginning of a name is enough
        await talk.shown("type to search")
        await talk.press("<esc>")
        await talk.shown("there are two")


async def test_pasted_text_is_an_argument(chats: Chats, server: ScriptedServer, prompts: Path) -> None:
    (prompts / "explain.md").write_text("Explain: $ARGUMENTS")
    server.add("ok")
    long = "\n".join(f"line {number}" for number in range(200))
    async with chats.built(server) as talk:
        talk.type("/explain ")
        talk.paste(long)
        assert "[pasted 200 lines" in talk.editor
        talk.type("<enter>")
        await talk.until(lambda: talk.asked == [f"Explain: {long}"])


async def test_commands_of_the_screen_and_of_extensions_come_before_templates_and_that_is_said_once(
    chats: Chats, server: ScriptedServer, prompts: Path
) -> None:
    (prompts / "help.md").write_text("Not this help.")
    (prompts / "say.md").write_text("Not this one.")
    (prompts / "broken.md").write_bytes(b"\0\xff\xfe")
    say = "ext.command('say', 'says it')(lambda args: display('said ' + args))"
    folder = str(write_extension(chats.root / "sayer", say))
    async with chats.built(server, extensions=[folder], no_skills=True, rows=40) as talk:
        await talk.until_extensions_are_ready()
        talk.type("/gre")
        for note in (
            f"{prompts.name}/help.md: /help is a command of zot",
            f"{prompts.name}/say.md: /say is a command of extension sayer",
            f"{prompts.name}/broken.md:1: it looks binary",
        ):
            await talk.until(lambda note=note: note in talk.transcript().replace("\n", "").replace("  ", ""))
        talk.type("<ctrl+u>/say hello<enter>")
        await talk.shown("said hello")
        talk.type("/gre")
        await talk.shown("› /greet")
        assert talk.transcript().count("broken.md") <= 1
        talk.type("<ctrl+u>/broken<enter>")
        await talk.shown("✗ /broken:")
        assert talk.asked == []


async def test_the_page_of_help_lists_templates(chats: Chats, server: ScriptedServer, prompts: Path) -> None:
    async with chats.built(server, rows=60) as talk:
        talk.type("/help<enter>")
        await talk.shown("type to search")
        await talk.press("templates")
        assert "/greet <name>" in talk.screen()
        assert "/review [branch | commit]" in talk.screen()
