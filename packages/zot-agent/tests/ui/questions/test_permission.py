import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from screen import Chats, Paused, Talk, bash

from zot_agent.ui.questions.permission import PermissionPrompt, arguments
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.hooks import ToolRequest
from zot_core.permissions.rule import parse_rule
from zot_provider.testing import Call, Turn
from zot_tui.text.runs import plain
from zot_tui.widgets.dialogs.stack import WAITS
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.chunks import indented, wrapped


@contextlib.asynccontextmanager
async def question_behind_help(chats: Chats) -> AsyncIterator[Talk]:
    """A screen with the help open, and a question about a call of `bash` waiting behind it."""
    client = Paused([Turn("¶So.", calls=[bash("expr done")], chunk=100), "I see."])
    async with chats.open(client) as talk:
        talk.asks = True
        talk.type("go<enter><f1>")
        client.go.set()
        await talk.shown("a question is waiting")
        yield talk


def shown(call: ToolRequest, columns: int) -> list[str]:
    return [plain(row).rstrip() for row in indented(wrapped(arguments(call))).rows(columns)]


def test_an_argument_stands_behind_its_name_however_narrow_the_screen_is() -> None:
    call = ToolRequest("1", "bash", {"command": "echo hello there", "timeout": 5, "quiet": True})

    assert shown(call, 40) == ["  command: echo hello there", "  timeout: 5", "  quiet: true"]
    assert shown(call, 18) == ["  command: echo", "  hello there", "  timeout: 5", "  quiet: true"]


def test_names_and_values_that_a_model_made_up_are_drawn_as_text() -> None:
    call = ToolRequest("1", "bash", {"a\x1b]0;title\x07b": "c\x1b[2Jd", "list": ["\x1b[2J"]})

    assert shown(call, 60) == [
        r"  a\x1b]0;title\x07b: c\x1b[2Jd",
        r"""  list: ["\u001b[2J"]""",
    ]


def test_a_replacement_is_a_change() -> None:
    call = ToolRequest("1", "edit", {"path": "a.py", "edits": [{"oldText": "x = 1", "newText": "x = 2"}]})

    assert shown(call, 40) == ["  path: a.py", "  oldText: x = 1", "  newText: x = 2"]


async def test_the_question_before_an_edit_shows_the_change_with_numbers_and_colours(chats: Chats) -> None:
    Path("a.py").write_text("".join(f"line {number}\n" for number in range(1, 21)))
    edits = [{"oldText": "line 11\n", "newText": "line eleven\n"}]
    async with chats.open([Turn("So.", calls=[Call("edit", {"path": "a.py", "edits": edits})]), "I see."]) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown("Run edit a.py?")
        rows = talk.rows()
        at = next(index for index, row in enumerate(rows) if "- line 11" in row)
        assert rows[at].split() == ["11", "-", "line", "11"]
        assert rows[at + 1].split() == ["11", "+", "line", "eleven"]
        assert rows[at - 1].split() == ["10", "line", "10"]
        assert talk.style_at(rows[at].index("line"), at) != talk.style_at(rows[at + 1].index("line"), at + 1)
        assert Path("a.py").read_text().count("eleven") == 0
        await talk.until(lambda: talk.dialog_open)
        talk.type("y")
        await talk.shown("I see.")
        assert Path("a.py").read_text().count("eleven") == 1


async def test_a_change_is_drawn_side_by_side_by_a_key_in_the_question_and_in_the_conversation(chats: Chats) -> None:
    Path("a.py").write_text("one\ntwo\n")
    edit = Call("edit", {"path": "a.py", "edits": [{"oldText": "two", "newText": "three"}]})
    sides, below = "    2 - two  ", "\n       2 - two\n       2 + three\n"
    async with chats.open([Turn("So.", calls=[edit]), "I see."], columns=100) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown("Run edit a.py?")
        await talk.until(lambda: talk.dialog_open)
        assert below in talk.screen()
        talk.type("<alt+v>")
        assert [row.split() for row in talk.rows() if "two" in row] == [["2", "-", "two", "│", "2", "+", "three"]]
        talk.type("y")
        await talk.shown("I see.")
        assert any(row.startswith(f"   {sides}") and row.endswith("│    2 + three") for row in talk.rows())
        talk.type("<alt+v>")
        await talk.shown("changes are in one column")
        assert below in talk.screen()


async def test_a_screen_too_narrow_for_two_sides_says_so(chats: Chats) -> None:
    async with chats.open([Turn("So.", calls=[bash("expr done")]), "I see."], columns=99) as talk:
        talk.asks = True
        talk.type("<alt+v>")
        await talk.shown("changes are side by side, as soon as the screen has 100 columns")
        talk.type("go<enter>")
        await talk.until(lambda: talk.dialog_open)
        talk.type("<alt+v>")
        await talk.shown("changes are in one column")
        talk.type("<alt+v>")
        assert talk.screen().count("as soon as the screen has 100 columns") == 2  # a note, and a row of the question
        talk.type("n")
        await talk.quiet()


async def test_the_question_before_a_write_shows_the_change_of_a_file_and_the_content_of_a_new_one(
    chats: Chats,
) -> None:
    Path("a.py").write_text("x = 1\ny = 2\n")
    calls = [Call("write", {"path": path, "content": "x = 1\ny = 3\n"}) for path in ("a.py", "b.py")]
    async with chats.open([Turn("So.", calls=calls), "I see."]) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown("Run write a.py?")
        assert "2 - y = 2" in talk.screen()
        assert "2 + y = 3" in talk.screen()
        await talk.until(lambda: talk.dialog_open)
        talk.type("n")
        await talk.shown("Run write b.py?")
        assert "2   y = 3" in talk.screen()
        await talk.until(lambda: talk.dialog_open)
        talk.type("n")
        await talk.quiet()


async def test_a_yes_to_a_change_is_no_yes_to_another_one(chats: Chats) -> None:
    Path("a.py").write_text("x = 1\ny = 2\n")
    call = Call("write", {"path": "a.py", "content": "x = 1\ny = 3\n"})
    async with chats.open([Turn("So.", calls=[call]), "I see."]) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown("2 + y = 3")
        await talk.until(lambda: talk.dialog_open)
        Path("a.py").write_text("x = 5\ny = 2\n")
        talk.type("y")
        await talk.shown("the file has changed meanwhile")
        assert "1 - x = 5" in talk.screen()
        assert Path("a.py").read_text() == "x = 5\ny = 2\n"
        await talk.until(lambda: talk.dialog_open)
        talk.type("y")
        await talk.shown("I see.")
    assert Path("a.py").read_text() == "x = 1\ny = 3\n"


async def test_the_question_hides_nothing_of_a_command_or_of_a_change(chats: Chats) -> None:
    hidden = "ls \x1b]0;\u202etouch hidden;\x07"
    calls = [bash(hidden), Call("write", {"path": "b.sh", "content": hidden})]
    async with chats.open([Turn("So.", calls=calls), "I see."]) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown(r"Run bash ls \x1b]0;\u202etouch hidden;\x07?")
        assert r"command: ls \x1b]0;\u202etouch hidden;\x07" in talk.screen()
        assert "it contains characters that cannot be seen" in talk.screen()
        await talk.until(lambda: talk.dialog_open)
        talk.type("n")
        await talk.shown("Run write b.sh?")
        assert r"1   ls \x1b]0;\u202etouch hidden;\x07" in talk.screen()
        await talk.until(lambda: talk.dialog_open)
        talk.type("n")
        await talk.quiet()


async def test_an_edit_that_would_fail_is_shown_as_it_was_called_and_why_it_fails(chats: Chats) -> None:
    Path("a.py").write_text("x = 1\n")
    call = Call("edit", {"path": "a.py", "edits": [{"oldText": "nowhere", "newText": "x = 2"}]})
    async with chats.open([Turn("So.", calls=[call]), "I see."]) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown("Run edit a.py?")
        assert "this call will fail: a.py was not changed" in talk.screen()
        assert "nowhere" in talk.screen()
        await talk.until(lambda: talk.dialog_open)
        talk.type("n")
        await talk.quiet()


async def test_a_preview_that_takes_too_long_gives_way_to_the_arguments() -> None:
    asked: list[list[str]] = []

    async def ask(dialog: Any, *, behind: bool = False) -> Any:
        asked.append([row.decode().strip() for row in dialog.body.render((60, 4)).text])
        return "yes"

    async def never(call: ToolRequest) -> Any:
        await asyncio.Event().wait()

    prompt = PermissionPrompt(ask, preview=never, style=CellStyle(), preview_seconds=0.01)
    call = ToolRequest("1", "bash", {"command": "ls"})
    assert await prompt(PermissionQuestion("q", call, "why", ["bash(ls)"])) == PermissionAnswer("yes")
    assert asked == [["why", "command: ls", "", "always: bash(ls)"]]


async def test_keys_typed_on_while_a_question_opens_go_to_the_editor_and_answer_nothing(chats: Chats) -> None:
    async with chats.open([Turn("So.", calls=[bash("expr done")]), "I see."]) as talk:
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
        await talk.shown("⊘ bash expr done  refused")


async def test_a_question_waits_behind_an_open_list_and_the_status_says_so(chats: Chats) -> None:
    client = Paused([Turn("¶So.", calls=[bash("expr done")], chunk=100), "I see."])
    async with chats.open(client) as talk:
        talk.asks = True
        talk.type("go<enter>/theme<enter>")
        await talk.shown("type to search")
        client.go.set()
        await talk.shown("a question is waiting")
        await talk.press("a")
        assert "type to search" not in talk.screen()
        talk.type("<esc>")
        await talk.shown("Run bash expr done?")
        assert "a question is waiting" not in talk.screen()
        await talk.until(lambda: talk.dialog_open)
        talk.type("y")
        await talk.shown("I see.")
        assert talk.asks


async def test_the_esc_that_closes_the_help_refuses_no_call(chats: Chats) -> None:
    async with question_behind_help(chats) as talk:
        talk.type("<esc>")
        await talk.shown("Run bash expr done?")
        await talk.until(lambda: talk.dialog_open)
        talk.type("y")
        await talk.shown("I see.")
        assert "refused" not in talk.screen()


async def test_a_second_esc_over_the_help_stops_the_work_as_it_does_without_a_question(chats: Chats) -> None:
    async with question_behind_help(chats) as talk:
        talk.type("<esc><esc>")
        await talk.quiet()
        assert "■ bash expr done" in talk.screen()
        assert not talk.dialog_open


async def test_what_only_reads_is_not_asked_about_and_what_cannot_be_judged_is_in_yolo(chats: Chats) -> None:
    calls = [bash("ls -a | head -3"), bash("echo touch planted | sh")]
    async with chats.open([Turn(calls=calls[:1]), "I see.", Turn(calls=calls[1:]), "Well."]) as talk:
        talk.asks = True
        await talk.send("look")
        await talk.shown("I see.")
        talk.asks = False
        talk.chat.host.conversation.permissions.rules = [parse_rule("deny", "bash(touch *)")]
        talk.type("go<enter>")
        await talk.shown("what sh reads is not known")
        talk.type("n")
        await talk.shown("⊘ bash echo touch planted | sh  refused")
    assert not Path("planted").exists()
