"""Whoever is careful gets what they asked for, or an error: every setting that confines, broken in 20 ways, and the
other files by which a person holds something back. Where a process proves nothing, the reader alone is asked."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import certifi
import forked
import pytest
from command import Finished, Zot
from pty_screen import PtyScreen
from waiting import PATIENCE
from zot_forks import FORKED

from zot_agent.config.settings import FILE, SETTINGS, Settings, load_settings, project_layer
from zot_agent.hook_programs.read import programs_of_settings
from zot_provider.errors import ConfigError
from zot_provider.json_file import MOST_BYTES
from zot_provider.testing import Call, ScriptedServer, Turn

STRICT: dict[str, Any] = {
    "max_steps": 3,
    "no_yolo": True,
    "project_trust": "off",
    "child_keys": "remove",
    "audit": "on",
    "permissions": {"deny": ["bash(touch *)"]},
    "hooks": {"tool_call": [{"command": "exit 2", "on_failure": "block"}]},
    "sandbox": "strict",
    "sandbox_folders": ["/srv"],
    "sandbox_hosts": ["pypi.org"],
    "sandbox_variables": ["CI"],
    "sandbox_git": "ask",
    "http_proxy": "http://127.0.0.1:9",
    "ca_file": certifi.where(),
}
"""A value that is understood, for each key that confines."""

NONSENSE: list[Any] = [None, 0.5, -1, [[]], {"a": {"b": 1}}]
WRONG: dict[str, list[Any]] = {
    "max_steps": [True, "many", "5 steps", "50%"],
    "no_yolo": ["yes", "true", 1],
    "project_trust": ["", "yes", "Off"],
    "child_keys": ["", "removed", True],
    "audit": ["", True, "On"],
    "permissions": [
        {"deny": "bash"}, {"deny": None}, {"mode": "aks"}, {"mode": None}, {"denny": []}, {"deny": ["bsh(rm *)"]},
        {"deny": ["bash(rm x && ls)"]}, {"deny": ["bash("]}, {"deny": ["bash(^rm)"]},
        {"ask": ["bash(rm\u200b *)"]}, "ask", {"deny": [r"bash(rm\s+.*)"]}, {"deny": ["bash(git push:--force)"]},
        {"deny": ["run_shell_command(rm *)"]},
    ],
    "hooks": [
        {"tool_cal": []}, {"tool_call": {}}, {"tool_call": [{"command": ""}]}, {"tool_call": [{"comand": "x"}]},
        {"tool_call": [{"command": "x", "on_failure": "blok"}]}, {"tool_call": [{"command": "x", "match": 3}]},
        {"tool_call": [{"command": "x", "match": "bsh"}]},
    ],
    "sandbox": ["", "onn", "On", True],
    "sandbox_folders": ["/srv", [""], ["\0"]],
    "sandbox_hosts": ["pypi.org", ["https://pypi.org"], ["a b"]],
    "sandbox_variables": ["CI", ["A=b"], ["A B"]],
    "sandbox_git": ["", "Ask", False],
    "http_proxy": ["http://", "socks6://h:1", "a b", "http://[::1", "http://x:1:2", "off"],
    "ca_file": ["/nowhere/ca.pem", "/", "/etc/passwd", True],
}  # fmt: skip
"""Values that are not understood, beside the nonsense."""


def damaged(key: str) -> Iterator[bytes]:
    """Files that have a value that is understood, and cannot be read whole."""
    member = f"{json.dumps(key)}: {json.dumps(STRICT[key])}"
    escaped = member.replace(key[-1], f"\\u{ord(key[-1]):04x}", 1)
    whole = f"{{{member}}}"
    texts = [
        "", whole[:-1], f"{whole[:-1]},}}", f"// mine\n{whole}", f"{whole}\n# mine", f"[{whole}]", f"{whole}{whole}",
        f"{{{member}, {member}}}", f"{{{escaped},}}", f"{whole}\0", whole.replace('"', "'"), whole + " " * MOST_BYTES,
    ]  # fmt: skip
    yield from (text.encode() for text in texts)
    yield whole.encode("utf-16")
    yield f'{{"theme": "é", {member}}}'.encode("latin-1")


def misspelt(key: str) -> list[str]:
    return [key.upper(), key[:-1], f"{key}s", key.replace("_", "") + "_", f"_{key}"]


def ways(key: str) -> Iterator[tuple[bytes, str]]:
    """Files of settings in which a key is broken, each with what its error must name beside the file."""
    yield from ((content, "") for content in damaged(key))
    yield from ((json.dumps({key: value}).encode(), f": {key}") for value in (*NONSENSE, *WRONG[key]))
    yield from ((json.dumps({name: STRICT[key]}).encode(), repr(name)) for name in misspelt(key))
    yield from ((json.dumps({name: False}).encode(), repr(name)) for name in misspelt(key))


def read(home: Path, project: Path | None = None) -> Settings:
    """The settings as a mode reads them; programs of hooks are read by those who know events."""
    layer = None if project is None else project_layer(str(project), str(home))
    settings = load_settings(str(home), layer, environ={})
    programs_of_settings(settings)
    return settings


def test_the_walk_has_every_key_that_confines() -> None:
    assert {key for key, setting in SETTINGS.items() if setting.confines} == {*STRICT} == {*WRONG}
    assert {key for key in SETTINGS if key.startswith("sandbox")} < {*STRICT}


@pytest.mark.parametrize("key", STRICT)
def test_a_key_that_confines_stops_in_each_way_in_which_it_is_broken(key: str, tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project / ".zot"):
        folder.mkdir(parents=True)
    (home / FILE).write_text(json.dumps({key: STRICT[key]}))
    assert read(home).problems == []
    broken = list(ways(key))
    assert len(broken) >= 20
    for content, named in broken:
        (home / FILE).write_bytes(content)
        with pytest.raises(ConfigError) as error:
            read(home)
        assert str(error.value).startswith((f"{home / FILE}", f"cannot read {home / FILE}")), content[:200]
        assert named in str(error.value)
        assert "\n" not in str(error.value)
        assert load_settings(str(home), environ={}, ignore=True).values == {}
        (home / FILE).unlink()
        (project / ".zot" / FILE).write_bytes(content)
        with pytest.raises(ConfigError, match=str(project)):
            read(home, project)


@pytest.mark.parametrize(
    ("key", "own", "laxer", "stricter"),
    [
        ("no_yolo", True, [False], [True]),
        ("child_keys", "remove", ["keep"], ["remove"]),
        ("audit", "on", ["off"], ["on"]),
        ("sandbox", "on", ["off"], ["on", "strict"]),
        ("sandbox_git", "ask", ["write"], ["ask"]),
        ("sandbox_hosts", ["a.test", "b.test"], [["c.test"], ["a.test", "c.test"]], [["a.test"], []]),
        ("sandbox_folders", ["/a"], [["/b"]], [[], ["/a"]]),
        ("sandbox_variables", ["A"], [["B"]], [[]]),
        ("project_trust", "off", ["on", "ask", "off"], []),
        ("http_proxy", "http://a:1", ["http://b:1", "http://a:1"], []),
    ],
)
def test_a_project_can_only_be_stricter(
    key: str, own: object, laxer: list[object], stricter: list[object], tmp_path: Path
) -> None:
    (tmp_path / FILE).write_text(json.dumps({key: own}))
    folder = tmp_path / "project" / ".zot"
    folder.mkdir(parents=True)
    for value in (*laxer, *stricter):
        (folder / FILE).write_text(json.dumps({key: value}))
        project = project_layer(str(folder.parent), str(tmp_path))
        if value in stricter:
            assert load_settings(str(tmp_path), project, {}).value(key) == value
        else:
            with pytest.raises(ConfigError, match=f"{folder / FILE}: {key}: a project cannot set"):
                load_settings(str(tmp_path), project, {})


# In processes

TOUCH = Turn(calls=[Call("bash", {"command": "touch ran"})])
MODES: dict[str, list[str]] = {
    "print": ["-p", "x"],
    "stream": ["--stream", "x"],
    "json": ["--json", "x"],
    "rpc": ["rpc"],
    "serve": ["serve", "--listen", "127.0.0.1:0"],
    "acp": ["acp"],
    "run": ["run", "x"],
    "swarm": ["swarm", "new", "x"],
    "screen": [],
}
MEANT = (
    b'{"sandbox": "onn"}',
    b'{"no_yolo": true,}',
    '{"permissions": {"deny": ["bash"]}}'.encode("utf-16"),
    b'{"Permissions": {"deny": ["bash"]}}',
    b'{"settings": {"no_yolo": true}}',
    b'{"approval_policy": "on-request"}',
)


def start(zot: Zot, server: ScriptedServer, mode: str, *flags: str) -> Finished:
    """Run a mode against the server to its end."""
    words = [*MODES[mode], *zot.at(server), *flags]
    if mode != "screen":
        return zot.run(*words)
    with PtyScreen([*zot.command, *words], environment={**zot.env, "TERM": "xterm"}, cwd=str(zot.cwd)) as pty:
        code = pty.process.wait(PATIENCE)
        while pty.read(0.1):
            pass
        return Finished(code, b"", bytes(pty.received).replace(b"\r\n", b"\n"))


def refused(done: Finished, zot: Zot, server: ScriptedServer, *named: str) -> None:
    """Check that nothing ran, nothing was sent, and one line says why."""
    assert done.code == 2, done.err
    assert server.requests == []
    assert not (zot.cwd / "ran").exists()
    line = done.err[done.err.rindex("zot: ") :]
    assert line.count("\n") == 1
    assert all(each in line for each in named), line


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_ends_with_exit_code_2(mode: str, zot: Zot, server: ScriptedServer) -> None:
    server.add(TOUCH, "done")
    zot.home.mkdir()
    for content in MEANT:
        (zot.home / FILE).write_bytes(content)
        refused(start(zot, server, mode), zot, server, str(zot.home / FILE))


@pytest.mark.parametrize("mode", MODES)
def test_a_trusted_projects_file_stops_too(mode: str, zot: Zot, server: ScriptedServer) -> None:
    contents = ('{"permissions": {"deny": ["bash"]},}', '{"sandbox": "off"}', '{"permissions": {"mode": "yolo"}}')
    guard = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:9"}]}]}}'
    for name, content in (*((f".zot/{FILE}", each) for each in contents), (".claude/settings.json", guard)):
        path = zot.cwd / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        refused(start(zot, server, mode, "--trust"), zot, server, str(path))
        path.unlink()


@pytest.mark.parametrize("mode", MODES)
def test_a_damaged_file_of_claude_code_that_may_deny_something_stops(
    mode: str, zot: Zot, server: ScriptedServer
) -> None:
    own = Path(zot.env["HOME"])
    for folder, content in (
        (own, '{"permissions": {"deny": ["Bash"]},}'),
        (own, '{"permissions": {"denny": ["Bash"]}}'),
        (zot.cwd, '{"permissions": {"deny": "Bash"}}'),
    ):
        path = folder / ".claude" / "settings.json"
        path.parent.mkdir(parents=True)
        path.write_text(content)
        refused(start(zot, server, mode, "--trust"), zot, server, str(path))
        shutil.rmtree(path.parent)


def test_what_claude_code_is_told_to_refuse_is_refused(zot: Zot, server: ScriptedServer) -> None:
    for folder in (Path(zot.env["HOME"]), zot.cwd):
        path = folder / ".claude" / "settings.json"
        path.parent.mkdir(parents=True)
        for rules, code in (({"deny": ["Bash(touch:*)"]}, 0), ({"ask": ["Bash"]}, 5)):
            path.write_text(json.dumps({"permissions": rules, "sandbox": {"enabled": True}}))
            server.add(TOUCH, "done")
            done = zot.ask(server, "-p", "--trust", "x")
            assert done.code == code
            assert not (zot.cwd / "ran").exists()
            assert f"{path}: zot does not use sandbox" in done.err
        shutil.rmtree(path.parent)


def test_a_file_of_a_folder_that_is_not_trusted_counts_for_nothing(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / ".zot").mkdir()
    for content in ("{", '{"sandbox": "onn"}', '{"sandbox": "off"}', '{"no_yolo": true}'):
        (zot.cwd / ".zot" / FILE).write_text(content)
        server.add(TOUCH, "done")
        done = zot.ask(server, "-p", "x")
        assert done.code == 0
        assert "not used, because you have not allowed it: settings" in done.line()
        (zot.cwd / "ran").unlink()


def test_a_stricter_mode_of_a_trusted_project_counts(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / ".zot").mkdir()
    env = {name: value for name, value in zot.env.items() if name != "ZOT_PERMISSION_MODE"}
    for content in ('{"no_yolo": true}', '{"permissions": {"mode": "ask"}}'):
        (zot.cwd / ".zot" / FILE).write_text(content)
        server.add(TOUCH, "done")
        assert zot.ask(server, "-p", "--trust", "x", env=env).code == 5
        assert not (zot.cwd / "ran").exists()


@pytest.mark.parametrize("mode", ["yolo", "accept-edits"])
def test_a_wish_to_be_asked_counts_whatever_mode_the_same_file_has(mode: str, zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    (zot.home / FILE).write_text(json.dumps({"permissions": {"mode": mode}}))
    assert zot.run("config", "set", "no_yolo", "true").code == 0
    env = {name: value for name, value in zot.env.items() if name != "ZOT_PERMISSION_MODE"}
    server.add(Turn(calls=[Call("write", {"path": "ran", "content": ""})]), "done")
    assert zot.ask(server, "-p", "x", env=env).code == 5
    assert not (zot.cwd / "ran").exists()


@pytest.mark.needs("bwrap")
def test_a_sandbox_that_a_trusted_project_wants_confines(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / ".zot").mkdir()
    (zot.cwd / ".zot" / FILE).write_text('{"sandbox": "strict"}')
    server.add(Turn(calls=[Call("bash", {"command": "touch ~/ran ../ran"})]), "done")
    assert zot.ask(server, "-p", "--trust", "x").code == 0
    assert not (zot.cwd.parent / "ran").exists()


@pytest.mark.parametrize(("mode", "asked"), [("print", 5), ("json", 5), ("run", 3)])
def test_without_the_settings_calls_are_asked_about(mode: str, asked: int, zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    (zot.home / FILE).write_text('{"no_yolo":')
    server.add(TOUCH, "done", TOUCH, "done")
    done = start(zot, server, mode, "--ignore-settings", "--permission-mode", "yolo")
    assert (done.code, (zot.cwd / "ran").exists()) == (0, True), done.err
    (zot.cwd / "ran").unlink()
    done = start(zot, server, mode, "--ignore-settings")
    assert (done.code, (zot.cwd / "ran").exists()) == (asked, False), done.err


def test_what_helps_to_mend_the_settings_works_on(zot: Zot) -> None:
    zot.home.mkdir()
    (zot.home / FILE).write_text('{"no_yolo":')
    where = f"{zot.home / FILE}: line 1, column"
    for words, code in (
        (["doctor", "--offline"], 1), (["config", "path"], 0), (["config", "list"], 0), (["trust", "list"], 0),
        (["--help"], 0), (["--version"], 0), (["ext", "list"], 0),
    ):  # fmt: skip
        done = zot.run(*words)
        assert done.code == code, (words, done.err)
        assert (where in done.out + done.err) is (words[0] in ("doctor", "config") and words[1] != "path")
    (zot.home / FILE).write_text('{"no_yolo": "yes"}')
    assert zot.run("config", "set", "no_yolo", "true").code == 0
    assert json.loads((zot.home / FILE).read_text()) == {"no_yolo": True}


def test_a_key_that_no_setting_has_is_named(zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    (zot.home / FILE).write_text('{"bash_timout": 5, "last_changelog_shown": "1"}')
    said = f"{zot.home / FILE}: unknown key 'bash_timout'; did you mean bash_timeout?"
    server.add("done")
    done = zot.ask(server, "-p", "x")
    assert (done.code, done.line()) == (0, said)
    report = zot.run("doctor", "--offline")
    assert report.code == 1
    assert [line.split()[0] for line in report.out.splitlines() if line.endswith(said)] == ["no"]


@pytest.mark.parametrize("mode", ["print", "rpc", "serve", "acp", "run", "swarm"])
def test_a_flag_that_names_what_is_not_there_stops(mode: str, zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "file").touch()
    for flags in (["--ext", "./nope"], ["--add-dir", "./nope"], ["--add-dir", "file"]):
        refused(start(zot, server, mode, *flags), zot, server, flags[0], Path(flags[1]).name)


def test_a_variable_that_zot_does_not_read_and_that_seems_to_confine_stops(zot: Zot, server: ScriptedServer) -> None:
    for name in ("ZOT_SANDBOX", "ZOT_NO_YOLO", "ZOT_PERMISSIONS_MODE", "zot_no_yolo", "ZOT_HOM"):
        refused(zot.ask(server, "-p", "x", env={**zot.env, name: "on"}), zot, server, f"${name}")
    refused(zot.ask(server, "-p", "x", env={**zot.env, "ZOT_PERMISSION_MODE": ""}), zot, server, "is empty")
    server.add("done")
    assert zot.ask(server, "-p", "x", env={**zot.env, "ZOT_SANDBOX": "", "ZOT_HOOK": "1"}).code == 0


@pytest.mark.parametrize("value", ["onn", "On", "strct", "Strict", "offf"])
def test_a_misspelt_value_of_the_flag_for_the_sandbox_is_no_prompt(
    value: str, zot: Zot, server: ScriptedServer
) -> None:
    refused(zot.ask(server, "-p", "--sandbox", value, "x"), zot, server, f"--sandbox {value}", "did you mean")


@pytest.mark.parametrize("flag", ["—no-yolo", "–-no-yolo", "-–permission-mode=ask", "−−sandbox", "—strict-extensions"])
def test_a_flag_whose_hyphens_have_become_dashes_is_no_prompt(flag: str, zot: Zot, server: ScriptedServer) -> None:
    refused(zot.ask(server, "-p", flag, "x"), zot, server, "did you mean --")
    server.add("one", "two")
    assert zot.ask(server, "-p", "—quiet", "— or not").code == 0
    assert zot.ask(server, "-p", "--", flag).code == 0


@pytest.mark.parametrize(
    "name",
    [
        *("Config.json", "config.jsonc", "config.toml", "config.yaml", "settings.json", "confg.json"),
        *("config.json.txt", "settings.local.json", "hooks.json", "configuration.yml"),
    ],
)
def test_a_file_of_settings_with_another_name_stops(name: str, zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    (zot.home / name).write_text('{"no_yolo": true}')
    refused(zot.ask(server, "-p", "x"), zot, server, str(zot.home / name))
    server.add("one", "two")
    assert zot.ask(server, "-p", "--ignore-settings", "x").code == 0
    (zot.home / FILE).write_text("{}")  # zot has written it, and nothing of what the person has
    requests = len(server.requests)
    done = zot.ask(server, "-p", "x")
    assert (done.code, len(server.requests)) == (2, requests)
    (zot.home / name).rename(zot.home / f"{name}.old")
    (zot.cwd / ".zot").mkdir()
    (zot.cwd / ".zot" / name).write_text('{"no_yolo": true}')
    server.add("three", "four")
    requests = len(server.requests)
    done = zot.ask(server, "-p", "--trust", "x")
    assert (done.code, len(server.requests)) == (2, requests)
    assert str(zot.cwd / ".zot" / name) in done.line()
    assert zot.ask(server, "-p", "x").code == 0
    (zot.cwd / ".zot" / name).rename(zot.cwd / name)
    assert zot.ask(server, "-p", "--trust", "x").code == 0


# The other files

SERVER = {"command": sys.executable, "args": ["-c", "open('ran', 'w')"]}
FILES: list[tuple[str, str]] = [
    *(
        ("mcp.json", json.dumps({"mcpServers": {"a": {**SERVER, **field}}}))
        for field in (
            {"disabled": "true"}, {"disabled": 1}, {"disabled": None}, {"Disabled": True}, {"disable": True},
            {"enabled": "false"}, {"Enabled": False}, {"sampling": "never"}, {"sampling": False}, {"Sampling": "deny"},
            {"excludeTools": ["delete"]}, {"tools": ["read"]}, {"tools": {"delete": False}}, {"readOnly": True},
            {"disallowedTools": ["delete"]}, {"permissions": {"deny": ["delete"]}}, {"sandbox": {"network": False}},
            {"denied-tools": ["delete"]}, {"restrictTo": ["read"]}, {"includeTool": ["read"]}, {"isActive": False},
            {"off": True}, {"options": {"disabled": "yes"}},
        )
    ),
    ("mcp.json", json.dumps({"mcpServers": {"a": SERVER}, "mcp": {"excluded": ["a"]}})),
    ("mcp.json", '{"mcpServers": {"a": {"command": "x", "disabled": true},}}'),
    ("mcp.json", '{"mcpServers": {"a": {"command": "x", "disabled": true, "disabled": false}}}'),
    ("mcp.json", '{"mcpServers": {"a": {"command": "x", "disabled": true}}, "mcpServers": {"a": {"command": "x"}}}'),
    ("permissions.json", '{"deny": ["bash"]}'),
    ("permissions.json", '{"folders": {"project": {"deny": ["bash"]}}}'),
    ("agents/a.md", "---\ndescription: d\npermissions: ask\npermissions: yolo\n---\nx"),
    ("agents/a.md", "---\ndescription: d\ndisallowedTools: [Read, bsh]\n---\nx"),
    *(
        ("agents/a.md", f"---\ndescription: d\n{line}\n---\nx")
        for line in (
            "permissions: aks", "permissions: true", "permissions:", "Permissions: ask", "permission: plan",
            "permissionMode: plna", "mode: plan", "tools:", "tools: {read: yes}", "Tools: read", "tool: read",
            "allowed-tools: read", "disallowed-tools: bash", "worktree: yes", "worktrees: true", "isolation: container",
            "tools: Bash(ls *", "tools: Bash(ls (x))", "maxTurns: few", "maxturns: 3", "steps: 0", "sandbox: strict",
            "sandbox: {}", "sandbox_mode: read-only", "readonly: 1", "disabled: 1", "enabled: no", "approval: never",
            "hooks: {PreToolUse: []}", "denyRead: x", "excluded_tools: bash",
            "dissallowedTools: bash", "requireAproval: yes", "alowed-tools: read",
            "timeout: 5", "maxCost: 1", "network: no",
        )
    ),
]  # fmt: skip


def test_each_field_of_other_files_by_which_less_runs_is_understood_or_stops(zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    server.add(TOUCH, "done")
    for name, content in FILES:
        path = zot.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        refused(zot.ask(server, "-p", "x"), zot, server, str(path))
        path.unlink()


@pytest.mark.parametrize("mode", MODES)
def test_they_stop_every_mode(mode: str, zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    for name, content in (FILES[0], FILES[-1]):
        path = zot.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        refused(start(zot, server, mode), zot, server, str(path))
        path.unlink()


def test_a_rule_about_a_server_that_no_file_names_is_a_line(zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    (zot.home / "mcp.json").write_text(json.dumps({"mcpServers": {"time": {**SERVER, "disabled": True}}}))
    no = "no mcp.json that counts here names the server"
    for rule, said in (
        ("mcp__nope__x", [no]), ("mcp__tiem", [f"{no}; did you mean time?"]), ("MCP__time__now", []), ("mcp__ti*", []),
        ("mcp__*", []), ("mcp__no*", [no]),
    ):  # fmt: skip
        hook = {"match": f"bash|{rule}", "command": "exit 2"}
        for settings in ({"permissions": {"deny": [rule]}}, {"hooks": {"tool_call": [hook]}}):
            (zot.home / FILE).write_text(json.dumps(settings))
            server.add("done")
            done = zot.ask(server, "-p", "x")
            lines = [line for line in done.err.splitlines() if line.startswith("zot: ")]
            assert (done.code, lines) == (0, [f"zot: {zot.home / FILE}: {rule!r}: {each}" for each in said])


def test_they_count_for_nothing_in_a_folder_that_is_not_trusted(zot: Zot, server: ScriptedServer) -> None:
    for name, content in (FILES[0], FILES[-1], ("settings.json", '{"hooks":')):
        folder = zot.cwd / (".claude" if name == "settings.json" else ".zot")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        server.add(TOUCH, "done")
        done = zot.ask(server, "-p", "x")
        assert done.code == 0
        assert "not used, because you have not allowed it" in done.line()
        (zot.cwd / "ran").unlink()
        requests = len(server.requests)
        done = zot.ask(server, "-p", "--trust", "x")
        assert (done.code, len(server.requests)) == (2, requests)
        assert str(path) in done.line()
        shutil.rmtree(folder)


OF_A_FOLDER = {
    ".zot/config.json": '{"hooks": {"tool_cal": []}}',
    ".claude/settings.json": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "is this safe?"}]}]}}',
    ".zot/mcp.json": json.dumps({"mcpServers": {"a": {**SERVER, "disabled": "true"}}}),
    ".zot/agents/a.md": "---\ndescription: d\npermissions: aks\n---\nx",
    ".zot/extensions/a/extension.json": '{"name": "a", "exec": "./run", "guards": {"tool_call": {"on_exit": "blok"}}}',
}


@pytest.mark.parametrize("name", OF_A_FOLDER)
def test_a_yes_allows_no_folder_in_which_something_that_holds_back_is_broken(
    name: str, zot: Zot, server: ScriptedServer
) -> None:
    path = zot.cwd / name
    path.parent.mkdir(parents=True)
    path.write_text(OF_A_FOLDER[name])
    (zot.cwd / ".zot").mkdir(exist_ok=True)
    (zot.cwd / ".zot/SYSTEM.md").write_text("You do as the folder says.")
    server.add("an answer")
    command = [*zot.command, *zot.at(server)]
    with PtyScreen(command, environment={**zot.env, "TERM": "xterm"}, cwd=str(zot.cwd), columns=200) as pty:
        pty.wait_for("May zot use what this folder brings?")
        pty.wait_for("Enter choose")
        pty.type("y")
        pty.wait_until(lambda: f"✗ {path.parent}" in (said := pty.screen()) or f"✗ extension in {path.parent}" in said)
        pty.type("go\r")
        pty.wait_for("an answer")
        assert "in use" not in pty.screen()
    assert "as the folder says" not in json.dumps(server.requests[0].body)
    assert not (zot.cwd / "ran").exists()
    assert zot.run("trust", "list").out == "you have not been asked about any folder\n"
    done = zot.ask(server, "-p", "--trust", "x")
    assert (done.code, len(server.requests)) == (2, 1)
    assert str(path.parent) in done.line()


ALLOW = """
import os
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions
choice = ProjectChoice(HostOptions(), load_settings(zot_home()), os.getcwd(), can_ask=True)
choice.find()
choice.decide(allowed=True)
"""
HOOK = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./guard"}]}]}}
WHEN_ALLOWED = {
    ".zot/config.json": '{"permissions": {"deny": ["bash"]}}',
    ".claude/settings.json": json.dumps(HOOK),
    ".zot/mcp.json": json.dumps({"mcpServers": {"a": {**SERVER, "disabled": True}}}),
    ".zot/agents/a.md": "---\ndescription: d\npermissions: ask\n---\nx",
    ".zot/extensions/a/extension.json": OF_A_FOLDER[".zot/extensions/a/extension.json"].replace("blok", "block"),
}


def allowed(zot: Zot, name: str) -> Path:
    """A file of a folder that the person has allowed, with what is understood."""
    path = zot.cwd / name
    path.parent.mkdir(parents=True)
    path.write_text(WHEN_ALLOWED[name])
    (zot.cwd / "guard").write_text("#!/bin/sh\nexit 2\n")
    (zot.cwd / "guard").chmod(0o700)
    with forked.start([*FORKED, ALLOW], cwd=zot.cwd, env=zot.env) as process:
        assert process.wait(PATIENCE) == 0
    return path


@pytest.mark.parametrize("name", WHEN_ALLOWED)
def test_what_breaks_in_a_folder_after_it_was_allowed_stops(name: str, zot: Zot, server: ScriptedServer) -> None:
    path = allowed(zot, name)
    for broken in (OF_A_FOLDER[name], WHEN_ALLOWED[name][:-3]):
        path.write_text(broken)
        if name.endswith(".md") and broken != OF_A_FOLDER[name]:
            continue  # its text is shorter, and nothing else
        for mode in ("print", "rpc", "serve", "acp", "screen"):
            refused(start(zot, server, mode), zot, server, str(path.parent))


@pytest.mark.parametrize("mode", [each for each in MODES if each != "screen"])
def test_what_holds_back_and_changes_after_the_folder_was_allowed_stops_where_nobody_can_be_asked(
    mode: str, zot: Zot, server: ScriptedServer
) -> None:
    server.add(TOUCH, "done")
    for name, changed in (
        (".zot/config.json", '{"permissions": {"deny": ["bash", "write"]}}'),
        (".zot/config.json", '{"sandbox": "strict"}'),
        (".claude/settings.json", json.dumps(HOOK, indent=1)),
        (".claude/settings.json", '{"permissions": {"ask": ["Bash(git push:*)"]}}'),
        ("guard", "#!/bin/sh\nexit 0\n"),
    ):
        path = allowed(zot, ".claude/settings.json" if name == "guard" else name)
        (zot.cwd / name).write_text(changed)
        refused(start(zot, server, mode), zot, server, str(zot.cwd), f"{name} has changed", "--trust")
        shutil.rmtree(path.parent)


def test_what_holds_nothing_back_may_change_after_the_folder_was_allowed(zot: Zot, server: ScriptedServer) -> None:
    path = allowed(zot, ".zot/config.json")
    for changed in ({"theme": "light"}, {"permissions": {"allow": ["bash(make)"]}}):
        path.write_text(json.dumps(changed))
        server.add("an answer")
        done = zot.ask(server, "-p", "x")
        assert (done.code, done.out) == (0, "an answer\n")
        assert "not used, because you have not allowed it: settings" in done.line()


def test_an_extension_whose_manifest_holds_it_back_in_other_words_is_not_started(
    zot: Zot, server: ScriptedServer
) -> None:
    folder = zot.home / "extensions" / "a"
    folder.mkdir(parents=True)
    (folder / "run").write_text(f"#!/bin/sh\ntouch {zot.cwd}/ran\n")
    (folder / "run").chmod(0o700)
    for field in (
        '"Enabled": false',
        '"enabled": "false"',
        '"disabled": true',
        '"permission": {}',
        '"permissions": null',
    ):
        (folder / "extension.json").write_text(f'{{"name": "a", "exec": "./run", {field}}}')
        server.add("done")
        done = zot.ask(server, "-p", "x")
        assert done.code == 0
        assert str(folder) in done.line()
        assert not (zot.cwd / "ran").exists()


GUARD = '"guards": {"tool_call": {"on_timeout": "block", "on_exit": "block"}}'


@pytest.mark.parametrize("mode", ["print", "rpc", "serve", "acp", "run", "screen"])
def test_the_manifest_of_a_guard_is_understood_or_stops(mode: str, zot: Zot, server: ScriptedServer) -> None:
    folder = zot.home / "extensions" / "a"
    folder.mkdir(parents=True)
    server.add(TOUCH, "done")
    whole = f'{{"name": "a", "exec": "./run", {GUARD}}}'
    for text in (
        whole[:-1], f"{whole[:-1]},}}", f"// mine\n{whole}", whole.replace("guards", "Guards"),
        whole.replace("guards", "guard"), whole.replace("guards", "gaurds"),
        whole.replace("block", "blok"), whole.replace("tool_call", "toolcall"),
        whole.replace("on_exit", "onExit"), whole.replace('"./run"', "3"), '{"name": "a", "exec": "./a", "guards": []}',
    ):  # fmt: skip
        (folder / "extension.json").write_text(text)
        refused(start(zot, server, mode), zot, server, str(folder))
    (folder / "extension.json").rename(folder / "extensions.json")
    refused(start(zot, server, mode), zot, server, str(folder), "extensions.json")


def test_the_manifest_of_a_guard_that_is_off_stops_nothing(zot: Zot, server: ScriptedServer) -> None:
    folder = zot.home / "extensions" / "a"
    folder.mkdir(parents=True)
    server.add(TOUCH, "done")
    (folder / "extension.json").write_text(f'{{"name": "a", "exec": 3, "enabled": false, {GUARD}}}')
    assert start(zot, server, "print", "--permission-mode", "yolo").code == 0
