"""Prompts: their queue, `abort`, `compact`, `steer` and `follow_up`."""

import json
from typing import Any

import pytest
from rpc_peer import Peer

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

SLOW = Turn("a very long story. " * 200, chunk=1, delay=0.02)


SLEEP = Turn(calls=[Call("bash", {"command": "echo started; sleep 600"})])


@pytest.mark.parametrize(("turn", "at"), [(SLOW, "text_delta"), (SLEEP, "tool_progress")])
def test_abort_stops_what_runs(peer: Peer, server: ScriptedServer, turn: Turn, at: str) -> None:
    server.add(turn, "still here")
    peer.begin(at=at)

    assert peer.call("abort")["success"]
    lines = peer.until("done")

    assert not peer.of("error")
    assert lines[-1] == {"type": "done"}
    if at == "text_delta":
        assert lines[-2] == {"type": "turn_end", "stop": "aborted"}
    peer.begin(at="done")
    assert peer.of("assistant_message")[-1]["content"] == [{"type": "text", "text": "still here"}]


def test_an_abort_directly_after_its_prompt_stops_it(peer: Peer, server: ScriptedServer) -> None:
    server.add(SLOW)
    peer.write(b'{"type":"prompt","message":"x"}\n{"type":"abort"}\n')

    lines = peer.until("done")

    assert [line["command"] for line in lines[:2]] == ["prompt", "abort"]
    assert not peer.of("error")


def test_abort_stops_a_compaction(peer: Peer, server: ScriptedServer) -> None:
    server.add("one", "two", "three", SLOW)
    for _ in range(3):
        peer.begin(at="done")
    peer.send("compact")
    peer.until("compact_start")

    assert peer.call("abort")["success"]
    lines = peer.until("done")

    assert "compact_done" not in [line["type"] for line in lines]
    assert peer.data("get_state")["message_count"] == 6


def test_abort_when_idle_is_harmless(peer: Peer, server: ScriptedServer) -> None:
    server.add("fine")

    assert peer.call("abort")["success"]
    peer.begin(at="done")

    assert peer.of("assistant_message")


def test_prompts_wait_for_each_other_and_abort_stops_one(peer: Peer, server: ScriptedServer) -> None:
    server.add(SLOW, "two", "three")
    peer.begin(message="one")

    assert peer.data("prompt", message="2") == {"started": True, "queued": True}
    assert peer.data("prompt", message="3") == {"started": True, "queued": True}
    state = peer.data("get_state")
    assert (state["busy"], state["queued"]) == (True, 2)
    peer.call("abort")
    for _ in range(3 - len(peer.of("done"))):
        peer.until("done")

    assert [line["content"][0]["text"] for line in peer.of("user_message")] == ["one", "2", "3"]
    assert peer.data("get_state")["busy"] is False
    assert [line["stop"] for line in peer.of("turn_end")] == ["aborted", "end_turn", "end_turn"]


def test_reads_are_answered_while_the_model_speaks(peer: Peer, server: ScriptedServer) -> None:
    server.add(SLOW)
    peer.begin()

    assert peer.data("ping") == {"pong": True}
    assert peer.data("get_state")["busy"] is True
    assert peer.data("get_messages")["messages"][0]["role"] == "user"
    assert peer.of("done") == []


def test_while_busy_it_is_not_looked_whether_what_would_be_opened_is_there(peer: Peer, server: ScriptedServer) -> None:
    server.add(SLOW)
    peer.begin()
    for command, field in (("session.open", "session"), ("session.navigate", "entry")):
        answer = peer.call(command, **{field: "there is none"})
        assert (answer["code"], answer["error"][:17]) == ("busy", "the agent is busy")


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("clear", {}),
        ("session.new", {}),
        ("set_model", {"model": "m"}),
        ("set_reasoning", {"reasoning": "low"}),
        ("tools.set", {"tools": []}),
    ],
)
def test_changes_are_refused_while_busy_and_not_after_done(
    peer: Peer, server: ScriptedServer, command: str, fields: dict[str, Any]
) -> None:
    server.add(SLOW)
    peer.begin()

    assert peer.error(command, **fields).startswith("the agent is busy")
    peer.call("abort")
    if not peer.of("done"):
        peer.until("done")

    assert peer.call(command, **fields)["success"]


def test_settings_can_be_changed_as_soon_as_done_is_sent(peer: Peer, server: ScriptedServer) -> None:
    server.add(*["yes"] * 30)
    for _ in range(30):
        peer.begin(at="done")
        assert peer.call("clear")["success"]


def test_steering_reaches_the_model_with_its_next_call(peer: Peer, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "echo started; sleep 1"})]), "as you wish", "and more")
    peer.begin(at="tool_progress")

    assert peer.call("prompts.steer", message="be brief")["success"]
    assert peer.call("prompts.follow_up", message="and then?")["success"]
    peer.until("done")

    assert "be brief" in json.dumps(server.requests[1].body)
    assert "and then?" not in json.dumps(server.requests[1].body)
    assert "and then?" in json.dumps(server.requests[2].body)
    assert len(peer.of("done")) == 1


def test_steering_messages_that_were_not_delivered_are_reported(peer: Peer, server: ScriptedServer) -> None:
    server.add(SLEEP, "next")
    peer.begin(at="tool_progress")
    peer.call("prompts.steer", message="be brief")

    peer.call("abort")
    if not peer.of("done"):
        peer.until("done")
    peer.begin(at="done")

    assert "be brief" in peer.of("notice")[0]["message"]
    assert "be brief" not in json.dumps(server.requests[1].body)


def test_a_server_that_cuts_the_answer_costs_one_prompt(peer: Peer, server: ScriptedServer) -> None:
    server.add(*[Turn("half of it", fault=Fault(cut=True))] * 5, "whole")

    peer.begin(at="done")

    assert peer.data("get_state")["busy"] is False


def types(lines: list[dict[str, Any]]) -> list[str]:
    return [line["type"] for line in lines if line["type"] != "text_delta"]


def test_a_compaction_ends_with_its_summary_and_done(peer: Peer, server: ScriptedServer) -> None:
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


def test_nothing_to_compact_is_an_error_and_done(peer: Peer) -> None:
    peer.send("compact")

    assert [line["type"] for line in peer.until("done")] == ["response", "error", "done"]
    assert peer.seen[1]["message"].startswith("nothing to compact")
