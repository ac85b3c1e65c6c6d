"""What stands on the screen, as whole images."""

from pathlib import Path
from typing import Any

from screen import Chats, Paused, bash

from zot_agent.ui.commands import slash_commands
from zot_provider.messages import Message, Role, TextBlock
from zot_provider.model import Model
from zot_provider.testing import Call, Fault, ScriptedServer, Turn
from zot_provider.testing.turn import Answer
from zot_tui.widgets.dialogs.panel import PanelWidget

EDIT = {"path": "a.txt", "edits": [{"oldText": "two\n", "newText": "2\n"}]}


async def test_an_empty_screen_is_an_editor_and_a_status(chats: Chats) -> None:
    async with chats.open() as talk:
        assert talk.shows("""
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ m1 · scripted
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(15 blank)
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)


async def test_a_prompt_stands_in_a_band_above_its_answer(chats: Chats) -> None:
    async with chats.open(["# Title\n\nSome **words** and `code`.\n\n1. one\n2. two\n"]) as talk:
        talk.type("hello<alt+enter>there<enter>")
        await talk.quiet()
        assert talk.shows("""
            |▌ hello
            |▌ there
            |
            |  # Title
            |
            |  Some words and code.
            |
            |  1. one
            |  2. two
            |(13 blank)
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work              ↑10 ↓5 · <1% of 100k · scripted · m1
        """)
        assert talk.style_at(0, 0) == "user"
        assert talk.style_at(79, 0) == "user_bubble"


async def test_an_answer_is_shown_while_it_is_written(chats: Chats) -> None:
    client = Paused([Turn("The first paragraph.\n\n- a point\n- anoth¶er", chunk=100)])
    async with chats.open(client) as talk:
        talk.type("go<enter>")
        await talk.shown("anoth")
        assert talk.shows("""
            |▌ go
            |
            |  The first paragraph.
            |
            |  • a point
            |  • anoth
            |(14 blank)
            |  * answering  0s · esc to stop
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)
        client.go.set()
        await talk.quiet()
        assert "• another" in talk.screen()
        assert "esc to stop" not in talk.screen()


async def test_a_thought_is_one_row_and_its_text_when_expanded(chats: Chats) -> None:
    client = Paused([Turn("So it is.", reasoning="First I look.\n\nThen I ¶think.", chunk=100)])
    async with chats.open(client, rows=12) as talk:
        talk.type("why?<enter>")
        await talk.shown("Thinking")
        assert talk.shows("""
            |▌ why?
            |
            |∴ Thinking: Then I
            |(6 blank)
            |  * thinking  0s · esc to stop
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)
        client.go.set()
        await talk.quiet()
        assert talk.shows("""
            |▌ why?
            |
            |∴ Thought for 0s: First I look.
            |
            |  So it is.
            |(5 blank)
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work              ↑10 ↓5 · <1% of 100k · scripted · m1
        """)
        await talk.press("<ctrl+o>")
        assert talk.shows("""
            |▌ why?
            |
            |∴ Thought for 0s
            |  First I look.
            |
            |  Then I think.
            |
            |  So it is.
            |
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work              ↑10 ↓5 · <1% of 100k · scripted · m1
        """)


async def test_a_running_tool_shows_the_end_of_its_output(chats: Chats) -> None:
    command = "seq 1 20; until [ -e go ]; do sleep 0.02; done"
    async with chats.open([Turn("Counting.", calls=[bash(command)]), "Done."]) as talk:
        talk.type("count<enter>")
        await talk.shown("   20")
        assert talk.shows("""
            |▌ count
            |
            |  Counting.
            |
            |* bash seq 1 20; until [ -e go ]; do sleep 0.02; done
            |    16
            |    17
            |    18
            |    19
            |    20
            |(10 blank)
            |  * running  0s · esc to stop
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work               ↑10 ↓5 · 1% of 100k · scripted · m1
        """)
        Path("go").touch()
        await talk.quiet()
        assert talk.shows("""
            |
            |  Counting.
            |
            |● bash seq 1 20; until [ -e go ]; do sleep 0.02; done
            |    … 8 earlier lines (ctrl+o)
            |    9
            |    10
            |    11
            |    12
            |    13
            |    14
            |    15
            |    16
            |    17
            |    18
            |    19
            |    20
            |
            |  Done.
            |
            |  worked for 0s · ↑20 ↓10
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work             ↑20 ↓10 · <1% of 100k · scripted · m1
        """)
        before = talk.rows()
        await talk.press("<ctrl+o>")
        assert talk.shows("""
            |● bash seq 1 20; until [ -e go ]; do sleep 0.02; done
            |    1
            |    2
            |    3
            |    4
            |    5
            |    6
            |    7
            |    8
            |    9
            |    10
            |    11
            |    12
            |    13
            |    14
            |    15
            |    16
            |    17
            |    18
            |    19
            |    20                                                                      60%
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work             ↑20 ↓10 · <1% of 100k · scripted · m1
        """)
        await talk.press("<ctrl+o>")
        assert talk.rows() == before


async def test_tools_that_fail_are_stopped_or_change_a_file(chats: Chats) -> None:
    Path("a.txt").write_text("one\ntwo\nthree\n")
    answers = [
        Turn(calls=[Call("read", {"path": "none.txt"}), bash("echo no >&2; exit 3")]),
        Turn(calls=[Call("edit", EDIT), Call("read", {"path": "a.txt"}), Call("nonsuch", {})]),
        Turn(calls=[bash("echo here; sleep 100")]),
    ]
    async with chats.open(answers, rows=40) as talk:
        talk.set_tools("bash", "edit", "read")
        talk.type("try<enter>")
        await talk.shown("    here")
        talk.type("<esc>")
        await talk.quiet()
        assert talk.shows("""
            |▌ try
            |
            |✗ read none.txt
            |    no such file: none.txt; check the path, relative ones start at the working
            |    directory
            |
            |✗ bash echo no >&2; exit 3  exit 3
            |    no
            |
            |● edit a.txt  +1 −1
            |       1   one
            |       2 - two
            |       2 + 2
            |       3   three
            |
            |● read a.txt  3 lines
            |
            |✗ nonsuch  not run
            |    unknown tool "nonsuch"; the tools are: bash, edit, read
            |
            |■ bash echo here; sleep 100
            |    here
            |    aborted: stopped by the user
            |
            |  worked for 0s · ↑30 ↓15 · 1 file changed +1 −1
            |(13 blank)
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work · /undo     ↑30 ↓15 · <1% of 100k · scripted · m1
        """)


async def test_notes_are_coloured_by_their_level_and_errors_are_marked(chats: Chats) -> None:
    async with chats.open(rows=12) as talk:
        for level in ("info", "success", "warning", "error"):
            talk.note(f"a note of level {level}", level)
        talk.note("of an\nextension", "error", "ext")
        await talk.send("hi")
        await talk.shown("F5 sends")
        assert talk.shows("""
            |  a note of level info
            |  a note of level success
            |  a note of level warning
            |✗ a note of level error
            |
            |▌ hi
            |
            |✗ the script is over: 0 turns were written, this is request 1
            |  F5 sends the prompt again
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work                        1% of 100k · scripted · m1
        """)
        assert [talk.style_at(4, row) for row in range(4)] == ["info", "success", "warning", "error"]


async def test_commands_are_offered_in_sections_and_by_pages(chats: Chats) -> None:
    commands = slash_commands()
    async with chats.open() as talk:
        await talk.press("/")
        assert talk.shows("""
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ m1 · scripted
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(6 blank)
            |  conversation
            |› /new      start a new session
            |  /clear    clear the conversation
            |  /compact  replace the conversation with a summary
            |  /search   search the conversation
            |  /jump     scroll to a prompt
            |  /btw      ask a side question that is not kept
            |  /study    have the model explore and explain the project
            |  1–7 of all
            |› /
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)
        await talk.press("<pagedown>")
        assert talk.shows("""
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ m1 · scripted
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(6 blank)
            |  /retry    send a failed prompt again
            |› /tree     go back to an entry of any branch
            |  /edit     change an earlier prompt and ask again
            |  /fork     continue before a prompt in a new session
            |  /clone    continue in a copy of the session
            |  /undo     go back to before the last prompt, with the files
            |  /redo     take back the last undo
            |  /diff     show what this session changed
            |  8–15 of all
            |› /
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)
        await talk.press("<pageup>")
        assert talk.row(-10).startswith("› /new")
        await talk.press("co")
        rows = [row for row in talk.rows()[8:] if "/" in row]
        assert rows[0].split(None, 2) == ["›", "/copy", commands["copy"].help]
        assert ["/compact", commands["compact"].help] in [row.split(None, 1) for row in rows]


async def test_files_are_offered_behind_an_at(chats: Chats) -> None:
    for name in ("src/app.py", "src/main.py", "tests/test_app.py", "README.md"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    async with chats.open() as talk:
        talk.type("look at @")
        await talk.shown("README.md")
        assert talk.shows("""
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ m1 · scripted
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(9 blank)
            |› README.md
            |  src/
            |  tests/
            |  src/app.py
            |  src/main.py
            |  tests/test_app.py
            |› look at @
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)
        talk.type("app")
        await talk.until_hidden("README.md")
        await talk.press("<down><tab>please")
        assert talk.shows("""
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ m1 · scripted
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(15 blank)
            |› look at @tests/test_app.py please
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)


async def test_the_editor_is_not_lit_while_a_panel_has_the_keys(chats: Chats) -> None:
    async with chats.open(rows=10) as talk:

        def styles() -> list[object]:
            found = [talk.style_at(column, 8) for column in (0, 2)]
            return [getattr(style, "layers", (style,))[0] for style in found]

        talk.type("a draft")
        await talk.show_panel(PanelWidget("Todos", ["one"], "enter ticks", closes="Esc"))
        assert talk.shows("""
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |
            |────────────────────────────────────────────────────────────────────────────────
            |  Todos                                                              Esc close
            |  one
            |  enter ticks
            |› a draft
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)
        assert (talk.cursor, styles()) == (None, ["dim", "muted"])
        await talk.show_panel(None)
        assert (talk.cursor, styles()) == ((9, 8), ["user", "editor"])
        await talk.press("<ctrl+u>")
        assert talk.row(8).startswith("› ask, or / for commands")


async def test_prompts_that_wait_stand_above_the_editor(chats: Chats) -> None:
    client = Paused([Turn("¶", chunk=100), "2", "3", "4", "5", "6"])
    async with chats.open(client, rows=14) as talk:
        talk.type("first<enter>")
        await talk.shown("esc to stop")
        for number in range(2, 7):
            talk.type(f"number {number}<alt+enter>more<enter>")
        await talk.press("draft")
        assert talk.shows("""
            |▌ first
            |(6 blank)
            |  * answering  0s · esc to stop
            |  queued: number 2  sent when zot is done
            |  queued: number 3  sent when zot is done
            |  queued: number 4  sent when zot is done
            |  and 2 more
            |› draft
            |  yolo · no sandbox · ~/work · 5 queued             1% of 100k · scripted · m1
        """)
        client.go.set()
        await talk.quiet()
        assert talk.asked[1:] == [f"number {n}\nmore" for n in range(2, 7)]
        assert talk.editor == "draft"


async def test_help_lists_commands_in_sections_and_finds_words_of_descriptions(chats: Chats) -> None:
    async with chats.open(rows=30) as talk:
        talk.type("?")
        await talk.shown("Help")
        rows = talk.rows()
        at = rows.index("  conversation")
        assert rows[at + 1] == "› /new                        start a new session"
        await talk.press("take back last")
        assert "› /redo                       take back the last undo" in talk.rows()[at][:80]
        await talk.press("<enter>")
        assert talk.editor == "/redo "
        await talk.press("?")
        assert (talk.dialog_open, talk.editor) == (False, "/redo ?")


async def test_a_conversation_of_before_is_shown_as_it_was(chats: Chats) -> None:
    def message(role: Role, text: str, **fields: Any) -> Message:
        return Message(role, [TextBlock(text)], **fields)

    messages = [
        message("user", "a summary of much", summarized_tokens=1234),
        message("user", "what is the password?"),
        message("assistant", "hunter2", display_text="(it was covered)"),
        message("user", "and now?"),
        message("assistant", "a secret", hidden="hidden by guard"),
        message("user", "thanks"),
        message("assistant", "You are **welcome**."),
    ]
    async with chats.open(messages=messages) as talk:
        assert talk.shows("""
            |≡ Summary of the conversation  of 1.2k tokens of messages · ctrl+o
            |
            |▌ what is the password?
            |
            |  (it was covered)
            |
            |▌ and now?
            |
            |  hidden by guard
            |
            |▌ thanks
            |
            |  You are welcome.
            |(9 blank)
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work                        1% of 100k · scripted · m1
        """)
        assert "hunter2" not in talk.tail()
        assert "a secret" not in talk.tail()


async def test_a_compaction_leaves_a_line(chats: Chats) -> None:
    model = Model("m1", "scripted", context_window=150_000)
    async with chats.open(["one", "two", "three", "This is the summary."], rows=20, model=model) as talk:
        await talk.send(*(text + " word" * 30 for text in "abc"), "/compact")
        assert talk.shows("""
            |▌ a word word word word word word word word word word word word word word word
            |▌ word word word word word word word word word word word word word word word
            |
            |  one
            |
            |▌ b word word word word word word word word word word word word word word word
            |▌ word word word word word word word word word word word word word word word
            |
            |  two
            |
            |▌ c word word word word word word word word word word word word word word word
            |▌ word word word word word word word word word word word word word word word
            |
            |  three
            |
            |≡ Summary of the conversation  116 → 148 tokens of messages · 4 kept · ctrl+o
            |
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work             ↑40 ↓20 · <1% of 150k · scripted · m1
        """)


async def test_wide_and_low_screens_show_the_same_in_their_own_way(chats: Chats) -> None:
    turns: list[Answer] = [Turn("I look.", calls=[bash("echo one; echo two")]), "A word " * 20]
    async with chats.open(turns, columns=120, rows=40) as talk:
        await talk.send("a prompt of some words that are not many but enough to be folded on a narrow screen")
        assert talk.shows("""
            |▌ a prompt of some words that are not many but enough to be folded on a narrow screen
            |
            |  I look.
            |
            |● bash echo one; echo two
            |    one
            |    two
            |
            |  A word A word A word A word A word A word A word A word A word A word A word A word A word A word A word A word A word
            |  A word A word A word
            |
            |  worked for 0s · ↑20 ↓10
            |(26 blank)
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work                                                     ↑20 ↓10 · <1% of 100k · scripted · m1
        """)  # noqa: E501
        talk.resize(40, 12)
        await talk.settle()
        assert talk.shows("""
            |    one
            |    two
            |
            |  A word A word A word A word A word A
            |  word A word A word A word A word A
            |  word A word A word A word A word A
            |  word A word A word A word A word
            |
            |  worked for 0s · ↑20 ↓10
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox   <1% of 100k · m1
        """)
        talk.resize(20, 6)
        await talk.press("/")
        assert talk.shows("""
            |  ↑20 ↓10
            |  conversation
            |› /new      start a…
            |  /clear    clear t…
            |› /
            |  yolo
        """)
        talk.resize(19, 5)
        await talk.settle()
        assert talk.shows("""
            |too small
        """)


async def test_a_low_screen_has_room_for_work_that_goes_on_and_a_long_draft(chats: Chats) -> None:
    client = Paused([Turn("Some text ¶that stops", chunk=100)])
    async with chats.open(client, columns=40, rows=12) as talk:
        talk.type("go<enter>")
        await talk.shown("Some text")
        talk.type("later<enter>")
        await talk.press("<alt+enter>".join(f"row {number}" for number in range(9)))
        assert talk.shows("""
            |▌ go
            |
            |  Some text
            |
            |
            |  * answering  0s · esc to stop
            |  queued: later
            |↑ row 5
            |  row 6
            |  row 7
            |  row 8
            |  yolo · no sandbox         1% of 100k
        """)
        talk.resize(20, 6)
        await talk.settle()
        assert talk.shows("""
            |  Some text
            |  * answering  0s ·…
            |  queued: later
            |↑ row 7
            |  row 8
            |  yolo
        """)


async def test_names_of_files_and_directories_are_drawn_as_text(chats: Chats) -> None:
    place = Path("evil\x1b]0;pwned\x07\u202e\x9b2J").absolute()
    place.mkdir()
    for name in ("good.txt", "bad\x1b[2J.txt", "back\u202ewards.txt"):
        (place / name).touch()
    async with chats.open(cwd=str(place)) as talk:
        talk.type("@")
        await talk.shown("good.txt")
        text = talk.screen()
        assert not any((ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 for char in text)
        assert "\u202e" not in text
        assert f"~/{place.parent.name}/evil" in text
        assert "\x1b" not in talk.title
        assert "\x07" not in talk.title


async def test_what_came_below_while_the_person_looked_up_is_counted(chats: Chats) -> None:
    async with chats.open(["\n\n".join(f"paragraph {number}" for number in range(30)), "more"], rows=12) as talk:
        await talk.send("tell")
        talk.type("<pageup>")
        talk.note("news")
        await talk.settle()
        assert talk.shows("""
            |
            |  paragraph 22
            |
            |  paragraph 23
            |
            |  paragraph 24
            |
            |  paragraph 25
            |                                                                    1 new below
            |
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work              ↑10 ↓5 · <1% of 100k · scripted · m1
        """)
        await talk.press("<shift+end>")
        assert "new below" not in talk.screen()
        assert "  news" in talk.screen()


async def test_the_wait_for_a_retry_counts_down_and_ends_with_escape(chats: Chats, server: ScriptedServer) -> None:
    busy = {"error": {"message": "Overloaded"}}
    server.add(Turn(fault=Fault(status=529, body=busy, headers={"retry-after": "50"})), "never")
    async with chats.built(server) as talk:
        talk.type("hello<enter>")
        await talk.shown("trying again (1 of 3)  in 50s · esc to stop")
        assert "the server answered 529: Overloaded" in talk.screen()
        await talk.shown("in 49s · esc to stop")
        talk.type("<esc>")
        await talk.shown("stopped")
        await talk.until_hidden("trying again")
    assert len(server.requests) == 1


async def test_what_was_read_of_an_answer_that_breaks_off_stays_and_the_model_sees_only_the_other_one(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add(Turn("Once upon a time", chunk=4, fault=Fault(cut=True, after=4)), "Whole tale.", "And then.")
    async with chats.built(server, columns=100) as talk:
        await talk.send("tell me")
        await talk.shown("Whole tale.")
        shown = [row.strip() for row in talk.rows() if row.strip()]
        assert [row for row in shown if "Once" in row] == ["Once upon a"]
        read, cut, whole = (
            next(n for n, row in enumerate(shown) if words in row) for words in ("Once", "cut", "Whole")
        )
        assert read < cut < whole
        assert "broke off" in " ".join(shown[cut:whole])
        await talk.send("more")
        assert "Once" not in str(server.requests[-1].body)
        assert [text for _, text in talk.said] == ["tell me", "Whole tale.", "more", "And then."]
