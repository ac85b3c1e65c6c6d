"""Panels that an extension draws itself, against a fake host."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from waiting import PATIENCE

from zot_ext import Extension, HostError, NotGranted, PanelKey, PanelMouse, Response, ScreenPanel
from zot_ext.protocol.from_extension import HostCall, PanelClose, PanelDraw, PanelKeyResult
from zot_ext.testing import FakeHost


def game() -> tuple[Extension, ScreenPanel]:
    ext = Extension("game")
    panel = ext.panel("main", "Game", "q ends", mode="overlay", width="50%", handles_esc=True)
    heard: list[str] = []

    @panel.on_render
    def lines() -> Iterator[Any]:
        yield [{"text": f"{panel.width}x{panel.height} ", "style": "muted"}, {"text": "on" if panel.focused else "off"}]
        yield from heard

    @panel.on_key
    async def key(press: PanelKey) -> bool | None:
        if press.key == "tab":
            raise RuntimeError("no tabs")
        if press.text == "q":
            panel.close()
        if press.text == "m":
            panel.cursor = (0, 2)
            await ext.soon(panel.change, anchor="top_left")  # type: ignore[call-arg]
        heard.append("+".join([*press.mods, press.key]))
        return False if press.key == "f5" else None

    @panel.on_paste
    def pasted(text: str) -> None:
        heard.append(f"pasted {text}")

    @panel.on_mouse
    async def clicked(event: PanelMouse) -> None:
        heard.append(f"{event.action} {event.row},{event.column}")

    @panel.on_focus
    def focus(focused: bool) -> None:
        heard.append(f"focus {focused}")

    @panel.on_resize
    def resized() -> None:
        heard.append(f"visible {panel.visible}")

    @panel.on_close
    def closed() -> None:
        ext.notify("closed")

    @ext.command("play")
    def play(_: str) -> Response:
        return panel.open()

    return ext, panel


def playing(ext: Extension, **options: Any) -> FakeHost:
    return FakeHost(ext, capabilities=("panels2",), **options)


def test_a_panel_is_opened_with_its_place_and_drawn_for_the_room_that_it_gets() -> None:
    ext, _ = game()
    with playing(ext) as host:
        assert "panels2" in host.frames[0].capabilities  # type: ignore[union-attr]
        assert host.command("play").action == "noop"
        asked = host.sent(HostCall)[0].params
        assert asked is not None
        assert asked.value == {
            "id": "main",
            "title": "Game",
            "footer": "q ends",
            "mode": "overlay",
            "width": "50%",
            "handles_esc": True,
            "paste": True,
            "mouse": True,
        }
        assert host.drawn("main") == ["60x20 off"]


def test_each_key_is_answered_after_the_panel_was_drawn() -> None:
    ext, _ = game()
    with playing(ext) as host:
        host.command("play")
        assert host.press("main", "up", mods=("ctrl",)).consumed
        assert host.drawn("main") == ["60x20 off", "ctrl+up"]
        assert not host.press("main", "f5").consumed
        assert host.press("main", "tab").consumed
        last = [frame for frame in host.frames if isinstance(frame, PanelDraw | PanelKeyResult)]
        assert [type(frame) for frame in last[-2:]] == [PanelDraw, PanelKeyResult]


def test_pastes_clicks_focus_and_sizes_have_handlers() -> None:
    ext, _ = game()
    with playing(ext) as host:
        host.command("play")
        host.paste_panel("main", "a\nb")
        host.click_panel("main", 1, 2)
        host.focus_panel("main", focused=True)
        host.resize_panel("main", 10, 3, visible=False)
        host.wait_for(PanelDraw, lambda frame: len(frame.lines) == 5)
        assert host.drawn("main") == ["10x3 on", "pasted a\nb", "press 1,2", "focus True", "visible False"]


def test_a_panel_moves_and_has_a_cursor() -> None:
    ext, _ = game()
    with playing(ext) as host:
        host.command("play")
        host.press("main", "rune", "m")
        moved = host.sent(HostCall)[-1]
        assert moved.params is not None
        assert (moved.method, moved.params.value["anchor"]) == ("panels.change", "top_left")
        drawn = host.sent(PanelDraw)[-1]
        assert (drawn.cursor_row, drawn.cursor_column) == (0, 2)


def test_a_closed_panel_takes_and_draws_nothing() -> None:
    ext, panel = game()
    with playing(ext) as host:
        host.command("play")
        host.press("main", "rune", "q")
        assert host.sent(PanelClose) == [PanelClose("main")]
        count = len(host.sent(PanelDraw))
        panel.refresh()
        host.command("play")
        assert len(host.sent(PanelDraw)) == count + 1
        host.close_panel("main")
        host.close_panel("main")
        host.paste_panel("main", "late")
        host.shutdown()
        assert not panel.is_open


def test_a_panel_that_is_opened_again_at_once_stays_open() -> None:
    ext, waiting, closed = Extension("game"), threading.Event(), list[str]()
    panel = ext.panel("main", mode="overlay")
    panel.on_render(lambda: [str(len(closed))])
    panel.on_close(lambda: closed.append("closed"))
    panel.on_key(lambda _: bool(waiting.wait(PATIENCE)))
    ext.command("play")(lambda _: panel.open())
    with playing(ext) as host:
        host.command("play")
        host.key("main", "up")  # its handler holds up the one of the end
        host.close_panel("main")
        host.command("play")
        waiting.set()
        host.press("main", "up")
        assert panel.is_open
        assert closed == ["closed"]


def test_a_panel_that_cannot_be_opened_is_not_open() -> None:
    def refuse(_: object) -> dict[str, object]:
        raise HostError("unavailable", "no screen")

    ext, panel = game()
    with playing(ext, calls={"panels.open": refuse}) as host:
        assert "no screen" in host.command("play").error
        assert not panel.is_open
    ext, panel = game()
    with FakeHost(ext):
        with pytest.raises(NotGranted):
            panel.show()
        assert not panel.is_open


def test_ticks_come_while_the_panel_is_open_in_turn_with_keys() -> None:
    ext = Extension("clock")
    panel = ext.panel("main", mode="inline")
    seen: list[str] = []

    @panel.on_tick(0.001)
    async def tick() -> None:
        seen.append("tick")
        if len(seen) == 2:
            raise RuntimeError("a bad tick")

    @panel.on_render
    def lines() -> list[str]:
        return [str(len(seen))]

    @ext.command("start")
    def start(_: str) -> None:
        panel.show()
        panel.show()  # opened again: still one clock

    with playing(ext) as host:
        host.command("start")
        host.wait_for(PanelDraw, lambda frame: frame.lines == ("5",))
        host.close_panel("main")
        host.command("start")
        host.wait_for(PanelDraw, lambda frame: frame.lines == ("9",))
