import contextlib
from collections.abc import AsyncIterator

from screen import Chats, Paused, Talk, bash

from zot_agent.ui.questions.permission import arguments
from zot_core.hooks import ToolRequest
from zot_provider.testing import Turn
from zot_tui.text.runs import plain
from zot_tui.widgets.dialogs.stack import WAITS


@contextlib.asynccontextmanager
async def question_behind_help(chats: Chats) -> AsyncIterator[Talk]:
    """A screen with the help open, and a question about a call of `bash` waiting behind it."""
    client = Paused([Turn("¶So.", calls=[bash("echo done")], chunk=100), "I see."])
    async with chats.open(client) as talk:
        talk.asks = True
        talk.type("go<enter><f1>")
        client.go.set()
        await talk.shown("a question is waiting")
        yield talk


def shown(call: ToolRequest, columns: int) -> list[str]:
    return [plain(row).rstrip() for row in arguments(call, columns)]


def test_an_argument_stands_behind_its_name_however_narrow_the_screen_is() -> None:
    call = ToolRequest("1", "bash", {"command": "echo hello there", "timeout": 5, "quiet": True})

    assert shown(call, 40) == ["  command: echo hello there", "  timeout: 5", "  quiet: true"]
    assert shown(call, 18) == ["  command: echo", "  hello there", "  timeout: 5", "  quiet: true"]


def test_names_and_values_that_a_model_made_up_are_drawn_as_text() -> None:
    call = ToolRequest("1", "bash", {"a\x1b]0;title\x07b": "c\x1b[2Jd", "list": ["\x1b[2J"]})

    assert not any("\x1b" in row or "\x07" in row for row in shown(call, 60))


def test_a_replacement_is_a_change() -> None:
    call = ToolRequest("1", "edit", {"path": "a.py", "edits": [{"oldText": "x = 1", "newText": "x = 2"}]})

    assert shown(call, 40) == ["  path: a.py", "  x = 1", "  x = 2"]


async def test_keys_typed_on_while_a_question_opens_go_to_the_editor_and_answer_nothing(chats: Chats) -> None:
    async with chats.open([Turn("So.", calls=[bash("echo done")]), "I see."]) as talk:
        talk.asks = True
        talk.type("go<enter>")
        typed = ""

        def asked() -> bool:
            nonlocal typed
            typed += "lean"[len(typed) % 4]
            talk.type(typed[-1])
            return WAITS in talk.screen()

        await talk.until(asked)
        assert talk.row(-2) == f"› {typed}"
        assert talk.cursor == (2 + len(typed), 22)
        talk.type(" and<enter>")
        talk.paste("yes")
        assert talk.waiting == [f"{typed} and"]
        assert talk.editor == "yes"
        assert talk.asks
        await talk.until(lambda: talk.dialog_open)
        await talk.shown("Enter choose")
        talk.paste("a")
        assert talk.editor == "yes"
        talk.type("n")
        await talk.shown("⊘ bash echo done  refused")


async def test_a_question_waits_behind_an_open_list_and_the_status_says_so(chats: Chats) -> None:
    client = Paused([Turn("¶So.", calls=[bash("echo done")], chunk=100), "I see."])
    async with chats.open(client) as talk:
        talk.asks = True
        talk.type("go<enter>/theme<enter>")
        await talk.shown("type to search")
        client.go.set()
        await talk.shown("a question is waiting")
        await talk.press("a")
        assert "type to search" not in talk.screen()
        talk.type("<esc>")
        await talk.shown("Run bash echo done?")
        assert "a question is waiting" not in talk.screen()
        await talk.until(lambda: talk.dialog_open)
        talk.type("y")
        await talk.shown("I see.")
        assert talk.asks


async def test_the_esc_that_closes_the_help_refuses_no_call(chats: Chats) -> None:
    async with question_behind_help(chats) as talk:
        talk.type("<esc>")
        await talk.shown("Run bash echo done?")
        await talk.until(lambda: talk.dialog_open)
        talk.type("y")
        await talk.shown("I see.")
        assert "refused" not in talk.screen()


async def test_a_second_esc_over_the_help_stops_the_work_as_it_does_without_a_question(chats: Chats) -> None:
    async with question_behind_help(chats) as talk:
        talk.type("<esc><esc>")
        await talk.quiet()
        assert "■ bash echo done" in talk.screen()
        assert not talk.dialog_open
