"""The commands that go back in the tree of a session."""

import json
from pathlib import Path

from rpc_peer import Peer, StartPeer

from zot_core.sessions.branch import Found, open_branch
from zot_core.sessions.file import SessionFile
from zot_core.sessions.rows import Meta
from zot_provider.messages import Message
from zot_provider.testing import Call, ScriptedServer, Turn
from zot_provider.usage import Usage


def ask(peer: Peer, text: str) -> None:
    peer.send("prompt", message=text)
    peer.until("done")


def texts(peer: Peer) -> list[str]:
    return [message["content"][0]["text"] for message in peer.data("get_messages")["messages"]]


def test_a_client_goes_back_and_asks_something_else(peer: Peer, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    ask(peer, "a")
    ask(peer, "b")
    tree = peer.data("session.tree")
    entries = tree["entries"]
    assert [(entry["kind"], entry["text"]) for entry in entries] == [
        ("user", "a"),
        ("assistant", "one"),
        ("user", "b"),
        ("assistant", "two"),
    ]
    assert tree["current"] == entries[-1]["id"]
    assert [entry["parent"] for entry in entries] == ["", *(entry["id"] for entry in entries[:-1])]

    moved = peer.data("session.navigate", entry=entries[2]["id"], position="before")
    assert (moved["text"], moved["messages"]) == ("b", 2)
    ask(peer, "c")
    assert texts(peer) == ["a", "one", "c", "three"]
    peer.call("session.label", entry=entries[3]["id"], label="first try")
    tree = peer.data("session.tree")
    assert [entry["label"] for entry in tree["entries"]] == ["", "", "", "first try", "", ""]
    assert tree["entries"][4]["parent"] == entries[1]["id"]

    peer.data("session.navigate", entry=entries[3]["id"])
    assert texts(peer) == ["a", "one", "b", "two"]
    place = {"session_id": "", "entry": entries[0]["id"], "messages": 1}
    assert peer.data("session.fork", entry=entries[0]["id"]) == place
    assert texts(peer) == ["a"]


def test_the_branch_that_is_left_is_summarised(peer: Peer, server: ScriptedServer) -> None:
    server.add("one", "two", "It went wrong.", Turn("too late", delay=60))
    ask(peer, "a")
    ask(peer, "b")
    entries = peer.data("session.tree")["entries"]
    moved = peer.data("session.navigate", entry=entries[2]["id"], position="before", summarise=True)
    assert (moved["text"], moved["messages"]) == ("b", 3)
    assert texts(peer) == ["a", "one", "## Summary of another branch\n\nIt went wrong."]
    kinds = [entry["kind"] for entry in peer.data("session.tree")["entries"]]
    assert kinds == ["user", "assistant", "user", "assistant", "branch_summary"]

    peer.send("session.navigate", id="going", entry=entries[3]["id"], summarise=True)
    server.wait_for(4)
    peer.call("abort")
    refused = peer.until(lambda line: line.get("id") == "going")[-1]
    assert (refused["code"], refused["error"]) == ("cancelled", "the summary was stopped, so nothing has changed")
    assert texts(peer)[-1].endswith("It went wrong.")


def test_a_branch_that_another_process_has_open_is_named_by_a_code(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add("one", "two", "three")
    path = tmp_path / "talk.jsonl"
    session = SessionFile(str(path), Meta("5b0e6f8c", str(tmp_path), "scripted", "openai", ""))
    session.append(Message("user", []))
    session.close()
    peer = start("--session", str(path))
    ask(peer, "a")
    ask(peer, "b")
    entries = peer.data("session.tree")["entries"]
    peer.data("session.navigate", entry=entries[2]["id"])
    ask(peer, "c")
    other, _ = open_branch(Found(str(path)))
    refused = peer.call("session.navigate", entry=entries[-1]["id"])
    assert (refused["success"], refused["code"]) == (False, "session_locked")
    assert refused["error"].endswith("in use by another zot; close that one first, or fork it")
    other.close()
    assert peer.call("session.navigate", entry=entries[-1]["id"])["success"]


def test_what_fills_the_context_window(peer: Peer, server: ScriptedServer) -> None:
    server.add(Turn("one", usage=Usage(10, 5, cache_read=30)))
    ask(peer, "a" * 400)
    context = peer.data("control.context")
    assert [part["kind"] for part in context["parts"]] == ["system", "tools", "message", "message"]
    assert context["parts"][2].pop("id")
    expected = {"kind": "message", "tokens": 100, "role": "user", "text": "a" * 200, "shortened": False}
    assert context["parts"][2] == expected
    assert context["tokens"] == sum(part["tokens"] for part in context["parts"])
    assert context["usage"]["cache_read"] == 30
    assert (context["window"], context["window_guessed"]) == (32_768, True)


def test_an_unknown_entry_is_refused(peer: Peer, server: ScriptedServer) -> None:
    server.add("one")
    ask(peer, "a")
    for command in ("session.navigate", "session.fork", "session.label"):
        assert peer.call(command, entry="gone", label="x")["error"] == "the session has no entry 'gone'"
    assert peer.call("session.navigate", entry="gone", summarise=True)["code"] == "not_found"
    assert texts(peer) == ["a", "one"]
    assert {each["label"] for each in peer.data("session.tree")["entries"]} == {""}


def test_a_label_is_one_line_of_at_most_200_characters(start: StartPeer, server: ScriptedServer) -> None:
    server.add("one")
    peer = start()
    ask(peer, "a")
    entry = peer.data("session.tree")["current"]
    peer.call("session.label", entry=entry, label=" one\tline " + "x" * 190)
    for wrong, words in (("x" * 201, "label has 201 characters; at most 200"), ("a\nb", "must be one line of text")):
        assert words in peer.call("session.label", entry=entry, label=wrong)["error"]
        assert words in peer.call("session.navigate", entry=entry, label=wrong)["error"]
    assert peer.data("session.tree")["entries"][-1]["label"] == "one line " + "x" * 190


def test_a_move_takes_instructions_for_its_summary_and_a_label(peer: Peer, server: ScriptedServer) -> None:
    server.add("one", "two", "what was left")
    ask(peer, "a")
    ask(peer, "b")
    first = peer.data("session.tree")["entries"][0]["id"]
    peer.data("session.navigate", entry=first, summarise=True, instructions="keep the names", label="here")
    assert "keep the names" in str(server.requests[-1].body)
    tree = peer.data("session.tree")
    labels = {each["id"]: each["label"] for each in tree["entries"] if each["label"]}
    assert labels == {tree["current"]: "here"}


def test_a_client_undoes_a_prompt_with_its_files_and_takes_that_back(
    peer: Peer, server: ScriptedServer, alone: Path
) -> None:
    (alone / "a").write_text("one\n")
    path = str(alone / "a")
    server.add(Turn(calls=[Call("read", {"path": "a"})]))
    server.add(Turn(calls=[Call("write", {"path": "a", "content": "two\n"})]), "done")
    ask(peer, "change it")
    (change,) = peer.data("session.diff")["files"]
    assert (change["path"], change["status"], change["added"], change["removed"]) == (path, "changed", 1, 1)
    assert (change["diff"], change["starts"], change["note"]) == ("-one\n+two", [[1, 1]], "")
    (alone / "a").write_text("mine")
    refused = peer.data("session.undo")
    assert (refused["edited"], refused["messages"]) == ([path], 6)
    moved = peer.data("session.undo", force=True)
    place = {"session_id": "", "entry": None, "messages": 0}
    assert moved == {**place, "text": "change it", "restored": [path], "problems": [], "edited": []}
    assert (alone / "a").read_text() == "one\n"
    assert peer.data("session.diff") == {"files": []}
    assert peer.data("session.redo")["restored"] == [path]
    assert (alone / "a").read_text() == "mine"
    assert peer.call("session.redo")["error"] == "there is nothing to redo"
    assert (
        peer.call("session.navigate", entry="x", restore="all")["error"]
        == 'restore must be one of both, conversation, files, not "all"'
    )


def test_an_undo_is_refused_while_a_job_runs_and_can_stop_it(peer: Peer, server: ScriptedServer, alone: Path) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "exec sleep 1000", "background": True})]), "runs")
    server.add(Turn(calls=[Call("write", {"path": "a", "content": "1"})]), "done")
    ask(peer, "start it")
    ask(peer, "change it")
    refused = "job 1 runs in the background and may change files; stop it first: exec sleep 1000"
    first = peer.data("session.tree")["entries"][0]["id"]
    for command, fields in (("session.undo", {}), ("session.navigate", {"entry": first, "restore": "files"})):
        answer = peer.call(command, **fields)
        assert (answer["success"], answer["error"], answer["code"]) == (False, refused, "jobs_running")
    assert (alone / "a").read_text() == "1"
    assert peer.data("session.undo", stop_jobs=True)["restored"] == [str(alone / "a")]
    assert [job["state"] for job in peer.data("jobs.list")["jobs"]] == ["stopped"]
    assert not (alone / "a").exists()
    assert peer.data("session.redo")["restored"] == [str(alone / "a")]


def test_changes_of_the_session_and_prompts_in_one_write_are_carried_out_in_their_order(
    start: StartPeer, server: ScriptedServer
) -> None:
    server.add("one", "two")
    peer = start()
    peer.begin(at="done", message="first")
    commands = [
        {"type": "session.fork"},
        {"type": "clear"},
        {"type": "session.new"},
        {"type": "prompt", "message": "second"},
        {"type": "session.fork"},
        {"type": "ping"},
    ]
    peer.write(b"".join(json.dumps({"id": at, **each}).encode() + b"\n" for at, each in enumerate(commands)))
    peer.until("done")
    answers = {each["id"]: each for each in peer.of("response") if isinstance(each.get("id"), int)}
    fork, cleared, new, prompt, busy, ping = (answers[at] for at in range(len(commands)))
    assert [each["success"] for each in (fork, cleared, new, prompt, ping)] == [True] * 5
    assert busy["code"] == "busy"
    assert (fork["data"]["messages"], new["data"]["messages"]) == (2, 0)
    assert texts(peer) == ["second", "two"]
