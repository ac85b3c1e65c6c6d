"""The commands that read and change the state of the agent."""

import array
import fcntl
import json
import termios
from pathlib import Path
from typing import Any

import pytest
from rpc_client import text
from rpc_peer import Peer, StartPeer
from waiting import wait_until

from zot_core.sessions.file import SessionFile
from zot_core.sessions.rows import Meta
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedServer, Turn


def test_state_and_messages_are_those_of_the_conversation(peer: Peer, server: ScriptedServer, alone: Path) -> None:
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


def test_while_a_long_conversation_is_prepared_other_commands_are_answered(
    start: StartPeer, server: ScriptedServer, alone: Path
) -> None:
    session = SessionFile(str(alone / "long.jsonl"), Meta("5b0e6f8c", str(alone), "scripted", "openai", "then"))
    for number in range(5000):
        session.append(Message("user", [TextBlock(f"{number}")]))
    session.close()
    server.add("done")
    peer = start("--session", session.path)
    peer.data("get_state")  # it has started
    peer.send("get_messages")
    peer.send("get_state")
    peer.send("prompt", message="one more")
    answers = [line["command"] for line in peer.until("done") if line["type"] == "response"]
    assert answers[0] == "get_state"
    messages = peer.data("get_messages")["messages"]
    said = [message["content"][0]["text"] for message in messages]
    assert said == [*map(str, range(5000)), "one more", "done"]


def test_half_a_line_of_a_process_that_is_killed_is_no_line(start: StartPeer, alone: Path) -> None:
    session = SessionFile(str(alone / "large.jsonl"), Meta("5b0e6f8d", str(alone), "scripted", "openai", "then"))
    session.append(Message("user", [TextBlock("x" * 1_000_000)]))  # more than a pipe takes
    session.close()
    peer = start("--session", session.path, listens=False)
    peer.send("get_messages")
    pipe = peer.process.stdout
    assert pipe is not None
    waiting = array.array("i", [0])
    wait_until(lambda: fcntl.ioctl(pipe, termios.FIONREAD, waiting) == 0 and waiting[0] > 50_000, "it writes")
    peer.process.kill()
    peer.listen()
    peer.kill()
    assert b"xxx" in peer.torn
    assert not any("xxx" in line for line in peer.raw)


def test_clear_and_new_session_delete_the_messages(peer: Peer, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    peer.send("prompt", message="my name is Ada")
    peer.until("done")

    assert peer.call("clear").get("data") is None
    assert peer.data("get_state")["message_count"] == 0
    assert peer.data("get_state")["usage"]["output"] > 0
    peer.send("prompt", message="second")
    peer.until("done")
    assert "Ada" not in json.dumps(server.requests[1].body)
    assert peer.data("session.new") == {"session_id": "", "entry": None, "messages": 0}
    assert peer.data("get_state")["usage"]["output"] == 0


def test_the_model_the_reasoning_level_and_the_tools_can_be_changed(peer: Peer, server: ScriptedServer) -> None:
    server.add("ok")

    assert peer.data("set_model", model="openai/scripted-2")["model"] == "scripted-2"
    assert peer.data("set_reasoning", reasoning="high")["reasoning"] == "high"
    assert peer.data("tools.set", tools=["read"]) == {"names": ["read"]}
    peer.send("prompt", message="hi")
    peer.until("done")

    body = server.requests[0].body
    assert (body["model"], body["reasoning_effort"]) == ("scripted-2", "high")
    assert [tool["function"]["name"] for tool in body["tools"]] == ["read"]
    assert "unknown tool 'raed'" in peer.error("tools.set", tools=["raed"])


def chosen(answer: dict[str, Any]) -> tuple[str, str]:
    """The provider and the model that an answer names."""
    return answer["provider"], answer["model"]


LOOK = "echo [$ZOT_PROVIDER $ZOT_MODEL $ZOT_REASONING_LEVEL $ZOT_SESSION_ID] $ZOT_SESSION_FILE"


def look(peer: Peer, server: ScriptedServer) -> tuple[str, str]:
    """What a program that a tool starts is told of the agent, and of its session file."""
    server.add(Turn(calls=[Call("bash", {"command": LOOK})]), "ok")
    peer.send("prompt", message="look")
    (result,) = [line for line in peer.until("done") if line["type"] == "tool_result"]
    told, _, path = result["content"][0]["text"].splitlines()[0].partition("] ")
    return f"{told}]", path


def test_programs_that_tools_start_know_of_every_change(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_text(json.dumps({"type": "meta", "meta": {"id": "kept", "provider": "openai"}}) + "\n")
    base_url = server.base_url("anthropic-messages")
    peer = start("--session", str(path), ANTHROPIC_API_KEY="sk-other", ANTHROPIC_BASE_URL=base_url)

    assert look(peer, server) == ("[openai scripted off kept]", str(path))
    peer.data("set_model", model="scripted-2")
    peer.data("set_reasoning", reasoning="low")
    assert look(peer, server) == ("[openai scripted-2 low kept]", str(path))
    id = peer.data("session.new")["session_id"]
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
    start: StartPeer, server: ScriptedServer, fields: dict[str, str]
) -> None:
    server.add("from afar", "from here")
    base_url = server.base_url("anthropic-messages")
    peer = start(ANTHROPIC_API_KEY="sk-other", ANTHROPIC_BASE_URL=base_url)

    assert chosen(peer.data("set_model", **fields)) == ("anthropic", "claude-sonnet-4-5")
    state = peer.data("get_state")
    assert (state["provider"], state["model"]) == ("anthropic", "claude-sonnet-4-5")
    assert peer.data("hello")["provider"] == "anthropic"
    peer.send("prompt", message="hi")
    assert text(peer.until("done")) == "from afar"
    assert chosen(peer.data("set_model", model="openai/scripted")) == ("openai", "scripted")
    peer.send("prompt", message="hi again")
    assert text(peer.until("done")) == "from here"

    assert [request.wire for request in server.requests] == ["anthropic-messages", "openai-chat"]
    assert [request.body["model"] for request in server.requests] == ["claude-sonnet-4-5", "scripted"]


def test_a_model_without_a_credential_is_refused_with_the_variable_to_set(start: StartPeer) -> None:
    peer = start("--model", "gpt-4o")

    for fields in ({"model": "anthropic/claude-sonnet-4-5"}, {"model": "claude-sonnet-4-5"}):
        assert "ANTHROPIC_API_KEY" in peer.error("set_model", **fields)
    assert "ANTHROPIC_API_KEY" in peer.error("set_model", model="claude-sonnet-4-5", provider="anthropic")
    assert "unknown provider 'nobody'" in peer.error("set_model", model="m", provider="nobody")
    state = peer.data("get_state")
    assert (state["provider"], state["model"]) == ("openai", "gpt-4o")


def test_an_unknown_model_is_accepted_with_a_notice(start: StartPeer) -> None:
    peer = start("--model", "gpt-4o")

    assert chosen(peer.data("set_model", model="gpt-99-unheard-of")) == ("openai", "gpt-99-unheard-of")
    (notice,) = [line for line in peer.seen if line["type"] == "notice"]
    assert "gpt-99-unheard-of is not among the models of OpenAI" in notice["message"]


CORP = {
    "auth": "none",
    "models": [
        {"id": "m1", "contextWindow": 1000, "priceInput": 1.0, "priceOutput": 2.0},
        {"id": "m2", "contextWindow": 2000, "priceInput": 1_000_000.0, "priceOutput": 1_000_000.0},
    ],
}


def test_a_model_of_the_users_file_has_its_window_and_its_price_from_that_file(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    home = tmp_path / "zot-home"
    home.mkdir()
    corp = CORP | {"baseUrl": server.base_url("openai-chat")}
    (home / "models.json").write_text(json.dumps({"providers": {"corp": corp}}))
    server.add("one", "two")
    peer = start("--provider", "corp", "--model", "m1")

    assert chosen(peer.data("set_model", model="m2")) == ("corp", "m2")
    peer.send("prompt", message="hi")
    (usage,) = [line for line in peer.until("done") if line["type"] == "usage"]

    assert usage["cost_usd"] == usage["input"] + usage["output"] > 0
    windows = {model["id"]: model["context_window"] for model in peer.data("get_models")["models"]}
    assert (windows["m1"], windows["m2"]) == (1000, 2000)
    assert peer.data("set_model", model="corp/m1")["model"] == "m1"
    peer.send("prompt", message="hi")
    (usage,) = [line for line in peer.until("done") if line["type"] == "usage"]
    assert usage["cost_usd"] == pytest.approx((usage["input"] + 2 * usage["output"]) / 1e6)


def test_models_are_listed_with_what_is_known_of_them(peer: Peer, start: StartPeer) -> None:
    assert [model["id"] for model in peer.data("get_models")["models"]] == ["scripted"]
    known = start("--model", "gpt-4o").data("get_models")["models"]
    every = peer.data("model.list", scope="all")["models"]

    (found,) = [model for model in known if model["id"] == "gpt-4o"]
    assert found["provider"] == "openai"
    assert found["context_window"] > 0
    assert {model["provider"] for model in known} == {"openai"}
    assert {"openai", "anthropic"} <= {model["provider"] for model in every}


def test_the_state_has_the_level_of_thinking_that_the_model_uses(start: StartPeer) -> None:
    peer = start("--model", "gpt-5")  # which cannot be off
    state = peer.data("get_state")
    assert (state["reasoning"], state["reasoning_used"]) == ("off", "minimum")
    peer.data("set_reasoning", reasoning="high")
    assert peer.data("get_state")["reasoning_used"] == "high"


def test_models_that_can_be_chosen_are_those_of_the_server_and_of_providers_with_a_key(
    start: StartPeer, server: ScriptedServer
) -> None:
    server.models.append("another")
    ready = start().data("model.list", scope="ready")["models"]
    assert [model["id"] for model in ready if model["provider"] == "openai"] == ["scripted", "another"]
    assert "anthropic" not in {model["provider"] for model in ready}


def test_a_server_that_lists_no_models_costs_no_answer(start: StartPeer) -> None:
    peer = start("--base-url", "http://127.0.0.1:9/v1")

    assert [model["id"] for model in peer.data("get_models")["models"]] == ["scripted"]


def test_the_list_of_what_is_to_be_done_is_an_event_and_part_of_the_state(peer: Peer, server: ScriptedServer) -> None:
    items = [{"content": "read", "status": "completed"}, {"content": "write", "status": "pending"}]
    server.add(Turn(calls=[Call("todo", {"items": items})]), "So.")
    peer.send("prompt", message="go")
    assert [each["items"] for each in peer.until("done") if each["type"] == "todo"] == [items]
    assert peer.data("get_state")["todos"] == items
