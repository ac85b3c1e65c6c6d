"""Hooks of Claude Code in a trusted project: real processes on both sides, with a scripted model."""

import json
from typing import Any

import pytest
from command import Finished, Zot

from zot_provider.testing import Call, ScriptedServer, Turn


def hooks(zot: Zot, events: dict[str, str], matcher: str = "", name: str = "settings.json") -> None:
    """Write the settings of a project with a command for each event."""
    (zot.cwd / ".claude").mkdir(exist_ok=True)
    found = {
        event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]
        for event, command in events.items()
    }
    (zot.cwd / ".claude" / name).write_text(json.dumps({"hooks": found}))


def ask(zot: Zot, server: ScriptedServer, *flags: str, prompt: str = "go") -> Finished:
    return zot.ask(server, "-p", "--trust", *flags, prompt)


def calls(server: ScriptedServer, tool: str, **arguments: Any) -> None:
    server.add(Turn(calls=[Call(tool, arguments)]), "done")


def seen(zot: Zot, name: str = "seen") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((zot.cwd / name).read_text())
    return found


def test_a_hook_before_a_tool_reads_the_call_as_claude_code_writes_it(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"PreToolUse": 'cat > "$CLAUDE_PROJECT_DIR/seen"'}, "Write|Edit")
    calls(server, "write", path="sub/a.txt", content="x")
    assert ask(zot, server).err == ""
    call = seen(zot)
    assert call.pop("session_id")[:8] in call.pop("transcript_path")
    assert call.pop("tool_use_id")
    assert call == {
        "cwd": str(zot.cwd),
        "permission_mode": "bypassPermissions",
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": str(zot.cwd / "sub/a.txt"), "content": "x"},
    }
    assert (zot.cwd / "sub/a.txt").exists()


def specific(**fields: Any) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}})


@pytest.mark.parametrize(
    "command",
    [
        "echo not here >&2; exit 2",
        f"echo '{specific(permissionDecision='deny', permissionDecisionReason='not here')}'",
        """echo '{"decision": "block", "reason": "not here"}'""",
    ],
)
def test_a_hook_refuses_a_call_in_each_form(zot: Zot, server: ScriptedServer, command: str) -> None:
    hooks(zot, {"PreToolUse": command}, "Bash")
    calls(server, "bash", command="touch made")
    assert ask(zot, server).code == 0
    assert "not here" in json.dumps(server.requests[1].body)
    assert not (zot.cwd / "made").exists()


def test_a_matcher_names_tools_as_claude_code_does(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"PreToolUse": "exit 2"}, "^(Edit|Notebook.*)$")
    calls(server, "bash", command="touch made")
    assert ask(zot, server).err == ""
    assert (zot.cwd / "made").exists()


@pytest.mark.parametrize(
    ("condition", "tool", "arguments", "runs"),
    [
        ("Bash(touch *)", "bash", {"command": "touch made"}, True),
        ("Bash(touch *)", "bash", {"command": "true && A=1 touch made"}, True),
        ("Bash(touch *)", "bash", {"command": "$T made; touch made"}, True),
        ("Bash(git *)", "bash", {"command": "touch made"}, False),
        ("Bash(git *)", "bash", {"command": "echo git push > made"}, False),
        ("Bash(git *)", "bash", {"command": "echo touch made | sh"}, True),
        ("Edit(*.txt)", "write", {"path": "sub/a.txt", "content": ""}, True),
        ("Edit(*.ts)", "write", {"path": "made", "content": ""}, False),
        ("Edit(/sub/**)", "write", {"path": "../x/sub/made", "content": ""}, False),
        ("Bash", "write", {"path": "made", "content": ""}, False),
    ],
)
def test_a_hook_with_a_condition_runs_for_the_calls_that_it_is_about(
    condition: str, tool: str, arguments: dict[str, str], runs: bool, zot: Zot, server: ScriptedServer
) -> None:
    entry = {"type": "command", "command": "touch asked; echo not here >&2; exit 2", "if": condition}
    (zot.cwd / ".claude").mkdir()
    (zot.cwd / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    calls(server, tool, **arguments)
    assert ask(zot, server).code == 0
    assert (zot.cwd / "asked").exists() is runs
    assert ("not here" in json.dumps(server.requests[1].body)) is runs


def test_a_hook_changes_the_input_of_a_call(zot: Zot, server: ScriptedServer) -> None:
    changed = specific(permissionDecision="allow", updatedInput={"command": "touch other", "description": "x"})
    hooks(zot, {"PreToolUse": f"echo '{changed}'"})
    calls(server, "bash", command="touch made")
    assert ask(zot, server).err == ""
    assert (zot.cwd / "other").exists()


def test_a_hook_that_wants_the_person_to_judge_is_a_no_where_nobody_can_be_asked(
    zot: Zot, server: ScriptedServer
) -> None:
    hooks(zot, {"PreToolUse": f"echo '{specific(permissionDecision='ask', permissionDecisionReason='why?')}'"})
    calls(server, "bash", command="touch made")
    assert "not allowed, because nobody can be asked: bash touch made (why?)" in ask(zot, server).err
    assert not (zot.cwd / "made").exists()


def test_a_hook_that_stops_everything_ends_the_run(zot: Zot, server: ScriptedServer) -> None:
    for number, word in enumerate(("false", '"false"', "0"), 1):
        hooks(zot, {"PreToolUse": f"""echo '{{"continue": {word}, "stopReason": "enough"}}'"""})
        server.add(Turn(calls=[Call("bash", {"command": "touch made"})]))
        done = ask(zot, server)
        assert done.code == 130
        assert "[hooks] warn: enough" in done.err
        assert len(server.requests) == number
    assert not (zot.cwd / "made").exists()


def test_another_exit_code_is_reported_and_blocks_nothing(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"PreToolUse": "echo broken >&2; exit 1"})
    calls(server, "bash", command="touch made")
    assert "ended with exit code 1: broken; the action continues" in ask(zot, server).err
    assert (zot.cwd / "made").exists()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("./guards/nothing.sh", "./guards/nothing.sh is not there"),
        ("touch noted && ./a.txt", "./a.txt is not there"),
        (f"echo '{specific(permissionDecision='denied')}'", 'decides \\"denied\\", which is no decision'),
        ("""echo '{"decision": true}'""", "decides true, which is no decision"),
        ("""echo '{"decision": "block", "reason": "say "no""}'""", "answers what is no JSON"),
        ("""echo checking; echo '{"decision": "block", "reason": "not here"}'""", "not here"),
        ("""echo '{"permissionDecision": "deny"}'""", "answers 'permissionDecision', which has no meaning there"),
        ("""echo '{"Decision": "block"}'""", "answers 'Decision'"),
        ("""echo '{"block": true}'""", "answers 'block'"),
        (f"echo '{specific(permission_decision='deny')}'", "answers 'permission_decision'"),
        (f"echo '{specific(decision='deny')}'", "answers 'decision'"),
    ],
)
def test_a_guard_that_is_not_there_or_is_not_understood_refuses(
    zot: Zot, server: ScriptedServer, command: str, why: str
) -> None:
    hooks(zot, {"PreToolUse": command}, "Bash")
    calls(server, "bash", command="touch made")
    assert ask(zot, server).code == 0
    assert why in json.dumps(server.requests[1].body)
    assert not (zot.cwd / "made").exists()


def test_a_guard_that_says_so_refuses_when_it_fails(zot: Zot, server: ScriptedServer) -> None:
    entries = [{"type": "command", "command": "exit 1", "onFailure": "block"}]
    hooks(zot, {})
    (zot.cwd / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": entries}]}}))
    calls(server, "bash", command="touch made")
    assert ask(zot, server).code == 0
    assert "ended with exit code 1, so this is refused" in json.dumps(server.requests[1].body)
    assert not (zot.cwd / "made").exists()


def test_a_guard_of_prompts_that_asks_or_is_not_there_refuses(zot: Zot, server: ScriptedServer) -> None:
    for command in ("""echo '{"decision": "ask"}'""", "./nothing.sh"):
        hooks(zot, {"UserPromptSubmit": command})
        done = ask(zot, server)
        assert (done.code, server.requests) == (1, [])
        assert "hook UserPromptSubmit: " in done.line()


def test_a_guard_that_zot_cannot_run_stops_unless_all_hooks_are_turned_off(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"preToolUse": "exit 2"})
    done = ask(zot, server)
    assert (done.code, server.requests) == (2, [])
    assert f"{zot.cwd}/.claude/settings.json: hooks.preToolUse: no such event in zot" in done.line()
    server.add("one", "two")
    assert "settings of Claude Code .claude/settings.json" in zot.ask(server, "-p", "go").line()
    (zot.cwd / ".claude/settings.local.json").write_text('{"disableAllHooks": true}')
    assert (ask(zot, server).code, len(server.requests)) == (0, 2)


def test_without_the_persons_word_none_of_them_runs(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"PreToolUse": "touch ran"})
    calls(server, "bash", command="true")
    assert "settings of Claude Code .claude/settings.json" in zot.ask(server, "-p", "go").line()
    assert not (zot.cwd / "ran").exists()


def test_a_hook_that_zot_does_not_run_is_named_and_the_others_run(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"PreToolUse": "exit 2", "TeammateIdle": "true"})
    hooks(zot, {"PreToolUse": "touch local"}, name="settings.local.json")
    calls(server, "bash", command="touch made")
    note = f"zot: {zot.cwd}/.claude/settings.json: zot does not run these hooks: TeammateIdle (no such event in zot)\n"
    assert ask(zot, server).err == note
    assert not (zot.cwd / "made").exists()


def test_a_hook_after_a_tool_reads_its_result_and_adds_to_it(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"PostToolUse": "cat > seen; echo 'run the tests' >&2; exit 2", "PostToolUseFailure": "cat > failed"})
    server.add(Turn(calls=[Call("bash", {"command": "echo out"})]), Turn(calls=[Call("read", {"path": "no"})]), "done")
    assert ask(zot, server).err == ""
    assert (seen(zot)["tool_name"], seen(zot)["tool_input"]) == ("Bash", {"command": "echo out"})
    assert "out" in seen(zot)["tool_response"]["output"]
    read = json.dumps(server.requests[1].body)
    assert "out" in read
    assert "run the tests" in read
    assert seen(zot, "failed")["tool_name"] == "Read"
    assert "no such file" in seen(zot, "failed")["error"]
    assert "run the tests" not in json.dumps(server.requests[2].body["messages"][-1])


def test_a_hook_of_prompts_reads_refuses_and_adds_to_them(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"UserPromptSubmit": "cat > seen; echo 'today is Monday'"})
    server.add("one", "two")
    assert ask(zot, server, prompt="which day?").err == ""
    assert seen(zot)["prompt"] == "which day?"
    assert "which day?\\n\\ntoday is Monday" in json.dumps(server.requests[0].body)
    extra = json.dumps({"hookSpecificOutput": {"additionalContext": "and cold"}, "systemMessage": "noted"})
    hooks(zot, {"UserPromptSubmit": f"echo '{extra}'"})
    assert ask(zot, server).err == "[hooks] warn: noted\n"
    assert "and cold" in json.dumps(server.requests[1].body)
    hooks(zot, {"UserPromptSubmit": "echo 'no secrets, please' >&2; exit 2"})
    done = ask(zot, server)
    assert (done.code != 0, "no secrets, please" in done.err, len(server.requests)) == (True, True, 2)


def test_a_hook_of_the_end_lets_the_model_go_on(zot: Zot, server: ScriptedServer) -> None:
    goes_on = "grep -q '\"stop_hook_active\": false' seen && echo 'run the tests' >&2 && exit 2"
    hooks(zot, {"Stop": f"cat > seen; {goes_on}; exit 0"})
    server.add("I am done.", "Now I am.")
    assert ask(zot, server).out == "Now I am.\n"
    assert seen(zot)["last_assistant_message"] == "Now I am."
    assert "run the tests" in json.dumps(server.requests[1].body["messages"][-1])


def test_a_hook_that_never_lets_the_model_end_does_so_eight_times(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"Stop": """echo '{"decision": "block", "reason": "more"}'"""})
    server.add(*[str(number) for number in range(9)])
    assert ask(zot, server).code == 0
    assert len(server.requests) == 9


def test_a_hook_of_the_start_runs_once_for_a_session_and_the_model_reads_its_output(
    zot: Zot, server: ScriptedServer
) -> None:
    hooks(zot, {"SessionStart": "cat >> starts; echo 'the build is red'", "SessionEnd": "cat > ended"})
    server.add("one", "two")
    assert ask(zot, server).err == ""
    assert "the build is red" in json.dumps(server.requests[0].body)
    assert seen(zot, "ended")["reason"] == "prompt_input_exit"
    assert ask(zot, server, "-c", prompt="again").err == ""
    starts = [json.loads(line) for line in (zot.cwd / "starts").read_text().splitlines()]
    assert [each["source"] for each in starts] == ["startup", "resume"]
    assert starts[0]["session_id"] == starts[1]["session_id"]


def test_a_hook_is_notified_that_the_person_is_asked(zot: Zot, server: ScriptedServer) -> None:
    hooks(zot, {"Notification": "cat > seen"}, "permission_prompt")
    calls(server, "bash", command="touch made")
    ask(zot, server, "--permission-mode", "ask")
    assert seen(zot)["message"] == "zot needs your permission to use Bash"
    assert seen(zot)["permission_mode"] == "default"
