"""Modes of the editor that extensions bring, keys that they are asked about, and how they draw the text."""

import json
from pathlib import Path

import pytest
from extension_folder import write_extension
from screen import Chats, Talk

from zot_provider.testing import ScriptedServer

MODAL = """
import json
MODES = {
    "insert": {"cursor": "bar", "keys": {"esc": "mode normal", "j k": "mode normal"}},
    "normal": {"kind": "command", "label": "COMMAND", "cursor": "block",
               "keys": {"h": "move left", "i": "insert", "d": "cut", "w": "move word", "u": "undo",
                        "ctrl+p": "type [p]", "enter": "submit"}},
}

@ext.command("modal")
def modal(text):
    ext.editor.set_modes(json.loads(text) if text else MODES)
    return "modes are set"

@ext.command("plain")
def plain(_):
    ext.editor.set_modes(None)

@ext.command("which")
def which(name):
    if name:
        ext.editor.mode = name
    return "mode " + (ext.editor.mode or "of another")

@ext.command("die")
def die(_):
    os._exit(5)

ext._requested += ("editor",)
"""

HANDLER = """
import time, threading
SEEN = []

@ext.editor_key()
def key(asked):
    SEEN.append(asked.key if asked.key != "rune" else asked.typed)
    if asked.typed == "x":
        return {"insert": "[x]"}
    if asked.typed == "q":
        return True
    if asked.key == "tab":
        return [{"set": asked.text.upper()}, {"move": 0}]
    if asked.key == "f7":
        return "backspace"
    if asked.key == "f8":
        return [{"delete": [0, 1]}, {"do": "cursor_line_start"}, {"insert": ">"}]
    if asked.typed == "z":
        time.sleep(0.3)
        return {"set": "late"}
    if asked.typed == "!":
        return {"nonsense": 1}
    if asked.typed == "~":
        os._exit(4)

@ext.command("seen")
def seen(_):
    return "seen " + ",".join(SEEN)

@ext.command("stop")
def stop(_):
    ext.call("editor.keys", on=False)
    return "stopped"
"""

RAINBOW = """
import time

@ext.decorator
def rainbow(asked):
    if "slow" in asked.text:
        time.sleep(0.2)
    if "odd" in asked.text:
        return [5, {"start": "a"}, {"start": -5, "end": 10**9, "style": "error"}, {"start": 2, "end": 1}]
    styles = ("error", "success")
    return [{"start": at, "end": at + 1, "style": styles[at % 2], "bold": True} for at in range(len(asked.text))]

@ext.command("again")
def again(_):
    ext.editor.decorate_again()
"""


async def test_the_modes_of_an_extension_are_in_force_until_it_takes_them_back(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"modal": MODAL}) as talk:
        await talk.send("/modal")
        await talk.until(lambda: talk.cursor_shape == "bar")
        await talk.press("one two jk")
        await talk.shown("COMMAND")
        assert (talk.editor, talk.cursor_shape) == ("one two ", "block")
        await talk.press("hhhdw")
        assert talk.editor == "one "
        await talk.press("u<ctrl+p>")
        assert talk.editor == "one [p]two "
        await talk.press("i<ctrl+u><ctrl+k>/which normal<enter>")
        await talk.shown("mode normal")
        await talk.press("/plain<enter>")
        await talk.until(lambda: talk.cursor_shape == "")


async def test_modes_that_are_wrong_are_refused_with_the_mode_and_the_key(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"modal": MODAL}) as talk:
        await talk.send('/modal {"a": {"keys": {"f6": "fly"}}}')
        await talk.shown("invalid: mode a: f6: nothing is done by")
        await talk.send("/which normal")
        await talk.shown("no mode of this extension is in")
        await talk.send("/modal", "/which flying")
        await talk.shown("not_found: there is no mode 'flying'")


async def test_the_newest_modes_count_and_those_before_them_come_back(chats: Chats, server: ScriptedServer) -> None:
    two = MODAL.replace('"COMMAND"', '"OTHER"').replace('"modal")', '"modal2")').replace('"plain")', '"plain2")')
    two = two.replace('"which")', '"which2")').replace('"die")', '"die2")')
    async with chats.extended(server, {"modal": MODAL, "second": two}) as talk:
        await talk.send("/modal")
        await talk.until(lambda: talk.cursor_shape == "bar")
        await talk.send("/modal2")
        await talk.shown("[second] modes are set")
        await talk.send("/which")
        await talk.shown("mode of another")
        await talk.press("a<esc>")
        await talk.shown("OTHER")
        await talk.press("i<ctrl+u>/die2<enter>")
        await talk.shown("exited with code 5")
        await talk.press("a<esc>")
        await talk.shown("COMMAND")
        await talk.press("i<ctrl+u>/die<enter>")
        await talk.until(lambda: talk.screen().count("exited with code 5") == 2)
        await talk.press("jk<esc>")
        assert talk.editor == "" or "jk" in talk.editor
        assert talk.cursor_shape == ""


async def test_the_persons_own_vi_mode_takes_the_place_of_an_extensions_modes(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"modal": MODAL}) as talk:
        await talk.send("/modal")
        await talk.until(lambda: talk.cursor_shape == "bar")
        await talk.send("/vi")
        await talk.press("a<esc>")
        await talk.shown("normal")
        await talk.press("i<ctrl+u>/plain<enter>")
        await talk.press("b<esc>")
        await talk.shown("normal")


async def test_modes_in_a_manifest_need_no_program(chats: Chats, server: ScriptedServer, tmp_path: Path) -> None:
    folder = write_extension(tmp_path / "keys", "")
    modes = {"insert": {"keys": {"esc": "mode normal"}}, "normal": {"kind": "command", "label": "FROM DATA"}}
    (folder / "extension.json").write_text(json.dumps({"name": "keys", "editor_modes": modes}))
    async with chats.built(server, extensions=[str(folder)]) as talk:
        await talk.press("a<esc>")
        await talk.shown("FROM DATA")


async def test_keys_go_to_an_extension_first_and_the_rest_is_typed_in_order(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"handler": HANDLER}) as talk:
        await talk.until_extensions_are_ready()
        talk.type("axbqc")
        await talk.until(lambda: talk.editor == "a[x]bc")
        talk.type("<tab>d")
        await talk.until(lambda: talk.editor == "dA[X]BC")
        talk.type("<f8><end><f7>")
        await talk.until(lambda: talk.editor == ">A[X]B")
        talk.type("<ctrl+_><ctrl+_>")
        await talk.until(lambda: talk.editor.endswith("A[X]BC"))
        talk.type("<ctrl+u>/seen<enter>")
        await talk.shown("seen a,x,b,q,c,tab,d,f8,end,f7,_,_,u,/,s,e,e,n,enter")


async def test_a_key_without_an_answer_is_typed_and_a_late_answer_changes_nothing(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZOT_EXT_PATIENCE", "1")
    async with chats.extended(server, {"handler": HANDLER}) as talk:
        await talk.until_extensions_are_ready()
        talk.type("azb")
        talk.paste("PASTED")
        talk.type("c")
        await talk.until(lambda: talk.editor == "azbPASTEDc")
        talk.type("<ctrl+u>x")
        await talk.until(lambda: talk.editor in ("[x]", "x"))  # the process may still be asleep


async def test_an_extension_that_misses_five_keys_is_not_asked_any_more(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZOT_EXT_PATIENCE", "1")
    async with chats.extended(server, {"handler": HANDLER}) as talk:
        await talk.until_extensions_are_ready()
        talk.type("zzzzzzzz")
        await talk.shown("is no longer asked about keys")
        talk.type("x")
        await talk.until(lambda: talk.editor == "zzzzzzzzx")


async def test_a_wrong_answer_is_a_miss_and_the_key_is_typed(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"handler": HANDLER}) as talk:
        await talk.until_extensions_are_ready()
        talk.type("a!!!!!")
        await talk.shown("there is no op 'nonsense'")
        await talk.until(lambda: talk.editor == "a!!!!!")


async def test_keys_are_typed_after_the_extension_has_ended(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"handler": HANDLER}) as talk:
        await talk.until_extensions_are_ready()
        talk.type("a~xq")
        await talk.until(lambda: talk.editor == "a~xq")


async def test_ctrl_c_does_not_wait_and_what_was_typed_before_it_is_typed_first(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"handler": HANDLER}) as talk:
        await talk.until_extensions_are_ready()
        talk.type("abz12")
        talk.type("<ctrl+c>")
        assert talk.editor == ""
        await talk.shown("press ctrl+c again to quit")
        talk.type("d")
        await talk.until(lambda: talk.editor == "d")


async def test_a_handler_can_stop_and_keys_go_to_no_extension_then(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"handler": HANDLER}) as talk:
        await talk.until_extensions_are_ready()
        talk.type("/stop<enter>")
        await talk.shown("stopped")
        await talk.press("xq")
        await talk.until(lambda: talk.editor == "xq")


async def test_of_two_extensions_the_newest_is_asked_first(chats: Chats, server: ScriptedServer) -> None:
    other = """
@ext.editor_key("x", "y")
def key(asked):
    return {"insert": "<" + asked.typed + ">"} if asked.typed == "y" else None

@ext.on_hello
def late(_):
    pass
"""
    async with chats.extended(server, {"handler": HANDLER, "other": other}) as talk:
        await talk.until_extensions_are_ready()
        talk.type("xy")
        await talk.until(lambda: talk.editor == "[x]<y>")


async def test_an_extension_is_asked_about_pastes_and_what_it_inserts_is_not_folded(
    chats: Chats, server: ScriptedServer
) -> None:
    paster = """
@ext.editor_key("paste")
def key(asked):
    assert asked.key == "paste"
    return {"insert": asked.typed} if "raw" in asked.typed else None
"""
    async with chats.extended(server, {"paster": paster}) as talk:
        await talk.until_extensions_are_ready()
        long = "\n".join(f"line {number}" for number in range(60))
        talk.paste(long)
        await talk.until(lambda: talk.editor.endswith("]"))
        assert "line 30" not in talk.editor
        talk.paste(f"raw {long}")
        await talk.until(lambda: talk.editor.endswith(f"raw {long}"))


@pytest.mark.parametrize(("typed", "style", "same"), [("ab", "bold", False), ("odd", "", True)])
async def test_an_extension_draws_the_text_of_the_editor(
    chats: Chats, server: ScriptedServer, typed: str, style: str, same: bool
) -> None:
    async with chats.extended(server, {"rainbow": RAINBOW}) as talk:
        await talk.until_extensions_are_ready()
        await talk.press(typed)
        await talk.until(lambda: style in str(_style(talk, typed[0])) and str(_style(talk, typed[0])) != "editor")
        await talk.until(lambda: (_style(talk, typed[0]) == _style(talk, typed[-1])) is same)
        assert ("bold" in str(_style(talk, typed[-1]))) is not same


async def test_styles_stay_with_their_characters_until_there_is_an_answer_about_the_new_text(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"rainbow": RAINBOW}) as talk:
        await talk.until_extensions_are_ready()
        await talk.press("ab")
        await talk.until(lambda: "bold" in str(_style(talk, "a")))
        first = _style(talk, "a")
        await talk.press("<home>slow")
        assert (talk.editor, _style(talk, "a")) == ("slowab", first)


def _style(talk: Talk, text: str) -> object:
    row = next(number for number in range(23, -1, -1) if talk.row(number).startswith("› "))
    return talk.style_at(talk.row(row).index(text), row)


FLOOD = """
import threading

def flood():
    for n in range(3000):
        ext.call("editor.decorate", on=True)

@ext.editor_key()
def key(asked):
    return [{"insert": asked.typed.upper()}] if asked.typed.isalpha() else None

@ext.decorator
def spans(asked):
    return [{"start": 0, "end": 10**6, "style": "error"}] * 6000

@ext.on_hello
def begin(_):
    threading.Thread(target=flood, daemon=True).start()
"""


async def test_an_extension_that_floods_zot_loses_no_key_and_changes_no_order(
    chats: Chats, server: ScriptedServer
) -> None:
    typed = "the quick brown fox jumps over the lazy dog "
    async with chats.extended(server, {"flood": FLOOD}) as talk:
        talk.type(typed * 3)
        await talk.until(lambda: len(talk.editor) == len(typed * 3))
        assert talk.editor.lower() == typed * 3


async def test_modes_work_on_a_terminal_of_20_by_6_and_no_key_is_trapped(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"modal": MODAL}) as talk:
        await talk.send("/modal")
        await talk.until(lambda: talk.cursor_shape == "bar")
        talk.resize(20, 6)
        await talk.press("a<esc>zzz?")
        assert (talk.editor, talk.cursor_shape) == ("a", "block")
        await talk.press("<ctrl+c>/vi<enter>")
        await talk.until(lambda: talk.cursor_shape == "bar")
