"""Panels that extensions draw themselves, on the chat screen, by real processes."""

import pytest
from screen import Chats

from zot_provider.testing import ScriptedServer
from zot_tui.keys.key import parse_key
from zot_tui.terminal.input import HeldKey

GAME = """
keys = []
panel = ext.panel("game", "Keys", "q ends", mode="overlay", width=20, anchor="top_right")

@panel.on_render
def render():
    return [[{"text": "room ", "style": "muted"}, {"text": f"{panel.width}", "style": "success"}], *keys[-3:]]

@panel.on_key
def pressed(press):
    if press.text == "q":
        panel.close()
    elif press.key in ("pageup", "f7"):
        return False
    keys.append("+".join([*press.mods, press.text or press.key]))

@panel.on_close
def closed():
    ext.notify("it was closed")

@ext.command("play", "opens an overlay")
def play(_):
    return panel.open()
"""


async def test_an_overlay_is_drawn_over_the_conversation_and_gets_every_key(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"keys": GAME}) as talk:
        talk.type("/play<enter>")
        await talk.shown("room 20")
        rows = talk.lines()
        assert rows[0][58:] == "╭─ Keys ─ Esc close ─╮"
        assert rows[1][58:] == "│room 20             │"
        assert rows[2][58:] == "╰─ q ends ───────────╯"
        assert talk.cursor is None
        talk.type("x<ctrl+alt+k><f5>")
        await talk.shown("f5")
        assert [row[59:79].strip() for row in talk.lines()[2:5]] == ["x", "ctrl+alt+k", "f5"]
        assert talk.editor == ""
        talk.type("q")
        await talk.until_hidden("room")
        talk.type("typed")
        assert talk.editor == "typed"


async def test_esc_closes_an_overlay_and_its_extension_learns_of_it(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"keys": GAME}) as talk:
        for key in ("<esc>", "<ctrl+c>"):
            talk.type("/play<enter>")
            await talk.shown("room 20")
            talk.type(key + "typed")
            await talk.shown("it was closed")
            assert "room" not in talk.screen()
            assert talk.editor == "typed"
            talk.type("<ctrl+u>")


HELD = """
heard = []
panel = ext.panel("held", "Held", mode="overlay", key_kinds=True)

@panel.on_render
def render():
    return [" ".join(["heard", *heard])]

@panel.on_key
def pressed(press):
    heard.append(f"{press.text or press.key}:{press.kind}")

@ext.command("hold", "opens")
def hold(args):
    return panel.open()
"""


async def test_a_panel_hears_of_held_keys_and_the_editor_takes_them_for_keys(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"held": HELD}) as talk:
        key = parse_key("w")
        talk.hear(HeldKey(key, released=False), HeldKey(key, released=True))
        assert talk.editor == "w"
        talk.type("<ctrl+u>/hold<enter>")
        await talk.shown("heard")
        assert talk.wants_key_kinds
        talk.hear(key, HeldKey(key, released=False), HeldKey(key, released=True))
        await talk.shown("heard w:press w:repeat w:release")
        talk.type("<esc>")
        talk.hear(HeldKey(parse_key("esc"), released=True), HeldKey(key, released=True))
        await talk.until_hidden("heard")
        assert not talk.wants_key_kinds
        assert talk.editor == ""


SLOW = """
import threading
panel = ext.panel("slow", "Slow", mode="overlay", handles_esc=True)
gate = threading.Event()

@panel.on_render
def render():
    return ["shown"]

@panel.on_key
def pressed(press):
    if press.text == "h":
        gate.wait()

@ext.command("slow", "opens")
def slow(_):
    return panel.open()
"""


async def test_a_panel_that_does_not_answer_esc_is_closed_and_nothing_it_does_later_changes_the_editor(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZOT_EXT_PATIENCE", "2")  # how long it is waited for in vain
    async with chats.extended(server, {"slow": SLOW}) as talk:
        talk.type("/slow<enter>")
        await talk.shown("shown")
        talk.type("h<esc>")
        await talk.until_hidden("shown")
        talk.type("mine")
        assert talk.editor == "mine"


async def test_a_second_esc_closes_a_panel_that_handles_the_first(chats: Chats, server: ScriptedServer) -> None:
    body = SLOW.replace('["shown"]', '["shown", *seen]').replace(
        '    if press.text == "h":\n        gate.wait()', "    seen.append('got ' + press.key)"
    )
    async with chats.extended(server, {"slow": "seen = []\n" + body}) as talk:
        talk.type("/slow<enter>")
        await talk.shown("shown")
        talk.type("<esc>")
        await talk.shown("got esc")
        talk.type("<esc>")
        assert not talk.panel_has_keys
        await talk.until_hidden("shown")


async def test_a_key_without_a_use_scrolls_the_conversation_and_types_nothing(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("\n\n".join(f"line {number}" for number in range(60)))
    async with chats.extended(server, {"keys": GAME}) as talk:
        await talk.send("count")
        talk.type("/play<enter>")
        await talk.shown("room 20")
        assert "line 59" in talk.screen()
        talk.type("<f7><pageup>")
        await talk.until_hidden("line 59")
        assert "room 20" in talk.screen()
        assert talk.editor == ""


async def test_a_panel_goes_with_the_process_that_has_the_keys(chats: Chats, server: ScriptedServer) -> None:
    body = GAME.replace(
        '    if press.text == "q":', '    if press.text == "d":\n        os._exit(3)\n    if press.text == "q":'
    )
    async with chats.extended(server, {"keys": body}) as talk:
        talk.type("/play<enter>")
        await talk.shown("room 20")
        talk.type("d")
        await talk.until_hidden("room 20")
        talk.type("typed")
        assert talk.editor == "typed"


async def test_overlays_follow_the_size_of_the_screen_and_give_the_keys_back_where_there_is_no_room(
    chats: Chats, server: ScriptedServer
) -> None:
    body = GAME.replace("width=20", 'width="50%", min_terminal_width=50')
    async with chats.extended(server, {"keys": body}) as talk:
        talk.type("/play<enter>")
        await talk.shown("room 38")
        talk.resize(60, 20)
        await talk.shown("room 28")
        talk.resize(40, 20)
        await talk.until(lambda: not talk.panel_has_keys)
        talk.type("typed")
        assert talk.editor == "typed"
        talk.resize(60, 20)
        await talk.shown("room 28")
        talk.type("x")
        await talk.until(lambda: "│x " in talk.screen())
        assert talk.editor == "typed"


PLACES = """
above = ext.panel("above", "Above", "its footer", mode="inline")
instead = ext.panel("instead", "Instead", mode="replace_editor")

@above.on_render
def first():
    return ["one line"]

@instead.on_render
def second():
    instead.cursor = (0, 3)
    return ["typed here"]

@above.on_close
def closed():
    ext.notify("above was closed")

@ext.command("above", "opens above")
def open_above(_):
    return above.open()

@ext.command("instead", "opens instead")
def open_instead(_):
    return instead.open()
"""


async def test_a_panel_is_above_the_editor_or_in_its_place_and_one_takes_the_place_of_the_other(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"places": PLACES}) as talk:
        talk.type("/above<enter>")
        await talk.shown("one line")
        assert talk.rows()[-5:-1] == [
            "── places: Above " + "─" * 50 + " Esc close ──",
            "one line",
            "── its footer " + "─" * 66,
            "›",
        ]
        talk.type("<esc>/instead<enter>")
        await talk.shown("typed here")
        assert "›" not in talk.screen()
        await talk.until(lambda: talk.cursor == (3, 21))
        talk.type("<esc>")
        await talk.shown("›")


HOSTILE = """
import threading
panel = ext.panel("bad", "Bad", mode="overlay", width=20)
count = 0

@panel.on_render
def render():
    return [str(count), "y" * 1_000_000, *["z"] * 500]

@panel.on_key
def pressed(press):
    threading.Thread(target=flood, daemon=True).start()

def flood():
    global count
    while panel.is_open:
        count += 1
        panel.refresh()

@ext.command("bad", "opens")
def bad(_):
    return panel.open()
"""


async def test_an_overlay_with_endless_lines_and_frames_is_closed_by_esc(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"bad": HOSTILE}) as talk:
        talk.type("/bad<enter>")
        await talk.shown("yyy")
        assert {len(row) for row in talk.lines()} == {80}
        talk.type("f")
        await talk.until(lambda: "│0 " not in talk.screen())
        talk.type("<esc>typed")
        assert talk.editor == "typed"
        await talk.until_hidden("yyy")


async def test_an_overlay_fits_on_a_terminal_of_20_by_6_and_through_a_storm_of_sizes(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"keys": GAME}) as talk:
        talk.type("/play<enter>")
        await talk.shown("room 20")
        for columns in range(20, 120, 7):
            talk.resize(columns, 6 + columns % 5)
        talk.resize(20, 6)
        await talk.shown("room 18")
        assert talk.lines()[0] == "╭─ Keys ───────────╮"
        talk.resize(1, 1)
        talk.resize(80, 24)
        await talk.shown("room 20")
        talk.type("k")
        await talk.until(lambda: "│k " in talk.screen())
        assert talk.editor == ""


async def test_the_mouse_goes_to_the_uppermost_overlay_until_it_is_closed(chats: Chats, server: ScriptedServer) -> None:
    body = GAME + "@panel.on_mouse\ndef mouse(at):\n    keys.append(f'{at.action} {at.row} {at.column} {at.button}')\n"
    async with chats.extended(server, {"keys": body}) as talk:
        talk.type("/play<enter>")
        await talk.shown("room 20")
        talk.click(60, 1)
        await talk.shown("release 0 1 0")
        assert "press 0 1 1" in talk.screen()
        talk.click(61, 1, 4)
        await talk.shown("wheel 0 2 4")
        talk.paste("ab")
        await talk.until(lambda: "│b " in talk.screen())
        talk.type("<esc>")
        await talk.until_hidden("room")
        talk.click(60, 1)
        assert talk.editor == ""


TEN = """
panels = [ext.panel(f"p{n}", f"P{n}", mode="overlay", anchor=["center", "top_left", "bottom_right"][n % 3],
                    width=12 + n, offset_x=n) for n in range(10)]

for n, each in enumerate(panels):
    each.on_render(lambda n=n: [f"here {n}"] * 3)
    each.on_key(lambda press: os._exit(7) if press.text == "!" else None)

@ext.command("ten", "opens ten")
def ten(_):
    for each in panels:
        each.show()
"""


async def test_ten_overlays_survive_a_storm_of_sizes_and_go_with_their_process(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"ten": TEN}) as talk:
        talk.type("/ten<enter>")
        await talk.shown("here 9")
        for step in range(60):
            talk.resize(20 + 13 * step % 100, 6 + 7 * step % 30)
        talk.resize(20, 6)
        await talk.until(lambda: len(talk.lines()) == 6)
        assert {len(row) for row in talk.lines()} == {20}
        talk.resize(80, 24)
        await talk.shown("here 9")
        talk.type("!typed")
        await talk.until_hidden("here")
        await talk.until(lambda: "exited with code 7" in talk.screen())
        talk.type("after")
        assert talk.editor.endswith("after")
        assert "!" not in talk.editor
