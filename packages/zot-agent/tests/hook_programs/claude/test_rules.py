import json
from pathlib import Path
from typing import Any

import pytest

from zot_agent.hook_programs.claude.rules import claude_layers
from zot_core.permissions.judge import Judge
from zot_core.permissions.rule import parse_permissions


def write(path: Path, content: Any) -> str:
    path.write_text(json.dumps(content))
    return str(path)


def test_only_rules_that_hold_back_are_taken_over(tmp_path: Path) -> None:
    rules = {"allow": ["Bash"], "ask": ["Bash(git push:*)"], "deny": ["WebFetch"], "additionalDirectories": ["/x"]}
    (layer,) = claude_layers([write(tmp_path / "settings.json", {"permissions": rules, "model": "opus"})])
    assert layer.values == {"permissions": {"ask": ["Bash(git push:*)"], "deny": ["WebFetch"]}}
    assert (layer.problems, layer.errors) == ([], [])


@pytest.mark.parametrize("content", [{}, {"permissions": {}}, {"permissions": {"allow": ["Bash"], "deny": []}}])
def test_a_file_that_holds_nothing_back_says_nothing(tmp_path: Path, content: dict[str, Any]) -> None:
    (layer,) = claude_layers([write(tmp_path / "settings.json", content)])
    assert (layer.values, layer.problems, layer.errors) == ({}, [], [])


@pytest.mark.parametrize(
    ("rule", "denied", "others"),
    [
        ("Read(.env)", ["cat .env", "cat a/b/.env"], ["cat .envs"]),
        ("Read(*.pem)", ["cat k.pem", "cat a/k.pem"], ["cat k.pub"]),
        ("Read(secrets/)", ["cat secrets/a", "cat b/secrets/a"], ["cat a"]),
        ("Read(./secrets/**)", ["cat secrets/a"], ["cat b/secrets/a"]),
        ("Read(/src/**)", ["cat src/a", "cat /src/a"], ["cat b/src/a"]),
        ("Read(//etc/passwd)", ["cat /etc/passwd"], ["cat etc/passwd"]),
        ("Read(~/.ssh/**)", ["cat ~/.ssh/id"], ["cat .ssh/id"]),
        ("Edit(.env)", ["cp a b/.env"], ["cp a b/env"]),
        ("Bash(npm run test:*)", ["npm run test:unit", "npm run test -- -x"], ["npm run build"]),
    ],
)
def test_a_rule_covers_what_it_covers_there(tmp_path: Path, rule: str, denied: list[str], others: list[str]) -> None:
    path = write(tmp_path / "settings.json", {"permissions": {"deny": [rule]}})
    (layer,) = claude_layers([path])
    judge = Judge(parse_permissions(layer.values["permissions"], path).rules, "yolo")
    for line in (*denied, *others):
        assert judge.judge_command(line, str(tmp_path / "project")).action == ("deny" if line in denied else "allow"), (
            line
        )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "line 1, column 2"),
        ('{"permissions": ["Bash"]}', "permissions: expected an object"),
        ('{"permissions": {"deny": "Bash"}}', "permissions.deny: expected an array"),
        ('{"permissions": {"ask": [1]}}', "permissions.ask: expected a rule as text"),
        ('{"permissions": {"deny": ["Bsh(rm:*)"]}}', "did you mean bash?"),
        ('{"permissions": {"deny": ["Bash(rm x && ls)"]}}', "a rule is about one command"),
    ],
)
def test_what_may_hold_back_and_is_not_understood_is_an_error(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text)
    (layer,) = claude_layers([str(path)])
    assert layer.values == {}
    assert [str(path) in each and why in each and "--ignore-settings" in each for each in layer.errors] == [True]


@pytest.mark.parametrize(
    ("content", "name", "meant"),
    [
        ({"permissions": {"denny": ["Bash"]}}, "permissions.denny", "permissions.deny"),
        ({"permissions": {"aks": ["Bash"]}}, "permissions.aks", "permissions.ask"),
        ({"permissions": {"blockedTools": ["Bash"]}}, "permissions.blockedTools", "permissions.deny"),
        ({"permission": {"deny": ["Bash"]}}, "permission", "permissions"),
        ({"Permissions": {"deny": ["Bash"]}}, "Permissions", "permissions"),
        ({"disabledMcpjsonServer": ["x"]}, "disabledMcpjsonServer", "disabledMcpjsonServers"),
        ({"hook": {}}, "hook", "hooks"),
        ({"sandbx": {"enabled": True}}, "sandbx", "sandbox"),
        ({"deny": ["Bash"]}, "deny", "permissions.deny"),
        ({"disallowedTools": ["Bash"]}, "disallowedTools", "permissions.deny"),
        ({"defaultMode": "plan"}, "defaultMode", "permissions.defaultMode"),
        ({"permissions": {"defautMode": "plan"}}, "permissions.defautMode", "permissions.defaultMode"),
        ({"permissions": {"never": ["Bash(rm *)"]}}, "permissions.never", "permissions.deny"),
        ({"permissions": {"bash": "ask"}}, "permissions.bash", "permissions.deny"),
        ({"permissions": {"Bash": {"rm *": "deny"}}}, "permissions.Bash", "permissions.deny"),
        ({"sandboxEnabled": True}, "sandboxEnabled", "permissions.deny"),
        ({"readOnly": True}, "readOnly", "permissions.deny"),
        ({"forbidden": ["Bash"]}, "forbidden", "permissions.deny"),
        ({"rules": ["Bash(rm *)"]}, "rules", "permissions.deny"),
        ({"perm": {"Bash": "deny"}}, "perm", "permissions.deny"),
        ({"access": {"tools": [{"never": ["Edit"]}]}}, "access", "permissions.deny"),
        ({"mode": "plan"}, "mode", "permissions.defaultMode"),
        ({"permissions": {"mode": "plan"}}, "permissions.mode", "permissions.deny"),
        ({"permissionMode": "plan"}, "permissionMode", "permissions"),
        ({"settings": {"permissions": {"deny": ["Bash"]}}}, "settings.permissions", "permissions"),
    ],
)
def test_what_is_nearly_a_setting_that_holds_back_is_an_error(
    content: dict[str, Any], name: str, meant: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "settings.json", content)
    (layer,) = claude_layers([path])
    assert layer.errors == [
        f"{path}: Claude Code has no setting {name!r}; did you mean {meant}? (--ignore-settings starts without it)"
    ]


def test_what_claude_code_has_and_zot_does_not_know_stops_nothing(tmp_path: Path) -> None:
    others = {
        "defaultMode": "acceptEdits", "denyOfTomorrow": ["x"],
        "allowedMcpServers": [], "allowManagedHooksOnly": True, "disableAllHooks": True, "enabledMcpjsonServers": ["x"],
        "enableAllProjectMcpServers": True, "env": {"DENY": "1"}, "permissionExplainerEnabled": True,
        "blockedMarketplaces": [], "autoMode": {"soft_deny": []}, "strictKnownMarketplaces": [],
        "permissions": {"disableAutoMode": "disable", "additionalDirectories": ["/x"], "allowed": [], "note": "x"},
        "sandboxEnabled": False, "readOnly": False, "outputStyle": "plan", "agent": "plan", "verbs": ["Reading"],
        "pluginConfigs": {"a": {"tools": ["Bash"]}}, "allowed": ["Bash(ls)"],
    }  # fmt: skip
    (layer,) = claude_layers([write(tmp_path / "settings.json", others)])
    assert (layer.values, layer.problems, layer.errors) == ({}, [], [])


def test_a_link_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "settings.json").symlink_to("dotfiles/settings.json")
    (layer,) = claude_layers([str(tmp_path / "settings.json")])
    assert "settings.json: the link leads nowhere (--ignore-settings" in layer.errors[0]


def test_other_ways_to_hold_back_are_named_unless_zot_was_told_the_same(tmp_path: Path) -> None:
    content = {
        "permissions": {"defaultMode": "plan", "disableBypassPermissionsMode": "disable"},
        "sandbox": {"enabled": True},
    }
    path = write(tmp_path / "settings.json", content)
    names = ["permissions.defaultMode", "permissions.disableBypassPermissionsMode", "sandbox"]
    servers = ["disabledMcpjsonServers", "deniedMcpServers", "disabledMcpServers"]
    [layer] = claude_layers([write(tmp_path / "others.json", {each: ["x"] for each in servers})])
    assert f"zot does not use {', '.join(servers)};" in layer.problems[0]
    for said, named in (((), names), (("mode",), names[2:]), (("sandbox",), names[:2])):
        assert [
            f"zot does not use {', '.join(named)};" in line
            for layer in claude_layers([path], said)
            for line in layer.problems
        ] == [True]
    assert claude_layers([path], ("mode", "sandbox"))[0].problems == []


def test_a_rule_that_zot_has_no_words_for_is_named(tmp_path: Path) -> None:
    rules = {"deny": ["Task", "Agent(Explore)", "Skill(deploy:*)"], "ask": ["Task(x)"]}
    (layer,) = claude_layers([write(tmp_path / "settings.json", {"permissions": rules})])
    assert layer.values == {"permissions": {"ask": [], "deny": ["Task"]}}
    assert (
        "permissions.ask Task(x), permissions.deny Agent(Explore), permissions.deny Skill(deploy:*);"
        in layer.problems[0]
    )
    assert parse_permissions(layer.values["permissions"], "").rules[0].tool == "agent"


@pytest.mark.parametrize("walls", [True, "on", {"enabled": "true"}, {"enabeld": True}])
def test_a_sandbox_there_is_named_however_it_is_turned_on(walls: object, tmp_path: Path) -> None:
    [layer] = claude_layers([write(tmp_path / "settings.json", {"sandbox": walls})])
    assert "zot does not use sandbox;" in layer.problems[0]


def test_guards_of_the_persons_own_file_are_named_because_they_do_not_run(tmp_path: Path) -> None:
    hook = [{"hooks": [{"type": "command", "command": "exit 2"}]}]
    path = write(tmp_path / "settings.json", {"hooks": {"PreToolUse": hook, "Stop": hook}})
    assert "zot does not use hooks.PreToolUse;" in claude_layers([path], (), path)[0].problems[0]
    assert claude_layers([path], ("hooks",), path)[0].problems == []
    assert claude_layers([path])[0].problems == []


@pytest.mark.parametrize("mode", ["acceptEdits", "bypassPermissions"])
def test_a_mode_that_asks_less_is_not_missed(tmp_path: Path, mode: str) -> None:
    content = {"permissions": {"defaultMode": mode}, "sandbox": {"enabled": False}}
    assert claude_layers([write(tmp_path / "settings.json", content)])[0].problems == []


@pytest.mark.parametrize("rule", ["LSP", "PowerShell(Remove-Item *)", "PowerShell", "REPL"])
def test_a_rule_about_a_tool_that_zot_does_not_have_is_named(tmp_path: Path, rule: str) -> None:
    (layer,) = claude_layers([write(tmp_path / "settings.json", {"permissions": {"deny": [rule, "Bash(rm *)"]}})])
    assert layer.errors == []
    assert f"permissions.deny {rule}" in layer.problems[0]
    assert layer.values == {"permissions": {"deny": ["Bash(rm *)"]}}


@pytest.mark.parametrize("name", ["perms", "rules", "tools", "access"])
def test_rules_under_another_name_stop(tmp_path: Path, name: str) -> None:
    (layer,) = claude_layers([write(tmp_path / "settings.json", {name: {"deny": ["Bash"]}})])
    assert f"no setting '{name}.deny'; did you mean permissions.deny?" in layer.errors[0]
