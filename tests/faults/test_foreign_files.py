"""Session files of the Go zot, of other versions and of nobody we know: they open, and what is in them stays."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Zot

from zot_core.sessions.file import load
from zot_provider.testing import ScriptedServer

# Literal rows as the Go zot writes them: no `type` in blocks, several results in a row, `null` for what is empty; among
# them rows and blocks that this version does not know.
ROWS = r"""
{"type":"meta","meta":{"id":"af86bd37-4037-4b75-831b-5a146217f592","cwd":"/p","model":"first","provider":"anthropic","started":"2026-11-21T20:29:25.586Z","version":"0.1.0"}}
{"type":"message","message":{"role":"user","content":[{"text":"what is this?"},{"mime_type":"image/png","data":"iVBORw0KGgo="}],"time":"2026-11-21T20:29:25.623Z"}}
{"type":"message","message":{"role":"assistant","content":[{"reasoning_id":"rs_1","summary":"hm","encrypted_content":"opaque"},{"text":"I look"},{"id":"c1","name":"read","arguments":{"path":"a.png","offset":1.0}},{"id":"c2","name":"bash","arguments":{"command":"echo \u003c\u0026\u003e"}},{"id":"c3","name":"bash","arguments":null}],"time":"2026-11-21T20:29:26Z"}}
{"type":"message","message":{"role":"tool","content":[{"call_id":"c1","content":[{"mime_type":"image/png","data":"iVBORw0KGgo="},{"text":"an image"}],"is_error":false},{"call_id":"c2","content":[{"text":"$ echo\n\n<&>"}],"is_error":false}],"time":"2026-11-21T20:29:26Z"}}
{"type":"usage","usage":{"input_tokens":1,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":0.0},"cumulative":{"input_tokens":1,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":0.25}}
{"type":"checkpoint","id":"k1","files":["a.go"]}
{"type":"meta","meta":{"id":"af86bd37-4037-4b75-831b-5a146217f592","cwd":"/p","model":"second","provider":"anthropic","started":"2026-11-21T20:29:25.586Z","version":"0.2.0","parent":"0d3f","fork_point":4,"hide_from_sessions":true}}
{"type":"rename","title":"the image"}
{"type":"compaction","compaction":{"summary":"an image was looked at","kept":[{"role":"user","content":[{"text":"old"}]}]},"at":3}
{"type":"compaction"}
{"type":"message","message":{"role":"tool","content":[{"call_id":"nobody","content":[{"text":"a result without a call"}],"is_error":true}],"time":"2026-11-21T20:29:27Z"}}
{"type":"message","message":{"role":"user","content":[{"text":"and then?"},{"type":"audio","data":"AAAA"}],"time":"2026-11-21T20:29:28Z","meta":{"display_text":"then?"}}}
{"type":"message","message":{"role":"user","content":null,"time":"2026-11-21T20:29:28Z"}}
{"type":"message","message":{"role":"assistant","content":[{"text":"a pixel"}],"time":"2026-11-21T20:29:29Z"}}
not a row at all
{"type":"label","label":{"text":"here","n":[1,2,{"arguments":{}}]}}
""".lstrip()  # noqa: E501

A_LINE = "a line is no JSON and left out of the conversation"
"""What is said of them: of `not a row at all`."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "20261121-202925-af86bd37.jsonl"
    path.write_text(ROWS)
    return path


def test_everything_that_a_file_of_the_go_zot_holds_is_read(path: Path) -> None:
    stored = load(str(path))
    said = [(message.role, [block.type for block in message.content]) for message in stored.messages]
    assert said == [
        ("user", ["text", "image"]),
        ("assistant", ["reasoning", "text", "tool_call", "tool_call", "tool_call"]),
        ("tool", ["tool_result", "tool_result", "tool_result"]),
        ("user", ["text"]),
        ("user", []),
        ("assistant", ["text"]),
    ]
    assert [call.arguments for call in stored.messages[1].tool_calls] == [
        '{"path":"a.png","offset":1.0}',
        r'{"command":"echo \u003c\u0026\u003e"}',
        "{}",
    ]
    assert stored.messages[3].display_text == "then?"
    assert (stored.meta.model, stored.meta.version, stored.meta.title) == ("second", "0.2.0", "the image")
    assert stored.meta.other == {"parent": "0d3f", "fork_point": 4, "hide_from_sessions": True}
    assert stored.usage.cost_usd == 0.25


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"])
def test_a_file_of_the_go_zot_is_gone_on_with_and_every_row_of_it_stays(
    zot: Zot,
    server: ScriptedServer,
    providers: dict[str, str],
    accepted: Callable[[str, dict[str, Any]], None],
    path: Path,
    provider: str,
) -> None:
    server.add("gone on")
    done = zot.ask(server, "-p", "--session", str(path), "go on", provider=provider)
    assert done.result == (0, "gone on\n", f"zot: {path} is damaged: {A_LINE}\n")

    body = json.dumps(server.requests[0].body, ensure_ascii=False)
    accepted(providers[provider], server.requests[0].body)
    assert "a result without a call" not in body
    assert [body.count(text) for text in ("iVBORw0KGgo=", "no result recorded", "a pixel", "go on")] == [2, 1, 1, 1]
    data = path.read_text()
    assert data.startswith(ROWS)
    added = [json.loads(line) for line in data.removeprefix(ROWS).splitlines()]
    assert [row["type"] for row in added] == ["meta", "message", "prompt", "message", "usage"]
    assert added[0]["meta"] == {
        **{"id": "af86bd37-4037-4b75-831b-5a146217f592", "cwd": "/p", "started": "2026-11-21T20:29:25.586Z"},
        **{"version": "0.2.0", "title": "the image", "parent": "0d3f", "fork_point": 4, "hide_from_sessions": True},
        **{"model": "scripted", "provider": provider},
    }
    stored = load(str(path))
    assert stored.meta.title == "the image"
    assert stored.usage.cost_usd == 0.25
    assert [message.text for message in stored.messages][-2:] == ["go on", "gone on"]


def test_a_session_without_another_model_named_goes_on_with_the_one_of_its_last_meta_row(
    zot: Zot, server: ScriptedServer, path: Path
) -> None:
    path.write_text(ROWS.replace('"second","provider":"anthropic"', '"second","provider":"openai"'))
    before = path.read_bytes()
    server.add("gone on")
    zot.env["OPENAI_BASE_URL"] = server.base_url("openai-chat")
    process = zot.run("-p", "--session", str(path), "go on").result
    assert process == (0, "gone on\n", f"zot: {path} is damaged: {A_LINE}\n")
    assert server.requests[0].body["model"] == "second"
    data = path.read_bytes()
    assert data.startswith(before)
    assert b'"type":"meta"' not in data.removeprefix(before)


@pytest.mark.parametrize(
    "row",
    [
        '{"type":"compaction","summary":[1,{"text":null}],"messages":{"role":"user"}}',
        '{"type":"compaction","compaction":"text"}',
        '{"type":"message","message":{"role":"custom","content":[{"text":"x"}]}}',
        '{"type":"message","message":{"role":"user","content":{"text":"x"}}}',
        '{"type":"message","message":{"role":"assistant","content":[null,5,[],{"text":5},{"id":1,"arguments":[1]}]}}',
        '{"type":"message","message":{"role":"tool","content":[{"call_id":7,"content":[7,{"text":{}}],"is_error":1}]}}',
        '{"type":"usage","usage":null,"cumulative":"many"}',
        '{"type":7}',
        '{"type":"session","version":3,"parentId":null}',
        '["meta"]',
        '{"type":"message"',
        "\ufeff{}",
        "\0\0\0",
    ],
)
def test_a_row_of_any_shape_is_survived_and_stays_where_it_is(
    zot: Zot, server: ScriptedServer, accepted: Callable[[str, dict[str, Any]], None], tmp_path: Path, row: str
) -> None:
    first, *others = ROWS.splitlines(keepends=True)
    path = tmp_path / "odd.jsonl"
    path.write_text("".join([first, row, "\n", *others, row]))
    before = path.read_bytes()
    server.add("gone on")
    done = zot.ask(server, "-p", "--session", str(path), "go on")
    assert (done.code, done.out) == (0, "gone on\n")
    assert done.line().startswith(f"{path} is damaged: ")
    accepted("openai-chat", server.requests[0].body)
    assert path.read_bytes().startswith(before + b"\n")
    assert [message.text for message in load(str(path)).messages][-2:] == ["go on", "gone on"]
