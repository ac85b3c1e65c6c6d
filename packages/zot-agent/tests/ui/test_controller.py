"""What keys do."""

import base64
import random
import re
from pathlib import Path

import pytest
from screen import Chats, Paused, bash

from zot_core.hooks import Refusal
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def test_enter_during_work_has_the_prompt_wait_and_alt_up_takes_it_back(chats: Chats) -> None:
    async with chats.working("two") as (talk, client):
        talk.type("second<enter>third<enter>draft<alt+up>")
        assert talk.waiting == ["second"]
        assert talk.editor == "third\n\ndraft"
        await talk.settle()
        assert "queued: second" in talk.screen()
        client.go.set()
        await talk.quiet()
        assert talk.asked == ["first", "second"]
        assert "steering: " not in talk.screen()
        talk.type("<alt+up>")
        assert talk.editor == "third\n\ndraft"


async def test_escape_closes_suggestions_then_notes_then_stops_then_clears(chats: Chats) -> None:
    async with chats.working() as (talk, client):
        talk.type("waits<enter>/")
        talk.note("of an extension", "info", "ext")
        await talk.shown("› /new")
        await talk.press("<esc>")
        assert "start a new session" not in talk.screen()
        assert "of an extension" in talk.screen()
        assert talk.editor == "/"
        await talk.press("<esc>")
        assert "of an extension" not in talk.screen()
        assert talk.busy
        talk.type("<esc>")
        await talk.quiet()
        assert not talk.busy
        assert talk.waiting == []
        assert talk.editor == "waits\n\n/"
        assert client.cancelled == 1
        assert talk.asked == ["first"]
        talk.type("<esc>")
        assert talk.editor == ""
        talk.type("<esc>")
        assert not talk.over


async def test_a_prompt_that_is_stopped_at_once_leaves_a_screen_that_goes_on(chats: Chats) -> None:
    async with chats.open(["one", "again"]) as talk:
        talk.type("first<enter><esc>")
        await talk.quiet()
        assert talk.said == [("user", "first")]
        await talk.send("second")
        assert "again" in talk.screen()


async def test_control_c_stops_then_leaves(chats: Chats) -> None:
    async with chats.working() as (talk, _):
        talk.type("draft<ctrl+c>")
        await talk.quiet()
        assert "press ctrl+c again to quit" in talk.screen()
        assert talk.editor == "draft"
        assert not talk.over
        talk.type("<ctrl+c>")
        assert talk.over
        assert "ctrl+c" not in talk.tail()


async def test_control_c_clears_what_is_typed_and_control_d_leaves_an_empty_editor_alone(chats: Chats) -> None:
    async with chats.open() as talk:
        talk.type("draft<ctrl+d>")
        assert (talk.editor, talk.over) == ("draft", False)
        talk.type("<ctrl+c>")
        assert (talk.editor, talk.over) == ("", False)
        talk.type("<ctrl+d>")
        assert talk.over


async def test_what_is_said_into_the_work_reaches_the_model_with_its_next_call(chats: Chats) -> None:
    client = ScriptedClient([Turn(calls=[bash("until [ -e go ]; do sleep 0.02; done")]), "I see."])
    async with chats.open(client) as talk:
        talk.type("first<enter>")
        await talk.shown("bash until")
        talk.type("hurry up<ctrl+s>")
        assert (talk.editor, talk.waiting) == ("", [])
        await talk.settle()
        assert "↳ steering: hurry up" in talk.screen()
        Path("go").touch()
        await talk.quiet()
        assert [role for role, _ in talk.said] == ["user", "assistant", "tool", "user", "assistant"]
        assert talk.asked == ["first", "hurry up"]
        assert "▌ hurry up" in talk.screen()
        assert "queued: " not in talk.screen()
        client.add("Well.")
        talk.type("alone<ctrl+s>")
        await talk.quiet()
        assert talk.asked[-1] == "alone"


async def test_what_was_said_into_work_that_is_stopped_comes_back(chats: Chats) -> None:
    async with chats.open([Turn(calls=[bash("echo here; sleep 100")]), "fine"]) as talk:
        talk.type("first<enter>")
        await talk.shown("    here")
        talk.type("hurry up<ctrl+s>later<enter>draft<esc>")
        await talk.quiet()
        assert talk.editor == "hurry up\n\nlater\n\ndraft"
        assert talk.asked == ["first"]
        talk.type("<ctrl+c>")
        await talk.send("second")
        assert talk.asked == ["first", "second"]
        assert "queued: " not in talk.screen()


async def test_what_was_said_into_work_that_fails_comes_back(chats: Chats) -> None:
    async with chats.working("two", error=RuntimeError("no luck")) as (talk, client):
        talk.type("hurry up<ctrl+s>second<enter>draft")
        client.go.set()
        await talk.quiet()
        assert talk.editor == "hurry up\n\ndraft"
        assert talk.asked == ["first", "second"]
        assert "queued: " not in talk.screen()


async def test_up_and_down_walk_through_history_and_keep_the_draft(chats: Chats) -> None:
    async with chats.open(["a", "b"]) as talk:
        await talk.send("first", "second")
        talk.type("draft<up>")
        assert talk.editor == "second"
        talk.type("<up>")
        assert talk.editor == "first"
        talk.type("<up>")
        assert talk.editor == "first"
        talk.type("<down><down>")
        assert talk.editor == "draft"
        talk.type("<up>!<up>")
        assert talk.editor == "second"
        talk.type("<down>")
        assert talk.editor == "second!"
    async with chats.open() as talk:
        talk.type("<esc><up><up>")
        assert talk.editor == "first"


async def test_rows_of_a_text_come_before_history(chats: Chats) -> None:
    async with chats.open(["a"]) as talk:
        await talk.send("before")
        talk.type("one<alt+enter>two<shift+enter>three<ctrl+j>four")
        assert talk.editor == "one\ntwo\nthree\nfour"
        talk.type("<up><up><up>X")
        assert talk.editor == "oneX\ntwo\nthree\nfour"
        talk.type("<up>")
        assert talk.editor == "before"


async def test_a_long_paste_is_a_chip_and_the_model_reads_all_of_it(chats: Chats) -> None:
    long = "".join(f"line {number}\n" for number in range(200))
    client = Paused([Turn("¶", chunk=10), "b", "c"])
    async with chats.open(client) as talk:
        talk.type("work<enter>")
        await talk.shown("esc to stop")
        talk.type("look: ")
        talk.paste(long)
        assert talk.editor == "look: [pasted 200 lines #1]"
        talk.type("<enter>")
        talk.type("<alt+up>")
        assert talk.editor == "look: [pasted 200 lines #1]"
        talk.type("<enter>")
        client.go.set()
        await talk.quiet()
        assert talk.asked[1] == f"look: {long}".strip()
        talk.type("<up>")
        assert talk.editor.startswith("look: line 0\nline 1\n")


async def test_an_image_that_is_dropped_is_sent_with_the_prompt(chats: Chats) -> None:
    Path("cat.png").write_bytes(PNG)
    Path("no.png").write_text("text")
    async with chats.open(["A cat."]) as talk:
        talk.paste(str(Path("cat.png").absolute()))
        await talk.send("what is it?")
        kinds = [block.type for block in talk.messages[0].content]
        assert sorted(kinds) == ["image", "text"]
        assert "▨ PNG · 1×1 · 70 B" in talk.screen()
        talk.paste(str(Path("no.png").absolute()))
        await talk.send("and this?")
        assert "GIF or WebP image" in talk.screen()
        assert talk.editor == "[image:no.png] and this?"


async def test_files_that_a_prompt_names_are_read_by_the_model_and_the_user_sees_what_was_typed(chats: Chats) -> None:
    Path("a.py").write_text("x = 1\n")
    Path("cat.png").write_bytes(PNG)
    async with chats.open(["Two."], session="talk.jsonl") as talk:
        await talk.send("compare @a.py and @cat.png with @nobody")
        assert talk.asked == [
            '<file path="a.py">\nx = 1\n</file>\n\n[image cat.png]\n\ncompare @a.py and @cat.png with @nobody'
        ]
        assert [block.type for block in talk.messages[0].content] == ["text", "image"]
        assert "x = 1" not in talk.screen()
        await talk.shown("▌ compare @a.py and @cat.png with @nobody")
        await talk.shown("▌ + 2 files")
        await talk.press("<up>")
        assert talk.editor == "compare @a.py and @cat.png with @nobody"
    async with chats.open(session="talk.jsonl") as talk:
        await talk.shown("▌ compare @a.py and @cat.png with @nobody")
        await talk.shown("▌ + 2 files")
        assert "x = 1" not in talk.screen()


async def test_a_file_that_cannot_be_attached_leaves_the_prompt_in_the_editor(chats: Chats) -> None:
    Path("core").write_bytes(b"\x7fELF\0\0")
    async with chats.open() as talk:
        await talk.send("what is @core")
        assert "✗ core looks binary" in talk.screen()
        assert talk.editor == "what is @core"
        assert talk.said == []


async def test_a_prompt_with_a_file_waits_for_its_turn_even_if_it_is_sent_to_the_working_model(chats: Chats) -> None:
    Path("a.py").write_text("x = 1\n")
    async with chats.working("two") as (talk, client):
        talk.type("see @a.py <ctrl+s>")
        assert talk.waiting == ["see @a.py "]
        client.go.set()
        await talk.quiet()
        assert talk.asked[1].endswith("</file>\n\nsee @a.py")


async def test_going_back_in_history_does_not_stop_at_a_command_or_a_path(chats: Chats) -> None:
    async with chats.open(["a", "b"]) as talk:
        await talk.send("first", "see @", "/yolo")
        talk.type("<up>")
        assert talk.editor == "/yolo"
        await talk.settle()
        assert talk.screen().count("/yolo") == 1
        talk.type("<up><up>")
        assert talk.editor == "first"
        talk.type("<down><down>")
        assert talk.editor == "/yolo"
        talk.type("<down>/the")
        await talk.shown("› /theme")


async def test_ctrl_r_finds_an_earlier_prompt(chats: Chats) -> None:
    async with chats.open(["a", "b", "c"]) as talk:
        await talk.send("fix the tests", "read the docs", "fix the tests")
        talk.type("docs<ctrl+r>")
        await talk.shown("› read the docs")
        assert "fix the tests" not in "".join(talk.rows()[-8:])
        await talk.press("<enter>")
        assert talk.editor == "read the docs"
        talk.type("<ctrl+r>")
        await talk.shown("Earlier prompts")
        await talk.press("<esc>")
        assert talk.editor == "read the docs"


async def test_the_end_of_work_is_announced_while_the_terminal_is_out_of_focus(chats: Chats) -> None:
    async with chats.open(["a", "b", "c"]) as talk:
        await talk.send("unknown focus")
        talk.look(here=False)
        await talk.send("fix it")
        talk.look(here=True)
        await talk.send("seen")
        rung = [each for each in talk.sequences if each.endswith("\a") and "done" in each]
        assert len(rung) == 1
        assert "done: fix it" in rung[0]


async def test_a_question_is_announced_while_the_terminal_is_out_of_focus(chats: Chats) -> None:
    async with chats.open([Turn(calls=[bash("expr no")]), "Done."]) as talk:
        talk.asks = True
        talk.look(here=False)
        talk.type("go<enter>")
        await talk.shown("Run bash expr no")
        assert any("a question is waiting" in each for each in talk.sequences)
        await talk.until(lambda: talk.dialog_open)
        talk.type("n")
        await talk.quiet()


async def test_a_refused_turn_says_why(chats: Chats) -> None:
    async with chats.open(["x"]) as talk:
        talk.hooks.before_model_call.add(lambda step: Refusal("not on a Sunday"))
        await talk.send("hello")
        assert "✗ not on a Sunday" in talk.screen()


async def test_a_limit_says_which_one_once(chats: Chats) -> None:
    async with chats.open([Turn(calls=[Call("ls", {})])] * 2, max_steps=1) as talk:
        await talk.send("hello")
        assert talk.screen().count("max steps (1) exceeded") == 1


@pytest.mark.parametrize("prefix", ["!", "!!"])
async def test_a_shell_command_is_run_and_the_model_reads_it_with_the_next_prompt(chats: Chats, prefix: str) -> None:
    async with chats.open(["I see."]) as talk:
        await talk.send(f"{prefix} printf 'sea%s\\n' shell; exit 4")
        assert "✗ ! printf" in talk.screen()
        assert "    seashell" in talk.screen()
        assert "exit 4" in talk.screen()
        assert talk.said == []
        await talk.send("what was that?")
        assert ("seashell" in talk.asked[0]) == (prefix == "!")
        assert talk.asked[0].endswith("what was that?")


async def test_a_prompt_behind_a_shell_command_shows_what_was_typed_now_and_after_a_resume(chats: Chats) -> None:
    async with chats.open(["I see."], session="talk.jsonl") as talk:
        await talk.send("!printf 'sea%s\\n' shell", "!!echo mine", "what was that?", "thanks")
        assert talk.asked[0].startswith("$ printf")
        assert talk.asked[1] == "thanks"
        shown = [row for row in talk.rows() if row.startswith("▌")]
        assert shown == ["▌ what was that?", "▌ + output of 1 command", "▌ thanks"]
    async with chats.open(session="talk.jsonl") as talk:
        assert "seashell" in talk.asked[0]
        assert [row for row in talk.rows() if row.startswith("▌")] == shown
        assert "printf" not in talk.screen()


async def test_the_working_row_says_what_is_done(chats: Chats) -> None:
    command = "echo here; until [ -e go ]; do sleep 0.02; done"
    client = Paused([Turn("I ¶look.", calls=[bash(command)], chunk=100), "Done."])
    async with chats.open(client) as talk:
        talk.type("!echo first<enter>go<enter>")
        await talk.shown("  I")
        assert "answering" in talk.screen()
        client.go.set()
        await talk.shown("    here")
        assert "running  " in talk.screen()
        Path("go").touch()
        await talk.quiet()
        assert not talk.spinning


async def test_a_mark_without_a_command_is_not_sent_and_stays_in_the_editor(chats: Chats) -> None:
    async with chats.open(["one"]) as talk:
        await talk.send("!echo kept", "! ")
        await talk.shown("✗ no command follows the !")
        assert talk.editor.strip() == "!"
        assert talk.said == []
        talk.type("<ctrl+u>")
        await talk.send("now")
        assert "kept" in talk.said[0][1]


async def test_while_a_call_is_asked_about_the_working_row_waits_and_the_call_shows_no_time(chats: Chats) -> None:
    command = "expr here; until [ -e go ]; do sleep 0.02; done"
    async with chats.open([Turn("So.", calls=[bash("expr no")]), Turn(calls=[bash(command)]), "Done."]) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown("Run bash expr no")
        assert talk.activity == "waiting for you"
        talk.spin()
        await talk.settle()
        assert re.search(r"^. bash expr no$", talk.screen(), re.MULTILINE)
        talk.type("n")
        await talk.shown("Run bash expr here")
        assert "⊘ bash expr no  refused\n" in talk.screen()
        talk.type("y")
        await talk.shown("    here")
        assert talk.activity == "running"
        Path("go").touch()
        await talk.quiet()


async def test_a_shell_command_during_work_waits_and_can_be_stopped(chats: Chats) -> None:
    async with chats.working("two") as (talk, client):
        talk.type("!echo here; sleep 100<enter>then<enter>")
        assert talk.waiting == ["!echo here; sleep 100", "then"]
        client.go.set()
        await talk.shown("    here")
        assert talk.asked == ["first"]
        assert "running" in talk.screen()
        talk.type("<esc>")
        await talk.quiet()
        assert "■ ! echo here" in talk.screen()
        assert talk.editor == "then"
        talk.type("<enter>")
        await talk.quiet()
        assert "[stopped by the user]" in talk.asked[1]


async def test_a_key_goes_through_the_modes_of_permissions(chats: Chats) -> None:
    async with chats.open() as talk:
        for mode in ("ask", "accept-edits", "plan"):
            await talk.press("<shift+tab>")
            assert talk.status.strip().startswith(mode)
            assert talk.style_at(2, 23) == "accent"
        await talk.press("<shift+tab>")
        assert talk.status.strip().startswith("yolo")
        assert talk.style_at(2, 23) == "warning"
        assert "yolo: runs every call that no rule denies or asks about" in talk.screen()


async def test_reasoning_is_changed_by_a_key(chats: Chats) -> None:
    async with chats.open(model=Model("kimi-k3", "scripted", reasoning=True)) as talk:
        assert "low" in talk.status  # the least that the model has
        await talk.press("<ctrl+t>")
        assert talk.reasoning == "high"
        assert "high" in talk.status


async def test_a_model_without_reasoning_has_no_levels_to_change(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.press("<ctrl+t>")
        assert talk.reasoning == "off"
        assert "m1 has no reasoning levels" in talk.screen()
        await talk.send("/reasoning")
        assert "Reasoning" not in talk.screen()


async def test_the_draft_and_what_waits_outlive_the_screen(chats: Chats) -> None:
    async with chats.working() as (talk, _):
        talk.type("second<enter>third")
    async with chats.open() as talk:
        assert talk.editor == "second\n\nthird"
        assert "your unsent text was recovered into the editor" in talk.screen()
        talk.type("<esc>")
    async with chats.open() as talk:
        assert talk.editor == ""


async def test_the_title_says_what_goes_on(chats: Chats) -> None:
    client = Paused([Turn("one¶", chunk=100)])
    async with chats.open(client) as talk:
        assert talk.title == "work"
        talk.type("fix the tests<enter>")
        await talk.shown("one")
        assert talk.title == "● fix the tests – work"
        client.go.set()
        await talk.quiet()
        assert talk.title == "fix the tests – work"


async def test_the_mouse_is_ours_only_if_asked_for(chats: Chats) -> None:
    async with chats.open(["\n\n".join(map(str, range(60)))]) as talk:
        await talk.send("count")
        assert not talk.mouse
        talk.type("<alt+m>")
        assert talk.mouse
        await talk.shown("  59")
        talk.click(3, 3, 4)
        await talk.settle()
        assert "  59" not in talk.screen()


KEYS = [
    "<enter>", "<enter>", "<enter>", "<esc>", "<esc>", "<up>", "<down>", "<left>", "<right>", "<tab>", "<backspace>",
    "<ctrl+o>", "<alt+o>", "<pageup>", "<pagedown>", "<alt+up>", "<ctrl+s>", "<f1>", "<shift+tab>", "<alt+m>",
    "<ctrl+l>", "<ctrl+u>", "<ctrl+w>", "<ctrl+y>", "<ctrl+_>", "<alt+pageup>", "<shift+end>", "<shift+home>",
    "<alt+enter>", "/model<enter>", "/new<enter>", "/clear<enter>", "/compact<enter>", "/sessions<enter>",
    "/jump<enter>", "/reasoning<enter>", "/theme<enter>", "/skills<enter>", "/copy<enter>", "/study<enter>",
    "!echo<enter>", "@", "@a", "x", "hello", "/", "/re", "日本", "e\u0301",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_is_typed_the_screen_goes_on(chats: Chats, seed: int) -> None:
    chance = random.Random(seed)
    turns = [
        Turn("word " * 30, calls=[bash("echo hi")]),
        Turn("answer " * 10, reasoning="hm hm"),
        Turn("x", error=RuntimeError("no")),
        Turn("| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n"),
    ]
    with ScriptedServer(turns, repeat=True) as server:
        async with chats.built(server) as talk:
            for _ in range(200):
                what = chance.random()
                if what < 0.03:
                    talk.resize(chance.randint(10, 130), chance.randint(3, 50))
                elif what < 0.06:
                    talk.paste(chance.choice(["short", "line\n" * 30, "a\x1b[2Jb"]))
                else:
                    talk.type(chance.choice(KEYS))
                if what < 0.5:
                    await talk.settle()
                assert not talk.over
            talk.resize(80, 24)
            talk.type("<esc>" * 6 + "<ctrl+u>")
            await talk.quiet()
            assert "bug in zot" not in talk.transcript()
