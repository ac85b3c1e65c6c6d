"""The commands that go back in the tree of a session."""

from rpc_peer import Peer

from zot_provider.testing import ScriptedServer, Turn


def ask(peer: Peer, text: str) -> None:
    peer.send("prompt", message=text)
    peer.until("done")


def texts(peer: Peer) -> list[str]:
    return [message["content"][0]["text"] for message in peer.data("get_messages")["messages"]]


def test_a_client_goes_back_and_asks_something_else(peer: Peer, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    ask(peer, "a")
    ask(peer, "b")
    tree = peer.data("get_tree")
    entries = tree["entries"]
    assert [(entry["kind"], entry["text"]) for entry in entries] == [
        ("user", "a"),
        ("assistant", "one"),
        ("user", "b"),
        ("assistant", "two"),
    ]
    assert tree["current"] == entries[-1]["id"]
    assert [entry["parent"] for entry in entries] == ["", *(entry["id"] for entry in entries[:-1])]

    assert peer.data("go_to", entry=entries[2]["id"], before=True) == {"text": "b", "message_count": 2}
    ask(peer, "c")
    assert texts(peer) == ["a", "one", "c", "three"]
    peer.call("set_label", entry=entries[3]["id"], label="first try")
    tree = peer.data("get_tree")
    assert [entry["label"] for entry in tree["entries"]] == ["", "", "", "first try", "", ""]
    assert tree["entries"][4]["parent"] == entries[1]["id"]

    peer.data("go_to", entry=entries[3]["id"])
    assert texts(peer) == ["a", "one", "b", "two"]
    assert peer.data("fork", entry=entries[0]["id"]) == {"session_id": ""}
    assert texts(peer) == ["a"]


def test_the_branch_that_is_left_is_summarised(peer: Peer, server: ScriptedServer) -> None:
    server.add("one", "two", "It went wrong.", Turn("too late", delay=60))
    ask(peer, "a")
    ask(peer, "b")
    entries = peer.data("get_tree")["entries"]
    assert peer.data("go_to", entry=entries[2]["id"], before=True, summarise=True) == {"text": "b", "message_count": 3}
    assert texts(peer) == ["a", "one", "## Summary of another branch\n\nIt went wrong."]
    kinds = [entry["kind"] for entry in peer.data("get_tree")["entries"]]
    assert kinds == ["user", "assistant", "user", "assistant", "branch_summary"]

    peer.send("go_to", id="going", entry=entries[3]["id"], summarise=True)
    server.wait_for(4)
    peer.call("abort")
    refused = peer.until(lambda line: line.get("id") == "going")[-1]
    assert refused["error"] == "the branch was not summarised, so nothing has changed"
    assert texts(peer)[-1].endswith("It went wrong.")


def test_an_unknown_entry_is_refused(peer: Peer, server: ScriptedServer) -> None:
    server.add("one")
    ask(peer, "a")
    for command in ("go_to", "fork"):
        assert peer.call(command, entry="gone")["error"] == "the session has no entry 'gone'"
    assert texts(peer) == ["a", "one"]
