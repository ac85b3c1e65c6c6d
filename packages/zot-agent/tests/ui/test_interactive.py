"""Extensions on the screen: real processes, found and started as the command does it."""

import json
from pathlib import Path

from screen import Chats, bash

from zot_agent.ui.commands import slash_commands
from zot_provider.testing import Call, ScriptedServer, Turn

NOTES = """
@ext.command("say", "shows what it is given")
def say(args):
    return display(args)

@ext.command("ask", "has the model asked")
def ask(args):
    return prompt(args)

@ext.command("put", "puts text into the editor")
def put(args):
    return insert(args)

@ext.command("fail", "fails")
def fail(args):
    return error("no such luck")

@ext.command("tell", "notes of all levels")
def tell(args):
    for level in ("info", "success", "warn", "error"):
        ext.notify(f"a note of level {level}", level)
    return noop()

@ext.command("hush", "takes its notes away")
def hush(args):
    ext.clear_notes()
    return noop()

@ext.command("later", "sends a message")
def later(args):
    ext.submit("from the extension")
    return noop()

@ext.command("die", "ends")
def die(args):
    os._exit(3)
"""

PANEL = """
keys = []
panel = ext.panel("list", "Keys", "esc closes")

@panel.on_render
def render():
    return ["▸ chosen", "  \\x1b[31mred\\x1b[0m \\x1b]52;c;eA==\\x07", "✓ done", *keys]

@panel.on_key
def pressed(press):
    keys.append(f"{press.key} {press.text}".strip())
    panel.refresh()

@panel.on_close
def closed():
    ext.notify("it was closed")

@ext.command("open", "opens a panel")
def open_it(args):
    keys.clear()
    return panel.open()
"""

COVER = """
@ext.intercept("assistant_message")
def cover(message):
    while not os.path.exists(os.path.join(ext.host.cwd, "go")):
        time.sleep(0.01)
    if "block" in message.text:
        return AssistantMessageDecision(block=True, reason="covered")
    return AssistantMessageDecision(replace_text=message.text.replace("secret", "******"))
"""


LATE = """
while not os.path.exists("go"):
    time.sleep(0.01)

@ext.command("late", "comes late")
def late(args):
    return display(f"better {args}")
"""


async def test_a_command_that_is_typed_before_its_extension_is_ready_waits_for_it(
    chats: Chats, server: ScriptedServer
) -> None:
    folder = chats.extension("slow", LATE)
    async with chats.built(server, extensions=[folder]) as talk:
        talk.type("/late late than never<enter>")
        await talk.shown("/late")
        assert talk.editor == ""
        talk.type("/nothing<enter>")
        Path(folder, "go").touch()
        await talk.shown("better late than never")
        await talk.shown("unknown command '/nothing'")
        assert talk.editor == "/nothing"


async def test_commands_of_extensions_stand_under_a_divider(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"notes": NOTES}, no_skills=True) as talk:
        count = len(slash_commands()) + 2
        await talk.press("/")
        await talk.shown(f"of {count + 8}")
        await talk.press("<up>" * 9)
        assert talk.shows(f"""
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ scripted · openai
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(6 blank)
            |› /review  [branch | commit] · review open changes, a branch or a commit
            |  extensions
            |  /ask    has the model asked
            |  /die    ends
            |  /fail   fails
            |  /hush   takes its notes away
            |  /later  sends a message
            |  /put    puts text into the editor
            |  {count}–{count + 6} of all
            |› /
            |  yolo · no sandbox · ~/work                                 openai · scripted
        """)
        talk.type("<esc><esc><f1>")
        await talk.shown("Help")
        await talk.press("what it is given")
        row = next(row for row in talk.rows() if row.startswith("› /say"))
        assert row.endswith("extensions  notes")


async def test_suggestions_that_are_open_show_the_commands_of_an_extension_that_comes_later(
    chats: Chats, server: ScriptedServer
) -> None:
    slow = f"""
while not os.path.exists({str(Path("go").resolve())!r}):
    time.sleep(0.01)

@ext.command("sessile", "sits")
def sit(args):
    return display("sat")
"""
    folders = [chats.extension("slow", slow), chats.extension("notes", NOTES)]
    async with chats.built(server, no_skills=True, extensions=folders) as talk:
        talk.type("/sess")
        await talk.shown("› /session ")
        Path("go").touch()
        await talk.shown("sessile")
        assert "› /session " in talk.screen()  # what Enter would take is still the same
        talk.type("<esc>")
        await talk.until_extensions_are_ready()
        await talk.settle()
        assert "sessile" not in talk.screen()
        talk.type("<ctrl+u>/sessil")
        await talk.shown("› /sessile")


async def test_an_open_list_of_models_gets_those_of_an_extension_that_comes_later(
    chats: Chats, server: ScriptedServer
) -> None:
    slow = f"""
while not os.path.exists({str(Path("go").resolve())!r}):
    time.sleep(0.01)

@ext.provider("club", {{"auth": "none", "models": [{{"id": "sessile-1"}}]}})
def club(call):
    yield "welcome"
"""
    folder = chats.extension("slow", slow)
    manifest = Path(folder, "extension.json")
    more = {"providers": {"club": {"auth": "none"}}, "remember": True}
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | more))
    async with chats.built(server, extensions=[folder]) as talk:
        talk.type("/model<enter>")
        await talk.shown("› ● scripted")
        assert "sessile-1" not in talk.screen()
        Path("go").touch()
        await talk.shown("sessile-1")
        assert "› ● scripted" in talk.screen()
        await talk.press("<esc>")
    Path("go").unlink()
    async with chats.built(server, extensions=[folder]) as talk:  # nothing waits for what is remembered
        talk.type("/model<enter>")
        await talk.shown("› ● scripted")
        assert "sessile-1" not in talk.screen()
        Path("go").touch()
        await talk.shown("sessile-1")
        await talk.press("<esc>")


async def test_suggestions_follow_what_extensions_bring_but_where_they_were_closed(
    chats: Chats, server: ScriptedServer
) -> None:
    def body(name: str) -> str:
        return f"""
while not os.path.exists({str(Path("go-" + name).resolve())!r}):
    time.sleep(0.01)
ext.command({name!r}, "sleeps")(lambda args: display("z"))
"""

    folders = [chats.extension("one", body("zzz")), chats.extension("two", body("sesame"))]
    async with chats.built(server, no_skills=True, extensions=folders) as talk:
        await talk.press("/zz")
        assert "sleeps" not in talk.screen()
        Path("go-zzz").touch()
        await talk.shown("› /zzz")
        talk.type("<ctrl+u>/ses")
        await talk.shown("› /session ")
        talk.type("<esc>")
        Path("go-sesame").touch()
        await talk.until_extensions_are_ready()
        await talk.settle()
        assert "sesame" not in talk.screen()
        program = Path(folders[0]) / "main.py"
        program.write_text(program.read_text().replace("'zzz', ", "'other', "))
        talk.type("<ctrl+u>/reload-ext<enter>/zz")
        await talk.shown("2 loaded (2 ready)")
        await talk.settle()
        assert "› /zzz" not in talk.screen()


async def test_what_a_command_of_an_extension_can_do(chats: Chats, server: ScriptedServer) -> None:
    server.add("Ada.", "Sent.")
    async with chats.extended(server, {"notes": NOTES}) as talk:
        talk.type("/say hello <lt>there><enter>")
        await talk.shown("[notes] hello <there>")
        talk.type("/SAY again<enter>")
        await talk.shown("[notes] again")
        talk.type("/put some text<enter>")
        await talk.until(lambda: talk.editor == "some text")
        talk.type("<esc><esc>/fail<enter>")
        await talk.shown("✗ /fail: extension notes: no such luck")
        talk.type("/ask who are you?<enter>")
        await talk.shown("Ada.")
        assert "[notes] hello" not in talk.screen()
        talk.type("/later<enter>")
        await talk.shown("Sent.")
        assert talk.asked == ["who are you?", "from the extension"]


async def test_a_command_with_a_name_of_zots_is_offered_once_and_the_screen_says_nothing(
    chats: Chats, server: ScriptedServer
) -> None:
    body = """
@ext.command("Theme", "other colours of mine")
def theme(args):
    return display("never")
"""
    async with chats.built(server, extensions=[chats.extension("painter", body)]) as talk:
        talk.type("/the")
        await talk.shown("› /theme  change the colours")
        await talk.settle()
        assert "shadowed" not in talk.screen()
        assert "of mine" not in talk.screen()
        talk.type("<enter>")
        await talk.shown("type to search")
        talk.type("<esc>/reload-ext<enter>")
        await talk.shown("1 loaded (1 ready)")
        await talk.press("/the")
        assert "of mine" not in talk.screen()


SLOW = """
@ext.command("hang", "takes long")
def hang(args):
    while not os.path.exists(os.path.join(ext.host.cwd, "go")):
        time.sleep(0.01)
    return display("it is done")

@ext.command("quick", "takes no time")
def quick(args):
    return display("done at once")
"""


async def test_a_command_that_takes_long_is_shown_and_can_be_given_up(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"noisy": SLOW}) as talk:
        talk.type("/hang<enter>")
        await talk.shown("/hang · noisy")
        assert "esc to stop" in talk.screen()
        talk.type("/quick<enter>")
        await talk.shown("[noisy] done at once")
        talk.type("a draft<esc><esc>")  # the note of the extension goes first
        await talk.shown("stopped waiting for /hang")
        await talk.until(lambda: not talk.spinning)
        assert talk.editor == "a draft"
        Path("go").touch()
        talk.type("<ctrl+u>/hang<enter>")
        await talk.shown("[noisy] it is done")
        await talk.until(lambda: not talk.spinning)


async def test_work_beside_a_command_that_takes_long_has_the_working_row(chats: Chats, server: ScriptedServer) -> None:
    server.add(Turn(calls=[bash("until [ -e on ]; do sleep 0.02; done")]), "Ada.")
    async with chats.extended(server, {"noisy": SLOW}) as talk:
        talk.type("/hang<enter>")
        await talk.shown("/hang · noisy")
        talk.type("who?<enter>")
        await talk.shown("running  ")
        Path("on").touch()
        await talk.shown("Ada.")
        await talk.shown("/hang · noisy")
        Path("go").touch()
        await talk.shown("it is done")
        await talk.until(lambda: not talk.spinning)


async def test_notes_go_with_the_extensions_word_with_esc_and_with_the_next_prompt(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("one")
    bodies = {"notes": NOTES, "other": NOTES.replace('command("', 'command("x')}
    async with chats.extended(server, bodies, rows=12) as talk:
        talk.type("/tell<enter>/xsay mine<enter>")
        await talk.shown("mine")
        await talk.shown("level error")
        await talk.settle()
        assert sorted(row for row in talk.rows() if row.startswith("  [")) == [
            "  [notes] a note of level error",
            "  [notes] a note of level info",
            "  [notes] a note of level success",
            "  [notes] a note of level warn",
            "  [other] mine",
        ]
        talk.type("/hush<enter>")
        await talk.until_hidden("level")
        assert "[other] mine" in talk.screen()
        await talk.press("<esc>")
        assert "mine" not in talk.screen()
        talk.type("/say more<enter>")
        await talk.shown("[notes] more")
        await talk.send("hello")
        assert "more" not in talk.screen()


async def test_a_panel_gets_all_keys_but_those_that_close_it(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"keys": PANEL}) as talk:
        talk.type("draft/open")
        talk.type("<ctrl+u>/open<enter>")
        await talk.shown("esc closes")
        assert talk.shows("""
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ scripted · openai
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(9 blank)
            |────────────────────────────────────────────────────────────────────────────────
            |  Keys
            |  ▸ chosen
            |    red
            |  ✓ done
            |  esc closes
            |›
            |  yolo · no sandbox · ~/work                                 openai · scripted
        """)
        assert talk.style_at(3, 18) == "selection"
        assert talk.cursor is None
        talk.type("x<up><ctrl+d><f5><enter><tab><backspace><pageup>/")
        talk.paste("a\nb")
        await talk.shown("rune b")
        shown = [row.strip() for row in talk.screen().splitlines()]
        first, last = shown.index("rune x"), shown.index("rune b")
        keys = ["rune x", "up", "enter", "tab", "backspace", "pageup", "rune /", "rune a", "rune", "rune b"]
        assert shown[first : last + 1] == keys
        assert talk.editor == ""
        assert not talk.over
        talk.type("<esc>")
        await talk.shown("it was closed")
        assert "esc closes" not in talk.screen()
        talk.type("<esc>/open<enter>")
        await talk.shown("esc closes")
        talk.type("<ctrl+c>")
        await talk.shown("it was closed")
        talk.type("typed")
        assert talk.editor == "typed"
        assert not talk.over


async def test_a_panel_that_looks_like_a_question_has_the_name_of_its_extension(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"sly": PANEL.replace('"Keys"', '"Run bash rm -rf /?"')}) as talk:
        talk.type("/open<enter>")
        await talk.shown("sly: Run bash rm -rf /?")


async def test_how_a_panel_is_closed_is_said_where_its_footer_does_not(chats: Chats, server: ScriptedServer) -> None:
    body = PANEL.replace('"esc closes"', '"any key"')
    async with chats.extended(server, {"keys": body}) as talk:
        talk.type("/open<enter>")
        await talk.shown("any key")
        assert "  Keys" + " " * 63 + "Esc close" in talk.screen()
        talk.type("<esc>")
        await talk.shown("it was closed")


async def test_a_panel_goes_with_its_extension(chats: Chats, server: ScriptedServer) -> None:
    body = PANEL.replace("    keys.append", "    os._exit(3)\n    keys.append")
    async with chats.extended(server, {"keys": body}) as talk:
        talk.type("/open<enter>")
        await talk.shown("esc closes")
        talk.type("x")
        await talk.until_hidden("esc closes")
        talk.type("typed")
        assert talk.editor == "typed"


async def test_text_is_held_back_until_an_extension_has_decided(chats: Chats, server: ScriptedServer) -> None:
    server.add(Turn("the secret word", calls=[Call("ls", {})]), "block this", "the end")
    async with chats.extended(server, {"cover": COVER}) as talk:
        talk.type("tell<enter>")
        await talk.shown("ls")
        assert "secret" not in talk.screen()
        Path("go").touch()
        await talk.quiet()
        assert "secret" not in talk.screen()
        assert "block this" not in talk.screen()
        assert talk.shows("""
            |▌ tell
            |
            |  the ****** word
            |
            |● ls  1 file
            |  covered
            |
            |  worked for 0s · ↑20 ↓10
            |(14 blank)
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work       ↑20 ↓10 · <1% of ~32.8k · openai · scripted
        """)
        assert talk.said[1] == ("assistant", "the secret word")
        await talk.send("and now?")
        assert "the end" in talk.screen()


async def test_a_call_that_an_extension_forbids_is_marked_as_refused(chats: Chats, server: ScriptedServer) -> None:
    body = """
@ext.intercept("tool_call")
def guard(call):
    return ToolCallDecision(block=call.name == "bash", reason="no commands here")
"""
    server.add(Turn(calls=[bash("touch made"), Call("ls", {})]), "Well then.")
    async with chats.extended(server, {"guard": body}) as talk:
        await talk.send("go")
        assert talk.rows()[:6] == [
            "▌ go", "", "⊘ bash touch made  refused", "    no commands here", "", "● ls  0 files",
        ]  # fmt: skip
    assert not Path("made").exists()


async def test_extensions_are_started_anew(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"notes": NOTES}) as talk:
        program = chats.root / "notes" / "main.py"
        program.write_text(program.read_text().replace('command("say"', 'command("shout"'))
        talk.type("/reload-ext<enter>")
        await talk.shown("reloaded: 1 stopped, 1 loaded (1 ready)")
        talk.type("/shout hey<enter>")
        await talk.shown("[notes] hey")
        talk.type("/say x<enter>")
        await talk.shown("unknown command '/say'")
        talk.type("<esc><esc><esc>/die<enter>")
        await talk.shown("[notes] exited with code 3; see zot ext logs notes")
        await talk.settle()
        assert "/die" not in talk.screen()  # one event, one line
        talk.type("/reload-ext<enter>")
        await talk.shown("reloaded: 0 stopped, 1 loaded (1 ready)")


async def test_extensions_that_come_later_are_heard(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        folder = Path(chats.extension("notes", NOTES))
        home = chats.root / "zot-home" / "extensions"
        home.mkdir(parents=True)
        folder.rename(home / "notes")
        talk.type("/reload-ext<enter>")
        await talk.shown("1 loaded (1 ready)")
        talk.type("/say hello<enter>")
        await talk.shown("[notes] hello")


async def test_hostile_text_of_an_extension_is_drawn_as_text(chats: Chats, server: ScriptedServer) -> None:
    evil = "\\x1b]0;pwned\\x07\\x1b[2J\\x9b31mred\\u202eback\\u200b\\x00\\x7f" + "e\\u0301" * 3 + "\\u0301" * 500
    body = f"""
TEXT = "{evil}"

@ext.command("evil", TEXT)
def evil(args):
    ext.notify(TEXT, "warn")
    return display(TEXT)
"""
    async with chats.extended(server, {"evil": body}) as talk:
        await talk.press("/evil")
        talk.type("<enter>")
        await talk.shown("[evil]")
        talk.type("<f1>")
        await talk.shown("Help")
        await talk.press("<pagedown>")
        text = talk.screen()
        assert not any((ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 for char in text)
        assert "\u202e" not in text
        assert text.count("\u0301") < 100
        assert talk.title == "work"
