"""Programs at the other end of a pipe: clients of `zot rpc` and `zot acp`, extensions, and hosts of extensions."""

import asyncio
import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hostile import cut, cuts, damaged, doctored, few, json_bytes, raw
from hypothesis import given
from hypothesis import strategies as st
from operation_faults import example
from rpc_peer import Peer

import zot_ext
from zot_agent.acp.process import serve
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.managed import ManagedExtension, SharedState
from zot_agent.extensions.panels.panels import Panels
from zot_agent.extensions.registry import ExtensionRegistry
from zot_agent.extensions.setup import ExtensionSetup
from zot_agent.host.options import HostOptions
from zot_agent.operations.registry import all_operations
from zot_core.conversation import events
from zot_core.hooks import Observe
from zot_ext.manifest import Manifest
from zot_ext.protocol.codec import decode_from_extension, decode_from_host, encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import ShutdownAck
from zot_ext.protocol.from_host import Shutdown
from zot_ext.testing import FakeHost
from zot_provider.testing import ScriptedServer


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A model server that refuses every request."""
    with ScriptedServer() as running:
        yield running


COMMANDS: list[dict[str, Any]] = [
    {"type": name, "id": "1"} | {field.name: example(field.kind) for field in operation.fields}
    for name, operation in all_operations().items()
]


def lines(samples: list[Any]) -> st.SearchStrategy[bytes]:
    """A few lines of JSON that resemble samples, and lines that do not."""
    one = doctored(samples).map(json_bytes) | damaged([json_bytes(each) for each in samples])
    return st.lists(one | raw, max_size=6).map(b"\n".join)


@pytest.fixture
def peer(server: ScriptedServer, work: Path) -> Iterator[Peer]:
    """A client of `zot rpc`."""
    peer = Peer(server, work)
    yield peer
    peer.kill()


NUMBERS = count()


@few
@given(lines(COMMANDS), cuts())
def test_a_client_of_rpc_may_write_any_lines_and_is_still_served(peer: Peer, data: bytes, places: list[int]) -> None:
    for piece in cut(data + b"\n", places):
        peer.write(piece)
    id = f"last {next(NUMBERS)}"
    peer.send("ping", id=id)
    found = peer.until(lambda line: line.get("id") == id)  # every line fits the schema
    assert found[-1]["success"]
    assert not any("unexpected" in line.get("error", "") for line in found if line["type"] == "response")
    peer.seen.clear()


SESSION = {"sessionId": "none", "cwd": "/", "mcpServers": []}
REQUESTS = [
    {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    for number, (method, params) in enumerate(
        [
            ("initialize", {"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": True}}}),
            ("authenticate", {"methodId": "environment"}),
            ("session/new", {"cwd": "/", "mcpServers": []}),
            ("session/load", SESSION),
            ("session/prompt", {"sessionId": "none", "prompt": [{"type": "text", "text": "hi"}]}),
            ("session/list", {"cwd": "/", "cursor": "x"}),
            ("session/set_mode", {"sessionId": "none", "modeId": "ask"}),
            ("session/delete", {"sessionId": "none"}),
            ("session/cancel", {"sessionId": "none"}),
        ]
    )
]


@few
@given(lines(REQUESTS), cuts())
async def test_a_client_of_acp_may_write_any_lines_and_gets_messages(data: bytes, places: list[int]) -> None:
    source, into = os.pipe()
    out, target = os.pipe()
    options = HostOptions(provider="openai", model="m", api_key="k", base_url="http://127.0.0.1:9/v1", no_session=True)
    complaints: list[str] = []
    try:
        for piece in cut(data, places):
            os.write(into, piece)
        os.close(into)
        assert await serve(options, source=source, target=target, print_error=complaints.append) == 0
    finally:
        os.close(source)
        os.close(target)
    with open(out, "rb") as answers:
        found = [json.loads(line) for line in answers.read().splitlines()]
    assert all(each["jsonrpc"] == "2.0" for each in found)
    assert not any("mistake in zot" in each.get("error", {}).get("message", "") for each in found), found
    assert complaints == []


FROM_EXTENSION: list[Any] = [
    {"type": "hello", "name": "toy", "version": "1", "capabilities": ["commands", "tools"]},
    {"type": "register_command", "name": "todo", "description": "list"},
    {"type": "register_tool", "name": "grow", "description": "grows", "schema": {"type": "object", "properties": {}}},
    {"type": "subscribe", "events": ["turn_start"], "intercept": ["tool_call"]},
    {"type": "ready"},
    {"type": "notify", "level": "warn", "message": "careful"},
    {"type": "open_panel", "panel": {"id": "p", "title": "T", "lines": ["a"], "footer": "f"}},
    {"type": "panel_render", "panel_id": "p", "title": "T", "lines": ["b"]},
    {"type": "panel_close", "panel_id": "p"},
    {"type": "submit", "text": "hello"},
    {"type": "command_response", "id": "1", "action": "prompt", "prompt": "x"},
    {"type": "tool_result", "id": "1", "content": [{"type": "text", "text": "x"}], "is_error": False},
    {"type": "event_intercept_response", "id": "1", "block": True, "reason": "no"},
    {"type": "clear_notes"},
    {"type": "shutdown_ack"},
]


@few
@given(lines(FROM_EXTENSION), st.booleans())
async def test_an_extension_may_write_anything_and_ends_alone(tmp_path: Path, data: bytes, polite: bool) -> None:
    (tmp_path / "data").write_bytes((json_bytes(FROM_EXTENSION[0]) + b"\n" if polite else b"") + data)
    emitted: list[events.ExtensionEvent] = []
    stream: Observe[events.ExtensionEvent] = Observe()
    stream.add(emitted.append)
    shared = SharedState(
        ExtensionRegistry(reserved_commands=("help",)), Panels(emitted.append), stream, ExtensionSetup(str(tmp_path)),
        lambda: AgentInfo(".", "p", "m", ""), lambda: None, lambda conflict: None,
    )  # fmt: skip
    manifest = Manifest("toy", exec="cat", args=("data",))
    extension = ManagedExtension(0, DiscoveredExtension("toy", str(tmp_path), "explicit", manifest), shared)
    loop = asyncio.get_running_loop()
    await extension.start(loop.time() + 60, first=True)
    assert extension.connection is not None
    await extension.connection.handshake.ready.wait()
    await extension.stop()
    assert extension.connection.state == "ended"
    assert extension.connection.end_reason
    assert shared.panels.panel is None


FROM_HOST: list[Any] = [
    {"type": "command_invoked", "id": "1", "name": "plain", "args": "x"},
    {"type": "tool_call", "id": "2", "name": "plain", "args": {"do": 1}},
    {"type": "event_intercept", "id": "3", "event": "tool_call", "tool_name": "bash", "tool_args": {"command": "ls"}},
    {"type": "event", "event": "turn_start", "step": 1},
    {"type": "panel_key", "panel_id": "p", "key": "rune", "text": "x"},
    {"type": "panel_close", "panel_id": "p"},
    {"type": "hello_ack", "protocol_version": 1, "zot_version": "1", "provider": "p", "model": "m", "cwd": "/"},
]


def toy() -> zot_ext.Extension:
    """An extension with a handler of each kind."""
    ext = zot_ext.Extension("toy")
    panel = ext.panel("p")
    ext.command("plain")(lambda args: args)
    ext.command("open")(lambda args: panel.open())
    ext.tool(name="plain", description="", schema={})(lambda args: str(args))
    ext.intercept("tool_call")(lambda call: None)
    panel.on_key(lambda press: ext.notify(press.text))
    ext.on("turn_start")(lambda event: ext.notify(str(event.step)))
    return ext


@few
@given(lines(FROM_HOST), cuts())
def test_a_host_may_write_anything_and_the_extension_answers_in_frames(data: bytes, places: list[int]) -> None:
    host = FakeHost(toy())
    host.start()
    host.send(host.ack)
    host.command("open")
    for piece in cut(data, places):
        host.send_line(piece)
    host.send_line(b"\n" + encode(Shutdown()))
    host.wait_for(ShutdownAck)
    host.close()
    assert host.noise == []


@few
@given(doctored(FROM_EXTENSION + FROM_HOST).map(json_bytes) | damaged([json_bytes(each) for each in FROM_HOST]))
def test_any_line_is_a_frame_that_can_be_written_again_or_an_error(line: bytes) -> None:
    for decode in (decode_from_extension, decode_from_host):
        try:
            frame = decode(line)
        except FrameError as error:
            assert str(error)  # noqa: PT017  the error is one of two outcomes
            continue
        if type(frame).__name__ != "Unknown":
            line = encode(frame)  # type: ignore[arg-type]
            assert encode(decode(line)) == line  # type: ignore[arg-type]
