import pytest

from zot_core.permissions.allowed_tools import read_allowed_tools
from zot_core.permissions.judge import Judge


@pytest.mark.parametrize(
    ("entry", "command", "allowed"),
    [
        ("Bash(git status:*)", "git status --short", True),
        ("Bash(git status:*)", "git status", True),
        ("Bash(git status:*)", "git push", False),
        ("Bash(git status:*)", "git status; git push", False),
        ("Bash(npm test)", "npm test", True),
        ("Bash(npm test)", "npm test --watch", False),
        ("Bash(*)", "npm publish", True),
        ("Bash(:*)", "npm publish", True),
        ("Bash", "npm publish", True),
        ("Read", "npm publish", False),
    ],
)
def test_an_entry_of_claude_code_allows_what_it_says(entry: str, command: str, *, allowed: bool) -> None:
    rules, problems = read_allowed_tools([entry], "/commit: allowed-tools")
    assert problems == []
    assert (Judge(rules).judge_command(command, "/").action == "allow") is allowed


@pytest.mark.parametrize(
    ("entry", "rule"), [("MultiEdit", "edit"), ("Edit(src/**)", "Edit"), ("mcp__x__y", "mcp__x__y")]
)
def test_tools_have_the_names_of_zot_s_own(entry: str, rule: str) -> None:
    rules, _ = read_allowed_tools([entry], "/commit: allowed-tools")
    assert [(each.action, each.tool) for each in rules] == [("allow", rule)]


def test_what_is_no_rule_is_named_and_the_others_count() -> None:
    rules, problems = read_allowed_tools(["Bash(ls", "Read"], "/commit: allowed-tools")
    assert [each.text for each in rules] == ["Read"]
    (line,) = problems
    assert line.startswith("/commit: allowed-tools: 'Bash(ls': expected TOOL or TOOL(PATTERN)")
    assert line.endswith("; it has no effect")
