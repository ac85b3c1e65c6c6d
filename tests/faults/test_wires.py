"""Whatever a session can hold, every wire makes a request of it that a provider takes."""

import json
import tempfile
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_core.agent import user_message
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.rows import Meta
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.testing import ScriptedServer
from zot_provider.wire import WIRES, load_wire

texts = st.sampled_from(["", " ", "\n", "words", "é — 漢字", '"quoted" \\', "\ud800", "a\0b", "x" * 300])
# Few ids, so that calls and results often meet, and often wrongly; some that only other providers take.
ids = st.sampled_from(["a", "b", "c", "", "call|1", "é", "x" * 80])
arguments = st.sampled_from(
    ["", "{}", '{"a": 1}', '{"a": 1e999}', '{"a": NaN}', '{"a": "\\ud800"}', "[1]", '"text"', '{"a":', "null", "\ud800"]
)
shown = st.builds(TextBlock, texts) | st.builds(ImageBlock, st.just("image/png"), st.just("iVBORw0KGgo="))
wires = st.sampled_from([*WIRES, ""])
blocks = st.one_of(
    shown,
    st.builds(ToolCallBlock, ids, st.sampled_from(["bash", "read"]), arguments),
    st.builds(ToolResultBlock, ids, st.lists(shown, max_size=2), st.booleans()),
    st.builds(ReasoningBlock, texts, texts, texts, texts, wires),
)
usual = st.one_of(
    st.builds(Message, st.just("user"), st.lists(shown, max_size=2)),
    st.builds(Message, st.just("assistant"), st.lists(blocks, max_size=4)),
    st.builds(
        Message,
        st.just("tool"),
        st.lists(st.builds(ToolResultBlock, ids, st.lists(shown, max_size=2), st.booleans()), max_size=3),
    ),
)
odd = st.builds(Message, st.sampled_from(["user", "assistant", "tool"]), st.lists(blocks, max_size=3))
transcripts = st.lists(usual | odd, max_size=8)


@pytest.fixture(scope="module")
def eager() -> Iterator[ScriptedServer]:
    """A server that always answers."""
    with ScriptedServer(["ok"], repeat=True) as running:
        yield running


def post(server: ScriptedServer, wire: str, body: bytes) -> tuple[int, str]:
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=PATIENCE)
    path = load_wire(wire).version + load_wire(wire).path.replace("{model}", "m")
    try:
        connection.request("POST", path, body, {"anthropic-version": "2023-06-01", "content-type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    finally:
        connection.close()


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"])
@given(messages=transcripts)
@settings(
    max_examples=settings.default.max_examples * 3 // 2,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_any_transcript_that_a_session_holds_is_taken(
    eager: ScriptedServer,
    providers: dict[str, str],
    accepted: Callable[[str, dict[str, Any]], None],
    provider: str,
    messages: list[Message],
) -> None:
    wire = providers[provider]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        session = SessionFile(str(path), Meta("id", "/p", "scripted", provider, "then"))
        for message in [user_message("begin"), *messages, user_message("go on")]:
            session.append(message)
        session.close()
        stored = load(str(path)).messages
    request = Request(Model("scripted", provider, images=True), stored, system="be kind")
    body = load_wire(wire).encode(request, ModelRegistry().provider(provider).quirks)
    data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()  # neither NaN nor lone surrogates
    accepted(wire, json.loads(data))
    status, answer = post(eager, wire, data)
    assert status == 200, answer


CALL = {"type": "function", "id": "a", "function": {"name": "bash", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "a", "name": "bash", "input": {}}
ITEM = {"type": "function_call", "call_id": "a", "name": "bash", "arguments": "{}"}
PART = {"functionCall": {"name": "bash", "args": {}}}
ASKED = {"role": "user", "parts": [{"text": "hi"}]}
SAID = {"type": "message", "role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("openai-chat", {"messages": [{"role": "tool", "tool_call_id": "a", "content": "x"}]}),
        ("openai-chat", {"messages": [{"role": "assistant", "content": None, "tool_calls": [CALL]}]}),
        ("anthropic-messages", {"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}] * 2}),
        (
            "anthropic-messages",
            {"messages": [{"role": "assistant", "content": [USE]}, {"role": "user", "content": []}]},
        ),
        ("openai-responses", {"input": [SAID, ITEM]}),
        ("openai-responses", {"input": [{"type": "function_call_output", "call_id": "a", "output": ""}, ITEM]}),
        ("openai-responses", {"input": [{"type": "reasoning", "encrypted_content": "x"}, SAID]}),
        ("gemini", {"contents": [ASKED, {"role": "model", "parts": [PART]}, ASKED]}),
        ("gemini", {"contents": [ASKED, {"role": "user", "parts": []}]}),
        ("bedrock-converse", {"messages": [{"role": "user", "content": [{"text": " "}]}]}),
        ("bedrock-converse", {"messages": [{"role": "user", "content": [{"text": "hi"}]}] * 2}),
        ("gemini", {"contents": [ASKED, {"role": "user", "parts": [{"functionResponse": {"name": "bash"}}]}]}),
    ],
)
def test_a_conversation_that_does_not_add_up_is_not_taken(
    accepted: Callable[[str, dict[str, Any]], None], wire: str, body: dict[str, Any]
) -> None:
    with pytest.raises(AssertionError, match="would refuse this"):
        accepted(wire, body)
