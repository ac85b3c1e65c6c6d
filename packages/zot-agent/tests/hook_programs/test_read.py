import json
from pathlib import Path
from typing import Any

import pytest

from zot_agent.config.settings import Layer, Settings, load_settings
from zot_agent.hook_programs.program import HookProgram
from zot_agent.hook_programs.read import programs_of_settings, read_programs
from zot_provider.errors import ConfigError


def test_an_entry_says_when_a_program_runs_and_what_its_failure_means() -> None:
    entry = {
        "match": "edit | wr*|",
        "command": "./guard",
        "timeout": 2.5,
        "on_failure": "block",
        "sandbox": False,
        "wait": True,
    }
    assert read_programs({"tool_call": [entry, {"command": "say hi", "match": "*"}]}, "f") == [
        HookProgram("tool_call", "./guard", "f", "edit|wr.*", 2.5, blocks_on_failure=True, sandboxed=False),
        HookProgram("tool_call", "say hi", "f"),
    ]


def test_a_pattern_is_about_the_whole_name() -> None:
    program = HookProgram("tool_call", "x", "f", "edit|todo_.*")
    assert [name for name in ("edit", "edits", "todo_", "todo_add", "Edit", "") if program.matches(name)] == [
        "edit",
        "todo_",
        "todo_add",
        "Edit",
    ]
    assert HookProgram("turn_end", "x", "f").matches("")


def test_a_tool_may_have_the_name_that_rules_understand() -> None:
    entry = {"command": "x", "match": "Bash | MultiEdit|WebFetch|mcp__lab|deploy"}
    ((program),) = read_programs({"tool_call": [entry]}, "f")
    names = ("bash", "edit", "fetch", "mcp__lab__run", "deploy")
    assert all(map(program.matches, names))
    assert not any(map(program.matches, ("read", "mcp__laboratory__run", "bash_output")))


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"tool_cal": []}, "f: hooks: unknown event 'tool_cal'; did you mean tool_call"),
    ({"PreToolUse": []}, "f: hooks: PreToolUse of Claude Code is tool_call here"),
    ({"tool_call": {}}, "f: hooks.tool_call: expected a list of programs, got an object"),
    ({"tool_call": ["./x"]}, 'f: hooks.tool_call[0]: expected an object, got "./x"'),
    ({"tool_call": [{"command": "x"}, {"mtach": "edit"}]}, "f: hooks.tool_call[1]: unknown key 'mtach'; did you mean"),
    ({"tool_call": [{"match": "edit"}]}, "f: hooks.tool_call[0]: the key 'command' is missing"),
    ({"tool_call": [{"command": " "}]}, "f: hooks.tool_call[0].command: expected a command for the shell"),
    ({"tool_call": [{"command": ["x"]}]}, "f: hooks.tool_call[0].command: expected a command for the shell, got a li"),
    ({"tool_call": [{"command": "x\0"}]}, "f: hooks.tool_call[0].command: expected a command for the shell"),
    ({"tool_call": [{"command": "x", "match": ["edit"]}]}, "f: hooks.tool_call[0].match: expected names with | betwe"),
    (
        {"tool_call": [{"command": "x", "match": "read|shell"}]},
        "f: hooks.tool_call[0].match: there is no tool shell",
    ),
    ({"tool_call": [{"command": "x", "match": "(a+)+"}]}, "f: hooks.tool_call[0].match: expected names with | betwee"),
    (
        {"tool_call": [{"command": "x", "match": "edit|bsh"}]},
        "f: hooks.tool_call[0].match: there is no tool bsh; did you",
    ),
    (
        {"tool_call": [{"command": "x", "match": "All"}]},
        "f: hooks.tool_call[0].match: there is no tool All; did you mean *",
    ),
    (
        {"tool_call": [{"command": "x", "match": "rm"}]},
        "f: hooks.tool_call[0].match: there is no tool rm; did you mean ba",
    ),
    ({"tool_call": [{"command": "x", "match": "Wrte"}]}, "f: hooks.tool_call[0].match: there is no tool Wrte; did you"),
    ({"tool_call": [{"command": "x", "timeout": 0}]}, "f: hooks.tool_call[0].timeout: expected seconds, more than 0"),
    ({"tool_call": [{"command": "x", "timeout": True}]}, "f: hooks.tool_call[0].timeout: expected seconds, more than"),
    ({"tool_call": [{"command": "x", "timeout": 1e9}]}, "f: hooks.tool_call[0].timeout: expected seconds, more than "),
    ({"tool_call": [{"command": "x", "wait": 1}]}, "f: hooks.tool_call[0].wait: expected true or false, got 1"),
    ({"tool_call": [{"command": "x", "on_failure": "stop"}]}, 'f: hooks.tool_call[0].on_failure: expected "allow" or'),
    ({"turn_end": [{"command": "x", "match": "edit"}]}, "f: hooks.turn_end[0].match: turn_end is not about a tool"),
    ({"turn_end": [{"command": "x", "on_failure": "block"}]}, "f: hooks.turn_end[0].on_failure: this only observes tu"),
    (
        {"tool_call": [{"command": "x", "on_failure": "block", "wait": False}]},
        "f: hooks.tool_call[0].on_failure: this only observes tool_call",
    ),
    (
        {"before_agent_start": [{"command": "x", "wait": False}]},
        "f: hooks.before_agent_start[0].wait: before_agent_start can only be waited for",
    ),
]


@pytest.mark.parametrize(("value", "error"), WRONG, ids=[error[:50] for _, error in WRONG])
def test_a_mistake_is_one_line_that_names_the_file_and_the_place(value: dict[str, Any], error: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read_programs(value, "f")
    assert str(raised.value).startswith(error)
    assert "\n" not in str(raised.value)


def test_the_programs_of_all_files_run_those_of_the_person_first(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"hooks": {"tool_call": [{"command": "own"}]}}))
    project = Layer("p", {"hooks": {"turn_end": [{"command": "theirs"}]}})
    assert [each.command for each in programs_of_settings(load_settings(str(tmp_path), project))] == ["own", "theirs"]


def test_a_project_cannot_let_a_program_leave_the_sandbox() -> None:
    settings = Settings(Layer("p", {"hooks": {"turn_end": [{"command": "x", "sandbox": False}]}}))
    with pytest.raises(ConfigError, match="only your own settings can let a program leave the sandbox"):
        programs_of_settings(settings, project="p")


@pytest.mark.parametrize("text", ['{"hooks": 1}', '{"hooks": {'])
def test_hooks_that_cannot_be_read_are_an_error_because_one_could_be_a_guard(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ConfigError, match=r"config\.json"):
        programs_of_settings(load_settings(str(tmp_path)))
