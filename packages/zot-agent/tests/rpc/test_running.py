"""The process of `zot rpc`: how it ends, slow clients, session files."""

import json
import threading
from pathlib import Path

from processes import runs
from rpc_peer import Peer, StartPeer
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, Received, ScriptedServer, Turn

SLOW = Turn("a very long story. " * 200, chunk=1, delay=0.02)


def test_the_end_of_input_lets_running_and_queued_prompts_finish(peer: Peer, server: ScriptedServer) -> None:
    server.add("one", "two")
    peer.write(b'{"type":"prompt","message":"1"}\n{"type":"prompt","message":"2"}\n{"type":"get_models","id":1}')

    code, error = peer.finish()

    assert (code, error) == (0, "")
    assert len(peer.of("done")) == 2
    assert [line["command"] for line in peer.of("response")] == ["prompt", "prompt", "get_models"]


def test_a_client_that_closes_its_end_stops_everything(start: StartPeer, server: ScriptedServer, alone: Path) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "echo $$ > pid; sleep 600"})]))
    peer = start(listens=False)
    peer.send("prompt", message="go")
    pid = alone / "pid"
    wait_until(lambda: pid.exists() and pid.read_text().endswith("\n"))

    assert peer.process.stdout is not None
    peer.process.stdout.close()

    assert peer.process.wait(PATIENCE) == 0
    wait_until(lambda: not runs(int(pid.read_text())))


def test_a_signal_ends_the_prompt_with_done(peer: Peer, server: ScriptedServer) -> None:
    server.add(SLOW)
    peer.begin()

    peer.process.terminate()
    code, error = peer.finish()

    assert (code, error) == (143, "")
    assert [line["type"] for line in peer.seen[-2:]] == ["turn_end", "done"]


def test_a_client_that_does_not_read_stops_the_agent_and_not_its_memory(
    start: StartPeer, server: ScriptedServer
) -> None:
    too_far = threading.Event()

    def far(_: Received) -> Turn:
        too_far.set()
        return big

    big = Turn("x" * 600_000, chunk=600_000, calls=[Call("ls", {"path": "."})])
    server.add(*[big] * 10, far, *[big] * 9, "the end")
    peer = start(listens=False)
    peer.send("prompt", message="go")

    wait_until(lambda: len(server.requests) >= 3)
    assert not too_far.wait(2)
    peer.listen()
    peer.until("done")

    assert len(server.requests) == 21


def test_a_session_is_stored_only_if_a_flag_names_one(start: StartPeer, server: ScriptedServer, tmp_path: Path) -> None:
    server.add("one", "two", "three", "four")
    first = start()
    first.begin(at="done", message="my name is Ada")
    first.finish()
    sessions = tmp_path / "zot-home" / "sessions"
    assert not list(sessions.rglob("*.jsonl"))
    (tmp_path / "kept.jsonl").write_text(
        json.dumps({"type": "meta", "meta": {"id": "kept", "provider": "openai"}}) + "\n"
    )

    second = start("--session", str(tmp_path / "kept.jsonl"))
    second.begin(at="done", message="my name is Ada")
    assert second.data("get_state")["session_id"] == "kept"
    second.finish()
    third = start("--session", str(tmp_path / "kept.jsonl"))
    assert third.data("get_state")["message_count"] == 2
    third.call("clear")
    third.finish()
    fourth = start("--session", str(tmp_path / "kept.jsonl"))

    assert fourth.data("get_messages") == {"messages": []}
    fourth.begin(at="done", message="who am I?")
    assert "Ada" not in json.dumps(server.requests[-1].body)
    assert fourth.data("session.new")["session_id"] not in ("", "kept")
    fourth.begin(at="done", message="again")
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
