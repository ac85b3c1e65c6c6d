"""Questions of extensions, over the protocol."""

import json
from pathlib import Path
from typing import Any

import pytest
from extension_folder import write_extension
from rpc_peer import Peer, StartPeer

BODY = """
@ext.command('ask')
def ask(args):
    import json
    found = []
    for method, params in json.loads(args):
        try:
            found.append(ext.call('ui.' + method, title='Well?', **params))
        except HostError as error:
            found.append(error.code)
    return display(json.dumps(found))
"""


@pytest.fixture
def asker(start: StartPeer, tmp_path: Path) -> Peer:
    """A process with an extension that asks the person."""
    return start("--ext", str(write_extension(tmp_path / "asker", BODY, more="capabilities=('ui',)")))


def ask(peer: Peer, *questions: tuple[str, dict[str, Any]]) -> None:
    peer.send("control.run", name="ask", args=json.dumps(questions))


def asked(peer: Peer) -> dict[str, Any]:
    """The question that comes next."""
    peer.until("ext_ui_request")
    found: dict[str, Any] = peer.of("ext_ui_request")[-1]
    return found


def answered(peer: Peer) -> Any:
    """What the extension got."""
    peer.until("ext_display")
    return json.loads(peer.of("ext_display")[-1]["text"])


def test_a_client_answers_the_questions_of_an_extension(asker: Peer) -> None:
    ask(asker, ("select", {"options": ["a", "b"]}), ("confirm", {}), ("input", {}), ("confirm", {"timeout_ms": 50}))
    first = asked(asker)
    assert (first["extension"], first["method"], first["options"]) == ("asker", "select", ["a", "b"])
    waiting = asker.data("get_state")["ui_requests"]
    assert waiting == [{name: value for name, value in first.items() if name != "type"}]
    wrong = asker.call("ext_ui_response", request=first["request"], value="c")
    assert (wrong["code"], wrong["error"]) == ("invalid", "the value must be one of the options")
    assert "waits for an answer" in asker.error("ext_ui_response", request="other", value="a")
    assert asker.call("ext_ui_response", request=first["request"], value="b")["success"]
    asker.send("ext_ui_response", request=asked(asker)["request"], value=False)
    asker.send("ext_ui_response", request=asked(asker)["request"], closed=True)
    assert asked(asker)["timeout_ms"] == 50
    assert answered(asker) == [
        {"value": "b", "index": 1},
        {"value": False},
        {"closed": "user"},
        {"closed": "timeout"},
    ]
    assert [each["request"] for each in asker.of("ext_ui_resolved")] == [
        each["request"] for each in asker.of("ext_ui_request")
    ]


def test_nobody_is_waited_for_once_the_client_has_closed_standard_input(asker: Peer) -> None:
    ask(asker, ("confirm", {}), ("confirm", {}))
    asked(asker)
    assert asker.finish()[0] == 0
    assert json.loads(asker.of("ext_display")[-1]["text"]) == ["unavailable", "unavailable"]
