"""Each operation says the same over each transport: `zot rpc`, calls of extensions, and extension methods of ACP."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from acp_editor import Editor
from calling_extension import CALLER, World
from operation_faults import FAULTS, OPERATIONS, REFUSALS
from rpc_peer import Peer

from zot_agent.acp.agent import AcpAgent
from zot_agent.host.options import HostOptions
from zot_agent.operations.fields import OperationFailed
from zot_core.errors import SessionNotFound
from zot_ext.protocol.calls import RENAMED
from zot_ext.protocol.fields import LARGEST
from zot_provider.testing import ScriptedServer


def test_there_is_a_fault_for_each_field() -> None:
    fields = {(name, each.name) for name, operation in OPERATIONS.items() for each in operation.fields}
    free = {("settings.set", "value")}  # any value, or none
    assert {(name, re.split(r"[ \[]", words)[0]) for name, _, _, words in FAULTS} == fields - free


def test_a_client_is_told_which_field_is_wrong(peer: Peer) -> None:
    for name, fields, code, words in FAULTS:
        answer = peer.call(name, **fields)
        assert (answer["success"], answer["code"], answer["error"]) == (False, code, words), name
    for name, fields, code, words in REFUSALS:
        answer = peer.call(name, **fields)
        assert (answer["code"], answer["error"][: len(words)]) == (code, words), name
    assert peer.call("tools.set_active", names=[])["code"] == "denied"


def test_no_error_repeats_a_long_input_whole(peer: Peer) -> None:
    long = "n" * 100_000
    for name, fields, _, _ in REFUSALS:
        given = {key: long if value == "none" else value for key, value in fields.items()}
        assert len(peer.call(name, **given)["error"]) <= 1004, name
    answer = peer.call(long)
    assert (answer["code"], answer["command"], len(answer["error"]) < 200) == ("unsupported", "n" * 80, True)


def test_a_path_that_is_no_unicode_text_is_refused(peer: Peer) -> None:
    answer = peer.call("session.import", path="\ud800")
    assert (answer["code"], answer["error"]) == ("invalid", "path is not Unicode text")


async def test_an_extension_is_told_the_same(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add("caller", CALLER, "session control model tools2")
    offered = [each for each in FAULTS if OPERATIONS[each[0]].group and len(json.dumps(each[1])) < LARGEST]
    owned = [name for name, operation in OPERATIONS.items() if not operation.group]
    assert offered
    assert owned
    async with world.running(session=True) as talk:
        for name, fields, code, words in offered:
            assert await talk.call(name, **fields) == {"code": code, "error": words}, name
        for name, fields, code, words in REFUSALS:
            if name in OPERATIONS and OPERATIONS[name].group and name != "model.set":  # the client here has any model
                answer = await talk.call(name, **fields)
                assert (answer["code"], answer["error"][: len(words)]) == (code, words), name
        assert await talk.call("session.grow") == {"code": "unsupported", "error": "unknown operation 'session.grow'"}
        for name in owned:
            assert await talk.call(name) == {"code": "denied", "error": f"extensions may not do {name}"}


async def test_an_editor_is_told_the_same_and_reads_and_changes_the_session(
    server: ScriptedServer, alone: Path
) -> None:
    named = {"provider": "openai", "model": "scripted", "api_key": "k", "base_url": server.base_url("openai-chat")}
    agent = AcpAgent(HostOptions(**named, no_session=True), Editor())
    try:
        id = (await agent.new_session(str(alone))).session_id
        for name, fields, code, words in FAULTS:
            with pytest.raises(OperationFailed) as failed:
                await agent.ext_method(f"zot/{name}", {"sessionId": id, **fields})
            assert (failed.value.code, str(failed.value)) == (code, words), name
        assert await agent.ext_method("zot/session.tree", {"sessionId": id}) == {"entries": [], "current": ""}
        place = await agent.ext_method("zot/session.fork", {"sessionId": id})
        assert (place["entry"], place["messages"]) == (None, 0)
        with pytest.raises(SessionNotFound, match="no session '' is open here"):
            await agent.ext_method("zot/session.tree", {})
    finally:
        await agent.close()


async def test_an_extension_cannot_tell_a_file_from_no_file(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add("caller", CALLER, "session")
    (tmp_path / "there").write_text("a secret")
    async with world.running(session=True) as talk:
        for verb in ("read", "show"):
            for name in ("there", "gone"):
                path = str(tmp_path / name)
                answer = await talk.call(f"session.{verb}", session=path)
                assert answer == {"code": "not_found", "error": str(SessionNotFound.named(path))}, verb


NO_CALLS = dict.fromkeys(("commands", "conversation", "submit", "read", "write", "network", "exec"), True)
"""Permissions that have everything but calls."""


@pytest.mark.parametrize("manifest", [{}, {"permissions": NO_CALLS}])
async def test_a_call_with_an_old_name_or_that_of_clients_is_refused_with_the_new_one(
    tmp_path: Path, manifest: dict[str, Any]
) -> None:
    world = World(tmp_path)
    world.add("caller", CALLER)
    world.declare("caller", **manifest)
    async with world.running(session=True) as talk:
        for old, new in {**RENAMED, "prompt": "prompts.send", "clear": "control.clear"}.items():
            if OPERATIONS[new].group:
                refusal = {"code": "unsupported", "error": f"{old} is called {new} now"}
            else:
                refusal = {"code": "denied", "error": f"extensions may not do {new}"}
            assert await talk.call(old) == refusal


def test_a_path_that_names_no_session_or_no_file_that_can_be_written_is_invalid(peer: Peer, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("no session\n")
    for verb in ("show", "read", "open", "delete", "rename"):
        answer = peer.call(f"session.{verb}", session=str(other), title="x")
        assert (answer["code"], answer["error"]) == (
            "invalid",
            f"{other} is not a session file, or cannot be read",
        )
    for path, words in ((other, "is not a session but another kind of file"), (tmp_path, "Is a directory")):
        answer = peer.call("session.import", path=str(path))
        assert (answer["code"], words in answer["error"]) == ("invalid", True)
    assert peer.call("session.import", path=str(tmp_path / "none"))["code"] == "not_found"


def test_what_the_person_has_taken_from_the_model_stays_away_when_extensions_start_again(peer: Peer) -> None:
    for names in (["read"], [], ["agent"], ["read"]):
        peer.data("tools.set", tools=names)
        peer.data("control.reload")
        assert peer.data("tools.active") == {"names": names}
        assert peer.data("tools.set", tools=names) == {"names": names}
