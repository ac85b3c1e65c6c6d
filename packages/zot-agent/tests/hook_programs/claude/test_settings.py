import json
from pathlib import Path
from typing import Any

import pytest

from zot_agent.hook_programs.claude.settings import claude_programs
from zot_agent.hook_programs.program import HookProgram
from zot_provider.errors import ConfigError


def write(path: Path, hooks: Any, **more: Any) -> str:
    path.write_text(json.dumps({"hooks": hooks, **more}))
    return str(path)


def group(matcher: Any = "", **entry: Any) -> list[dict[str, Any]]:
    return [{"matcher": matcher, "hooks": [{"type": "command", "command": "x", **entry}]}]


def test_hooks_are_read_as_claude_code_writes_them(tmp_path: Path) -> None:
    path = write(
        tmp_path / "settings.json",
        {
            "PreToolUse": group("Bash|Edit", timeout=5),
            "PostCompact": [{"hooks": [{"type": "command", "command": "y", "args": ["a b"], "async": True}]}],
        },
    )
    assert claude_programs([path]) == (
        [
            HookProgram("tool_call", "x", path, "Bash|Edit", 5, claude="PreToolUse"),
            HookProgram("session_compact", "y 'a b'", path, seconds=600, waits=False, claude="PostCompact"),
        ],
        [],
    )


@pytest.mark.parametrize(
    ("matcher", "names", "others"),
    [
        ("Bash, Edit|Write", ["Bash", "Edit", "Write"], ["BashOutput", "Read"]),
        ("mcp__lab", ["mcp__lab__run", "mcp__lab__a__b"], ["mcp__laboratory__run", "Bash"]),
        ("mcp__lab__run", ["mcp__lab__run"], ["mcp__lab__runs"]),
        ("^Notebook", ["NotebookEdit"], ["MyNotebook"]),
        ("(Edit|Write)$", ["MultiEdit", "Write"], ["Editor"]),
        ("bash", ["Bash", "bash"], ["BashOutput"]),
        ("Todo(Write|Read)", ["TodoWrite"], ["Todo"]),
        ("^deploy_.*$", ["deploy_all"], ["Bash"]),
        ("mcp__.*__(write|delete).*", ["mcp__a__write_x"], ["Write"]),
        ("LSP|WebSearch|TaskOutput|Skill", ["LSP", "WebSearch"], ["Task"]),
    ],
)
def test_a_matcher_is_a_list_of_names_or_an_expression_for_a_part(
    tmp_path: Path, matcher: str, names: list[str], others: list[str]
) -> None:
    ((program,), _) = claude_programs([write(tmp_path / "settings.json", {"PreToolUse": group(matcher)})])
    assert [each for each in (*names, *others) if program.matches(each)] == names


NOT_RUN: list[tuple[list[Any], str]] = [
    (group(type="prompt"), 'the type "prompt"'),
    (group(unless="Bash(git *)"), "the key 'unless'"),
    (group("("), "the matcher '(': "),
    (group("Read|Bsh"), "the matcher 'Bsh', which is no tool but nearly 'bash'"),
    (group("Bsh(rm *)"), "the matcher 'Bsh', which is no tool but nearly 'bash'"),
    (group("Bash;Edit"), "the matcher 'Bash;Edit', an expression that names Bash and fits no tool"),
    (group("^bsh$"), "the matcher 'bsh', which is no tool but nearly 'bash'"),
    (group("run_command"), "the matcher 'run_command', which is no tool but nearly 'bash'"),
    (group(1), "the matcher 1"),
    (group(command=" "), "no command"),
    (group(timeout=True), "the timeout true"),
    (group(onFailure="blok"), 'onFailure "blok"'),
    (["x"], "expected an object, got null"),
    ([{"matcher": "Bash", "command": "x"}], "expected an object, got null"),
]
OTHERS = (
    "Stop",
    "PostToolUse",
    "PreCompact",
    "SessionStart",
    "PermissionRequest",
    "UserPromptExpansion",
    "TeammateIdle",
)
"""Events at which nothing is refused, or that zot does not have."""


@pytest.mark.parametrize(("groups", "why"), NOT_RUN, ids=[why for _, why in NOT_RUN])
def test_a_guard_that_zot_cannot_run_is_an_error_and_any_other_hook_is_a_line(
    tmp_path: Path, groups: list[Any], why: str
) -> None:
    path = tmp_path / "settings.json"
    for name in ("PreToolUse", "UserPromptSubmit"):
        write(path, {name: groups})
        with pytest.raises(ConfigError) as error:
            claude_programs([str(path)])
        assert str(error.value).startswith(f"{path}: hooks.{name}: {why}")
        assert "\n" not in str(error.value)
    for name in OTHERS:
        write(path, {name: groups, "SessionEnd": group()})
        programs, notes = claude_programs([str(path)])
        assert [each.claude for each in programs] == ["SessionEnd"]
        assert [note.startswith(f"{path}: zot does not run these hooks: {name} (") for note in notes] == [True]
        assert "\n" not in notes[0]


def test_a_hook_with_a_condition_has_rules_about_its_calls(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for name in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        (program,), notes = claude_programs([write(path, {name: group(**{"if": "Edit(*.ts)"})})])
        assert [(each.action, each.text) for each in program.rules] == [("ask", "Edit(*.ts)"), ("ask", "Edit(**/*.ts)")]
        assert program.lines()[0].startswith(f"{name}, if Edit(*.ts)")
        assert notes == []
    several = group(**{"if": "Bash(git *)|Bash(cargo *)"})
    (program,), notes = claude_programs([write(path, {"PreToolUse": several})])
    assert [each.text for each in program.rules] == ["Bash(git *)", "Bash(cargo *)"]
    for every in (None, "", "*"):
        (program,), notes = claude_programs([write(path, {"PreToolUse": group(**{"if": every})})])
        assert (program.rules, notes) == ((), [])


@pytest.mark.parametrize(
    ("matcher", "tools", "rules"),
    [
        ("Bash(git commit*)", "Bash", ["Bash(git commit*)"]),
        ("Bash(*)", "Bash", ["Bash(*)"]),
        ("Bash(git commit:*)|Bash(git push:*)", "Bash|Bash", ["Bash(git commit:*)", "Bash(git push:*)"]),
        ("Write(src/**)", "Write", ["Write(src/**)"]),
    ],
)
def test_a_matcher_that_is_a_rule_is_a_condition(matcher: str, tools: str, rules: list[str], tmp_path: Path) -> None:
    (program,), notes = claude_programs([write(tmp_path / "settings.json", {"PreToolUse": group(matcher)})])
    assert (program.match, [each.text for each in program.rules], notes) == (tools, rules, [])
    (program,), (note,) = claude_programs([write(tmp_path / "settings.json", {"PreToolUse": group("Bash(a && b)")})])
    assert (program.match, program.rules) == ("Bash", ())
    assert "so they always do: PreToolUse (if " in note


@pytest.mark.parametrize("condition", ["Bash(git * && ls)", "Skill(x)", "Bsh(rm *)", "not a rule", 1, {"tool": "Bash"}])
def test_a_guard_whose_condition_is_not_understood_runs_at_every_call_and_a_line_says_so(
    condition: object, tmp_path: Path
) -> None:
    path = tmp_path / "settings.json"
    (program,), (note,) = claude_programs([write(path, {"PreToolUse": group("Bash", **{"if": condition})})])
    assert (program.match, program.rules) == ("Bash", ())
    assert note.startswith(f"{path}: zot does not understand when these hooks run, so they always do: PreToolUse (if ")


def test_a_condition_where_there_is_no_call_leaves_a_guard_in_place_and_no_other_hook(tmp_path: Path) -> None:
    hooks = {name: group(**{"if": "Bash(git *)"}) for name in ("UserPromptSubmit", "Stop", "Notification")}
    (program,), notes = claude_programs([write(tmp_path / "settings.json", hooks)])
    assert program.claude == "UserPromptSubmit"
    assert "does not run these hooks: Stop (it has an 'if', and is about no call), Notification (" in notes[0]
    assert "so they always do: UserPromptSubmit (if " in notes[1]


@pytest.mark.parametrize(
    "name",
    ["preToolUse", "PreToolUses", "pre_tool_use", "UserPromptSubmitted", "PreTool", "BeforeTool", "tool_call"],
)
def test_an_event_that_is_nearly_one_of_a_guard_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=f": hooks.{name}: no such event in zot"):
        claude_programs([write(tmp_path / "settings.json", {name: group()})])


@pytest.mark.parametrize("hooks", [[{"PreToolUse": []}], "PreToolUse", 1])
def test_hooks_that_are_no_object_are_an_error(tmp_path: Path, hooks: object) -> None:
    with pytest.raises(ConfigError, match=r"settings\.json: hooks: expected an object"):
        claude_programs([write(tmp_path / "settings.json", hooks)])


def test_all_can_be_turned_off_and_the_last_file_counts(tmp_path: Path) -> None:
    shared = write(tmp_path / "settings.json", {"SessionEnd": group()}, disableAllHooks=True)
    assert claude_programs([shared]) == ([], [])
    own = write(tmp_path / "settings.local.json", {}, disableAllHooks=False)
    assert len(claude_programs([shared, own])[0]) == 1
    write(tmp_path / "settings.json", {"PreToolUse": group(type="prompt")})
    write(tmp_path / "settings.local.json", {}, disableAllHooks=True)
    assert claude_programs([shared, own]) == ([], [])


def test_a_file_that_cannot_be_read_is_an_error_because_it_could_name_a_guard(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{")
    with pytest.raises(ConfigError, match=f"^{path}: line 1, column 2"):
        claude_programs([str(path)])


@pytest.mark.parametrize("more", [{"shell": "bash"}, {"description": "x"}, {"name": "x"}, {"_comment": "x"}])
def test_keys_that_change_nothing_keep_no_guard_from_running(tmp_path: Path, more: dict[str, Any]) -> None:
    entry = {"type": "command", "command": "true", **more}
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    (program,), notes = claude_programs([str(path)])
    assert (program.waits, notes) == (True, [])


def test_a_hook_that_wakes_the_model_later_is_not_waited_for(tmp_path: Path) -> None:
    entry = {"type": "command", "command": "true", "asyncRewake": True}
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    (program,), _ = claude_programs([str(path)])
    assert not program.waits
