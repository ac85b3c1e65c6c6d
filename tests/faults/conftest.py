"""The `zot` command in a project with two files, a scripted server, and checks of the requests that it is sent."""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from command import KEY, PROVIDERS, Zot

from zot_provider.testing import ScriptedServer


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ZOT_HOME", str(tmp_path / "zot-home"))


@pytest.fixture
def zot(tmp_path: Path) -> Zot:
    """`zot` in a project with two files."""
    zot = Zot(tmp_path)
    (zot.cwd / "a.txt").write_text("alpha\n")
    (zot.cwd / "b.txt").write_text("beta\n")
    return zot


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


def check_gemini(body: dict[str, Any]) -> None:
    """The content after calls has one response for each, in their order; no content and no text is empty."""
    names: list[str] = []
    for content in body["contents"]:
        assert content["parts"]
        assert all(part["text"].strip() for part in content["parts"] if "text" in part)
        responses = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        assert [response["name"] for response in responses] == names
        assert all(response["response"] for response in responses)
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        assert content["role"] == "model" or not calls
        assert all(isinstance(call["args"], dict) for call in calls)
        names = [call["name"] for call in calls]
    assert names == []
    assert body["contents"][-1]["role"] == "user"


def check_converse(body: dict[str, Any]) -> None:
    """Roles take turns; the turn after calls has a result for each; tools are known where there are calls."""
    open_calls: list[str] = []
    roles = [message["role"] for message in body["messages"]]
    assert all(one != other for one, other in pairwise(roles))
    assert roles[-1] == "user"
    for message in body["messages"]:
        parts = message["content"]
        assert parts
        assert all(part["text"].strip() for part in parts if "text" in part)
        results = [part["toolResult"] for part in parts if "toolResult" in part]
        assert all(result["content"] for result in results)
        assert sorted(result["toolUseId"] for result in results) == sorted(open_calls)
        open_calls = [part["toolUse"]["toolUseId"] for part in parts if "toolUse" in part]
        assert len({*open_calls}) == len(open_calls)
        assert not open_calls or body["toolConfig"]["tools"]


CHECKS = {
    "openai-chat": check_chat,
    "anthropic-messages": check_messages,
    "openai-responses": check_responses,
    "gemini": check_gemini,
    "bedrock-converse": check_converse,
}


@pytest.fixture
def accepted() -> Callable[[str, dict[str, Any]], None]:
    """Fails for a body that the providers of a wire would refuse for the conversation in it."""

    def check(wire: str, body: dict[str, Any]) -> None:
        try:
            CHECKS[wire](body)
        except (AssertionError, ValueError, LookupError) as error:
            raise AssertionError(f"{wire} would refuse this: {json.dumps(body)[:4000]}") from error

    return check


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let `--kill-seeds` say how many runs are killed at random moments."""
    count = metafunc.config.getoption("--kill-seeds")
    for name, seeds in (("kill_seed", count), ("many_seed", count // 3)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, range(seeds))
