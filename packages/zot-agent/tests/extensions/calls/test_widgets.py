"""What an extension shows beside the conversation, sent by a real process."""

from typing import Any

import pytest
from calling_extension import CALLER, Talk, World

from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import Alert, TitleChange, WidgetChange, WorkingChange


def shown(talk: Talk) -> list[Any]:
    return [event for event in talk.told if isinstance(event, WidgetChange | TitleChange | WorkingChange)]


async def test_widgets_are_events_and_end_with_the_extension(world: World) -> None:
    world.add("caller", CALLER, "widgets")
    async with world.running() as talk:
        line = [{"text": "ok", "style": "success", "bold": True, "blink": True}]
        await talk.call("widgets.set", key="a", lines=["one", line], priority=3)
        await talk.call("widgets.set", key="a", lines=["two"], place="top_left")
        await talk.call("widgets.title", text="busy")
        await talk.call("widgets.working", message="pondering", frames=["-", "+"], interval_ms=100)
        await talk.call("widgets.set", key="b", lines=[])
        first = WidgetChange(
            "caller", "a", "above_editor", ("one", [{"text": "ok", "style": "success", "bold": True}]), 3
        )
        second = WidgetChange("caller", "a", "top_left", ("two",))
        title, working = TitleChange("caller", "busy"), WorkingChange("caller", "pondering", ("-", "+"), 100)
        assert shown(talk) == [first, first.replace(lines=()), second, title, working]
        told = talk.told
        told.clear()
        await talk.extensions.reload()
        assert [each for each in told if each in (second.replace(lines=()), TitleChange("caller", ""))] == [
            second.replace(lines=()),
            TitleChange("caller", ""),
        ]
        assert WorkingChange("caller") in told


async def test_an_extension_calls_the_person_at_most_once_a_second(world: World) -> None:
    world.add("caller", CALLER, "widgets")
    async with world.running() as talk:
        assert (await talk.call("widgets.alert", text="built")).get("code") is None
        answer = await talk.call("widgets.alert", text="built again")
        assert (answer["code"], "less than 1 s ago" in answer["error"]) == ("busy", True)
        assert [each for each in talk.told if isinstance(each, Alert)] == [Alert("caller", "built")]


async def test_a_widget_is_json_for_programs() -> None:
    (text,) = encode_conversation_event(WidgetChange("x", "a", "footer", ("one", [{"text": "two"}]), 1))
    assert text == (
        '{"type":"ext_widget","extension":"x","key":"a","place":"footer","lines":["one",[{"text":"two"}]],"priority":1}'
    )


async def test_nothing_is_shown_where_there_is_no_screen(world: World) -> None:
    world.add("caller", CALLER, "widgets")
    async with world.running(front_end="print") as talk:
        answer = await talk.call("widgets.set", key="a", lines=["x"])
        assert answer == {"code": "unavailable", "error": "nothing is shown in the mode print"}
        assert shown(talk) == []


@pytest.mark.parametrize(
    ("params", "code", "words"),
    [
        ({"key": "", "lines": ["x"]}, "invalid", "key is empty"),
        ({"key": "a", "lines": ["x"], "place": "middle"}, "invalid", "place must be one of status, above_editor"),
        ({"key": "a", "lines": [3]}, "invalid", "lines[0] must be a string or a list of spans"),
        ({"key": "a", "lines": ["x", [{"style": "error"}]]}, "invalid", "lines[1]: a span must be an object with text"),
        ({"key": "a", "lines": ["x"] * 51}, "too_large", "lines has 51 members; at most 50"),
        ({"key": "a", "lines": ["x" * 20_001]}, "too_large", "a widget has at most 20000 characters"),
    ],
)
async def test_a_widget_that_cannot_be_shown_is_refused_in_one_line(
    world: World, params: dict[str, Any], code: str, words: str
) -> None:
    world.add("caller", CALLER, "widgets")
    async with world.running() as talk:
        answer = await talk.call("widgets.set", **params)
        assert (answer["code"], words in answer["error"]) == (code, True), answer
        assert shown(talk) == []


async def test_an_extension_has_at_most_fifty_widgets(world: World) -> None:
    flood = (
        "@ext.command('flood')\ndef flood(_):\n    for n in range(1000):\n        try:\n"
        "            ext.widgets.set(str(n), 'x')\n        except HostError as error:\n"
        "            return f'{n} {error.code}'\n"
    )
    world.add("caller", flood, "widgets")
    async with world.running() as talk:
        assert await talk.command("flood") == "50 busy"
        assert len(shown(talk)) == 50
