"""`Talk`: the raw lines of a real `zot rpc`."""

import os
import sys
from typing import Any

import pytest
from rpc_client import runs, types

from zot_agent.client import Talk
from zot_provider.testing import ScriptedServer


def talk(server: ScriptedServer, **options: Any) -> Talk:
    env = os.environ | {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.base_url("openai-chat")}
    flags = ["--provider", "openai", "--model", "scripted"]
    return Talk([sys.executable, "-m", "zot_agent", "rpc", *flags], env=env, **options)


def test_a_talk_sends_and_returns_raw_lines(server: ScriptedServer) -> None:
    server.add("Hello.")
    with talk(server) as lines:
        assert lines.ask({"id": [1], "type": "ping"})["id"] == [1]
        lines.send({"type": "prompt", "message": "hi"}, b"nonsense\n")
        assert types(lines.until("done")).count("response") == 2
        lines.send({"type": "ping"})
        assert types(lines.finish()) == ["response"]
        assert lines.process.returncode == 0
        assert lines.line() is None
        with pytest.raises(EOFError):
            lines.next()


def test_a_talk_waits_no_longer_than_its_patience_and_leaves_nothing_running(server: ScriptedServer) -> None:
    with talk(server) as lines:
        lines.ask({"type": "ping"})
        lines.patience = 0.1
        with pytest.raises(TimeoutError):
            lines.next()
        lines.patience = 30.0
    assert not runs(lines.process.pid)
