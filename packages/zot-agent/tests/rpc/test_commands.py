import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zot_agent.rpc import METHODS
from zot_agent.version import __version__
from zot_provider.testing import Call, ScriptedServer, Turn

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(20)).decode()


def types(lines: list[dict[str, Any]]) -> list[str]:
    return [line["type"] for line in lines if line["type"] != "text_delta"]


def text(lines: list[dict[str, Any]]) -> str:
    return "".join(line["delta"] for line in lines if line["type"] == "text_delta")


def test_the_first_lines_of_a_prompt_are_its_response_and_its_events(peer: Any, server: ScriptedServer) -> None:
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


def test_hello_says_what_answers(peer: Any) -> None:
    peer.write(b'{"id":"0","type":"hello","token":"shared-secret"}\n')

    assert peer.next() == {
        "type": "response",
        "id": "0",
        "command": "hello",
        "success": True,
        "data": {"protocol_version": 1, "version": __version__, "provider": "openai", "model": "scripted"},
    }
    assert peer.data("ping") == {"pong": True}


def test_a_token_must_be_said_first(start: Callable[..., Any], server: ScriptedServer) -> None:
    peer = start(ZOTCORE_RPC_TOKEN="s3cret")

    assert peer.error("get_state") == "say hello with the token first"
    assert peer.error("prompt", message="hi") == "say hello with the token first"
    assert peer.data("hello", token="s3cret")["protocol_version"] == 1
    assert peer.data("get_state")["busy"] is False
    server.add(Turn(calls=[Call("bash", {"command": "echo [$ZOTCORE_RPC_TOKEN]"})]), "ok")
    peer.send("prompt", message="look")
    (result,) = [line for line in peer.until("done") if line["type"] == "tool_result"]
    assert "\n[]\n" in result["content"][0]["text"]


@pytest.mark.parametrize("said", [{"token": "s3cres"}, {"token": ""}, {}])
def test_a_wrong_token_ends_the_process_after_its_answer(start: Callable[..., Any], said: dict[str, str]) -> None:
    peer = start(ZOTCORE_RPC_TOKEN="s3cret")
    lines = [{"type": "hello", "id": 1, **said}, {"type": "hello", "id": 2, "token": "s3cret"}]
    peer.write("".join(json.dumps(line) + "\n" for line in lines).encode())

    code, error = peer.finish()

    assert (code, error) == (1, "")
    assert [(line["id"], line["success"]) for line in peer.seen] == [(1, False)]


def test_an_empty_token_is_none(start: Callable[..., Any]) -> None:
    assert start(ZOTCORE_RPC_TOKEN="").data("ping") == {"pong": True}


@pytest.mark.parametrize(
    "id", ['"a"', "7", "2.50", "null", "true", '{"a":[1]}', "[ ]", "12345678901234567890123", '"\\u00e9"']
)
def test_an_id_comes_back_to_the_letter(peer: Any, id: str) -> None:
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
        (b'{"type":"make_coffee"}', "unknown command 'make_coffee'"),
        (b'{"type":"prompt"}', "message is missing: it must be a string"),
        (b'{"type":"prompt","message":null}', "message is missing"),
        (b'{"type":"prompt","message":7}', "message must be a string, not 7"),
        (b'{"type":"prompt","message":" "}', "message is empty"),
        (b'{"type":"prompt","message":"x","hold_text":"yes"}', 'hold_text must be true or false, not "yes"'),
        (b'{"type":"prompt","message":"x","images":{}}', "images must be an array of objects, not an object"),
        (b'{"type":"prompt","message":"x","images":[7]}', "images must be an array of objects, not an array of"),
        (b'{"type":"prompt","message":"x","images":[{}]}', "images[0].mime_type is missing"),
        (b'{"type":"set_tools","tools":["x",1]}', "tools must be an array of strings"),
        (b'{"type":"set_model"}', "model is missing"),
        (b'{"type":"set_model","model":""}', "the model's name is empty"),
        (b'{"type":"set_reasoning","reasoning":"hihg"}', "unknown reasoning 'hihg'; did you mean high"),
        (b'{"type":"steer","message":"left"}', "no prompt is being answered"),
        (b'{"type":"command","name":"/nope"}', "there is no command /nope"),
        (b'{"type":"ext_panel_key","key":"up"}', "no panel is open"),
    ],
)
def test_what_cannot_be_done_is_said_and_the_process_lives(peer: Any, line: bytes, problem: str) -> None:
    peer.write(line + b"\n")

    response = peer.next()

    assert response["type"] == "response"
    assert response["success"] is False
    assert problem in response["error"]
    assert peer.data("ping") == {"pong": True}


def test_blank_lines_and_carriage_returns_are_nothing(peer: Any) -> None:
    peer.write(b'\n\r\n  \n{"type":"ping"}\r\n')

    assert peer.next()["command"] == "ping"


def test_a_line_that_is_too_long_is_passed_over(peer: Any) -> None:
    peer.write(b'{"type":"prompt","message":"' + b"x" * (16 << 20) + b'"}\n{"type":"ping"}\n')

    assert "longer than 16777216 bytes" in peer.next()["error"]
    assert peer.next()["command"] == "ping"


def test_images_reach_the_model_with_the_type_of_their_bytes(peer: Any, server: ScriptedServer) -> None:
    server.add("I see.")

    assert peer.data("prompt", message="", images=[{"mime_type": "image/jpeg", "data": PNG}]) == {"started": True}
    peer.until("done")

    assert f"data:image/png;base64,{PNG}" in json.dumps(server.requests[0].body)
    (message,) = [line for line in peer.seen if line["type"] == "user_message"]
    assert message["content"] == [{"type": "image", "mime_type": "image/png", "bytes": 28}]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("not base64!", "images[0].data is not standard base64"),
        (PNG + "\n", "images[0].data is not standard base64"),
        (base64.b64encode(b"GIF9 is no image").decode(), "images[0].data is not a PNG, JPEG, GIF or WebP image"),
        (base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3_750_000)).decode(), "larger than 3.75 MB"),
    ],
)
def test_what_is_no_image_is_refused(peer: Any, data: str, problem: str) -> None:
    assert problem in peer.error("prompt", message="look", images=[{"mime_type": "image/png", "data": data}])


def test_state_and_messages_are_those_of_the_conversation(peer: Any, server: ScriptedServer, alone: Path) -> None:
    server.add(Turn(calls=[Call("ls", {"path": "."})]), "Nothing.")
    peer.send("prompt", message="what is here?")
    peer.until("done")

    state = peer.data("get_state")
    messages = peer.data("get_messages")["messages"]

    assert (state["provider"], state["model"], state["cwd"]) == ("openai", "scripted", str(alone))
    assert (state["message_count"], state["busy"], state["queued"]) == (4, False, 0)
    assert set(state["usage"]) == {"input", "output", "cache_read", "cache_write", "cost_usd", "reasoning"}
    assert state["usage"]["output"] > 0
    assert (state["reasoning"], state["session_id"]) == ("off", "")
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert all(message["time"].endswith("Z") for message in messages)
    (call,), (result,) = messages[1]["content"], messages[2]["content"]
    assert (call["type"], call["name"], call["args"]) == ("tool_call", "ls", {"path": "."})
    assert (result["type"], result["call_id"], result["is_error"]) == ("tool_result", call["id"], False)


def test_clear_and_new_session_begin_anew(peer: Any, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    peer.send("prompt", message="my name is Ada")
    peer.until("done")

    assert peer.call("clear").get("data") is None
    assert peer.data("get_state")["message_count"] == 0
    assert peer.data("get_state")["usage"]["output"] > 0
    peer.send("prompt", message="second")
    peer.until("done")
    assert "Ada" not in json.dumps(server.requests[1].body)
    assert peer.data("new_session") == {"session_id": ""}
    assert peer.data("get_state")["usage"]["output"] == 0


def test_the_model_the_effort_and_the_tools_can_be_changed(peer: Any, server: ScriptedServer) -> None:
    server.add("ok")

    assert peer.data("set_model", model="openai/scripted-2") == {
        "model": "scripted-2", "provider": "openai",
    }  # fmt: skip
    assert peer.data("set_reasoning", reasoning="high") == {"reasoning": "high"}
    assert peer.data("set_tools", tools=["read"]) == {"tools": ["read"]}
    peer.send("prompt", message="hi")
    peer.until("done")

    body = server.requests[0].body
    assert (body["model"], body["reasoning_effort"]) == ("scripted-2", "high")
    assert [tool["function"]["name"] for tool in body["tools"]] == ["read"]
    assert "unknown tool 'raed'" in peer.error("set_tools", tools=["raed"])


LOOK = "echo [$ZOT_PROVIDER $ZOT_MODEL $ZOT_REASONING_LEVEL $ZOT_SESSION_ID] $ZOT_SESSION_FILE"


def look(peer: Any, server: ScriptedServer) -> tuple[str, str]:
    """What a program that a tool starts is told of the agent, and of its session file."""
    server.add(Turn(calls=[Call("bash", {"command": LOOK})]), "ok")
    peer.send("prompt", message="look")
    (result,) = [line for line in peer.until("done") if line["type"] == "tool_result"]
    told, _, path = result["content"][0]["text"].splitlines()[2].partition("] ")
    return f"{told}]", path


def test_programs_that_tools_start_know_of_every_change(
    start: Callable[..., Any], server: ScriptedServer, tmp_path: Path
) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_text(json.dumps({"type": "meta", "meta": {"id": "kept", "provider": "openai"}}) + "\n")
    base_url = server.base_url("anthropic-messages")
    peer = start("--session", str(path), ANTHROPIC_API_KEY="sk-other", ANTHROPIC_BASE_URL=base_url)

    assert look(peer, server) == ("[openai scripted off kept]", str(path))
    peer.data("set_model", model="scripted-2")
    peer.data("set_reasoning", reasoning="low")
    assert look(peer, server) == ("[openai scripted-2 low kept]", str(path))
    id = peer.data("new_session")["session_id"]
    told, other = look(peer, server)
    assert told == f"[openai scripted-2 low {id}]"
    assert json.loads(Path(other).read_text().splitlines()[0])["meta"]["id"] == id
    peer.data("set_model", model="anthropic/claude-sonnet-4-5")
    assert look(peer, server)[0] == f"[anthropic claude-sonnet-4-5 low {id}]"


@pytest.mark.parametrize(
    "fields",
    [{"model": "anthropic/claude-sonnet-4-5"}, {"model": "claude-sonnet-4-5", "provider": "anthropic"}],
)
def test_a_model_of_another_provider_answers_from_there(
    start: Callable[..., Any], server: ScriptedServer, fields: dict[str, str]
) -> None:
    server.add("from afar", "from here")
    base_url = server.base_url("anthropic-messages")
    peer = start(ANTHROPIC_API_KEY="sk-other", ANTHROPIC_BASE_URL=base_url)

    assert peer.data("set_model", **fields) == {"model": "claude-sonnet-4-5", "provider": "anthropic"}
    state = peer.data("get_state")
    assert (state["provider"], state["model"]) == ("anthropic", "claude-sonnet-4-5")
    assert peer.data("hello")["provider"] == "anthropic"
    peer.send("prompt", message="hi")
    assert text(peer.until("done")) == "from afar"
    assert peer.data("set_model", model="openai/scripted") == {"model": "scripted", "provider": "openai"}
    peer.send("prompt", message="hi again")
    assert text(peer.until("done")) == "from here"

    assert [request.wire for request in server.requests] == ["anthropic-messages", "openai-chat"]
    assert [request.body["model"] for request in server.requests] == ["claude-sonnet-4-5", "scripted"]


def test_a_model_without_a_credential_is_refused_with_the_variable_to_set(start: Callable[..., Any]) -> None:
    peer = start("--model", "gpt-4o")

    for fields in ({"model": "anthropic/claude-sonnet-4-5"}, {"model": "claude-sonnet-4-5"}):
        assert "ANTHROPIC_API_KEY" in peer.error("set_model", **fields)
    assert "ANTHROPIC_API_KEY" in peer.error("set_model", model="claude-sonnet-4-5", provider="anthropic")
    assert "unknown provider 'nobody'" in peer.error("set_model", model="m", provider="nobody")
    state = peer.data("get_state")
    assert (state["provider"], state["model"]) == ("openai", "gpt-4o")


def test_a_model_that_nobody_knows_is_taken_with_a_notice(start: Callable[..., Any]) -> None:
    peer = start("--model", "gpt-4o")

    assert peer.data("set_model", model="gpt-99-unheard-of") == {"model": "gpt-99-unheard-of", "provider": "openai"}
    (notice,) = [line for line in peer.seen if line["type"] == "notice"]
    assert "gpt-99-unheard-of is not among the models of OpenAI" in notice["message"]


CORP = {
    "auth": "none",
    "models": [
        {"id": "m1", "contextWindow": 1000, "priceInput": 1.0, "priceOutput": 2.0},
        {"id": "m2", "contextWindow": 2000, "priceInput": 1_000_000.0, "priceOutput": 1_000_000.0},
    ],
}


def test_a_model_of_the_persons_file_has_its_window_and_its_price_from_there(
    start: Callable[..., Any], server: ScriptedServer, tmp_path: Path
) -> None:
    home = tmp_path / "zot-home"
    home.mkdir()
    corp = CORP | {"baseUrl": server.base_url("openai-chat")}
    (home / "models.json").write_text(json.dumps({"providers": {"corp": corp}}))
    server.add("one", "two")
    peer = start("--provider", "corp", "--model", "m1")

    assert peer.data("set_model", model="m2") == {"model": "m2", "provider": "corp"}
    peer.send("prompt", message="hi")
    (usage,) = [line for line in peer.until("done") if line["type"] == "usage"]

    assert usage["cost_usd"] == usage["input"] + usage["output"] > 0
    windows = {model["id"]: model["context_window"] for model in peer.data("get_models")["models"]}
    assert (windows["m1"], windows["m2"]) == (1000, 2000)
    assert peer.data("set_model", model="corp/m1")["model"] == "m1"
    peer.send("prompt", message="hi")
    (usage,) = [line for line in peer.until("done") if line["type"] == "usage"]
    assert usage["cost_usd"] == pytest.approx((usage["input"] + 2 * usage["output"]) / 1e6)


def test_models_are_listed_with_what_is_known_of_them(peer: Any, start: Callable[..., Any]) -> None:
    assert [model["id"] for model in peer.data("get_models")["models"]] == ["scripted"]
    known = start("--model", "gpt-4o").data("get_models")["models"]
    every = peer.data("list_models_all")["models"]

    (found,) = [model for model in known if model["id"] == "gpt-4o"]
    assert found["provider"] == "openai"
    assert found["context_window"] > 0
    assert {model["provider"] for model in known} == {"openai"}
    assert {"openai", "anthropic"} <= {model["provider"] for model in every}


def test_a_server_that_lists_no_models_costs_no_answer(start: Callable[..., Any]) -> None:
    peer = start("--base-url", "http://127.0.0.1:9/v1")

    assert [model["id"] for model in peer.data("get_models")["models"]] == ["scripted"]


def test_no_line_holds_what_some_readers_take_for_its_end(peer: Any, server: ScriptedServer) -> None:
    odd = "a\u2028b\u2029c\x85d"
    server.add(odd)
    peer.send("prompt", message=odd, id=odd)
    peer.write(json.dumps({"type": odd}, ensure_ascii=False).encode() + b"\n")

    lines = [*peer.until("done"), peer.call("get_messages")]

    assert text(lines) == odd
    assert all(not set(raw) & {"\u2028", "\u2029", "\x85"} for raw in peer.raw)


def test_a_compaction_ends_with_its_summary_and_done(peer: Any, server: ScriptedServer) -> None:
    server.add("one", "two", "three", "the notes")
    for number in range(3):
        peer.send("prompt", message=f"question {number}")
        peer.until("done")

    peer.send("compact", id="3")
    lines = peer.until("done")

    assert lines[0]["data"] == {"started": True}
    assert types(lines[1:]) == ["compact_start", "usage", "compact_done", "done"]
    assert lines[-2]["summary"] == "the notes"
    assert peer.data("get_state")["message_count"] == 5


def test_nothing_to_compact_is_an_error_and_done(peer: Any) -> None:
    peer.send("compact")

    assert [line["type"] for line in peer.until("done")] == ["response", "error", "done"]
    assert peer.seen[1]["message"].startswith("nothing to compact")


def test_a_failure_is_told_and_followed_by_done(peer: Any) -> None:
    peer.send("prompt", message="hi")

    lines = peer.until("done")

    assert types(lines)[-3:] == ["turn_end", "error", "done"]
    assert lines[-3]["stop"] == "error"
    assert peer.data("get_state")["busy"] is False


def test_every_method_is_documented_by_an_example_that_is_json() -> None:
    for method in METHODS.values():
        assert method.doc.endswith(".")
        assert not method.data or isinstance(json.loads(method.data), dict)
        assert all(field.doc.endswith(".") for field in method.fields)
