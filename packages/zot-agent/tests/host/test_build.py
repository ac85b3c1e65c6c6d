import asyncio
import json
import os
from pathlib import Path
from typing import Any

import certifi
import pytest

from zot_agent.cli.args import parse
from zot_agent.host.build import build_host
from zot_agent.host.host import Host
from zot_agent.host.options import working_directory
from zot_core.errors import SessionLocked
from zot_core.permission_mode import PermissionMode, more_careful
from zot_core.prompt import identity
from zot_core.sessions.file import load
from zot_provider.errors import ConfigError, MissingKey, UnknownName, ZotError
from zot_provider.router import RoutingClient
from zot_provider.testing import ScriptedServer


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")


def build(*arguments: str) -> Host:
    return build_host(parse(["-p", *arguments]).options)


def ask(host: Host, text: str) -> str:
    async def main() -> str:
        try:
            return str(await host.runtime.ask(text))
        finally:
            await host.close()

    return asyncio.run(main())


def close(host: Host) -> None:
    asyncio.run(host.close())


def test_a_host_has_what_was_asked_for(key: None, alone: Path) -> None:
    host = build("--tools", "read", "--system-prompt", "Cat.", "--append-system-prompt", "Purr.", "--reasoning", "low")
    agent = host.runtime.agent
    assert isinstance(agent.client, RoutingClient)
    assert list(agent.tools) == ["read"]
    assert agent.system.startswith("Cat.")
    assert "Purr." in agent.system
    assert agent.reasoning == "low"
    assert agent.model.provider == "anthropic"
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


async def test_a_session_that_is_open_is_locked(tmp_path: Path) -> None:
    with ScriptedServer(["ok"]) as server:
        base = ("--base-url", server.base_url("openai-chat"))
        host = build("--model", "m", *base)
        await host.runtime.ask("first")
        with pytest.raises(SessionLocked):
            build("-c", *base)
        copy = build("-c", "--fork", *base)
        assert [message.text for message in copy.runtime.messages] == ["first", "ok"]
        assert copy.runtime.state.session_id != host.runtime.state.session_id
        await copy.close()
        await host.close()
    await build("-c", *base).close()


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ([], MissingKey),
        (["--provider", "openai"], MissingKey),
        (["--provider", "opanai"], UnknownName),
        (["--provider", "local", "--tools", "raed", "--base-url", "http://h/v1"], UnknownName),
        (["--cwd", "/nowhere"], ConfigError),
        (["-c"], ConfigError),
        (["--session", "x"], ConfigError),
    ],
)
def test_what_cannot_be_built_is_a_mistake_in_the_usage(
    arguments: list[str], kind: type[ZotError], tmp_path: Path
) -> None:
    with pytest.raises(kind) as caught:
        build(*arguments)
    assert caught.value.exit_code == 2
    assert not (tmp_path / "zot-home").exists()


@pytest.mark.parametrize("content", ["", "nonsense\n", '{"type":"meta","meta":{}}\n', '{"type":"message"}\n'])
def test_a_file_that_is_no_session_is_left_alone(key: None, alone: Path, content: str) -> None:
    path = alone / "file.jsonl"
    path.write_text(content)
    with pytest.raises(ConfigError, match="is not a session file"):
        build("--session", str(path))
    assert path.read_text() == content


def test_the_working_directory(alone: Path, tmp_path: Path) -> None:
    assert working_directory(".") == str(alone)
    assert working_directory("~") == str(tmp_path)
    (alone / "file").touch()
    for wrong in ("file", "nowhere"):
        with pytest.raises(ConfigError, match=f"--cwd '{wrong}' is not a directory"):
            working_directory(wrong)
    (alone / "file").unlink()
    alone.rmdir()
    with pytest.raises(ConfigError, match="no longer exists"):
        working_directory(".")


def settle(tmp_path: Path, **files: Any) -> Path:
    """Write `config.json` and `models.json` into zot's home."""
    home = tmp_path / "zot-home"
    home.mkdir(exist_ok=True)
    for name, value in files.items():
        (home / f"{name}.json").write_text(json.dumps(value))
    return home


def chosen(*arguments: str) -> tuple[str, str]:
    host = build("--no-session", *arguments)
    model = host.runtime.agent.model
    close(host)
    return model.provider, model.id


def test_a_flag_counts_more_than_the_settings_and_they_more_than_the_environment(key: None, tmp_path: Path) -> None:
    corp = {"baseUrl": "http://127.0.0.1:1/v1", "auth": "none", "models": [{"id": "m1"}, {"id": "m2"}]}
    settle(tmp_path, config={"provider": "corp", "model": "m2"}, models={"providers": {"corp": corp}})
    assert chosen() == ("corp", "m2")
    assert chosen("--provider", "corp") == ("corp", "m2")
    assert chosen("--model", "m1") == ("corp", "m1")
    assert chosen("--model", "unheard-of") == ("corp", "unheard-of")
    assert chosen("--provider", "anthropic") == ("anthropic", "claude-opus-5-5")
    assert chosen("--model", "claude-haiku-4-5") == ("anthropic", "claude-haiku-4-5")
    assert chosen("--base-url", "http://127.0.0.1:2/v1") == ("corp", "m2")
    settle(tmp_path, config={"model": "m1"})
    assert chosen() == ("corp", "m1")
    settle(tmp_path, config={"provider": "anthropic"})
    assert chosen() == ("anthropic", "claude-opus-5-5")


def test_a_session_counts_more_than_the_settings(tmp_path: Path) -> None:
    with ScriptedServer(["ok"]) as server:
        base = ("--base-url", server.base_url("openai-chat"))
        ask(build("--provider", "local", "--model", "one", *base), "first")
    settle(tmp_path, config={"provider": "openai", "model": "gpt-5.1"})
    host = build("-c", *base)
    assert host.runtime.agent.model.id == "one"
    close(host)
    host = build("-c", "--model", "two", "--provider", "local", *base)
    assert host.runtime.agent.model.id == "two"
    close(host)


def test_a_level_of_the_settings_is_taken_where_no_flag_names_one(key: None, tmp_path: Path) -> None:
    settle(tmp_path, config={"reasoning": "high"})
    for arguments, level in (([], "high"), (["--reasoning", "off"], "off")):
        host = build("--no-session", *arguments)
        assert host.runtime.agent.reasoning == level
        close(host)


@pytest.mark.parametrize(
    ("config", "arguments", "words"),
    [
        ({"provider": "opnai"}, [], "config.json: unknown provider 'opnai'; did you mean openai"),
        ({"provider": "opnai"}, ["--model", "m"], "config.json: unknown provider 'opnai'"),
        ({"provider": "anthropic", "model": "claude-haiku-4-55"}, [], "config.json: unknown model 'claude-haiku-4-55'"),
        ({"model": "nonsense"}, [], "config.json: unknown model 'nonsense'"),
        ({"model": "nonsense"}, ["--provider", "anthropic", "--model", "nonsens"], "unknown model 'nonsens'"),
        ({"provider": "anthropic"}, ["--provider", "opnai"], "unknown provider 'opnai'"),
    ],
)
def test_an_unknown_name_is_said_to_stand_where_it_does(
    key: None, tmp_path: Path, config: dict[str, str], arguments: list[str], words: str
) -> None:
    home = settle(tmp_path, config=config)
    with pytest.raises(UnknownName) as caught:
        build("--no-session", *arguments)
    assert str(caught.value).removeprefix(f"{home}/").startswith(words)


def test_an_unknown_provider_of_the_settings_is_in_nobodys_way(key: None, tmp_path: Path) -> None:
    settle(tmp_path, config={"provider": "unheard", "model": "k2"})
    assert chosen("--provider", "anthropic") == ("anthropic", "claude-opus-5-5")
    assert chosen("--model", "anthropic/claude-haiku-4-5") == ("anthropic", "claude-haiku-4-5")


def test_a_proxy_of_the_settings_is_used_here_and_by_children(
    key: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://before")  # so that it is put back
    settle(tmp_path, config={"http_proxy": "http://proxy:3128"})
    close(build("--no-session"))
    assert os.environ["http_proxy"] == os.environ["https_proxy"] == "http://proxy:3128"


def test_authorities_of_the_settings_are_trusted_here_and_by_children(
    key: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/before")  # so that it is put back
    file = tmp_path / "authorities.pem"
    file.write_bytes(Path(certifi.where()).read_bytes())
    settle(tmp_path, config={"ca_file": str(file)})
    close(build("--no-session"))
    assert os.environ["SSL_CERT_FILE"] == str(file)


def test_the_settings_may_have_another_name_of_a_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
    monkeypatch.setenv("AZURE_OPENAI_RESOURCE_NAME", "res")
    settle(tmp_path, config={"provider": "azure", "model": "our-own"})
    assert chosen() == ("azure-openai-responses", "our-own")


def system(*arguments: str) -> tuple[str, list[str]]:
    """The system prompt of a host, and its notes."""
    host = build("--no-session", *arguments)
    close(host)
    return host.runtime.agent.system, host.notes


def test_the_system_prompt_is_put_together_in_its_order(key: None, alone: Path, tmp_path: Path) -> None:
    home = settle(tmp_path)
    (home / "AGENTS.md").write_text("GLOBAL")
    (tmp_path / "AGENTS.md").write_text("ABOVE")
    (alone / "AGENTS.md").write_text("HERE")
    (home / "SYSTEM.md").write_text("HOME SYSTEM")
    (home / "skills" / "barber").mkdir(parents=True)
    (home / "skills" / "barber" / "SKILL.md").write_text("---\nname: barber\ndescription: hair\n---\n")
    text, notes = system("--append-system-prompt", "ONE", "--append-system-prompt", "TWO")
    words = (
        "HOME SYSTEM",
        "GLOBAL",
        "ABOVE",
        "HERE",
        "ONE",
        "TWO",
        "\n# Surroundings\n\nPlatform: ",
        "- barber: hair",
        "Current date: ",
        f"directory: {alone}",
    )
    places = [text.index(word) for word in words]
    assert places == sorted(places)
    assert text.startswith("HOME SYSTEM")
    assert text.endswith(str(alone))
    assert notes == []

    (alone / ".zot").mkdir()
    (alone / ".zot" / "SYSTEM.md").write_text("PROJECT SYSTEM")
    assert system()[0].startswith("HOME SYSTEM")
    assert system("--trust")[0].startswith("PROJECT SYSTEM")
    assert system("--system-prompt", "MINE")[0].startswith("MINE\n\n# Instructions from ")
    assert "\nTop of the tree: .zot/ AGENTS.md" in system()[0]
    (home / "config.json").write_text('{"surroundings": "off"}')
    assert "Top of the tree" not in system()[0]
    (home / "config.json").unlink()
    text, _ = system("-nc", "--no-skills", "--append-system-prompt", "ONE")
    assert "Top of the tree" not in text
    assert text.startswith(identity())
    assert "GLOBAL" not in text
    assert "ONE\n\nCurrent date: " in text


def test_a_skill_of_a_project_is_used_when_the_project_is_allowed_and_never_in_place_of_ones_own(
    key: None, alone: Path, tmp_path: Path
) -> None:
    for place, text in ((alone / ".claude", "theirs"), (tmp_path / "zot-home", "mine")):
        for name in ("barber",) if text == "mine" else ("barber", "tailor"):
            folder = place / "skills" / name
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {text}\n---\n")
    asked, notes = system()
    assert "- barber: mine" in asked
    assert "tailor" not in asked
    assert notes == [
        f"not used, because you have not allowed it: skills barber, tailor of {alone} "
        "(start zot there to decide, or pass --trust)"
    ]
    asked, notes = system("--trust")
    assert "- barber: mine" in asked
    assert "- tailor: theirs" in asked
    assert notes == [
        f"{alone}/.claude/skills/barber/SKILL.md: you have a skill barber of your own, "
        f"{tmp_path}/zot-home/skills/barber/SKILL.md; it is left out"
    ]


def test_files_that_cannot_be_used_are_noted_unless_none_is_wanted(key: None, alone: Path) -> None:
    (alone / "AGENTS.md").write_bytes(b"\0")
    (alone / ".zot").mkdir()
    (alone / ".zot" / "SYSTEM.md").symlink_to("nowhere")
    assert [note.removeprefix(f"{alone}/") for note in system()[1]] == [
        "AGENTS.md looks binary; it is left out",
        ".zot/SYSTEM.md is a broken link; it is left out",
    ]
    assert system("-nc")[1] == []
    assert len(system("--system-prompt", "x")[1]) == 1


def test_children_know_the_agent_that_started_them(key: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZOT_SESSION_ID", "of another zot")
    host = build("--reasoning", "low")
    session = host.runtime.session
    assert session is not None
    assert host.runtime.agent.context.env == {
        **{"ZOT_PROVIDER": "anthropic", "ZOT_MODEL": "claude-opus-5-5", "ZOT_REASONING_LEVEL": "low"},
        **{"ZOT_CHILD_SESSION": "1", "ZOT_SESSION_ID": session.meta.id, "ZOT_SESSION_FILE": session.path},
    }
    close(host)
    host = build("--no-session")
    assert host.runtime.agent.context.env["ZOT_SESSION_ID"] == ""
    close(host)


async def test_a_session_goes_on_with_another_provider_without_being_let_go_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(["one", "two", "three"]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url("anthropic-messages"))
        host = build("--provider", "local", "--model", "m", "--base-url", server.base_url("openai-chat"))
        await host.runtime.ask("first")
        session = host.runtime.session
        assert session is not None
        for provider, wrong in (("", MissingKey), ("nobody", UnknownName)):
            with pytest.raises(wrong):
                host.conversation.set_model("anthropic/claude-haiku-4-5", provider=provider)
            assert host.runtime.session is session
        assert str(await host.runtime.ask("second")) == "two"
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        host.conversation.set_model("anthropic/claude-haiku-4-5")
        assert host.runtime.session is session
        with pytest.raises(SessionLocked):
            build("--session", session.path)
        assert str(await host.runtime.ask("third")) == "three"
        await host.conversation.new_session()
        assert host.runtime.session is not session
        other = build("--session", session.path)  # it was let go of
        assert [message.text for message in other.runtime.messages][::2] == ["first", "second", "third"]
        await other.close()
        await host.close()
    (path,) = (tmp_path / "zot-home").glob("sessions/*/*.jsonl")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["meta"]["provider"] for row in found if row["type"] == "meta"] == ["local", "anthropic"]
    assert len([row for row in found if row["type"] == "message"]) == 6


async def test_what_is_left_out_is_said_once_and_pins_count_where_the_session_is(
    key: None, alone: Path, tmp_path: Path
) -> None:
    home, there = tmp_path / "zot-home", tmp_path / "there"
    there.mkdir()
    for name, text in (("bad", "no front matter"), ("knots", "---\ndescription: d\n---\nOver, under.\n")):
        (home / "skills" / name).mkdir(parents=True)
        (home / "skills" / name / "SKILL.md").write_text(text)
    with ScriptedServer(["one"]) as server:
        base = ("--model", "m", "--base-url", server.base_url("openai-chat"))
        far = build("--cwd", str(there), *base)
        await far.runtime.ask("first")
        session = far.runtime.session
        assert session is not None
        await far.close()
        host = build(*base)
        assert ["bad/SKILL.md" in note for note in host.notes] == [True]
        assert await host.refresh_workspace() == []
        assert await host.open_session(session.path) == []
        assert "Over, under." not in host.runtime.agent.system
        (home / "skill-pins.json").write_text(json.dumps({"projects": {str(there): ["knots", "gone"]}}))
        assert await host.refresh_workspace() == ["the pinned skill gone was not found; it is left out"]
        assert await host.refresh_workspace() == []
        assert "Over, under." in host.runtime.agent.system
        await host.close()


async def test_another_session_is_continued_in_its_directory_with_its_model(
    tmp_path: Path, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    there = tmp_path / "there"
    there.mkdir()
    (there / "AGENTS.md").write_text("THERE")
    with ScriptedServer(["one", "two", "three"]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url("anthropic-messages"))
        far = build("--cwd", str(there), "--model", "anthropic/claude-haiku-4-5", "--reasoning", "off")
        session = far.runtime.session
        assert session is not None
        assert str(await far.runtime.ask("first")) == "one"
        await far.close()
        host = build("--provider", "local", "--model", "m", "--base-url", server.base_url("openai-chat"))
        assert str(await host.runtime.ask("elsewhere")) == "two"
        before = host.runtime.session
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        with pytest.raises(MissingKey):
            await host.open_session(session.path)
        assert (host.runtime.session, host.runtime.cwd) == (before, str(alone))
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        assert await host.open_session(session.path) == []
        runtime = host.runtime
        assert (runtime.cwd, runtime.agent.model.id) == (str(there), "claude-haiku-4-5")
        assert (
            runtime.agent.context.env.items()
            >= {
                "ZOT_PROVIDER": "anthropic",
                "ZOT_MODEL": "claude-haiku-4-5",
                "ZOT_SESSION_ID": session.meta.id,
                "ZOT_SESSION_FILE": session.path,
            }.items()
        )
        assert str(await runtime.ask("second")) == "three"
        await host.close()
    body = server.requests[2].body
    assert "THERE" in json.dumps(body["system"])
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]


def test_a_model_of_the_persons_file_keeps_its_window_and_its_price(tmp_path: Path) -> None:
    models = [
        {"id": "m1", "contextWindow": 1000, "priceInput": 1.0, "priceOutput": 2.0},
        {"id": "m2", "contextWindow": 2000, "priceInput": 3.0, "priceOutput": 4.0},
    ]
    corp = {"baseUrl": "http://127.0.0.1:1/v1", "auth": "none", "models": models}
    settle(tmp_path, models={"providers": {"corp": corp}})
    host = build("--no-session", "--provider", "corp")
    for name, window, prices in (("m2", 2000, (3.0, 4.0)), ("corp/m1", 1000, (1.0, 2.0))):
        model = host.conversation.set_model(name)
        assert model is host.runtime.agent.model
        assert model.price is not None
        assert (model.context_window, (model.price.input, model.price.output)) == (window, prices)
    close(host)


def test_newer_sessions_that_cannot_be_read_do_not_keep_an_older_one_from_being_continued(
    key: None, alone: Path
) -> None:
    with ScriptedServer(["one"]) as server:
        url = server.base_url("openai-chat")
        arguments = ("--provider", "openai", "--api-key", "k", "--base-url", url, "--model", "m")
        ask(build(*arguments), "first")
    host = build(*arguments, "-c")
    assert host.runtime.session is not None
    good = Path(host.runtime.session.path)
    close(host)
    broken = {"99990101-000000-aaaaaaaa.jsonl": "", "99990101-000001-bbbbbbbb.jsonl": "garbage\n"}
    for second, (name, text) in enumerate(broken.items()):
        (good.parent / name).write_text(text)
        os.utime(good.parent / name, (4e9 + second, 4e9 + second))
    (good.parent / "99990101-000002-cccccccc.jsonl").mkdir()
    host = build(*arguments, "-c")
    assert host.runtime.session is not None
    assert host.runtime.session.path == str(good)
    assert [message.text for message in host.runtime.messages] == ["first", "one"]
    notes = [note for note in host.notes if note.endswith("; an older session is continued")]
    assert [note.partition(" is not a session file")[0] for note in notes[:2]] == [
        str(good.parent / name) for name in reversed(broken)
    ]
    close(host)
    good.unlink()
    with pytest.raises(ConfigError, match=r"^no session to continue in .*: .*; start one without -c$"):
        build(*arguments, "-c")


async def test_a_file_of_settings_that_is_half_written_takes_no_rule_away(key: None, tmp_path: Path) -> None:
    config = tmp_path / "zot-home" / "config.json"
    config.parent.mkdir(exist_ok=True)
    config.write_text('{"permissions": {"deny": ["bash(rm *)"]}}')
    with ScriptedServer() as server:
        host = build("--model", "m", "--base-url", server.base_url("openai-chat"))
        config.write_text('{"permissions": {"deny": [')
        [note] = await host.refresh_workspace()
        assert note.startswith(f"{config}: line 1, column")
        assert note.endswith("; settings and instructions stay as they were")
        assert [rule.text for rule in host.conversation.permissions.rules] == ["bash(rm *)"]
        config.write_text("{}")
        assert await host.refresh_workspace() == []
        assert host.conversation.permissions.rules == []
        await host.close()


@pytest.mark.parametrize(
    ("stored", "flags", "setting", "expected"),
    [
        ("ask", (), "yolo", "ask"),
        ("plan", (), "ask", "plan"),
        ("yolo", (), "ask", "ask"),
        ("accept-edits", (), "ask", "ask"),
        ("ask", ("--permission-mode", "yolo"), "ask", "yolo"),
    ],
)
async def test_a_session_goes_on_in_its_mode_unless_that_allows_more(
    key: None, tmp_path: Path, stored: PermissionMode, flags: tuple[str, ...], setting: str, expected: PermissionMode
) -> None:
    with ScriptedServer(["one", "two", "three"]) as server:
        base = ("--model", "m", "--base-url", server.base_url("openai-chat"))
        first = build("--permission-mode", "yolo", *base)
        await first.runtime.ask("one")
        first.conversation.permissions.mode = stored
        await first.close()
        (tmp_path / "zot-home" / "config.json").write_text(json.dumps({"permissions": {"mode": setting}}))
        host = build("-c", *flags, *base)
        assert host.conversation.permissions.mode == expected
        await host.close()


async def test_a_session_that_is_opened_brings_its_mode_and_a_new_one_keeps_it(key: None, tmp_path: Path) -> None:
    with ScriptedServer(["one", "two", "three"]) as server:
        base = ("--model", "m", "--base-url", server.base_url("openai-chat"))
        careful = build("--permission-mode", "plan", *base)
        await careful.runtime.ask("one")
        await careful.close()
        assert careful.runtime.session is not None
        host = build(*base)
        await host.runtime.ask("two")
        first = host.runtime.session
        assert first is not None
        assert "permission_mode" not in Path(first.path).read_text()
        await host.open_session(careful.runtime.session.path)
        assert host.conversation.permissions.mode == "plan"
        await host.conversation.new_session()
        await host.runtime.ask("three")
        assert host.runtime.session is not None
        assert load(host.runtime.session.path).meta.other == {"permission_mode": "plan"}
        await host.close()


@pytest.mark.parametrize("text", ["none", 7, None, ["yolo"], "yolo"])
def test_what_a_file_says_of_a_mode_allows_nothing(text: object) -> None:
    assert more_careful("ask", text) == "ask"
