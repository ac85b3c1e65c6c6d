"""A `zot` process that may be killed, a conversation worth losing, and what a provider takes of it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from zot_provider.testing import ScriptedServer

KEY = "sk-test-0123456789-secret"
PROVIDERS = {"anthropic": "anthropic-messages", "openai": "openai-chat", "openai-responses": "openai-responses"}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ZOT_HOME", str(tmp_path / "zot-home"))


class Zot:
    """Runs `zot` in a project directory, with an environment that holds nothing else."""

    def __init__(self, root: Path) -> None:
        self.home, self.cwd = root / "zot-home", root / "project"
        self.cwd.mkdir()
        (self.cwd / "a.txt").write_text("alpha\n")
        (self.cwd / "b.txt").write_text("beta\n")
        self.env = {
            **os.environ,
            "HOME": str(root / "home"),
            "ZOT_HOME": str(self.home),
            "ANTHROPIC_API_KEY": KEY,
            "OPENAI_API_KEY": KEY,
        }

    def start(self, server: ScriptedServer, *arguments: str, provider: str = "openai") -> "subprocess.Popen[bytes]":
        """Start against a scripted server, and return at once."""
        url = server.base_url(PROVIDERS[provider])
        return self._start("--provider", provider, "--model", "scripted", "--base-url", url, *arguments)

    def _start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "zot_agent", *arguments],
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, server: ScriptedServer, *arguments: str, provider: str = "openai") -> tuple[int, str, str]:
        """Run to the end: the exit code, standard output and standard error."""
        return self._finish(self.start(server, *arguments, provider=provider))

    def bare(self, *arguments: str) -> tuple[int, str, str]:
        """Run to the end with nothing but these arguments."""
        return self._finish(self._start(*arguments))

    def _finish(self, process: "subprocess.Popen[bytes]") -> tuple[int, str, str]:
        try:
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
        return process.returncode, out.decode(), err.decode()

    @property
    def session(self) -> Path:
        """The only session file."""
        (path,) = self.home.glob("sessions/*/*.jsonl")
        return path


@pytest.fixture
def zot(tmp_path: Path) -> Zot:
    return Zot(tmp_path)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A server whose script a test writes with `add`; it asks for the key."""
    with ScriptedServer(key=KEY) as running:
        yield running


@pytest.fixture
def providers() -> dict[str, str]:
    """The wire of each provider that a test goes through."""
    return PROVIDERS


def is_object(text: str) -> bool:
    return isinstance(json.loads(text), dict)


def check_chat(body: dict[str, Any]) -> None:
    """Every assistant message with calls is followed by the results of these calls, and no results stand elsewhere."""
    open_calls: list[str] = []
    seen: set[str] = set()
    for message in body["messages"]:
        if message["role"] == "tool":
            assert isinstance(message["content"], str)
            open_calls.remove(message["tool_call_id"])
            continue
        assert open_calls == []
        calls = message.get("tool_calls", [])
        assert message["content"] or calls
        assert all(is_object(call["function"]["arguments"]) for call in calls)
        open_calls = [call["id"] for call in calls]
        assert len({*open_calls}) == len(open_calls)
        assert not seen.intersection(open_calls)
        seen.update(open_calls)
    assert open_calls == []
    assert body["messages"][-1]["role"] in ("user", "tool")


def check_messages(body: dict[str, Any]) -> None:
    """Roles take turns; the turn after calls begins with their results."""
    open_calls: list[str] = []
    seen: set[str] = set()
    roles = [message["role"] for message in body["messages"]]
    assert all(one != other for one, other in pairwise(roles))
    assert roles[-1] == "user"
    for message in body["messages"]:
        assert message["content"]
        results = [part for part in message["content"] if part["type"] == "tool_result"]
        assert message["content"][: len(results)] == results
        assert sorted(part["tool_use_id"] for part in results) == sorted(open_calls)
        assert all(part["text"].strip() for part in message["content"] if part["type"] == "text")
        calls = [part for part in message["content"] if part["type"] == "tool_use"]
        assert message["role"] == "assistant" or not calls
        assert all(isinstance(call["input"], dict) for call in calls)
        open_calls = [call["id"] for call in calls]
        assert len({*open_calls}) == len(open_calls)
        assert not seen.intersection(open_calls)
        seen.update(open_calls)


def check_responses(body: dict[str, Any]) -> None:
    """Each call has one output after it, each output a call before it; reasoning leads to something."""
    called: list[str] = []
    answered: list[str] = []
    speakers = [
        item.get("role") or ("tool" if item["type"].endswith("output") else "assistant") for item in body["input"]
    ]
    for item, speaker in zip(body["input"], [*speakers[1:], "nobody"], strict=True):
        assert item["type"] != "reasoning" or speaker == "assistant"
    for item in body["input"]:
        if item["type"] == "function_call":
            assert is_object(item["arguments"])
            called.append(item["call_id"])
        elif item["type"] == "function_call_output":
            assert item["call_id"] in called
            answered.append(item["call_id"])
        elif item["type"] == "message":
            assert item["content"]
    assert len({*called}) == len(called)
    assert sorted(called) == sorted(answered)


CHECKS = {"openai-chat": check_chat, "anthropic-messages": check_messages, "openai-responses": check_responses}


@pytest.fixture
def accepted() -> Callable[[str, dict[str, Any]], None]:
    """Fails for a body that the providers of a wire would refuse for the conversation in it."""

    def check(wire: str, body: dict[str, Any]) -> None:
        try:
            CHECKS[wire](body)
        except (AssertionError, ValueError, LookupError) as error:
            raise AssertionError(f"{wire} would refuse this: {json.dumps(body)[:4000]}") from error

    return check
