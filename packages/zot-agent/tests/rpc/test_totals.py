"""The command that says what runs took."""

from rpc_peer import Peer

from zot_provider.testing import Call, ScriptedServer, Turn


def test_a_client_learns_what_the_last_runs_took_and_changed(peer: Peer, server: ScriptedServer) -> None:
    write, look = Call("write", {"path": "a.txt", "content": "x"}), Call("bash", {"command": "true"})
    server.add(Turn(calls=[write]), "Written.", Turn(calls=[look]), "Done.")
    assert peer.data("session.totals") == {"runs": []}
    for prompt in ("write", "look"):
        peer.send("prompt", message=prompt)
        peer.until("done")
    first, last = peer.data("session.totals")["runs"]
    entries = [each["id"] for each in peer.data("session.tree")["entries"]]
    assert [(each["at"], each["after"]) for each in (first, last)] == [(4, entries[3]), (8, entries[7])]
    assert (first["files"], last["files"], first["usage"]["output"]) == (1, 0, 10)
    assert first["seconds"] >= 0
    assert peer.data("session.totals", limit=1)["runs"] == [last]
