"""`hello`: what the server says of itself, and its token."""

import json

import pytest
from rpc_peer import Peer, StartPeer

from zot_agent.version import __version__
from zot_provider.testing import Call, ScriptedServer, Turn


def test_hello_says_what_answers(peer: Peer) -> None:
    peer.write(b'{"id":"0","type":"hello","token":"shared-secret"}\n')

    assert peer.next() == {
        "type": "response",
        "id": "0",
        "command": "hello",
        "success": True,
        "data": {"protocol_version": 1, "version": __version__, "provider": "openai", "model": "scripted"},
    }
    assert peer.data("ping") == {"pong": True}


def test_tools_do_not_see_the_token(start: StartPeer, server: ScriptedServer) -> None:
    peer = start(ZOTCORE_RPC_TOKEN="s3cret")

    assert peer.data("hello", token="s3cret")["protocol_version"] == 1
    assert peer.data("get_state")["busy"] is False
    server.add(Turn(calls=[Call("bash", {"command": "echo [$ZOTCORE_RPC_TOKEN]"})]), "ok")
    peer.send("prompt", message="look")
    (result,) = [line for line in peer.until("done") if line["type"] == "tool_result"]
    assert result["content"][0]["text"].startswith("[]\n")


@pytest.mark.parametrize("said", [{"token": "s3cres"}, {"token": ""}, {}])
def test_a_wrong_token_ends_the_process_after_its_answer(start: StartPeer, said: dict[str, str]) -> None:
    peer = start(ZOTCORE_RPC_TOKEN="s3cret")
    lines = [{"type": "hello", "id": 1, **said}, {"type": "hello", "id": 2, "token": "s3cret"}]
    peer.write("".join(json.dumps(line) + "\n" for line in lines).encode())

    code, error = peer.finish()

    assert (code, error) == (1, "")
    assert [(line["id"], line["success"]) for line in peer.seen] == [(1, False)]


@pytest.mark.parametrize("line", ['{"type":"get_state"}', '{"type":"dance"}', "nonsense", "[]", "{}"])
def test_a_first_line_without_hello_ends_the_process_after_its_answer(
    start: StartPeer, server: ScriptedServer, line: str
) -> None:
    peer = start(ZOTCORE_RPC_TOKEN="s3cret")
    peer.write(f'{line}\n{{"type":"hello","token":"s3cret"}}\n{{"type":"prompt","message":"hi"}}\n'.encode())

    code, error = peer.finish()

    assert (code, error) == (1, "")
    assert [line["success"] for line in peer.seen] == [False]
    assert server.requests == []


def test_an_empty_token_means_no_token(start: StartPeer) -> None:
    assert start(ZOTCORE_RPC_TOKEN="").data("ping") == {"pong": True}
