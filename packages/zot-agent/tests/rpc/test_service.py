"""Every line gets one response, and events are lines of JSON."""

import json
from typing import Any

import pytest
from rpc_client import text
from rpc_peer import Peer

from zot_provider.testing import ScriptedServer


def types(lines: list[dict[str, Any]]) -> list[str]:
    return [line["type"] for line in lines if line["type"] != "text_delta"]


def test_the_first_lines_of_a_prompt_are_its_response_and_its_events(peer: Peer, server: ScriptedServer) -> None:
    server.add("Hello there.")
    peer.write(b'{"id":"1","type":"prompt","message":"fix the failing test","images":[]}\n')

    lines = peer.until("done")

    assert lines[0] == {
        "type": "response", "id": "1", "command": "prompt", "success": True, "data": {"started": True},
    }  # fmt: skip
    assert types(lines[1:]) == [
        "user_message", "turn_start", "assistant_start", "usage", "assistant_message", "turn_end", "done",
    ]  # fmt: skip
    assert text(lines) == "Hello there."
    assert peer.finish() == (0, "")


@pytest.mark.parametrize(
    "id", ['"a"', "7", "2.50", "null", "true", '{"a":[1]}', "[ ]", "12345678901234567890123", '"\\u00e9"']
)
def test_the_response_repeats_the_id_exactly(peer: Peer, id: str) -> None:
    peer.write(f'{{"type":"ping","id":{id}}}\n{{"type":"nonsense","id": {id} }}\n'.encode())

    assert peer.next()["id"] == json.loads(id)
    assert peer.next()["id"] == json.loads(id)
    peer.write(b'{"type":"ping"}\n')
    assert "id" not in peer.next()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{", "malformed json"),
        (b"[]", "a command is a JSON object, not an array"),
        (b" 5 ", "a command is a JSON object, not 5"),
        (b"null", "a command is a JSON object, not null"),
        (b"NaN", "malformed json"),
        (b'{"type":"\xff"}', "malformed json: not UTF-8 text (byte 9)"),
        (b'{"type":"ping","x":NaN}', "malformed json"),
        (b'{"type":"ping","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "malformed json"),
        (b"{}", "type is missing"),
        (b'{"type":7}', "type must be a string"),
        (b'{"type":"make_coffee"}', "unknown operation 'make_coffee'"),
        (b'{"type":"prompt"}', "message is missing: it must be a string"),
        (b'{"type":"prompt","message":null}', "message is missing"),
        (b'{"type":"prompt","message":7}', "message must be a string, not 7"),
        (b'{"type":"prompt","message":" "}', "message is empty"),
        (b'{"type":"prompt","message":"x","hold_text":"yes"}', 'hold_text must be true or false, not "yes"'),
        (b'{"type":"prompt","message":"x","images":{}}', "images must be an array of objects, not an object"),
        (b'{"type":"prompt","message":"x","images":[7]}', "images[0] must be an object, not 7"),
        (b'{"type":"prompt","message":"x","images":[{}]}', "images[0].data is missing"),
        (b'{"type":"tools.set","tools":["x",1]}', "tools[1] must be a string, not 1"),
        (b'{"type":"set_model"}', "model is missing"),
        (b'{"type":"set_model","model":""}', "the model's name is empty"),
        (
            b'{"type":"set_reasoning","reasoning":"hihg"}',
            'reasoning must be one of off, minimum, low, medium, high, xhigh, max, maximum, not "hihg"',
        ),
        (b'{"type":"prompts.steer","message":"left"}', "no prompt is being answered"),
        (b'{"type":"control.run","name":"/nope"}', "there is no command /nope"),
        (b'{"type":"ext_panel_key","key":"up"}', "no panel is open"),
    ],
)
def test_an_invalid_command_gets_an_error_and_the_process_continues(peer: Peer, line: bytes, problem: str) -> None:
    peer.write(line + b"\n")

    response = peer.next()

    assert response["type"] == "response"
    assert response["success"] is False
    assert problem in response["error"]
    assert peer.data("ping") == {"pong": True}


def test_blank_lines_and_carriage_returns_are_ignored(peer: Peer) -> None:
    peer.write(b'\n\r\n  \n{"type":"ping"}\r\n')

    assert peer.next()["command"] == "ping"


def test_a_line_that_is_too_long_is_skipped(peer: Peer) -> None:
    peer.write(b'{"type":"prompt","id":"a 1","message":"' + b"x" * (16 << 20) + b'"}\n{"type":"ping"}\n')

    refused = peer.next()
    assert "longer than 16777216 bytes" in refused["error"]
    assert (refused["code"], refused["id"]) == ("too_large", "a 1")
    assert peer.next()["command"] == "ping"


def test_no_line_holds_what_some_readers_take_for_its_end(peer: Peer, server: ScriptedServer) -> None:
    odd = "a\u2028b\u2029c\x85d"
    server.add(odd)
    peer.send("prompt", message=odd, id=odd)
    peer.write(json.dumps({"type": odd}, ensure_ascii=False).encode() + b"\n")

    lines = [*peer.until("done"), peer.call("get_messages")]

    assert text(lines) == odd
    assert all(not set(raw) & {"\u2028", "\u2029", "\x85"} for raw in peer.raw)


def test_a_failure_is_an_error_event_followed_by_done(peer: Peer) -> None:
    peer.send("prompt", message="hi")

    lines = peer.until("done")

    assert types(lines)[-3:] == ["turn_end", "error", "done"]
    assert lines[-3]["stop"] == "error"
    assert peer.data("get_state")["busy"] is False
