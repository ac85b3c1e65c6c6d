"""Sessions are found, named, exported, imported and copied on the screen."""

import base64
from pathlib import Path

import pytest
from screen import Chats, Talk

from zot_provider.testing import Fault, ScriptedServer, Turn


def copied(talk: Talk) -> str:
    """What was put on the clipboard last."""
    sequence = [each for each in talk.sequences if each.startswith("\x1b]52;")][-1]
    return base64.b64decode(sequence.rstrip("\x07\x1b\\").rpartition(";")[2]).decode()


async def test_the_texts_of_all_sessions_are_searched_for_what_is_typed(chats: Chats, server: ScriptedServer) -> None:
    server.add("The lexer is wrong.", "two", "three")
    async with chats.built(server) as talk:
        await talk.send("fix the parser")
        await talk.send("/new")
        await talk.send("another talk")
        talk.type("/sessions<enter>")
        await talk.shown("you  another talk")
        talk.type("LEXER<ctrl+f>")
        await talk.shown("zot  The lexer is wrong.")
        assert "another talk  " not in talk.screen().partition("Sessions")[2]
        talk.type("nonsuch<ctrl+f>")
        await talk.shown("no session has nonsuch in its title or texts")
        talk.type("<ctrl+f>")
        await talk.shown("you  another talk")
        talk.type("<esc>")
        await talk.until_hidden("Sessions")
        talk.type("/sessions lexer wrong<enter>")
        await talk.shown("zot  The lexer is wrong.")
        talk.type("<enter>")
        await talk.until(lambda: talk.said and talk.said[0][1] == "fix the parser")
        await talk.send("and now?")
        assert talk.said[-1] == ("assistant", "three")


async def test_the_preview_follows_the_choice(chats: Chats, server: ScriptedServer) -> None:
    server.add("one", "two")
    async with chats.built(server) as talk:
        await talk.send("the first talk", "/new", "the second talk")
        talk.type("/sessions<enter>")
        await talk.shown("you  the second talk")
        talk.type("<down>")
        await talk.shown("you  the first talk")
        await talk.shown("zot  one")
        talk.type("<esc>")


async def test_a_low_screen_has_no_preview(chats: Chats, server: ScriptedServer) -> None:
    server.add("one")
    async with chats.built(server, rows=8) as talk:
        await talk.send("hello")
        talk.type("/sessions<enter>")
        await talk.shown("just now")
        await talk.settle()
        assert "you  " not in talk.screen()
        talk.type("<esc>")


async def test_a_session_is_renamed_by_a_command(chats: Chats, server: ScriptedServer) -> None:
    server.add("one")
    async with chats.built(server) as talk:
        await talk.send("/rename Weather  service")
        await talk.shown("the session is called Weather service")
        await talk.send("hello")
        talk.type("/rename<enter>")
        await talk.shown("Rename the session")
        talk.type("<ctrl+u>Other<enter>")
        await talk.shown("the session is called Other")
        talk.type("/sessions<enter>")
        await talk.shown("● Other")
        talk.type("<esc>")
    async with chats.built(server, no_session=True) as talk:
        await talk.send("/rename x")
        await talk.shown("this conversation is not saved")


async def test_nothing_of_the_screen_fails_when_a_session_gets_another_title(
    chats: Chats, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with chats.built(server) as talk:
        await talk.send("/rename Weather service")
        await talk.shown("the session is called Weather service")
    assert [record.getMessage() for record in caplog.records] == []


async def test_a_session_is_exported_and_imported(chats: Chats, server: ScriptedServer) -> None:
    server.add("one", "two")
    async with chats.built(server) as talk:
        await talk.send("/export a.html")
        await talk.shown("there is nothing to export yet")
        await talk.send("/import")
        await talk.shown("/import needs the path of a .zotsession file")
        await talk.send("hello")
        old = talk.session_path
        talk.type("/export a.html<enter>")
        await talk.shown("written to")
        talk.type("/export 'a.zotsession'<enter>")
        await talk.until(Path("a.zotsession").exists)
        await talk.quiet()
        talk.type("/import a.html<enter>")
        await talk.until(lambda: "not a session but an HTML page" in " ".join(talk.screen().split()))
        assert talk.session_path == old
        talk.type("/import a.zotsession<enter>")
        await talk.shown("imported; it is a session of this directory now")
        assert talk.session_path != old
        await talk.send("and now?")
        assert [text for _, text in talk.said] == ["hello", "one", "and now?", "two"]
    assert Path("a.html").read_text().startswith("<!doctype html>")


ANSWER = "Do this:\n\n```sh\nmake\n```\n\nor\n\n- that:\n\n  ```python\n  print(1)\n  print(2)\n  ```\n"


async def test_a_block_of_code_or_everything_is_copied(chats: Chats, server: ScriptedServer) -> None:
    server.add("No code.", ANSWER)
    async with chats.built(server) as talk:
        await talk.send("/copy all")
        await talk.shown("there is no answer to copy yet")
        await talk.send("one")
        await talk.send("/copy block")
        await talk.shown("there is no block of code in the answers")
        await talk.send("two")
        talk.type("/copy block<enter>")
        await talk.shown("Copy a block of code")
        talk.type("<enter>")
        await talk.shown("copied")
        await talk.until(lambda: copied(talk) == "print(1)\nprint(2)\n")
        await talk.quiet()
        talk.type("/copy block<enter>")
        await talk.shown("Copy a block of code")
        talk.type("make<enter>")
        await talk.until(lambda: copied(talk) == "make\n")
        await talk.quiet()
        talk.type("/copy all<enter>")
        everything = f"You:\n\none\n\nzot:\n\nNo code.\n\nYou:\n\ntwo\n\nzot:\n\n{ANSWER.strip()}\n"
        await talk.until(lambda: copied(talk) == everything)
        await talk.send("/copy nonsense")
        await talk.shown("/copy copies the last answer")


async def test_a_failed_prompt_is_sent_again_with_a_key(chats: Chats, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(status=400)), "It works.")
    async with chats.built(server) as talk:
        await talk.press("<f5>")
        await talk.shown("no prompt has failed")
        talk.type("hello<enter>")
        await talk.shown("F5 sends the prompt again")
        talk.type("a draft<f5>")
        await talk.shown("It works.")
        await talk.quiet()
        assert talk.said == [("user", "hello"), ("assistant", "It works.")]
        assert talk.editor == "a draft"
        await talk.press("<f5>")
        await talk.shown("no prompt has failed")
        assert len(server.requests) == 2


@pytest.mark.parametrize("key", ["<f5>", "/retry<enter>"])
async def test_a_prompt_that_was_stopped_is_sent_again(chats: Chats, server: ScriptedServer, key: str) -> None:
    server.add(Turn(fault=Fault(stall=60.0)), "It works.")
    async with chats.built(server) as talk:
        talk.type("hello<enter>")
        await talk.until(lambda: len(server.requests) == 1)
        await talk.press("<f5>")
        await talk.shown("no prompt has failed")
        talk.type("<esc>")
        await talk.shown("stopped")
        await talk.quiet()
        talk.type(key)
        await talk.shown("It works.")
        await talk.quiet()
        assert talk.said == [("user", "hello"), ("assistant", "It works.")]


@pytest.mark.parametrize(
    "fault", [Fault(after=4, pause=60.0), Fault(after=4, garbage=b"data: {]\n\n")], ids=["stopped", "broken"]
)
async def test_a_prompt_whose_answer_broke_off_is_sent_again_without_that_part(
    chats: Chats, server: ScriptedServer, fault: Fault
) -> None:
    turn = Turn("It is long and never ends.", fault=fault)
    tries = 1 if fault.pause else 2  # a damaged answer is asked for once more
    server.add("Before.", *[turn] * tries, "It works.")
    async with chats.built(server) as talk:
        await talk.send("first")
        talk.type("hello<enter>")
        await talk.shown("It")
        if fault.pause:
            talk.type("<esc>")
            await talk.shown("stopped")
        else:
            await talk.shown("F5 sends the prompt again")
        await talk.quiet()
        talk.type("<f5>")
        await talk.shown("It works.")
        await talk.quiet()
        assert [text for _, text in talk.said] == ["first", "Before.", "hello", "It works."]
        assert "never" not in str(server.requests[-1].body)
        await talk.press("<f5>")
        await talk.shown("no prompt has failed")
