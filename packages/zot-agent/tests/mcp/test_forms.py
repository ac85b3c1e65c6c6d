"""Blocks of READMEs in the forms of all agents."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from zot_agent.mcp.config import read_server
from zot_agent.mcp.forms import ordinary, read_block

URL = "https://h/mcp"
BLOCKS: list[tuple[str, dict[str, Any]]] = [
    ('{"mcpServers": {"a": {"command": "npx", "args": ["x"]}}}', {"a": {"command": "npx", "args": ["x"]}}),
    ('"a": {"command": "npx", "args": ["x"]},', {"a": {"command": "npx", "args": ["x"]}}),
    ('{"a": {"url": "https://h/mcp"}}', {"a": {"type": "http", "url": URL}}),
    ('```json\n{"mcpServers": {"a": {"command": "npx"}}}\n```\n', {"a": {"command": "npx"}}),
    (
        '{"mcpServers": {"@ui/Kit for X": {"command": "npx"}, "ui.Kit for X": {"command": "x"}}}',
        {"ui-Kit-for-X": {"command": "npx"}, "ui.Kit-for-X": {"command": "x"}},
    ),
    (
        '{"mcpServers": {"a b": {"command": "x"}, "a/b": {"command": "y"}}}',
        {"a-b": {"command": "x"}, "a-b-2": {"command": "y"}},
    ),
    ('{"mcpServers": {"%s": {"command": "x"}}}' % ("n" * 90), {"n" * 60: {"command": "x"}}),
    ('{"command": "npx"}', {"": {"command": "npx"}}),
    ('{"name": "a", "command": "npx"}', {"a": {"command": "npx"}}),
    ('{"mcpServers": {"a": {"type": "streamableHttp", "url": "https://h/mcp"}}}', {"a": {"type": "http", "url": URL}}),
    ('{"mcpServers": {"a": {"httpUrl": "https://h/mcp", "trust": true}}}', {"a": {"type": "http", "url": URL}}),
    ('{"mcpServers": {"a": {"serverUrl": "https://h/mcp"}}}', {"a": {"type": "http", "url": URL}}),
    ('{"mcpServers": {"a": {"type": "sse", "url": "https://h/mcp"}}}', {"a": {"type": "sse", "url": URL}}),
    (
        '{"mcpServers": {"a": {"command": "x", "timeout": 60, "autoApprove": ["b"]}}}',
        {"a": {"command": "x", "timeout": 60_000}},
    ),
    (
        """{
          // asked for by VS Code
          "inputs": [{"id": "my-key", "type": "promptString", "description": "the key", "password": true}],
          "servers": {"a": {"type": "stdio", "command": "npx", "env": {"K": "${input:my-key}", "H": "${env:HOME}"},}},
        }""",
        {"a": {"type": "stdio", "command": "npx", "env": {"K": "${MY_KEY}", "H": "${HOME}"}}},
    ),
    ('{"mcp": {"servers": {"a": {"command": "npx"}}}}', {"a": {"command": "npx"}}),
    (
        '{"mcp": {"a": {"type": "local", "command": ["npx", "x"], "environment": {"K": "{env:K}"}, "enabled": false}}}',
        {"a": {"type": "stdio", "command": "npx", "args": ["x"], "env": {"K": "${K}"}, "disabled": True}},
    ),
    ('{"mcp": {"a": {"type": "remote", "url": "https://h/mcp"}}}', {"a": {"type": "http", "url": URL}}),
    (
        '{"context_servers": {"a": {"source": "custom", "command": {"path": "npx", "args": ["x"], "env": {}}}}}',
        {"a": {"command": "npx", "args": ["x"], "env": {}}},
    ),
    (
        '[mcp_servers.a]\ncommand = "npx"\nenv_vars = ["K"]\nstartup_timeout_sec = 90\ntool_timeout_sec = 5\n',
        {"a": {"command": "npx", "env": {"K": "${K}"}, "startup_timeout": 90_000, "timeout": 5_000}},
    ),
    (
        '[mcp_servers.a]\nurl = "https://h/mcp"\nbearer_token_env_var = "T"\nenv_http_headers = {X = "Y"}\n',
        {"a": {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${T}", "X": "${Y}"}}},
    ),
]


@pytest.mark.parametrize(("text", "servers"), BLOCKS)
def test_a_block_of_any_agent_is_servers_in_our_form(text: str, servers: dict[str, Any]) -> None:
    found = read_block(text).servers
    assert found == servers
    for name, server in found.items():
        read_server(name or "x", server, "file", {"K": "k", "MY_KEY": "k", "HOME": "/", "T": "t", "Y": "y"})


def test_what_is_not_used_and_what_must_be_set_is_said() -> None:
    asking, trusting, in_seconds = (
        next(text for text, _ in BLOCKS if words in text) for words in ("my-key", "trust", "autoApprove")
    )
    assert read_block('{"my server": {"command": "x"}}').notes == ("'my server' is called my-server here",)
    assert read_block(asking).notes == ("set the variable MY_KEY before zot starts: the key",)
    assert read_block(trusting).notes == ("a: 'trust' is left out: what a server may do is a rule: permissions.allow",)
    assert "a: 'timeout' is taken as 60 seconds" in read_block(in_seconds).notes


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "found no server"),
        ("npx", "Expecting value"),
        ("[]", "expected an object"),
        ("{}", "found no server"),
        ('{"mcpServers": {}}', "found no server"),
        ('{"mcpServers": 5}', "found no server"),
        ("{" * 100_000, "Expecting property name"),
        ("[mcp_servers.a\ncommand = 1", "neither JSON nor TOML"),
    ],
)
def test_a_block_that_cannot_be_read_is_a_line(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as caught:
        read_block(text)
    assert "\n" not in str(caught.value)


fields = some.sampled_from(
    [
        "command",
        "args",
        "env",
        "url",
        "httpUrl",
        "type",
        "headers",
        "oauth",
        "timeout",
        "enabled",
        "env_vars",
        "disabled",
    ]
)
values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=6),
    lambda inner: some.lists(inner, max_size=2) | some.dictionaries(some.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@given(some.dictionaries(fields, values))
def test_our_form_of_a_server_stays_as_it_is(given: dict[str, Any]) -> None:
    found, _ = ordinary(given)
    assert ordinary(found)[0] == found
