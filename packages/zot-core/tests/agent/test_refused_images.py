"""Images that a server refuses, over real sockets."""

import json
from pathlib import Path
from typing import Any

import pytest

from zot_core import Runtime
from zot_core.agent.refused_images import REFUSED
from zot_core.events import AgentEvent, Notice
from zot_core.testing import PIXEL
from zot_provider.messages import ImageBlock
from zot_provider.testing import Fault, ScriptedServer, Turn

IMAGE = PIXEL
GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
REFUSALS = [
    (500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
    (
        400,
        "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max",
    ),
    (400, "Could not process image"),
    (400, "You uploaded an unsupported image. Please make sure your image is valid."),
    (404, "No endpoints found that support image input"),
    (400, "Invalid content type. image_url is only supported by certain models."),
]


def refusing(status: int, message: str) -> Any:
    """An answer of a server that refuses each request with an image."""

    def answer(request: Any) -> Turn:
        if IMAGE.data in json.dumps(request.body):
            return Turn(fault=Fault(status=status, body={"error": {"message": message}}))
        return Turn("fine")

    return answer


def runtime(server: ScriptedServer, provider: str = "openai", **options: Any) -> Runtime:
    wire = "anthropic-messages" if provider == "anthropic" else "openai-chat"
    return Runtime(f"{provider}/m", api_key="k", base_url=server.base_url(wire), **options)


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize(("status", "message"), REFUSALS)
async def test_words_are_sent_in_place_of_a_refused_image_and_stay_there(
    status: int, message: str, provider: str
) -> None:
    with ScriptedServer([refusing(status, message)] * 3) as server:
        async with runtime(server, provider) as rt:
            events: list[AgentEvent] = []
            rt.hooks.event.add(events.append)
            assert str(await rt.ask("look", [IMAGE])) == "fine"
            assert str(await rt.ask("and now?")) == "fine"
            assert rt.messages[0].content[-1] is IMAGE
        assert [IMAGE.data in json.dumps(request.body) for request in server.requests] == [True, False, False]
        assert [REFUSED in json.dumps(request.body) for request in server.requests] == [False, True, True]
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert notice.level == "warn"
    assert notice.message.startswith(f"an image was refused; the model reads words in place of it: {provider}: ")


async def test_a_new_image_and_another_model_are_tried_with_the_image() -> None:
    with ScriptedServer([refusing(400, "no image, please")] * 10) as server:
        async with runtime(server) as rt:
            await rt.ask("look", [IMAGE])
            await rt.ask("and here", [ImageBlock("image/png", IMAGE.data)])
            rt.set_model("other")
            await rt.ask("you too")
        tried = [json.dumps(request.body).count(IMAGE.data) for request in server.requests]
        assert tried == [1, 0, 1, 0, 2, 0]


async def test_a_conversation_that_goes_on_elsewhere_does_not_send_a_refused_image_again(tmp_path: Path) -> None:
    path = str(tmp_path / "s.jsonl")
    other = ImageBlock("image/gif", GIF)
    with ScriptedServer([refusing_without_words(413)] * 9) as server:
        async with runtime(server, session=path) as rt:
            await rt.ask("look", [IMAGE])
            await rt.ask("and this", [other])
        async with runtime(server, session=path) as rt:
            events: list[AgentEvent] = []
            rt.hooks.event.add(events.append)
            assert str(await rt.ask("and now?")) == "fine"
            await rt.ask("here it is again", [IMAGE])
            rt.set_model("seeing")
            await rt.ask("you too")
            rt.set_model("m")
            await rt.ask("back")
        bodies = [json.dumps(request.body) for request in server.requests]
        assert [body.count(IMAGE.data) for body in bodies] == [1, 0, 0, 0, 1, 0, 2, 0, 0]
        assert [GIF in body for body in bodies] == [False] * 2 + [True] * 5 + [False, True]
    told = [event.message for event in events if isinstance(event, Notice) and event.level == "info"]
    assert told == ["openai/m has refused images of this conversation: it reads words instead"] * 2


async def test_an_image_that_was_not_at_fault_is_sent_by_the_next_process_too(tmp_path: Path) -> None:
    bad = Turn(fault=Fault(status=400, body={"error": {"message": "something is odd"}}))
    path = str(tmp_path / "s.jsonl")
    with ScriptedServer(["hello", bad, bad, "fine"]) as server:
        async with runtime(server, session=path) as rt:
            await rt.ask("hi")
            assert await rt.prompt("look", [IMAGE]) == "error"
        async with runtime(server, session=path) as rt:
            assert str(await rt.ask("again")) == "fine"
        assert [IMAGE.data in json.dumps(request.body) for request in server.requests] == [False, True, False, True]


async def test_a_refusal_without_an_image_is_a_failure() -> None:
    with ScriptedServer([Turn(fault=Fault(status=400, body={"error": {"message": "no image here"}}))]) as server:
        async with runtime(server) as rt:
            end = await rt.prompt("look")
        assert (end, len(server.requests)) == ("error", 1)


PAGE = "<html><head><title>413 Request Entity Too Large</title></head></html>"


def refusing_without_words(status: int) -> Any:
    def answer(request: Any) -> Turn:
        found = IMAGE.data in json.dumps(request.body)
        return Turn(fault=Fault(status=status, body=PAGE)) if found else Turn("fine")

    return answer


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize("status", [400, 413, 415, 422])
async def test_a_new_image_is_left_out_once_in_whatever_words_it_was_refused(status: int, provider: str) -> None:
    with ScriptedServer([refusing_without_words(status)] * 3) as server:
        async with runtime(server, provider) as rt:
            events: list[AgentEvent] = []
            rt.hooks.event.add(events.append)
            assert str(await rt.ask("look", [IMAGE])) == "fine"
            assert str(await rt.ask("and now?")) == "fine"
        assert [IMAGE.data in json.dumps(request.body) for request in server.requests] == [True, False, False]
        assert REFUSED in json.dumps(server.requests[-1].body)
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert "a request was refused in which an image was new" in notice.message


async def test_an_image_that_was_not_at_fault_is_sent_again() -> None:
    bad = Turn(fault=Fault(status=400, body={"error": {"message": "something is odd"}}))
    with ScriptedServer([bad, bad, "fine"]) as server:
        async with runtime(server) as rt:
            assert await rt.prompt("look", [IMAGE]) == "error"
            assert str(await rt.ask("again")) == "fine"
        assert [IMAGE.data in json.dumps(request.body) for request in server.requests] == [True, False, True]


async def test_an_image_that_was_answered_before_is_not_blamed_for_a_later_refusal() -> None:
    bad = Turn(fault=Fault(status=400, body={"error": {"message": "something is odd"}}))
    with ScriptedServer(["fine", bad]) as server:
        async with runtime(server) as rt:
            await rt.ask("look", [IMAGE])
            assert await rt.prompt("and now?") == "error"
        assert [IMAGE.data in json.dumps(request.body) for request in server.requests] == [True, True]


async def test_a_refused_key_is_no_fault_of_an_image() -> None:
    with ScriptedServer([Turn(fault=Fault(status=401))]) as server:
        async with runtime(server) as rt:
            assert await rt.prompt("look", [IMAGE]) == "error"
        assert len(server.requests) == 1
