"""Questions about tool calls, over the protocol."""

import os
from pathlib import Path

import pytest
from rpc_peer import Peer, StartPeer

from zot_provider.testing import Call, ScriptedServer, Turn

TOUCH = Turn(calls=[Call("bash", {"command": "touch ran"})])


def asked(peer: Peer) -> dict[str, object]:
    """The request for a permission that comes next."""
    peer.until("permission_request")
    found: dict[str, object] = peer.of("permission_request")[-1]
    return found


def test_a_call_waits_for_an_answer_and_runs_after_a_yes(start: StartPeer, server: ScriptedServer, alone: Path) -> None:
    server.add(TOUCH, "Done.")
    peer = start("--permission-mode", "ask")
    peer.begin(at="turn_start")
    request = asked(peer)
    assert (request["name"], request["args"]) == ("bash", {"command": "touch ran"})
    assert request["rules"] == ["bash(touch ran)"]
    state = peer.data("get_state")
    assert state["permission_mode"] == "ask"
    assert state["permission_requests"] == [{name: value for name, value in request.items() if name != "type"}]
    assert not (alone / "ran").exists()
    assert not peer.call("permissions.answer", request="other", answer="yes")["success"]
    assert not peer.call("permissions.answer", request=request["request"], answer="maybe")["success"]
    assert peer.call("permissions.answer", request=request["request"], answer="yes")["success"]
    peer.until("done")
    assert peer.of("permission_resolved")[-1]["answer"] == "yes"
    assert peer.data("get_state")["permission_requests"] == []
    assert (alone / "ran").exists()


def test_a_no_tells_the_model_why(start: StartPeer, server: ScriptedServer, alone: Path) -> None:
    server.add(TOUCH, "Well.")
    peer = start("--no-yolo")
    peer.begin(at="turn_start")
    peer.send("permissions.answer", request=asked(peer)["request"], answer="no", message="use make")
    peer.until("done")
    assert "the user did not allow this call of bash: use make" in str(peer.of("tool_result")[-1]["content"])
    assert not (alone / "ran").exists()


def test_an_always_holds_for_the_folder_from_then_on(start: StartPeer, server: ScriptedServer, alone: Path) -> None:
    server.add(TOUCH, "Done.", TOUCH, "Again.")
    peer = start("--permission-mode", "ask")
    peer.begin(at="turn_start")
    peer.send("permissions.answer", request=asked(peer)["request"], answer="always")
    peer.until("done")
    (alone / "ran").unlink()
    second = start("--permission-mode", "ask")
    second.begin(at="done")
    assert not second.of("permission_request")
    assert (alone / "ran").exists()
    assert not (alone / ".zot").exists()


def test_nobody_is_waited_for_once_the_client_has_closed_standard_input(
    start: StartPeer, server: ScriptedServer, alone: Path
) -> None:
    server.add(TOUCH, "Well.")
    peer = start("--permission-mode", "ask")
    peer.begin(at="turn_start")
    asked(peer)
    assert peer.finish()[0] == 0
    assert not (alone / "ran").exists()


def test_the_mode_changes_between_calls_and_yolo_asks_nothing(peer: Peer, server: ScriptedServer, alone: Path) -> None:
    server.add(TOUCH, "Done.", TOUCH, "No.")
    peer.begin(at="done")
    assert not peer.of("permission_request")
    (alone / "ran").unlink()
    assert peer.call("permissions.mode", mode="plan")["data"] == {"mode": "plan"}
    assert not peer.call("permissions.mode", mode="fast")["success"]
    peer.begin(at="done")
    assert not (alone / "ran").exists()
    assert "only reading is allowed" in str(peer.of("tool_result")[-1]["content"])


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(("mode", "offered"), [("ask", True), ("yolo", False)])
def test_a_command_that_the_sandbox_stopped_is_offered_unless_the_mode_asks_nothing(
    start: StartPeer, server: ScriptedServer, alone: Path, mode: str, offered: bool
) -> None:
    (alone / ".git").mkdir()
    server.add(Turn(calls=[Call("bash", {"command": "touch .git/x"})]), "Done.")
    peer = start("--sandbox", "--permission-mode", mode)
    assert peer.call("get_state")["data"]["sandbox"] == "on"
    peer.begin(at="turn_start")
    if offered:
        peer.call("permissions.answer", request=asked(peer)["request"], answer="yes")
        request = asked(peer)
        assert "may it run again, outside the sandbox" in str(request["reason"])
        peer.call("permissions.answer", request=request["request"], answer="yes")
    peer.until("done")
    assert (alone / ".git" / "x").exists() == offered
    assert "the sandbox seems to have stopped this command" in str(peer.of("tool_result")[-1]["content"])


def test_what_only_reads_is_not_asked_about_and_what_cannot_be_judged_is_in_yolo(
    start: StartPeer, server: ScriptedServer, alone: Path
) -> None:
    look, hide = (Turn(calls=[Call("bash", {"command": each})]) for each in ("ls -a | head -3", "echo touch ran | sh"))
    server.add(look, "I see.")
    peer = start("--permission-mode", "plan")
    peer.begin()
    peer.until("done")
    assert peer.of("permission_request") == []
    assert "[exit 0]" in str(peer.of("tool_result")[-1]["content"])

    (Path(os.environ["ZOT_HOME"]) / "config.json").write_text('{"permissions": {"deny": ["bash(touch *)"]}}')
    server.add(hide, "Well.")
    second = start("--permission-mode", "yolo")
    second.begin(at="turn_start")
    request = asked(second)
    assert "what sh reads is not known" in request["reason"]
    second.send("permissions.answer", request=request["request"], answer="no")
    second.until("done")
    assert not (alone / "ran").exists()
