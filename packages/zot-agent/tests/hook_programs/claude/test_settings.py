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


NOT_RUN: list[tuple[dict[str, Any], str]] = [
    ({"TeammateIdle": group()}, "TeammateIdle (no such event in zot)"),
    ({"PreToolUse": group(type="prompt")}, 'PreToolUse (the type "prompt")'),
    ({"PreToolUse": group(**{"if": "Bash(git *)"})}, "PreToolUse (the key 'if')"),
    ({"PreToolUse": group("(")}, "PreToolUse (the matcher '(': "),
    ({"PreToolUse": group(1)}, "PreToolUse (the matcher 1)"),
    ({"PreToolUse": group(command=" ")}, "PreToolUse (no command)"),
    ({"PreToolUse": group(timeout=True)}, "PreToolUse (the timeout true)"),
    ({"PreToolUse": ["x"]}, "PreToolUse (expected an object, got null)"),
    ({"PreToolUse": 1}, "PreToolUse (expected an object, got null)"),
]


@pytest.mark.parametrize(("hooks", "why"), NOT_RUN, ids=[why for _, why in NOT_RUN])
def test_what_zot_cannot_run_is_a_line_and_the_rest_runs(tmp_path: Path, hooks: dict[str, Any], why: str) -> None:
    path = write(tmp_path / "settings.json", {**hooks, "SessionEnd": group()})
    programs, notes = claude_programs([path])
    assert [each.claude for each in programs] == ["SessionEnd"]
    assert [note.startswith(f"{path}: zot does not run these hooks: {why}") for note in notes] == [True]
    assert "\n" not in notes[0]


def test_all_can_be_turned_off_and_the_last_file_counts(tmp_path: Path) -> None:
    shared = write(tmp_path / "settings.json", {"SessionEnd": group()}, disableAllHooks=True)
    assert claude_programs([shared]) == ([], [])
    own = write(tmp_path / "settings.local.json", {}, disableAllHooks=False)
    assert len(claude_programs([shared, own])[0]) == 1


def test_a_file_that_cannot_be_read_is_an_error_because_it_could_name_a_guard(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{")
    with pytest.raises(ConfigError, match=f"^{path}: line 1, column 2"):
        claude_programs([str(path)])
