"""Undo and redo on the screen."""

from pathlib import Path

from screen import Chats, Talk, bash

from zot_provider.testing import Call, ScriptedServer, Turn
from zot_tui.widgets.dialogs.stack import WAITS


def write(path: str, content: str) -> Turn:
    return Turn(calls=[Call("write", {"path": path, "content": content})])


def prompts(talk: Talk) -> list[str]:
    return [text for _, text in talk.said]


async def test_undo_restores_the_files_and_puts_the_prompt_into_the_editor(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    server.add(write("a", "1"), "written", write("a", "2"), "changed")
    async with chats.built(server) as talk:
        await talk.send("write it", "change it")
        talk.type("/undo<enter>")
        await talk.shown("undone; restored a; /redo takes it back")
        await talk.shown("› change it")
        await talk.until_hidden("▌ change it")
        assert Path("a").read_text() == "1"
        talk.type("<ctrl+u>/redo<enter>")
        await talk.shown("redone; restored a")
        await talk.shown("▌ change it")
        assert Path("a").read_text() == "2"


async def test_a_file_that_the_person_edited_is_asked_about(chats: Chats, server: ScriptedServer, alone: Path) -> None:
    server.add(write("a", "1"), "written")
    async with chats.built(server) as talk:
        await talk.send("write it")
        Path("a").write_text("mine")
        talk.type("/undo<enter>")
        await talk.shown("1 file changed since, not by zot. Overwrite?")
        talk.type("n")
        await talk.until_hidden("Overwrite?")
        assert Path("a").read_text() == "mine"
        assert "written" in talk.screen()
        talk.type("/undo<enter>")
        await talk.shown("Overwrite?")
        talk.type("y")
        await talk.shown("undone; restored a")
        assert not Path("a").exists()


async def test_what_is_typed_while_an_undo_looks_does_not_overwrite_the_work_of_the_person(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    server.add(write("a", "1"), "written")
    async with chats.built(server) as talk:
        await talk.send("write it")
        Path("a").write_text("mine")
        talk.type("/undo<enter>")
        typed = ""

        def asked() -> bool:
            nonlocal typed
            typed += "y"
            talk.type("y")
            return WAITS in talk.screen()

        await talk.until(asked)
        assert "Overwrite?" in talk.screen()
        assert talk.editor == typed
        assert Path("a").read_text() == "mine"


async def test_jobs_are_stopped_before_an_undo_if_the_person_says_so(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    job = Call("bash", {"command": "exec sleep 1000", "background": True})
    server.add(Turn(calls=[job]), "it runs", write("a", "1"), "written")
    async with chats.built(server) as talk:
        await talk.send("start it", "write it")
        talk.type("/undo<enter>")
        await talk.shown("Commands in the background may change files. Stop them?")
        await talk.shown("job 1: running")
        talk.type("n")
        await talk.until_hidden("Stop them?")
        assert Path("a").read_text() == "1"
        talk.type("/undo<enter>")
        await talk.shown("Stop them?")
        talk.type("y")
        await talk.shown("undone; restored a")
        assert not Path("a").exists()
        talk.type("<ctrl+u>/undo<enter>")
        await talk.shown("undone; no file was restored")


async def test_going_back_asks_what_goes_back_if_files_differ(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    server.add(Turn(calls=[bash("echo 1 > a")]), "red", "blue")
    async with chats.built(server) as talk:
        await talk.send("a color")
        for answer in "fb":
            talk.type("<esc><esc>")
            await talk.shown("Change a prompt")
            talk.type("<enter>")
            if answer == "f":
                await talk.shown("What goes back?")
                talk.type("f")
                await talk.shown("restored a")
                assert "red" in talk.screen()
            assert not Path("a").exists()
        await talk.shown("› a color")
        await talk.until_hidden("red")


async def test_a_summary_is_not_offered_with_files_alone(chats: Chats, server: ScriptedServer, alone: Path) -> None:
    server.add(Turn(calls=[bash("echo 1 > a")]), "red", "It was red.")
    async with chats.built(server) as talk:
        await talk.send("a color")
        talk.type("/tree<enter>")
        await talk.shown("Session tree")
        talk.type("<end><up><up><up><ctrl+s>")
        await talk.shown("What goes back?")
        assert "the conversation; the files stay as they are" in talk.screen()
        assert "the files; the conversation stays" not in talk.screen()
        assert Path("a").exists()
        talk.type("b")
        await talk.shown("≡ Summary of the conversation")
        await talk.shown("restored a")
        assert not Path("a").exists()


async def test_diff_shows_what_the_session_changed(chats: Chats, server: ScriptedServer, alone: Path) -> None:
    Path("a").write_text("one\ntwo\n")
    Path("b").write_bytes(b"\0")
    look = Turn(calls=[Call("read", {"path": "a"})])
    server.add(look, write("a", "one\nthree\n"), Turn(calls=[bash("rm b; echo new > c")]), "changed")
    async with chats.built(server) as talk:
        talk.type("/diff<enter>")
        await talk.shown("this session has changed no file")
        await talk.send("change it")
        talk.type("/diff<enter>")
        await talk.shown("Changes of this session")
        for line in ("  a  +1 −1", "- two", "+ three", "b deleted", "not a text", "c created  +1", "+ new"):
            await talk.shown(line)


async def test_a_change_of_many_lines_is_shown_at_once_from_its_first_line_to_its_last(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    lines = 20_000
    make = f'for n in $(seq {lines}); do echo "value$n = compute($n)"; done > a.py'
    server.add(Turn(calls=[bash(make)]), "changed")
    async with chats.built(server, columns=100) as talk:
        await talk.send("change it")
        talk.type("/diff<enter>")
        await talk.shown("   1 + value1 = compute(1)")
        talk.type("<end>")
        await talk.shown(f"20000 + value{lines} = compute({lines})")
        assert "Alt+V side by side" in talk.screen()
        talk.type("<alt+v><home>")
        await talk.shown("│     1 + value1 = compute(1)")
        assert "Alt+V in one column" in talk.screen()
