import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from zot_agent.cli.args import parse
from zot_agent.host import Host
from zot_agent.host.build import build_host, working_directory
from zot_core.errors import SessionLocked
from zot_provider.client import HttpClient
from zot_provider.errors import ConfigError, MissingKey, UnknownName
from zot_provider.testing import ScriptedServer


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")


def build(*arguments: str) -> Host:
    return build_host(parse(["-p", *arguments]))


def ask(host: Host, text: str) -> str:
    async def main() -> str:
        try:
            return await host.runtime.ask(text)
        finally:
            await host.close()

    return asyncio.run(main())


def close(host: Host) -> None:
    asyncio.run(host.close())


def test_a_host_has_what_was_asked_for(key: None, alone: Path) -> None:
    host = build("--tools", "read", "--system-prompt", "Cat.", "--append-system-prompt", "Purr.", "--reasoning", "low")
    agent = host.runtime.agent
    assert isinstance(agent.client, HttpClient)
    assert list(agent.tools) == ["read"]
    assert agent.system.startswith("Cat.")
    assert "Purr." in agent.system
    assert agent.reasoning == "low"
    assert agent.model.vendor == "anthropic"
    assert host.runtime.cwd == str(alone)
    assert host.runtime.session is not None
    assert not Path(host.runtime.session.path).exists()
    close(host)


def test_no_session_is_none(key: None) -> None:
    host = build("--no-session")
    assert host.runtime.session is None
    close(host)


def test_a_session_goes_on_with_its_model_or_with_another(alone: Path, tmp_path: Path) -> None:
    with ScriptedServer(repeat=True) as server:
        server.add("ok")
        base = ("--base-url", server.base_url("openai-chat"))
        assert ask(build("--provider", "local", "--model", "one", *base), "first") == "ok"
        (path,) = (tmp_path / "zot-home").glob("sessions/*/*.jsonl")
        assert ask(build("-c", *base), "second") == "ok"
        assert ask(build("--session", path.stem[-8:], "--model", "two", *base), "third") == "ok"
        assert ask(build("--session", str(path), *base), "fourth") == "ok"
    assert [request.body["model"] for request in server.requests] == ["one", "one", "two", "two"]
    texts = [message["content"] for message in server.requests[-1].body["messages"] if message["role"] == "user"]
    assert texts == ["first", "second", "third", "fourth"]
    metas = [row["meta"] for line in path.read_text().splitlines() if (row := json.loads(line))["type"] == "meta"]
    assert [meta["model"] for meta in metas] == ["one", "two"]
    assert len({meta["id"] for meta in metas}) == 1


def test_a_session_that_is_open_is_locked(tmp_path: Path) -> None:
    with ScriptedServer(["ok"]) as server:
        base = ("--base-url", server.base_url("openai-chat"))
        host = build("--model", "m", *base)

        async def main() -> None:
            await host.runtime.ask("first")
            with pytest.raises(SessionLocked):
                build("-c", *base)
            await host.close()

        asyncio.run(main())
    close(build("-c", *base))


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ([], MissingKey),
        (["--provider", "openai"], MissingKey),
        (["--provider", "opanai"], UnknownName),
        (["--provider", "local", "--tools", "raed", "--base-url", "http://h/v1"], UnknownName),
        (["--cwd", "/nowhere"], ConfigError),
        (["-c"], Exception),
        (["--session", "x"], Exception),
    ],
)
def test_what_cannot_be_built_is_a_mistake_in_the_usage(arguments: list[str], kind: Any, tmp_path: Path) -> None:
    with pytest.raises(kind) as caught:
        build(*arguments)
    assert caught.value.exit_code == 2
    assert not (tmp_path / "zot-home").exists()


@pytest.mark.parametrize("content", ["", "nonsense\n", '{"type":"meta","meta":{}}\n', '{"type":"message"}\n'])
def test_a_file_that_is_no_session_is_left_alone(key: None, alone: Path, content: str) -> None:
    path = alone / "file.jsonl"
    path.write_text(content)
    with pytest.raises(ConfigError, match="is no session file"):
        build("--session", str(path))
    assert path.read_text() == content


def test_the_working_directory(alone: Path, tmp_path: Path) -> None:
    assert working_directory(".") == str(alone)
    assert working_directory("~") == str(tmp_path)
    (alone / "file").touch()
    for wrong in ("file", "nowhere"):
        with pytest.raises(ConfigError, match=f"--cwd '{wrong}' is no directory"):
            working_directory(wrong)
    (alone / "file").unlink()
    alone.rmdir()
    with pytest.raises(ConfigError, match="no longer exists"):
        working_directory(".")
