"""The sandbox of a host, with real bubblewrap."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_agent.cli.args import parse
from zot_agent.host.build import build_host
from zot_agent.host.host import Host
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.events import Notice
from zot_provider.errors import ConfigError
from zot_provider.testing import Call, ScriptedServer, Turn


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, server: ScriptedServer) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url("anthropic-messages"))


def build(*arguments: str) -> Host:
    return build_host(parse(["-p", "--no-session", "--provider", "anthropic", *arguments]).options)


async def bash(host: Host, command: str) -> str:
    """Run a command as the tool runs it, and return its output."""
    parts: list[bytes] = []
    context = host.runtime.agent.context
    await context.shell.run(command, cwd=context.cwd, env={}, timeout=PATIENCE, output=parts.append)
    return b"".join(parts).decode()


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(
    ("flags", "confined"),
    [((), False), (("--sandbox",), True), (("--sandbox", "strict"), True), (("--sandbox=off",), False)],
)
async def test_commands_are_confined_if_a_flag_says_so(alone: Path, flags: tuple[str, ...], confined: bool) -> None:
    host = build(*flags)
    await bash(host, "touch inside; touch ../outside")
    assert (host.conversation.sandbox != "off") == confined
    assert (alone / "inside").exists()
    assert (alone.parent / "outside").exists() != confined
    await host.close()
    assert sorted(path.name for path in alone.iterdir()) == ["inside"]


@pytest.mark.needs("bwrap")
async def test_a_setting_confines_and_a_flag_is_stronger(alone: Path) -> None:
    (alone.parent / "zot-home").mkdir()
    (alone.parent / "zot-home" / "config.json").write_text('{"sandbox": "strict", "sandbox_variables": ["WANTED"]}')
    for flags, mode in (((), "strict"), (("--sandbox",), "on"), (("--sandbox", "off"), "off")):
        host = build(*flags)
        assert host.conversation.sandbox == mode
        await host.close()


@pytest.mark.needs("bwrap")
async def test_more_folders_can_be_made_writable(alone: Path) -> None:
    (alone.parent / "more" / ".zot").mkdir(parents=True)
    (alone.parent / "more" / ".zot" / "config.json").write_text('{"theme": "loud"}')
    host = build("--sandbox", "--add-dir", "../more", "--trust")
    assert "theme" not in host.settings.values
    await bash(host, f"touch {alone.parent}/more/a {alone.parent}/b")
    assert (alone.parent / "more" / "a").exists()
    assert not (alone.parent / "b").exists()
    await host.close()


@pytest.mark.parametrize("words", [["--sandbox", "fix it"], ["--sandbox=on", "fix it"], ["--sandbox", "on", "fix it"]])
def test_the_mode_may_be_left_out_before_a_prompt(words: list[str]) -> None:
    line = parse(["-p", *words])
    assert (line.options.sandbox, line.prompt) == ("on", "fix it")


async def test_without_a_sandbox_of_the_system_zot_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match="install the package bubblewrap; without a sandbox: --sandbox off"):
        build("--sandbox", "strict")


@pytest.mark.needs("landlock")
async def test_a_lesser_sandbox_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    host = build("--sandbox")
    assert host.conversation.sandbox == "lesser"
    assert any(note.startswith("a lesser sandbox, which does not protect .git") for note in host.notes)
    await host.close()


async def test_a_project_cannot_turn_it_off(alone: Path) -> None:
    (alone / ".zot").mkdir()
    (alone / ".zot" / "config.json").write_text('{"sandbox": "off", "sandbox_folders": ["/"]}')
    with pytest.raises(ConfigError, match="sandbox: a project cannot set off"):
        build("--trust")


async def test_files_of_variables_in_a_project_change_no_command(alone: Path) -> None:
    for name in (".env", ".envrc", ".env.local", ".bashrc", ".profile", ".zshenv"):
        (alone / name).write_text("export LD_PRELOAD=./planted.so PATH=. PLANTED=1\n")
    host = build("--trust")
    assert "planted" not in (await bash(host, "env")).casefold()
    await host.close()


@pytest.mark.needs("bwrap")
async def test_it_is_turned_on_and_off_between_commands(alone: Path) -> None:
    host = build()
    assert host.sandbox is not None
    for number, mode in enumerate(("off", "on", "strict", "off")):
        host.sandbox.set(mode)  # type: ignore[arg-type]  # a mode
        await bash(host, f"touch ../{number}")
    assert [number for number in range(4) if (alone.parent / str(number)).exists()] == [0, 3]
    await host.close()


@pytest.mark.needs("bwrap")
async def test_a_command_in_the_background_is_confined_too(alone: Path, server: ScriptedServer) -> None:
    call = Call("bash", {"command": "touch inside; touch ../outside", "background": True})
    server.add(Turn(calls=[call]), "Done.")
    host = build("--sandbox")
    await host.runtime.ask("go")
    (job,) = host.runtime.agent.context.jobs.all
    await host.runtime.agent.context.jobs.wait(job, 60)
    assert (alone / "inside").exists()
    assert not (alone.parent / "outside").exists()
    await host.close()


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(("flag", "asked"), [("on", 1), ("strict", 0)])
async def test_the_model_reads_that_a_command_was_stopped_and_the_person_may_run_it_outside(
    alone: Path, server: ScriptedServer, flag: str, asked: int
) -> None:
    (alone / ".git").mkdir()
    server.add(Turn(calls=[Call("bash", {"command": "echo x >.git/index.lock && echo committed"})]), "Done.")
    host = build("--sandbox", flag)
    questions: list[PermissionQuestion] = []

    async def yes(question: PermissionQuestion) -> PermissionAnswer:
        questions.append(question)
        return PermissionAnswer("yes")

    host.conversation.permissions.ask_with(yes)
    await host.runtime.ask("go")
    assert [question.outside for question in questions] == [True] * asked
    text = json.dumps(server.requests[-1].body)
    assert "the sandbox seems to have stopped this command: it writes .git" in text
    assert ("the user lets it run again, outside the sandbox" in text) == bool(asked)
    assert (alone / ".git" / "index.lock").exists() == bool(asked)
    await host.close()


@pytest.mark.needs("bwrap")
async def test_the_model_is_told_what_the_sandbox_lets_it_do_and_when_it_is_off(
    alone: Path, server: ScriptedServer
) -> None:
    (alone.parent / "more").mkdir()
    server.add("1", "2")
    host = build("--sandbox", "--add-dir", "../more")
    await host.runtime.ask("go")
    assert host.sandbox is not None
    host.sandbox.set("off")
    await host.runtime.ask("on")
    first, second = (json.dumps(each.body["messages"]) for each in server.requests)
    words = "the working directory (not .git), ../more and /tmp (private, until zot ends)"
    assert words in first
    assert "network: none" in first
    assert second.count("Sandbox: ") == 1
    assert "[Mode yolo from here on: every call runs.]" in second
    await host.close()


@pytest.mark.needs("bwrap")
async def test_the_person_is_told_of_files_that_are_lost_in_the_home(alone: Path) -> None:
    host = build("--sandbox")
    lines: list[str] = []
    host.runtime.agent.hooks.event.add(lambda event: lines.append(event.message) if isinstance(event, Notice) else None)
    assert "not kept: ~/.cache/. " in await bash(host, "mkdir ~/.cache")
    assert lines == []
    await bash(host, "mkdir ~/.cache; touch ~/.bashrc; mkdir ~/bin")
    assert lines == ["the sandbox has not kept ~/.bashrc, ~/bin/, which a command has written"]
    await host.close()


@pytest.mark.needs("bwrap")
async def test_temporary_files_stay_when_the_sandbox_changes_in_the_same_folder(alone: Path) -> None:
    host = build("--sandbox")
    assert host.sandbox is not None
    await bash(host, "echo kept >/tmp/x")
    for mode in ("strict", "off", "on"):
        host.sandbox.choose(mode)
    assert await bash(host, "cat /tmp/x") == "kept\n"
    (alone.parent / "other").mkdir()
    host.runtime.set_workspace(host.runtime.workspace.replace(cwd=str(alone.parent / "other")))
    host.sandbox.follow(host.settings)
    assert "No such file" in await bash(host, "cat /tmp/x")
    await host.close()


@pytest.mark.needs("bwrap")
async def test_a_long_output_can_be_read_inside(server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "seq 100000"})]), "Done.")
    host = build("--sandbox")
    await host.runtime.ask("go")
    path = json.dumps(server.requests[-1].body).partition("full output: ")[2].partition(")")[0]
    assert await bash(host, f"tail -n 1 {path}") == "100000\n"
    await host.close()
    assert not Path(path).exists()


@pytest.mark.needs("bwrap")
async def test_the_sandbox_follows_the_working_directory(alone: Path) -> None:
    other = alone.parent / "other"
    other.mkdir()
    host = build("--sandbox")
    assert host.sandbox is not None
    host.runtime.set_workspace(host.runtime.workspace.replace(cwd=str(other)))
    host.sandbox.follow(host.settings)
    await bash(host, f"touch here; touch {alone}/there")
    assert (other / "here").exists()
    assert not (alone / "there").exists()
    await host.close()


@pytest.mark.needs("bwrap")
async def test_the_file_tools_obey_it_and_fetch_reaches_its_hosts_only(alone: Path, server: ScriptedServer) -> None:
    (alone.parent / "zot-home").mkdir()
    (alone.parent / "zot-home" / "config.json").write_text('{"sandbox_hosts": ["ok.test"]}')
    (alone.parent / "secret").write_text("out-of-reach")
    (alone / "link").symlink_to(alone.parent / "secret")
    (alone / "a.txt").write_text("needle")
    calls = [
        Call("read", {"path": "link"}),
        Call("write", {"path": "../outside", "content": "x"}),
        Call("write", {"path": ".zot/config.json", "content": "{}"}),
        Call("grep", {"pattern": "out-of|needle"}),
        Call("write", {"path": "inside", "content": "x"}),
        Call("write", {"path": "/tmp/notes", "content": "x"}),
        Call("fetch", {"url": "https://evil.test/"}),
        Call("fetch", {"url": "http://127.0.0.1/"}),
    ]
    server.add(Turn(calls=calls), "Done.")
    host = build("--sandbox")
    await host.runtime.ask("go")
    text = json.dumps(server.requests[-1].body)
    for words in (
        "link: the sandbox does not let you read this",
        "../outside: the sandbox does not let you write here",
        ".zot/config.json: the sandbox does not let you write here",
        "a.txt:1: needle",
        "evil.test is not among the hosts that the sandbox allows",
        "127.0.0.1 is not among the hosts that the sandbox allows",
    ):
        assert words in text
    assert text.count("to /tmp/notes") == text.count("only this sandbox has that folder") == 1
    assert "out-of-reach" not in text
    assert (alone / "inside").read_text() == "x"
    assert not (alone.parent / "outside").exists()
    assert host.sandbox is not None
    host.sandbox.set("off")
    assert host.runtime.agent.context.network.hosts is None
    await host.close()


@pytest.mark.needs("bwrap")
async def test_rules_for_the_web_are_kept_by_the_proxy_too(alone: Path) -> None:
    (alone.parent / "zot-home").mkdir()
    rules = '{"deny": ["fetch(evil.test)"], "ask": ["fetch(asked.test)"]}'
    (alone.parent / "zot-home" / "config.json").write_text(f'{{"sandbox_hosts": ["*"], "permissions": {rules}}}')
    host = build("--sandbox")
    for name in ("evil.test", "asked.test"):
        program = f"exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT {name}:443 HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3"
        assert f"a rule of the permissions does not allow {name}" in await bash(host, program)
    await host.close()


async def test_a_wrong_pattern_of_a_host_is_one_line(alone: Path) -> None:
    (alone.parent / "zot-home").mkdir()
    (alone.parent / "zot-home" / "config.json").write_text('{"sandbox_hosts": ["https://ok.test"]}')
    with pytest.raises(ConfigError, match=r"sandbox_hosts: 'https://ok.test' is not a host"):
        build()


@pytest.mark.needs("bwrap")
async def test_an_extension_without_permissions_is_confined_too(alone: Path) -> None:
    folder = alone.parent / "zot-home" / "extensions" / "a"
    folder.mkdir(parents=True)
    (folder / "extension.json").write_text('{"name": "a", "exec": "./run"}')
    hello = '{"type":"hello","name":"a","protocol_version":1}'
    touches = f"touch {alone}/inside data ../outside; echo x >>extension.json"
    (folder / "run").write_text(
        f"#!/bin/sh\n{touches}\necho '{hello}'\necho '{{\"type\":\"ready\"}}'\nread -r ack\nread -r shutdown\n"
    )
    (folder / "run").chmod(0o755)
    host = build("--sandbox")
    assert host.extensions is not None
    await host.extensions.ready()
    assert [member.running for member in host.extensions.members] == [True]
    await host.close()
    assert (alone / "inside").exists()
    assert (folder / "data").exists()
    assert not (folder.parent / "outside").exists()
    assert (folder / "extension.json").read_text().endswith("}")


def test_nothing_of_it_is_imported_while_it_is_off(alone: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from zot_agent.cli.args import parse\n"
        "from zot_agent.host.build import build_host\n"
        "async def main():\n"
        "    host = build_host(parse(['-p', '--no-session', '--provider', 'anthropic']).options)\n"
        "    context = host.runtime.agent.context\n"
        "    await context.shell.run('true', cwd=context.cwd, env={}, timeout=60, output=print)\n"
        "    await host.close()\n"
        "asyncio.run(main())\n"
        "print([name for name in sys.modules if name.startswith('zot_core.sandbox')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.needs("bwrap")
async def test_what_a_rule_denies_to_be_read_is_not_there_for_any_program(alone: Path) -> None:
    (alone.parent / "zot-home").mkdir()
    rules = {"deny": ["read(**/.env)", "read(keys/**)", "read(*.pem)", "edit(a.txt)", "read(missing)"]}
    (alone.parent / "zot-home" / "config.json").write_text(json.dumps({"permissions": rules}))
    (alone / "keys").mkdir()
    for name in (".env", "keys/a", "a.txt"):
        (alone / name).write_text(f"content of {name}\n")
    host = build("--sandbox")
    assert await bash(host, "exec 2>/dev/null; cat .env keys/a a.txt; echo x >.env; mv .env b") == "content of a.txt\n"
    await host.close()
    assert (alone / ".env").read_text() == "content of .env\n"
