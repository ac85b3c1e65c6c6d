"""What a person sees besides the model's words: the commands `get_display`, `get_image` and `get_shown`."""

import json
from base64 import b64decode
from pathlib import Path

from extension_folder import write_extension
from rpc_peer import Peer, StartPeer

from zot_core.testing import PIXEL
from zot_provider.testing import Call, ScriptedServer, Turn

WIDGETS = """
@ext.command('ci')
def ci(args):
    ext.widgets.status('state', args or None)
    ext.widgets.title('building' if args else '')
    ext.widgets.working('waiting' if args else '')
panel = ext.panel('over', 'Over', mode='overlay')
panel.on_render(lambda: ['one'])
ext.command('over')(lambda args: panel.close() if args else panel.open())
"""


def test_a_change_of_a_file_is_seen_as_a_diff_at_once_and_in_a_later_process(
    start: StartPeer, server: ScriptedServer, alone: Path
) -> None:
    (alone / "a.txt").write_text("one\ntwo\n")
    edit = Call("edit", {"path": "a.txt", "edits": [{"oldText": "two", "newText": "three"}]}, id="c1")
    server.add(Turn(calls=[edit, Call("read", {"path": "a.txt"}, id="c2")]), "done")
    kept = alone / "kept.jsonl"
    kept.write_text(json.dumps({"type": "meta", "meta": {"id": "kept", "provider": "openai"}}) + "\n")
    peer = start("--session", str(kept))
    peer.send("prompt", message="change it")
    peer.until("done")
    displays = peer.data("get_display", calls=["c1", "c2", "unknown"])["displays"]
    assert set(displays) == {"c1", "c2"}
    (diff,), (code,) = displays["c1"], displays["c2"]
    assert (diff["kind"], diff["path"], diff["diff"]) == ("diff", "a.txt", " one\n-two\n+three")
    assert diff["starts"] == [[1, 1]]
    assert (code["kind"], code["path"], code["text"].strip()) == ("code", "a.txt", "one\nthree")
    peer.finish()

    later = start("--session", str(kept))
    recalled = later.data("get_display", calls=["c1", "c2"])["displays"]
    assert [each["kind"] for each in (*recalled["c1"], *recalled["c2"])] == ["diff", "code"]
    assert "+three" in recalled["c1"][0]["diff"]
    assert later.data("get_messages")["messages"][1]["content"][0]["id"] == "c1"


def test_more_calls_than_one_command_may_name_are_refused(peer: Peer) -> None:
    refused = peer.call("get_display", calls=["c"] * 101)
    assert (refused["code"], refused["error"]) == ("too_large", "calls has 101 members; at most 100")


def test_an_image_of_a_message_is_had_by_its_id_and_an_unknown_one_is_refused(
    peer: Peer, server: ScriptedServer
) -> None:
    server.add("I see.")
    peer.data("prompt", message="what is it?", images=[{"mime_type": "image/png", "data": PIXEL.data}])
    peer.until("done")
    block = peer.data("get_messages")["messages"][0]["content"][1]
    assert peer.data("get_image", image=block["id"]) == {"mime_type": "image/png", "data": PIXEL.data}
    assert peer.error("get_image", image="0") == "the conversation has no image '0'"


def test_a_tool_that_reads_an_image_shows_it_by_its_id(start: StartPeer, server: ScriptedServer, alone: Path) -> None:
    (alone / "dot.png").write_bytes(b64decode(PIXEL.data))
    server.add(Turn(calls=[Call("read", {"path": "dot.png"}, id="c1")]), "a dot")
    peer = start()
    peer.send("prompt", message="look")
    peer.until("done")
    shown = peer.data("get_display", calls=["c1"])["displays"]["c1"]
    (image,) = [each for each in shown if each["kind"] == "image"]
    assert "data" not in image
    assert peer.data("get_image", image=image["id"])["data"] == PIXEL.data


def test_a_client_that_comes_later_learns_what_extensions_show(start: StartPeer, tmp_path: Path) -> None:
    folder = write_extension(tmp_path / "ci", WIDGETS, more="capabilities=('widgets', 'panels2')")
    peer = start("--ext", str(folder))
    assert peer.data("get_shown") == {"events": []}
    peer.data("control.run", name="ci", args="passing")
    peer.send("control.run", name="over")  # whose response may come before or after
    peer.until("ext_panel_show")
    events = peer.data("get_shown")["events"]
    assert {each["type"] for each in events} == {"ext_widget", "ext_title", "ext_working", "ext_panel_show"}
    (widget,) = [each for each in events if each["type"] == "ext_widget"]
    assert (widget["extension"], widget["place"], widget["lines"]) == ("ci", "status", ["passing"])
    peer.data("control.run", name="ci", args="")
    peer.data("control.run", name="over", args="close")
    assert peer.data("get_shown") == {"events": []}
