"""Hook programs in every mode: real processes on both sides, with a scripted model."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import Zot
from extension_folder import write_extension
from rpc_client import connect, events_of
from waiting import PATIENCE

from zot_provider.testing import Call, ScriptedServer, Turn


def settings(zot: Zot, hooks: dict[str, Any], **more: Any) -> None:
    zot.home.mkdir(exist_ok=True)
    (zot.home / "config.json").write_text(json.dumps({"hooks": hooks, **more}))


def run_bash(server: ScriptedServer, command: str = "touch made") -> None:
    server.add(Turn(calls=[Call("bash", {"command": command})]), "done")


GUARD = "grep -q touch && echo 'no touching' >&2 && exit 2; exit 0"


@pytest.mark.parametrize("flags", [["-p"], ["--stream"], ["--json"]])
def test_a_program_refuses_a_call_with_the_exit_code_2(zot: Zot, server: ScriptedServer, flags: list[str]) -> None:
    settings(zot, {"tool_call": [{"match": "edit|bash", "command": GUARD}]})
    run_bash(server)
    done = zot.ask(server, *flags, "go")
    assert (done.code, done.err) == (0, "")
    assert "no touching" in json.dumps(server.requests[1].body)
    assert not (zot.cwd / "made").exists()


def test_a_guard_of_a_tool_that_is_not_there_is_named(zot: Zot, server: ScriptedServer) -> None:
    match = "bash|nosuchtool|mcp_x*|mcp__later__*"
    settings(zot, {"tool_call": [{"match": match, "command": "exit 0", "on_failure": "block"}]})
    run_bash(server)
    done = zot.ask(server, "-p", "go")
    said = "[hooks] warn: {}: hooks.tool_call: match {!r} names no tool that there is now\n"
    file = zot.home / "config.json"
    later = f"zot: {file}: 'mcp__later__*': no mcp.json that counts here names the server\n"
    assert (done.code, done.err) == (0, later + said.format(file, "nosuchtool") + said.format(file, "mcp_x*"))


def test_a_program_reads_the_frame_and_changes_the_arguments(zot: Zot, server: ScriptedServer) -> None:
    answer = json.dumps({"modified_args": {"command": "touch other"}})
    settings(zot, {"tool_call": [{"command": f"cat > seen; echo '{answer}'"}]})
    run_bash(server)
    assert zot.ask(server, "-p", "go").code == 0
    seen = json.loads((zot.cwd / "seen").read_text())
    assert (seen["type"], seen["event"], seen["tool_name"]) == ("event_intercept", "tool_call", "bash")
    assert seen["tool_args"] == {"command": "touch made"}
    assert (zot.cwd / "other").exists()
    assert not (zot.cwd / "made").exists()


def test_a_program_that_observes_runs_for_each_event_and_is_waited_for_at_the_end(
    zot: Zot, server: ScriptedServer
) -> None:
    settings(zot, {event: [{"command": "cat >> seen"}] for event in ("session_start", "turn_start", "turn_end")})
    run_bash(server)
    assert zot.ask(server, "-p", "go").code == 0
    seen = [json.loads(line)["event"] for line in (zot.cwd / "seen").read_text().splitlines()]
    assert sorted(seen) == ["session_start", "turn_end", "turn_end", "turn_start", "turn_start"]


def test_a_failure_is_reported_and_the_action_continues_unless_it_must_not(zot: Zot, server: ScriptedServer) -> None:
    broken = {"command": "echo 'no such table' >&2; exit 1"}
    settings(zot, {"tool_call": [broken]})
    run_bash(server)
    done = zot.ask(server, "-p", "go")
    assert done.err == (
        "[hooks] warn: no answer to the intercept tool_call: hook tool_call: echo 'no such table' >&2; exit 1 ended "
        "with exit code 1: no such table; the action continues\n"
    )
    assert (zot.cwd / "made").exists()
    settings(zot, {"tool_call": [broken | {"on_failure": "block"}]})
    run_bash(server, "touch other")
    assert zot.ask(server, "-p", "go").err.endswith("the action is refused\n")
    assert "no such table, so this is refused" in json.dumps(server.requests[3].body)
    assert not (zot.cwd / "other").exists()


@pytest.mark.parametrize("answer", ['{"block": "yes"}', '{"modified_args": []}', '{"a": '])
def test_an_answer_that_is_not_valid_is_a_failure(zot: Zot, server: ScriptedServer, answer: str) -> None:
    settings(zot, {"tool_call": [{"command": f"echo '{answer}'", "on_failure": "block"}]})
    run_bash(server)
    assert "the action is refused" in zot.ask(server, "-p", "go").err
    assert not (zot.cwd / "made").exists()


@pytest.mark.parametrize(
    "command",
    [
        """echo '{"block": "yes"}'""", """echo '{"block": 1}'""", """echo '{block: true}'""", """echo '{"a": '""",
        """echo '{"block": true,}'""", """echo '{"Block": true}'""", """echo '{"decision": "deny"}'""",
        """echo looking; echo '{"block": true}'""", """echo looking; echo '{a}'; echo '{"block": true}'""",
        """echo looking; echo ' {"modified_args":'; echo '{}, "block": true}'""",
        r"""printf '\357\273\277{"block": true}'""",
        """echo '{"block": true}'; echo done""",
    ],
)  # fmt: skip
def test_an_answer_that_may_be_a_refusal_is_one_without_more_words(
    zot: Zot, server: ScriptedServer, command: str
) -> None:
    settings(zot, {"tool_call": [{"command": command}]})
    run_bash(server)
    assert zot.ask(server, "-p", "go").code == 0
    assert not (zot.cwd / "made").exists()


@pytest.mark.parametrize("text", ["all good", "a\n{b\nc", '{"note": "x"}'])
def test_what_refuses_nothing_is_for_people(zot: Zot, server: ScriptedServer, text: str) -> None:
    settings(zot, {"tool_call": [{"command": f"printf '{text}'"}]})
    run_bash(server)
    assert zot.ask(server, "-p", "go").err == ""
    assert (zot.cwd / "made").exists()


def test_a_program_at_its_time_limit_holds_nothing_up(zot: Zot, server: ScriptedServer) -> None:
    settings(zot, {"tool_call": [{"command": "sleep 100", "timeout": 0.1}]})
    run_bash(server)
    assert "did not end within 0.1 s; the action continues" in zot.ask(server, "-p", "go").err
    assert (zot.cwd / "made").exists()


def test_a_mistake_keeps_zot_from_starting(zot: Zot, server: ScriptedServer) -> None:
    settings(zot, {"tool_call": [{"comand": "x"}]})
    done = zot.ask(server, "-p", "go")
    assert done.code == 2
    assert (
        done.line()
        == f"{zot.home}/config.json: hooks.tool_call[0]: unknown key 'comand'; did you mean command or sandbox?"
    )


def test_the_hooks_of_a_project_run_once_the_person_has_allowed_it(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / ".zot").mkdir()
    hooks = {"hooks": {"tool_call": [{"command": "touch ran"}]}}
    (zot.cwd / ".zot" / "config.json").write_text(json.dumps(hooks))
    run_bash(server, "true")
    assert "settings hooks" in zot.ask(server, "-p", "go").line()
    assert not (zot.cwd / "ran").exists()
    run_bash(server, "true")
    assert zot.ask(server, "-p", "--trust", "go").err == ""
    assert (zot.cwd / "ran").exists()


def test_a_zot_that_a_program_starts_runs_no_programs(zot: Zot, server: ScriptedServer) -> None:
    inner = " ".join([*zot.command, "-p", *zot.at(server), "again"])
    settings(zot, {"tool_call": [{"command": f"echo ran >> ran; {inner} >&2", "timeout": PATIENCE}]}, child_keys="keep")
    call = Turn(calls=[Call("bash", {"command": "true"})])
    server.add(call, call, "done", "done")  # the first is of the outer zot, the next two of the inner one
    assert zot.ask(server, "-p", "go").code == 0
    assert ((zot.cwd / "ran").read_text(), len(server.requests)) == ("ran\n", 4)


@pytest.mark.needs("bwrap")
def test_programs_run_in_the_sandbox_unless_the_person_lets_one_leave_it(zot: Zot, server: ScriptedServer) -> None:
    outside = zot.cwd.parent / "outside"
    programs = [{"command": f"touch inside; touch {outside}-{free}", "sandbox": not free} for free in (True, False)]
    settings(zot, {"session_start": programs})
    server.add("one", "two")
    assert zot.ask(server, "-p", "--sandbox", "on", "go").code == 0
    assert (zot.cwd / "inside").exists()
    assert [Path(f"{outside}-{free}").exists() for free in (True, False)] == [True, False]
    Path(f"{outside}-True").unlink()
    assert zot.ask(server, "-p", "--sandbox", "strict", "go").code == 0
    assert not Path(f"{outside}-True").exists()


def test_a_program_beside_an_extension_judges_what_the_tool_gets(zot: Zot, server: ScriptedServer) -> None:
    rewrite = """
@ext.intercept('tool_call')
def rewrite(call):
    return ToolCallDecision(modified_args={'command': 'touch other'})
"""
    folder = write_extension(zot.cwd.parent / "rewrite", rewrite)
    settings(zot, {"tool_call": [{"command": "grep -q other && exit 2; exit 0"}]})
    run_bash(server)
    zot.ask(server, "-p", "go", "--ext", str(folder))
    assert "tool call refused by extension guard" in json.dumps(server.requests[1].body)


async def test_a_conversation_over_rpc_has_them(zot: Zot, server: ScriptedServer) -> None:
    settings(zot, {"tool_call": [{"command": GUARD}]})
    run_bash(server)
    env = zot.env | {"OPENAI_BASE_URL": server.base_url("openai-chat")}
    async with connect(server, cwd=str(zot.cwd), env=env) as client:
        assert "no touching" in json.dumps(await events_of(client.prompt("go")))


def test_doctor_names_them(zot: Zot) -> None:
    settings(zot, {"tool_call": [{"command": "./guard"}]})
    line = next(line for line in zot.run("doctor", "--offline").out.splitlines() if " hooks " in line)
    assert line.split() == ["ok", "hooks", "tool_call:", "./guard", f"({zot.home}/config.json)"]
    settings(zot, {"tool_call": 1})
    done = zot.run("doctor", "--offline")
    assert "hooks.tool_call: expected a list of programs, got 1" in done.out
    assert done.code == 1


def test_a_program_that_refuses_the_end_keeps_the_agent_at_work(zot: Zot, server: ScriptedServer) -> None:
    command = "cat > seen; [ -e tested ] || { touch tested; echo 'run the tests' >&2; exit 2; }"
    settings(zot, {"before_stop": [{"command": command}]})
    server.add("done", "really done")
    assert zot.ask(server, "-p", "go").out == "really done\n"
    assert server.requests[1].body["messages"][-1]["content"] == "run the tests"
    seen = json.loads((zot.cwd / "seen").read_text())
    assert (seen["text"], seen["continued"], seen["step"]) == ("really done", 1, 2)
