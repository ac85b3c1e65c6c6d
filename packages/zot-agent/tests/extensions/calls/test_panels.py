"""Panels that an extension draws itself, opened by a real process."""

from typing import Any

import pytest
from calling_extension import CALLER, World

from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import PanelClose, PanelShow, PlacedPanel


async def test_a_panel_is_opened_changed_and_closed_with_its_extension(world: World) -> None:
    world.add("caller", CALLER, "panels2")
    async with world.running() as talk:
        opened = await talk.call("panels.open", id="p", width=10, title="One", lines=["a"])
        assert opened == {"result": {"width": 10, "height": 22, "visible": True}}
        changed = await talk.call("panels.change", id="p", width="50%", title="Two")
        assert changed == {"result": {"width": 38, "height": 22, "visible": True}}
        hidden = await talk.call("panels.change", id="p", hidden=True)
        assert hidden == {"result": {"width": 38, "height": 22, "visible": False}}
        shown = [event.panel for event in talk.told if isinstance(event, PanelShow)]
        assert (shown[0].title, shown[0].width, shown[0].lines) == ("One", 12, ("a",))
        told = talk.told
        told.clear()
        await talk.extensions.reload()
        assert PanelClose("caller", "p") in told


async def test_no_panel_is_opened_where_nothing_is_shown(world: World) -> None:
    world.add("caller", CALLER, "panels2")
    async with world.running(front_end="print") as talk:
        answer = await talk.call("panels.open", id="p")
        assert answer == {"code": "unavailable", "error": "no panels are shown in the mode print"}


@pytest.mark.parametrize(
    ("method", "params", "code", "words"),
    [
        ("open", {"id": ""}, "invalid", "id is empty"),
        ("open", {"id": "p", "mode": "window"}, "invalid", "mode must be one of overlay, inline, replace_editor"),
        ("open", {"id": "p", "anchor": "middle"}, "invalid", "anchor must be one of center"),
        ("change", {"id": "q"}, "not_found", "no panel 'q' is open"),
        ("change", {"id": "p", "width": "much"}, "invalid", "width must be a number of cells"),
    ],
)
async def test_a_wrong_panel_is_refused_in_one_line(
    world: World, method: str, params: dict[str, Any], code: str, words: str
) -> None:
    world.add("caller", CALLER, "panels2")
    async with world.running() as talk:
        await talk.call("panels.open", id="p")
        answer = await talk.call(f"panels.{method}", **params)
        assert (answer["code"], words in answer["error"]) == (code, True), answer


async def test_an_extension_has_at_most_twenty_panels(world: World) -> None:
    world.add("caller", CALLER, "panels2")
    async with world.running() as talk:
        for number in range(20):
            await talk.call("panels.open", id=str(number))
        answer = await talk.call("panels.open", id="more")
        assert answer == {"code": "busy", "error": "20 panels of this extension are open already"}


def test_a_panel_is_json_for_programs() -> None:
    panel = PlacedPanel("p", "overlay", "T", ("a", [{"text": "b"}]), "f", 1, 2, 30, 4, focused=True, order=5)
    (text,) = encode_conversation_event(PanelShow("x", panel))
    assert text == (
        '{"type":"ext_panel_show","extension":"x","panel":{"id":"p","mode":"overlay","title":"T",'
        '"lines":["a",[{"text":"b"}]],"footer":"f","column":1,"row":2,"width":30,"height":4,"hidden":false,'
        '"focused":true,"order":5,"cursor":null,"mouse":false,"key_kinds":false}}'
    )
