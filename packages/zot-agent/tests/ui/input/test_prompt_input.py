"""The editor and what helps to fill it, without a screen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from waiting import until

from zot_agent.ui.input.drafts import SIZE
from zot_agent.ui.input.prompt_input import LONG, PromptInput
from zot_tui.editor.completion_sources import CommandCompletion
from zot_tui.keys.key import parse_key
from zot_tui.widgets.input.editor import EDITOR, EditorWidget, _keymap
from zot_tui.widgets.input.suggest import Suggest

COMMANDS = [CommandCompletion("help", "shows it"), CommandCompletion("hello", "greets", arguments=True)]


@asynccontextmanager
async def typing(root: Path, cwd: Path | None = None) -> AsyncIterator[Any]:
    suggest = Suggest()
    typed: Any = PromptInput(
        EditorWidget(),
        suggest,
        home=str(root / "home"),
        cwd=str(cwd or root),
        commands=lambda: COMMANDS,
        is_whole=lambda text, _: text == "/hl",
    )
    typed.suggest = suggest
    try:
        yield typed
    finally:
        await typed.close()


def offered(suggest: Suggest) -> list[str]:
    """The rows of the list."""
    return [row.decode().rstrip() for row in suggest.render((40,)).text] if suggest.rows((40,)) else []


async def test_a_command_that_stands_there_already_is_sent_by_the_first_enter(tmp_path: Path) -> None:
    async with typing(tmp_path) as typed:
        typed.editor.insert("/hel")
        assert typed.enter()
        assert typed.text == "/help"
        typed.set("")
        typed.editor.insert("/hell")
        assert not typed.enter()
        assert typed.text == "/hello "
        typed.set("")
        typed.editor.insert("/hello")
        assert typed.enter()
        assert typed.text.strip() == "/hello"


async def test_a_whole_command_is_sent_as_typed_unless_another_one_is_chosen(tmp_path: Path) -> None:
    async with typing(tmp_path) as typed:
        typed.editor.insert("/hl")
        assert typed.enter()
        assert typed.text == "/hl"
        typed.down()
        assert not typed.enter()
        assert typed.text == "/hello "


async def test_files_are_offered_once_they_are_found_and_not_when_the_word_has_ended(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "one.txt").touch()
    (project / "two.txt").touch()
    async with typing(tmp_path, project) as typed:
        suggest = typed.suggest
        typed.editor.insert("see @")
        await until(lambda: offered(suggest) == ["› one.txt", "  two.txt"])
        typed.down()
        assert offered(suggest) == ["  one.txt", "› two.txt"]
        typed.editor.insert("w")
        await until(lambda: offered(suggest) == ["› two.txt"])
        typed.editor.press(parse_key("backspace"))
        await until(lambda: len(offered(suggest)) == 2)
        assert typed.cancel()
        assert offered(suggest) == []
        assert not typed.cancel()
        typed.editor.insert(" and @o")
        await until(lambda: "› one.txt" in offered(suggest))
        assert typed.complete()
        assert typed.text == "see @ and @one.txt "
        assert not typed.complete()


async def test_right_and_left_go_into_directories_and_out_of_them(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "src" / "my parts").mkdir(parents=True)
    (project / "src" / "my parts" / "deep.txt").touch()
    (project / "one.txt").touch()
    keys = _keymap()

    async with typing(tmp_path, project) as typed:

        def press(name: str) -> None:
            key = parse_key(name)
            typed.handle(key, keys.find(key, (EDITOR,)))

        suggest = typed.suggest
        typed.editor.insert("see @sr")
        await until(lambda: "› src/" in offered(suggest))
        press("right")
        assert typed.text == "see @src/"
        await until(lambda: offered(suggest) == ["› src/my parts/", "  src/my parts/deep.txt"])
        press("right")
        assert typed.text == 'see @"src/my parts/'
        await until(lambda: offered(suggest) == ["› src/my parts/deep.txt"])
        press("right")
        assert typed.text == 'see @"src/my parts/'
        press("left")
        assert typed.text == "see @src/"
        await until(lambda: "› src/my parts/" in offered(suggest))
        press("left")
        assert typed.text == "see @"
        await until(lambda: "  one.txt" in offered(suggest) or "› one.txt" in offered(suggest))
        press("left")
        assert typed.editor.buffer.cursor == len("see ")


async def test_a_draft_that_is_longer_than_what_is_kept_comes_back_with_a_word_about_it(tmp_path: Path) -> None:
    async with typing(tmp_path) as typed:
        typed.editor.paste("x" * SIZE)
        typed.editor.insert(" behind it")
        typed.keep([])
    async with typing(tmp_path) as typed:
        assert typed.recover() == ("the first 8,388,608 characters of your unsent text were recovered into the editor")
        assert typed.editor.pastes.expand(typed.text) == "x" * SIZE


async def test_a_long_draft_comes_back_as_a_chip_and_a_short_one_as_it_was(tmp_path: Path) -> None:
    async with typing(tmp_path) as typed:
        assert not typed.recover()
        typed.set("short\ntext")
        typed.keep(["waits", "waits too"])
    async with typing(tmp_path) as typed:
        assert typed.recover()
        assert typed.text == "waits\n\nwaits too\n\nshort\ntext"
        typed.set("")
        typed.keep([])
        typed.editor.paste("x" * (LONG + 1))
        assert typed.text.startswith("[pasted")
    async with typing(tmp_path) as typed:
        assert typed.recover()
        assert typed.text.startswith("[pasted")
        assert typed.editor.pastes.expand(typed.text) == "x" * (LONG + 1)


async def test_history_holds_what_chips_stood_for(tmp_path: Path) -> None:
    async with typing(tmp_path) as typed:
        typed.editor.paste("line\n" * 20)
        typed.sent(typed.text)
        assert typed.text == ""
        typed.up()
        assert typed.text == "line\n" * 20
    async with typing(tmp_path) as typed:
        typed.up()
        assert typed.text == "line\n" * 20
