"""The command that finds a text in the conversation."""

from rpc_peer import Peer

from zot_provider.testing import Call, ScriptedServer, Turn


def ask(peer: Peer, text: str) -> None:
    peer.send("prompt", message=text)
    peer.until("done")


def test_a_client_finds_what_the_conversation_shows_the_newest_first(peer: Peer, server: ScriptedServer) -> None:
    listing = Call("bash", {"command": "echo the needle"})
    server.add(Turn("I look for it.", calls=[listing]), "A **needle**, the Needle.")
    ask(peer, "where is the needle?")
    entries = [each["id"] for each in peer.data("session.tree")["entries"]]
    found = peer.data("session.find", text="needle")
    kinds = [(place["kind"], place["count"], bool(place["call"])) for place in found["places"]]
    assert kinds == [("answer", 2, False), ("result", 1, True), ("call", 1, True), ("prompt", 1, False)]
    assert [each["entry"] for each in found["places"]] == entries[::-1]
    assert found["places"][0]["excerpt"] == "A needle, the Needle."
    assert (found["total"], found["more"]) == (5, False)
    assert peer.data("session.find", text="Needle")["total"] == 1
    assert peer.data("session.find", text="tool_call")["places"] == []


def test_places_come_page_by_page_and_a_result_stays_with_its_call(peer: Peer, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "echo needle"})]), "needle")
    ask(peer, "needle")
    first = peer.data("session.find", text="needle", limit=2)
    assert [each["kind"] for each in first["places"]] == ["answer", "result", "call"]
    assert (first["total"], first["more"]) == (4, True)
    rest = peer.data("session.find", text="needle", before=first["places"][-1]["entry"])
    assert [each["kind"] for each in rest["places"]] == ["prompt"]


def test_a_text_without_words_and_an_unknown_message_are_refused(peer: Peer) -> None:
    assert peer.call("session.find", text="  ")["error"] == "text has no words"
    refused = peer.call("session.find", text="a", before="x")
    assert (refused["error"], refused["code"]) == ("the conversation has no message 'x'", "not_found")
