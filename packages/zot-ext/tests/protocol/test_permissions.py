import json
import re

import pytest

from zot_ext import Manifest, ManifestError, parse_manifest
from zot_ext.protocol.permissions import (
    EVERYTHING,
    ExtensionPermissions,
    call_problem,
    granted,
    may_call,
    may_intercept,
    may_observe,
)


def read(permissions: object) -> ExtensionPermissions | None:
    return parse_manifest(json.dumps({"name": "x", "exec": "./x", "permissions": permissions})).permissions


def test_a_manifest_without_permissions_names_none() -> None:
    assert parse_manifest('{"name":"x","exec":"./x"}') == Manifest("x", exec="./x", permissions=None)
    with pytest.raises(ManifestError, match="must not be null"):
        read(None)


def test_what_is_not_named_is_not_granted() -> None:
    assert read({}) == ExtensionPermissions()
    assert read({"tools": ["add"], "network": True, "conversation": False, "read": None}) == ExtensionPermissions(
        tools=("add",), network=True
    )


@pytest.mark.parametrize(
    ("permissions", "message"),
    [
        ([], "field 'permissions' must be an object, not a list"),
        ({"netwrok": True}, "field 'permissions.netwrok' is not a permission; there are commands, tools, intercept, "),
        ({"allow": ["bash"]}, "field 'permissions.allow' is not a permission"),
        ({"exec": "git"}, "field 'permissions.exec' must be a list of strings, not a string"),
        ({"tools": "add"}, "field 'permissions.tools' must be a list of strings, not a string"),
        ({"tools": ["*add"]}, "field 'permissions.tools[0]' may have a * only at its end: '*add'"),
        ({"tools": [" "]}, "field 'permissions.tools[0]' must be 1 to 500 characters that can be read"),
        ({"read": ["ok", "\x1b[2J"]}, "field 'permissions.read[1]' must be 1 to 500 characters that can be read"),
        ({"read": ["\u202etxt"]}, "field 'permissions.read[0]' must be 1 to 500 characters that can be read"),
        ({"write": ["src/*.py"]}, "field 'permissions.write[0]' must be a path"),
        ({"write": ["~root/x"]}, "field 'permissions.write[0]' must begin with ~/"),
        ({"network": ["http://a.test"]}, "field 'permissions.network[0]' must be a host, or *. and a host"),
        ({"network": ["a.test@evil"]}, "field 'permissions.network[0]' must be a host"),
        ({"network": ["*"]}, "field 'permissions.network[0]' must be a host"),
        ({"calls": ["session.clone"]}, "field 'permissions.calls[0]' is called session.fork now"),
        ({"calls": ["kv.*", "abort"]}, "field 'permissions.calls[1]' is called control.abort now"),
        ({"read": ["x"] * 101}, "field 'permissions.read' has 101 entries; at most 100"),
    ],
)
def test_a_permission_that_cannot_be_kept_to_is_refused_in_one_line(permissions: object, message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        read(permissions)
    assert str(caught.value).startswith(f"extension.json: {message}")
    assert "\n" not in str(caught.value)


def test_a_star_at_the_end_of_a_name_stands_for_any_text() -> None:
    assert granted("git_log", ("git_*", "add"))
    assert granted("add", ("git_*", "add"))
    assert not granted("gitlog", ("git_*", "add"))
    assert not granted("added", ("git_*", "add"))
    assert granted("anything", True)
    assert not granted("anything", False)


def test_events_with_content_of_the_conversation_need_their_permission() -> None:
    nothing = ExtensionPermissions()
    assert [may_observe(nothing, event) for event in ("turn_start", "turn_end", "session_start")] == [True] * 3
    assert not may_observe(nothing, "tool_call")
    assert not may_observe(nothing, "assistant_message")
    assert may_observe(ExtensionPermissions(conversation=True), "assistant_message")


def test_calls_that_read_or_write_the_conversation_need_its_permissions_too() -> None:
    all_calls = ExtensionPermissions(calls=True)
    assert may_call(all_calls, "kv.get")
    assert not may_call(all_calls, "session.entries")
    assert not may_call(all_calls, "messages.send")
    assert may_call(ExtensionPermissions(calls=("session.*",), conversation=True), "session.entry")
    assert may_call(ExtensionPermissions(calls=("messages.*",), submit=True), "messages.send")
    assert not may_call(ExtensionPermissions(submit=True, conversation=True), "messages.send")
    assert not may_call(ExtensionPermissions(calls=("ui.*",)), "uix")
    assert may_call(EVERYTHING, "model.complete")
    assert may_call(ExtensionPermissions(exec=("git *",)), "exec.run")
    assert not may_call(all_calls, "exec.run")


def test_going_back_shows_what_was_said_so_it_needs_the_conversation() -> None:
    for method in ("session.navigate", "session.undo", "session.tree", "session.search", "session.diff"):
        assert not may_call(ExtensionPermissions(calls=True), method)
        assert may_call(ExtensionPermissions(calls=True, conversation=True), method)


def test_a_call_is_named_as_it_is_called_now() -> None:
    with pytest.raises(ManifestError, match=r"is called session\.fork now: 'session\.clone'"):
        read({"calls": ["ui.*", "session.clone"]})
    with pytest.raises(ManifestError, match=r"is called session\.open now: 'session\.switch\*'"):
        read({"calls": ["session.switch*"]})
    for wrong, meant in (("session.frok", "session.fork"), ("sesion.*", "session.*"), ("ui.comfirm", "ui.confirm")):
        with pytest.raises(ManifestError, match=re.escape(f"is no call; did you mean {meant!r}?: {wrong!r}")):
            read({"calls": [wrong]})
    assert read({"calls": ["planets.list", "planets.*"]})  # of a later zot
    assert call_problem(ExtensionPermissions(calls=("ui.*",)), "session.clone") == ""  # it has no right to be refused
    assert "do not have it" in call_problem(ExtensionPermissions(calls=("ui.*",)), "session.fork")
    assert read({"calls": ["session.*", "session.fork"], "network": ["*.example.com"]})


def test_interceptions_are_permitted_tool_by_tool() -> None:
    some = ExtensionPermissions(intercept=("bash", "turn_start"))
    assert may_intercept(some, "tool_call")
    assert may_intercept(some, "tool_call", "bash")
    assert not may_intercept(some, "tool_call", "edit")
    assert may_intercept(some, "turn_start")
    assert not may_intercept(some, "assistant_message")
    assert not may_intercept(ExtensionPermissions(intercept=("turn_start",)), "tool_call")
    assert not may_intercept(ExtensionPermissions(), "before_agent_start")
    assert may_intercept(EVERYTHING, "tool_call", "bash")
