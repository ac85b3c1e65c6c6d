"""Extensions that change the session of a client."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from extension_folder import write_extension
from rpc_peer import Peer, StartPeer
from waiting import PATIENCE

from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import ScriptedServer

BODY = """
@ext.command('call')
def call(args):
    import json
    method, params = json.loads(args)
    try:
        return display(json.dumps(ext.call(method, **params)))
    except HostError as error:
        return display(error.code)
"""

GROUPS = "capabilities=('session', 'control', 'exec')"


def call(peer: Peer, method: str, **params: Any) -> Any:
    """What a call in a command returns; the code if it fails."""
    peer.send("control.run", name="call", args=json.dumps([method, params]))
    peer.until(lambda line: line.get("command") == "control.run")
    text = peer.of("ext_display")[-1]["text"]
    return json.loads(text) if text.startswith("{") else text


@pytest.fixture
def peer(start: StartPeer, tmp_path: Path) -> Peer:
    """A process with an extension that calls what it is given."""
    return start("--ext", str(write_extension(tmp_path / "caller", BODY, more=GROUPS)))


def stored(prompt: str, cwd: Path) -> str:
    """Store a session with one message; its id."""
    session = SessionStore(os.path.join(os.environ["ZOT_HOME"], "sessions")).create(str(cwd), "scripted", "openai", "1")
    session.append(Message("user", [TextBlock(prompt)]))
    session.close()
    return session.meta.id


def test_a_command_opens_another_session_and_goes_on_in_a_new_one(
    peer: Peer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add("hello")
    other = tmp_path / "other"
    other.mkdir()
    id = stored("Fix the parser.", other)
    assert [each["id"] for each in call(peer, "session.list", scope="all")["sessions"]] == [id]
    place = call(peer, "session.open", session=id[:8])
    assert (place["session_id"], place["messages"]) == (id, 1)
    assert peer.of("session_start")[-1]["session_id"] == id
    assert peer.data("get_state")["cwd"] == str(other)
    assert call(peer, "session.open", session=id) == "invalid"
    assert call(peer, "session.open", session="nothing") == "not_found"
    place = call(peer, "session.new", messages=[{"text": "known"}], parent=True)
    assert peer.of("session_start")[-1]["session_id"] == place["session_id"]
    peer.send("prompt", message="go")
    peer.until("done")
    assert [message["role"] for message in peer.data("get_messages")["messages"]] == ["user", "user", "assistant"]


def test_an_extension_ends_the_process_once_nothing_runs(peer: Peer, server: ScriptedServer) -> None:
    server.add("hello")
    assert call(peer, "control.shutdown") == {}
    assert peer.process.wait(PATIENCE) == 0
