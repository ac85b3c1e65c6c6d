"""The programs of `examples/extensions`, each a real process: through the shell, and against a host over pipes."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from declared import declared
from issue_server import IssueServer
from ssh_server import ssh_server
from waiting import PATIENCE, wait_until

from zot_agent.ui.commands import slash_commands
from zot_ext import ExtensionLimits, load_manifest
from zot_ext.protocol.from_extension import CAPABILITIES, HostCall, Notify, PanelDraw, PanelRender, Ready, Submit
from zot_ext.protocol.groups.tool_ops import OpOutput
from zot_ext.testing import FakeHost, check
from zot_provider.testing import Call, ScriptedServer, Turn
from zot_provider.testing.sign_in_server import SignInScript, SignInServer

ROOT = Path(__file__).parents[2]
EXTENSIONS = ROOT / "examples" / "extensions"
NAMES = sorted(path.parent.name for path in EXTENSIONS.glob("*/extension.json"))
PROGRAMS = [name for name in NAMES if load_manifest(EXTENSIONS / name).exec]
"""Those that are not data alone."""


PATIENT = ExtensionLimits(
    ready_total_seconds=PATIENCE, intercept_seconds=PATIENCE, editor_key_seconds=PATIENCE, shutdown_seconds=PATIENCE,
    write_seconds=PATIENCE,
)  # fmt: skip
NEVER_READY = ExtensionLimits(intercept_seconds=PATIENCE, shutdown_seconds=PATIENCE, write_seconds=PATIENCE)
"""For the one program that never says that it is ready."""

NEEDS = {
    "clock": ("node",),
    "dirty-repo-guard": ("node", "tsx"),
    "scratchpad": ("node", "tsx"),
    "handoff": ("node", "tsx"),
    "shell": ("jq",),
    "ssh": ("ssh", "ssh-keygen", "sshd", "ps"),
    "event-bus-log": ("jq",),
    "team-kit": ("node", "tsx"),
}
RUN = [pytest.param(name, marks=pytest.mark.needs(*NEEDS.get(name, ()))) for name in PROGRAMS]
"""The examples with a program, each with what it needs that the workspace does not bring."""

# The "manual debug" of the protocol document, to the letter but for the command and its name.
PIPELINE = """{
  printf '%s\\n' '{"type":"hello_ack","protocol_version":1,"zot_version":"x","provider":"a","model":"o","cwd":"/tmp"}'
  sleep 0.2
  printf '%s\\n' '{"type":"command_invoked","id":"1","name":"NAME","args":"Berlin"}'
  sleep 0.5
  printf '%s\\n' '{"type":"shutdown"}'
} | ./EXEC
"""


def environment() -> dict[str, str]:
    """As a host starts them: a Python that knows the SDK by its path alone."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "packages" / "zot-ext" / "src")}


def command_of(folder: Path) -> list[str]:
    manifest = load_manifest(folder)
    return [str(folder / manifest.exec), *manifest.args]


@contextmanager
def hosted(
    name: str, data_dir: Path, *, flags: dict[str, bool | int | str] | None = None, **calls: Any
) -> Iterator[FakeHost]:
    """The example at a host that grants what it asks for and answers these calls, by method with `_` for the dot.
    Names in capitals are variables of its environment."""
    folder, variables = EXTENSIONS / name, {key: calls.pop(key) for key in list(calls) if key.isupper()}
    with subprocess.Popen(
        command_of(folder), cwd=folder, env=environment() | variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        answers = {name.replace("_", ".", 1): answer for name, answer in calls.items()}
        groups = CAPABILITIES if calls or flags or variables else ()
        with FakeHost(
            process, cwd=str(data_dir), data_dir=str(data_dir), capabilities=groups, flags=flags, calls=answers
        ) as host:
            yield host
        assert process.wait(PATIENCE) == 0
    assert host.noise == []


def pipeline(name: str, command: str, folder: Path) -> list[dict[str, Any]]:
    """Run the script in a copy of the example: without a `data_dir` it keeps its files beside itself."""
    place = folder / name
    shutil.copytree(EXTENSIONS / name, place)
    if "tsx" in NEEDS.get(name, ()):
        (folder / "node_modules").symlink_to(declared("tsx").parents[1])
    exec = load_manifest(place).exec.removeprefix("./")
    script = PIPELINE.replace("NAME", command).replace("EXEC", exec)
    done = subprocess.run(
        ["sh", "-c", script], cwd=place, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_extension_is_run_here_and_stands_in_the_list() -> None:
    listed = re.findall(r"^\| \[([\w-]+)\]", (EXTENSIONS / "README.md").read_text("utf-8"), re.M)
    here = Path(__file__).read_text("utf-8")
    assert sorted(listed) == NAMES
    assert [name for name in PROGRAMS if f'hosted("{name}"' not in here] == []
    assert sorted(TALKS) == sorted(PIPED) == PROGRAMS


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_names_a_program_that_can_be_started(name: str) -> None:
    manifest = load_manifest(EXTENSIONS / name)
    assert manifest.name == name
    assert name not in PROGRAMS or os.access(EXTENSIONS / name / manifest.exec, os.X_OK)
    assert (EXTENSIONS / name / "README.md").read_text("utf-8").startswith(f"# {name}\n")


_NO_UI = "NotGranted: the host does not grant 'ui'"
_NO_SESSION = "NotGranted: the host does not grant 'session'"

PIPED: dict[str, tuple[str, dict[str, Any]]] = {
    "ssh": ("ssh", {"error": "NotGranted: the host does not grant 'tool_ops'"}),
    "custom-header": ("header", {"error": "NotGranted: the host does not grant 'widgets'"}),
    "widget-placement": ("places", {"error": "NotGranted: the host does not grant 'widgets'"}),
    "working-indicator": ("working", {"error": "choose one of moon, dots, quiet, none"}),
    "titlebar-spinner": ("title", {"error": "NotGranted: the host does not grant 'widgets'"}),
    "message-renderer": ("remind", {"error": "NotGranted: the host does not grant 'messages'"}),
    "entry-renderer": ("card", {"error": _NO_SESSION}),
    "markdown-transformer": ("links", {"error": "NotGranted: the host does not grant 'renderers'"}),
    "built-in-tool-renderer": ("drawn", {"action": "display", "display": "0 results"}),
    "minimal-mode": ("minimal", {"error": "NotGranted: the host does not grant 'renderers'"}),
    "github-issue-autocomplete": ("issues", {"error": "/issues [owner/name]"}),
    "todo-tree": (
        "steps",
        {"action": "display", "display": "the conversation cannot be read: the host does not grant 'session'"},
    ),
    "tools": ("tools", {"error": "NotGranted: the host does not grant 'tools2'"}),
    "dynamic-tools": ("forget", {"action": "display", "display": "there is no taught tool 'Berlin'; there are none"}),
    "structured-output": ("report", {"error": _NO_SESSION}),
    "tool-override": ("reads", {"action": "display", "display": "no files yet"}),
    "bookmark": ("bookmark", {"error": _NO_SESSION}),
    "overlay-test": (
        "overlay",
        {
            "action": "display",
            "display": "one of all, stack, clock, center, top_left, top_center, top_right, left_center, right_center, "
            "bottom_left, bottom_center, bottom_right",
        },
    ),
    "snake": ("snake", {"error": "NotGranted: the host does not grant 'panels2'"}),
    "space-invaders": ("invaders", {"error": "NotGranted: the host does not grant 'panels2'"}),
    "tic-tac-toe": ("tic-tac-toe", {"error": "NotGranted: the host does not grant 'panels2'"}),
    "custom-footer": ("footer", {"error": "NotGranted: the host does not grant 'control'"}),
    "rainbow-editor": ("rainbow", {"error": "NotGranted: the host does not grant 'editor'"}),
    "border-status-editor": ("count", {"action": "display", "display": "1 words"}),
    "status-line": ("quiet", {"error": "NotGranted: the host does not grant 'widgets'"}),
    "auto-commit": ("auto-commit", {"error": "/auto-commit on|off"}),
    "qna": ("qna", {"error": _NO_SESSION}),
    "questionnaire": ("questionnaire", {"error": _NO_UI}),
    "git-checkpoint": ("checkpoints", {"error": _NO_SESSION}),
    "handoff": ("fresh", {"error": "this zot is too old for it"}),
    "preset": ("preset", {"error": "NotGranted: the host does not grant 'storage'"}),
    "send-user-message": ("say", {"error": "/say steer|follow_up|next_turn|interrupt TEXT"}),
    "session-name": ("session-name", {"error": _NO_SESSION}),
    "permission-gate": ("gate", {"action": "display", "display": "0 questions, 0 refusals"}),
    "question": ("question", {"error": _NO_UI}),
    "summarize": ("summarize", {"error": _NO_SESSION}),
    "timed-confirm": ("deploy", {"error": _NO_UI}),
    "custom-provider": ("relay", {"action": "display", "display": "relay asks https://api.anthropic.com"}),
    "club": ("club", {"action": "display", "display": "members sign in at https://club.example"}),
    "confirm-destructive": ("refused", {"action": "display", "display": "nothing"}),
    "custom-compaction": ("summarizer", {"action": "display", "display": "0 summaries; Berlin writes them"}),
    "dirty-repo-guard": ("dirty", {"action": "display", "display": "0 files are not committed"}),
    "inline-bash": ("inlined", {"action": "display", "display": "none"}),
    "input-transform": ("shortcuts", {"action": "display", "display": "0 changed, 0 handled"}),
    "pirate": ("pirate", {"action": "display", "display": "arr!"}),
    "prompt-customizer": ("note", {"action": "display", "display": "there is no NOTE.md"}),
    "clock": ("clock", {"error": "there is no time zone Berlin; try Europe/Berlin"}),
    "guard": ("audit", {"action": "display", "display": "0 tool calls, in FOLDER/audit.jsonl"}),
    "hello": ("hello", {"action": "prompt", "prompt": "Greet Berlin in one short sentence."}),
    "hello-raw": ("hellopy", {"action": "prompt", "prompt": "Greet me very briefly. Add one emoji."}),
    "event-bus": ("announce", {"error": "NotGranted: the host does not grant 'bus'"}),
    "event-bus-log": ("heard", {"action": "display", "display": "nothing yet"}),
    "team-kit": ("kit", {"action": "display", "display": "no skill for this project"}),
    "file-trigger": ("trigger", {"action": "display", "display": "/tmp/.zot/trigger.txt"}),
    "claude-rules": ("rules", {"action": "display", "display": "no rules in .claude/rules"}),
    "plan-mode": ("plan", {"action": "display", "display": "plan mode: nothing is changed"}),
    "model-status": ("model-status", {"action": "display", "display": "no model has answered yet"}),
    "notify": ("alert", {"error": "write /alert MINUTES WHY"}),
    "plan-flag": ("planning", {"action": "display", "display": "off"}),
    "outline": ("outline", {"action": "display", "display": "Berlin: No such file or directory"}),
    "scratchpad": ("note", {"action": "display", "display": "noted: Berlin"}),
    "shell": ("branch", {"action": "display", "display": "no git repository"}),
    "todo": (
        "todos",
        {
            "action": "open_panel",
            "open_panel": {
                "id": "todos-main",
                "title": "Todos",
                "lines": ["▸ □ Berlin", "> "],
                "footer": "type to add, enter to tick, delete to remove",
            },
        },
    ),
    "weather": ("weather", {"action": "prompt", "prompt": "Show today's weather for Berlin in one line."}),
}
"""What each is asked through the pipeline, and what it answers to `Berlin`."""


@pytest.mark.parametrize("name", RUN)
def test_the_pipeline_of_the_protocol_document(name: str, tmp_path: Path) -> None:
    command, answer = PIPED[name]
    frames = pipeline(name, command, tmp_path)

    assert frames[0]["type"] == "hello"
    assert frames[0]["name"] == name
    types = [frame["type"] for frame in frames]
    assert types.index("register_command") < types.index("command_response")
    assert ("ready" in types) == (name != "hello-raw")
    expected = json.loads(json.dumps(answer).replace("FOLDER", str(tmp_path / name)))
    assert frames[-2:] == [{"type": "command_response", "id": "1"} | expected, {"type": "shutdown_ack"}]


@pytest.mark.parametrize("name", RUN)
def test_the_check_finds_nothing_wrong(name: str) -> None:
    report = check(EXTENSIONS / name, limits=NEVER_READY if name == "hello-raw" else PATIENT)
    assert report.rules == (("no-ready",) if name == "hello-raw" else ())
    assert report.ok
    assert PIPED[name][0] in report.commands
    assert not set(report.commands) & set(slash_commands()), "zot's own slash commands take precedence"


@pytest.mark.parametrize("name", RUN)
def test_what_each_of_them_does(name: str, tmp_path: Path) -> None:
    TALKS[name](tmp_path)


def custom_provider(tmp_path: Path) -> None:
    turn = Turn("Hi.", calls=[Call("ls", {"path": "."})])
    server = ScriptedServer([turn], key="a-key", models=["claude"])
    with server, hosted("custom-provider", tmp_path, RELAY_URL=server.url) as host:
        listed = host.list_models("relay", "a-key").result
        assert listed is not None
        assert [each["id"] for each in listed.value["models"]] == ["claude"]  # type: ignore[attr-defined]
        events = host.model_call("relay", "claude", api_key="a-key")
        assert "".join(event.delta for event in events if event.event == "text") == "Hi."
        assert json.loads("".join(event.delta for event in events if event.event == "tool_args")) == {"path": "."}
        assert events[-1].stop == "tool_use"
        refused = host.model_call("relay", "claude", api_key="other")[-1]
        assert (refused.event, refused.status) == ("error", 401)


def club(tmp_path: Path) -> None:
    script = SignInScript(device=["authorization_pending"])
    with SignInServer(script) as server, hosted("club", tmp_path, CLUB_URL=server.url) as host:
        (step,), result = host.sign_in("club")
        assert (step.user_code, step.url) == ("WDJB-MJHT", f"{server.url}/activate")
        assert result.result is not None
        renewed = host.refresh("club", **result.result.value)
        assert renewed.result is not None
        assert renewed.result.value["access"] in server.granted
        script.revoked = True
        assert host.refresh("club", **renewed.result.value).ended


def question(tmp_path: Path) -> None:
    with hosted("question", tmp_path, ui_select={"value": "red"}) as host:
        assert texts(host.tool("question", {"question": "Which?", "options": ["red"]})) == "the user answered: red"
        assert host.tool("question", {"question": "Why?"}).is_error  # this host has no line of text
    with hosted("question", tmp_path, ui_select={"closed": "user"}) as host:
        assert texts(host.tool("question", {"question": "Which?", "options": ["red"]})) == "the user did not answer"


def permission_gate(tmp_path: Path) -> None:
    with hosted("permission-gate", tmp_path, ui_confirm={"value": True}) as host:
        assert not host.intercept_call("bash", {"command": "rm -rf build"}).block
        assert not host.intercept_call("bash", {"command": "ls"}).block
        assert host.command("gate").display == "1 questions, 0 refusals"
    with hosted("permission-gate", tmp_path, ui_confirm={"closed": "user"}) as host:
        assert host.intercept_call("bash", {"command": "sudo ls"}).reason == "the user refused this command"
    with hosted("permission-gate", tmp_path) as host:
        assert host.intercept_call("bash", {"command": "sudo ls"}).block


def timed_confirm(tmp_path: Path) -> None:
    with hosted("timed-confirm", tmp_path, ui_confirm={"value": True}) as host:
        assert host.command("deploy").prompt == "Deploy to staging with the script of this project."
    with hosted("timed-confirm", tmp_path, ui_confirm={"closed": "timeout"}) as host:
        assert host.command("deploy", "moon").display == "not deployed to moon"


def bookmark(tmp_path: Path) -> None:
    page = {"entries": [{"id": "e1", "kind": "assistant", "text": "Hi."}], "more": False}
    quiet: dict[str, Any] = {"session_label": {}, "session_append": {"id": "e2"}, "kv_get": {"value": 2}, "kv_set": {}}
    with hosted("bookmark", tmp_path, session_entries=page, **quiet) as host:
        assert host.command("bookmark").display == "bookmarked as 'bookmark 3': Hi."


def status_line(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    with hosted("status-line", tmp_path, widgets_set=lambda params: sent.append(params) or {}) as host:
        host.command("quiet")
    assert [each["key"] for each in sent] == ["turns", "last"]


ROOM = {"width": 60, "height": 20, "visible": True}


def overlay_test(tmp_path: Path) -> None:
    with hosted("overlay-test", tmp_path, panels_open=ROOM) as host:
        host.command("overlay", "stack")
        assert host.press("stack1", "k", mods=("ctrl",)).consumed
        assert host.drawn("stack1") == ["layer 1", "waits", "60 × 20", "ctrl+k"]
        assert not host.press("stack1", "pageup").consumed
        host.press("stack1", "tab")
        changed = [call.params.value for call in host.sent(HostCall) if call.method == "panels.change" and call.params]
        assert [(each["id"], each["focus"]) for each in changed] == [("stack2", True)]
        host.command("overlay", "clock")
        host.wait_for(PanelDraw, lambda frame: frame.panel_id == "clock", count=3)


def snake(tmp_path: Path) -> None:
    with hosted("snake", tmp_path, panels_open=ROOM) as host:
        host.command("snake")
        host.press("snake", "up")
        host.wait_for(PanelDraw, lambda frame: "over: enter plays again" in str(frame.lines[0]))
        host.press("snake", "enter")
        assert "over" not in host.drawn("snake")[0]
        host.press("snake", "rune", "p")
        assert "paused" in host.drawn("snake")[0]


def space_invaders(tmp_path: Path) -> None:
    with hosted("space-invaders", tmp_path, panels_open=ROOM) as host:
        host.command("invaders")
        host.press("space", "left")
        while host.drawn("space")[0].startswith("0 points"):  # a shot between two of them misses
            host.press("space", "rune", " ")
            host.press("space", "enter")
        assert len(host.drawn("space")) == 19


def tic_tac_toe(tmp_path: Path) -> None:
    with hosted("tic-tac-toe", tmp_path, panels_open=ROOM) as host:
        host.command("tic-tac-toe")
        host.press("board", "enter")
        assert host.wait_for(Submit).text.startswith("I put X into cell 5. The board:\n1 2 3\n4 X 6\n7 8 9\n")
        assert texts(host.tool("tic_tac_toe", {"cell": 5})) == "cell 5 is not free"
        assert texts(host.tool("tic_tac_toe", {"cell": 1})) == "O 2 3\n4 X 6\n7 8 9\nwinner: not yet"
        assert texts(host.tool("tic_tac_toe", {"cell": 2})) == "it is the turn of X"
        host.press("board", "rune", "3")
        assert texts(host.tool("tic_tac_toe", {"cell": 2})) == "O O X\n4 X 6\n7 8 9\nwinner: not yet"
        host.click_panel("board", 4, 1)
        host.wait_for(PanelDraw, lambda frame: "you win" in str(frame.lines))


def custom_footer(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    calls: dict[str, Any] = {"widgets_set": lambda params: sent.append(params) or {}}
    calls["control_state"] = {"model": "m", "reasoning_used": "off", "usage": {"cost_usd": None}}
    calls |= {"control_context": {"tokens": 5, "window": 10}, "session_info": {"branch": "main"}}
    with hosted("custom-footer", tmp_path, **calls) as host:
        host.command("footer", "off")
        host.command("footer", "on")
    assert not sent[0].get("lines")
    assert [each["text"] for each in sent[1]["lines"][0]] == [" main ", " m (off)", "  context 50 %"]


def session_name(tmp_path: Path) -> None:
    page = {"entries": [{"id": "e1", "kind": "user", "text": "Hi."}], "more": False}
    titles: list[str] = []
    calls: dict[str, Any] = {"session_rename": lambda params: titles.append(params["title"]) or {}}
    with hosted("session-name", tmp_path, session_entries=page, model_complete={"text": " A talk "}, **calls) as host:
        assert host.command("session-name", "mine").display == "this session is called 'mine'"
        assert host.command("session-name").display == "this session is called 'A talk'"
    assert titles == ["mine", "A talk"]


def preset(tmp_path: Path) -> None:
    kept: dict[str, Any] = {}
    now = {"provider": "p", "model": "m", "reasoning": "high"}
    sent: list[dict[str, Any]] = []
    calls: dict[str, Any] = {
        "kv_set": lambda params: kept.update({params["key"]: params["value"]}) or {},
        "kv_get": lambda params: {"value": kept.get(params["key"])},
        "kv_keys": lambda params: {"keys": [*kept]},
        "model_set": lambda params: sent.append(params) or now,
        "model_reasoning": lambda params: sent.append(params) or now,
    }
    with hosted("preset", tmp_path, model_get=now, **calls) as host:
        assert host.command("preset").display.startswith("no presets")
        assert host.command("preset", "save fast").display == "fast is m with reasoning high"
        assert host.command("preset").display == "fast"
        assert host.command("preset", "fast").display == "m answers, with reasoning high"
        assert host.command("preset", "slow").error == "there is no preset slow"
    assert sent == [{"model": "m", "provider": "p"}, {"reasoning": "high"}]


def send_user_message(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    (tmp_path / "a.png").write_bytes(b"abc")
    calls: dict[str, Any] = {"messages_send": lambda params: sent.append(params) or {"delivered": "queued"}}
    with hosted("send-user-message", tmp_path, **calls) as host:
        assert host.command("say", "steer left").display == "queued: the model reads it before its next call"
        assert host.command("say", "left").error.startswith("/say steer|")
        assert host.command("say-image", "a.png what?").display == "queued"
        assert "No such file" in host.command("say-image", "b.png what?").error
    assert [(each["text"], each["deliver_as"]) for each in sent] == [("left", "steer"), ("what?", "follow_up")]
    assert sent[1]["images"] == [{"data": "YWJj"}]


def git_checkpoint(tmp_path: Path) -> None:
    kept: list[dict[str, Any]] = []
    ran: list[list[str]] = []
    calls: dict[str, Any] = {
        "exec_run": lambda params: ran.append(params["argv"]) or {"code": 0, "output": "c0ffee\n"},
        "session_entries": lambda params: {"entries": kept, "more": False},
        "session_append": lambda params: kept.append({"id": "e", "data": params["data"]}) or {"id": "e"},
    }
    with hosted("git-checkpoint", tmp_path, **calls) as host:
        assert host.command("checkpoints").display == "no checkpoints yet"
        host.event("turn_start", step=2)
        host.event("turn_start", step=1)
        host.wait_for(HostCall, lambda frame: frame.method == "session.append")
        assert host.command("checkpoint-restore", "2").error == "there are 1 checkpoints"
        assert host.command("checkpoint-restore").display == "the files are as they were at checkpoint 1"
        assert host.command("checkpoints").display == "1. c0ffee"
    assert ran == [["git", "stash", "create"], ["git", "checkout", "c0ffee", "--", "."]]


def questionnaire(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []
    answers: dict[str, Any] = {"ui_form": lambda params: asked.append(params) or {"value": {"q1": "red"}}}
    given = {"title": "Colours", "questions": ["Which?", "Why?"], "options": {"Which?": ["red", "blue"]}}
    with hosted("questionnaire", tmp_path, **answers) as host:
        assert texts(host.tool("questionnaire", given)) == "Which?\nred\n\nWhy?\n(no answer)"
        assert host.tool("questionnaire", {"title": "x", "questions": []}).is_error
    assert [field["kind"] for field in asked[0]["fields"]] == ["select", "text"]
    with hosted("questionnaire", tmp_path, ui_form={"closed": "user"}) as host:
        assert texts(host.tool("questionnaire", given)) == "the user closed the form"


def qna(tmp_path: Path) -> None:
    page = {"entries": [{"id": "e1", "kind": "assistant", "text": "Red? Or blue?"}], "more": False}
    sent: list[dict[str, Any]] = []
    calls: dict[str, Any] = {
        "session_entries": page,
        "model_complete": {"text": "Red?\n- Blue?\n"},
        "ui_form": {"value": {"q2": "yes"}},
        "messages_send": lambda params: sent.append(params) or {"delivered": "started"},
    }
    with hosted("qna", tmp_path, **calls) as host:
        assert host.command("qna").display == "1 of 2 questions answered"
    assert sent[0]["text"] == "Blue?\nyes"
    with hosted("qna", tmp_path, **calls | {"model_complete": {"text": ""}}) as host:
        assert host.command("qna").display == "the last answer asks nothing"
    with hosted("qna", tmp_path, **calls | {"ui_form": {"closed": "user"}}) as host:
        assert host.command("qna").display == "nothing was sent"


def auto_commit(tmp_path: Path) -> None:
    ran: list[list[str]] = []
    calls: dict[str, Any] = {
        "exec_run": lambda params: ran.append(params["argv"]) or {"code": 0, "output": " M a"},
        "session_entries": {"entries": [{"id": "1", "kind": "user", "text": "fix  it"}], "more": False},
        "kv_get": {"value": True},
        "kv_set": {},
    }
    with hosted("auto-commit", tmp_path, **calls) as host:
        assert host.command("auto-commit", "on").display == "on"
        assert host.command("auto-commit", "x").error == "/auto-commit on|off"
        host.event("agent_end", extra={"reason": "aborted"})
        host.event("agent_end", extra={"reason": "completed"})
        assert host.wait_for(Notify).message == "committed: fix it"
    assert ran[1:] == [
        ["git", "add", "--all"],
        ["git", "commit", "--quiet", "--message", "fix it", "--message", "fix it"],
    ]


def handoff(tmp_path: Path) -> None:
    pages = {
        None: {"entries": [{"id": "1", "kind": "user", "content": [{"type": "text", "text": "Hi."}]}], "more": True},
        "1": {"entries": [{"id": "2", "kind": "assistant", "text": "Hello."}], "more": False},
    }
    asked: list[dict[str, Any]] = []
    calls: dict[str, Any] = {
        "session_entries": lambda params: pages[params.get("after")],
        "model_complete": lambda params: asked.append(params) or {"text": "all said"},
        "session_new": lambda params: asked.append(params) or {"session_id": "s"},
    }
    with hosted("handoff", tmp_path, **calls) as host:
        assert host.command("fresh", "ship it").prompt == "ship it"
        assert host.command("fresh").error == "what comes next? /fresh GOAL"
    assert asked[0]["prompt"] == "The goal: ship it\n\nThe conversation:\nuser: Hi.\nassistant: Hello."
    assert asked[1]["messages"][0]["text"] == "Notes from an earlier session:\n\nall said"
    with hosted("handoff", tmp_path, session_entries=pages["1"]) as host:
        assert host.command("fresh", "ship it").error == "this host has no answer"


def summarize(tmp_path: Path) -> None:
    page = {"entries": [{"id": "e1", "kind": "user", "text": "Hi."}], "more": False}
    shouted: dict[str, Any] = {"model_complete": lambda params: {"text": params["prompt"].upper()}}
    with hosted("summarize", tmp_path, session_entries=page, **shouted) as host:
        assert host.command("summarize").display == "USER: HI."
        assert host.command("handoff").error == "which model? /handoff MODEL"


def hello(tmp_path: Path) -> None:
    with hosted("hello", tmp_path) as host:
        assert host.command("hello").prompt == "Greet me in one short sentence."
        assert host.command("hello", "Ada").prompt == "Greet Ada in one short sentence."


def clock(tmp_path: Path) -> None:
    with hosted("clock", tmp_path) as host:
        assert re.fullmatch(r"\d\d:\d\d:\d\d", host.command("clock").display)
        assert re.fullmatch(r"\d\d:\d\d:\d\d in Asia/Tokyo", host.command("clock", "Asia/Tokyo").display)
        assert host.command("clock", "Mars").error == "there is no time zone Mars; try Europe/Berlin"
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", host.command("date").insert)


def scratchpad(tmp_path: Path) -> None:
    with hosted("scratchpad", tmp_path) as host:
        assert texts(host.tool("read_notes")) == "no notes"
        assert host.command("note", "buy milk").display == "noted: buy milk"
        assert host.command("note").error == "what is the note? /note buy milk"
    with hosted("scratchpad", tmp_path) as host:
        host.command("note", "U+2028 is \u2028 here")
        assert texts(host.tool("read_notes")) == "buy milk\nU+2028 is \u2028 here"
        assert texts(host.tool("read_notes", {"containing": "milk"})) == "buy milk"
        (tmp_path / "notes.json").write_text("[")
        assert host.tool("read_notes").is_error
        (tmp_path / "notes.json").write_text('["one"]')
        assert host.command("forget").display == "1 notes are forgotten"
    assert json.loads((tmp_path / "notes.json").read_text()) == []


def shell(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "näher", str(tmp_path)], check=True)
    with hosted("shell", tmp_path) as host:
        assert host.command("branch").display == "näher"
        assert "%" in texts(host.tool("disk_free"))
        missing = host.tool("disk_free", {"path": "no such 'folder'"})
        assert missing.is_error
        assert "no such 'folder'" in texts(missing)
    with hosted("shell", tmp_path / "elsewhere") as host:
        assert host.command("branch").display == "no git repository"


def outline(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# One\ntext\n## Two\n")
    (tmp_path / "plain.md").write_text("text\n")
    with hosted("outline", tmp_path) as host:
        assert host.command("outline").display == "# One\n## Two"
        assert texts(host.tool("outline", {"path": "plain.md"})) == "no headings"
        assert host.tool("outline", {"path": "missing.md"}).is_error


def event_bus(tmp_path: Path) -> None:
    with hosted("event-bus", tmp_path, bus_emit={"receivers": 2}) as host:
        assert host.command("announce", "hi").display == "sent to 2 extensions"
        assert host.emitted == [("note.text", {"text": "hi"})]
        host.bus("note.other", [1], sender="x")
        assert host.wait_for(Notify).message == "x, note.other: [1]"


def event_bus_log(tmp_path: Path) -> None:
    with hosted("event-bus-log", tmp_path, bus_emit={"receivers": 0}) as host:
        host.bus("a.b", {"n": 1}, sender="x")
        assert host.command("heard").display == 'x a.b {"n":1}'
        assert host.command("heard", "clear").display == "nothing yet"
        assert host.emitted == [("log.cleared", None)]


def team_kit(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")
    with hosted("team-kit", tmp_path, resources_set={}) as host:
        assert host.command("kit").display == "skills/for-node"
        (call,) = host.sent(HostCall)
        assert call.params is not None
        assert call.params.value == {"skills": ["skills/for-node"]}


def file_trigger(tmp_path: Path) -> None:
    with hosted("file-trigger", tmp_path, messages_send={"delivered": "started"}) as host:
        (tmp_path / ".zot").mkdir()
        (tmp_path / "new").write_text("the build has failed\n")
        (tmp_path / "new").rename(tmp_path / ".zot" / "trigger.txt")
        sent = host.wait_for(HostCall).params
        assert sent is not None
        assert sent.value["text"] == "the build has failed"
        assert host.command("trigger").display == f"{tmp_path}/.zot/trigger.txt"


def claude_rules(tmp_path: Path) -> None:
    with hosted("claude-rules", tmp_path) as host:
        assert host.intercept("before_agent_start", system_prompt="Be kind.", cwd=str(tmp_path)).system_prompt is None
        (tmp_path / ".claude" / "rules" / "deep").mkdir(parents=True)
        for name in ("style.md", "deep/sql.md", "notes.txt"):
            (tmp_path / ".claude" / "rules" / name).touch()
        prompt = host.intercept("before_agent_start", system_prompt="Be kind.", cwd=str(tmp_path)).system_prompt
        assert host.command("rules").display == ".claude/rules/deep/sql.md\n.claude/rules/style.md"
    assert prompt is not None
    assert prompt.startswith("Be kind.\n\n")
    assert prompt.endswith("\n- .claude/rules/deep/sql.md\n- .claude/rules/style.md")


def plan_flag(tmp_path: Path) -> None:
    with hosted("plan-flag", tmp_path) as host:
        assert not host.intercept_call("bash", {"command": "ls"}).block
    with hosted("plan-flag", tmp_path, flags={"plan": True}) as host:
        assert host.wait_for(Notify).message == "plan mode: at most 7 steps, and no changes"
        assert host.intercept_call("bash", {"command": "ls"}).reason == "in plan mode nothing is changed"
        assert not host.intercept_call("read", {"path": "a"}).block
        prompt = host.intercept("before_agent_start", system_prompt="Be kind.").system_prompt
    assert prompt == "Be kind.\n\nChange nothing. Answer with a plan of at most 7 steps."


def plan_mode(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    keys: list[str] = []
    calls: dict[str, Any] = {
        "widgets_set": lambda params: sent.append(params) or {},
        "keys_bind": lambda params: keys.append(params["key"]) or {},
        "session_entries": {"entries": [], "more": False},
        "session_append": {"id": "e1"},
    }

    def steps() -> list[Any]:
        return next((each.get("lines", []) for each in reversed(sent) if each["key"] == "steps"), [])

    with hosted("plan-mode", tmp_path, flags={"plan": True}, **calls) as host:
        host.event("session_start", reason="startup")
        wait_until(lambda: keys == ["ctrl+alt+p"])
        assert host.intercept_call("bash", {"command": "ls"}).reason == "in plan mode nothing is changed"
        assert not host.intercept_call("read", {"path": "a"}).block
        assert "numbered steps" in host.intercept("before_agent_start", system_prompt="Be kind.").system_prompt
        host.event("assistant_message", text="I looked.\n\nPlan:\n1. **Cut** the cake\n2) Eat\nThat is all.")
        wait_until(lambda: steps() != [])
        assert [line[-1]["text"] for line in steps()] == ["Cut the cake", "Eat", "/plan go carries it out"]
        assert host.command("plan", "go").prompt.endswith("1. Cut the cake\n2. Eat")
        assert not host.intercept_call("bash", {"command": "ls"}).block
        assert texts(host.tool("step_done", {"number": 1})) == "left:\n2. Eat"
        assert texts(host.tool("step_done", {"number": 3})) == "LookupError: there is no step 3, there are 2"
        assert texts(host.tool("step_done", {"number": 2})) == "all steps are done"
        assert host.command("plan", "go").error == "there is no step to do"
        assert host.command("plan", "drop").display == "the plan is forgotten"
    assert steps() == []


def model_status(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    models = iter((("small", "off"), ("large", "high")))
    calls: dict[str, Any] = {
        "widgets_set": lambda params: sent.append(params) or {},
        "model_get": lambda _: {
            **dict(zip(("model", "reasoning_used"), next(models), strict=True)),
            "context_window": 200_000,
        },
    }
    with hosted("model-status", tmp_path, **calls) as host:
        host.event("session_start")
        host.event("model_select")
        assert host.wait_for(Notify).message == "large answers now, in place of small"
        assert host.command("model-status").display == "large since small"
    assert [[span["text"] for span in each["lines"][0]] for each in sent] == [
        ["small", " 200k"],
        ["large", " high", " 200k"],
    ]


def notify(tmp_path: Path) -> None:
    said: list[str] = []
    calls: dict[str, Any] = {"widgets_alert": lambda params: said.append(params["text"]) or {}}
    with hosted("notify", tmp_path, **calls) as host:
        for failed in (False, True):
            host.event("tool_execution_start", tool_id="1", tool_name="bash")
            host.event("tool_execution_end", tool_id="1", tool_name="bash", is_error=failed)
        wait_until(lambda: said == ["bash has failed"])
        assert host.command("alert", "0 tea").display == "I call you in 0 min"
        wait_until(lambda: said[1:] == ["tea"])


def hello_raw(tmp_path: Path) -> None:
    with hosted("hello-raw", tmp_path) as host:
        assert host.command("hellopy").action == "prompt"


def weather(tmp_path: Path) -> None:
    with hosted("weather", tmp_path) as host:
        schema = host.tools["weather"].schema.value
        berlin, lima = (
            host.tool("weather", {"city": "Berlin"}),
            host.tool("weather", '{"city":"Lima","unit":"fahrenheit"}'),
        )
        nowhere, nothing = (
            host.tool("weather", {"city": "Ys"}),
            host.tool("weather", {"unit": "kelvin", "city": "Lima"}),
        )
    assert schema["required"] == ["city"]
    assert [texts(each) for each in (berlin, lima)] == ["Berlin: 16°C, fog", "Lima: 72°F, sun"]
    assert nowhere.is_error
    assert "no weather for 'Ys'; there is some for berlin, lima, oslo" in texts(nowhere)
    assert texts(nothing) == "argument 'unit' must be one of 'celsius', 'fahrenheit', not 'kelvin'"


def guard(tmp_path: Path) -> None:
    with hosted("guard", tmp_path) as host:
        refused = host.intercept_call("bash", {"command": "sudo rm -rf /tmp/foo"})
        assert host.wait_for(Notify).message == "refused: sudo rm -rf /tmp/foo"
        assert not host.intercept_call("bash", {"command": "ls"}).block
        assert not host.intercept_call("write", {"path": "sudo"}).block
        host.event("tool_call", tool_id="1", tool_name="bash", tool_args={"command": "ls"})
    assert refused.block
    assert refused.reason == 'refused: matches danger pattern "sudo"'
    assert json.loads((tmp_path / "audit.jsonl").read_text()) == {"tool": "bash", "args": {"command": "ls"}}
    with hosted("guard", tmp_path) as host:
        assert host.command("audit").display == f"1 tool calls, in {tmp_path}/audit.jsonl"


def todo(tmp_path: Path) -> None:
    with hosted("todo", tmp_path) as host:
        assert host.wait_for(Ready)
        opened = host.command("todos")
        assert opened.open_panel is not None
        assert opened.open_panel.lines == ("nothing to do", "> ")
        host.type_text("todos-main", "ship it")
        host.key("todos-main", "enter")
        assert host.wait_for(PanelRender, count=8).lines == ("▸ □ ship it", "> ")
        assert texts(host.tool("todo", {"action": "add", "text": "rest"})) == "1. [ ] ship it\n2. [ ] rest"
        assert host.wait_for(PanelRender, count=9).lines == ("▸ □ ship it", "  □ rest", "> ")
        host.key("todos-main", "enter")
        assert host.wait_for(PanelRender, count=10).lines[0] == "▸ ✓ ship it"
        host.close_panel("todos-main")
    with hosted("todo", tmp_path) as host:
        assert texts(host.tool("todo", {"action": "list"})) == "1. [x] ship it\n2. [ ] rest"
        assert "there is no item 3, there are 2" in texts(host.tool("todo", {"action": "tick", "number": 3}))
        assert host.tool("todo", {"action": "remove", "number": 1}).is_error is False
    assert json.loads((tmp_path / "todos.json").read_text()) == [{"text": "rest", "done": False}]


def texts(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def confirm_destructive(tmp_path: Path) -> None:
    with hosted("confirm-destructive", tmp_path, ui_confirm={"value": False}) as host:
        assert host.intercept("session_before_switch", reason="new", target_file="").reason == "you said no"
        assert host.intercept("session_before_fork", entry="", position="at").block
        assert host.intercept("session_before_tree", target_id="1", position="at").block
        assert host.command("refused").display.splitlines()[0] == "Begin a new session?"


def custom_compaction(tmp_path: Path) -> None:
    message = {"id": "1", "role": "user", "content": [{"type": "text", "text": "hi"}]}
    with hosted("custom-compaction", tmp_path, model_complete={"text": "decided: all"}) as host:
        found = host.intercept("session_before_compact", reason="manual", messages=[message], first_kept_id="2")
        assert found.extra == {"summary": "decided: all"}


def dirty_repo_guard(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    with hosted("dirty-repo-guard", tmp_path, ui_confirm={"value": False}) as host:
        assert not host.intercept("session_before_switch", reason="new", target_file="").block
        (tmp_path / "new.txt").write_text("")
        assert host.intercept("session_before_switch", reason="new", target_file="").reason == "commit your work first"


def inline_bash(tmp_path: Path) -> None:
    with hosted("inline-bash", tmp_path, exec_run={"output": "one\n", "code": 0}) as host:
        found = host.intercept("input", text="count: !{ls}", images=[], source="prompt")
        assert found.extra == {"text": "count: one"}
        assert host.command("inlined").display == "ls"


def input_transform(tmp_path: Path) -> None:
    with hosted("input-transform", tmp_path) as host:
        assert host.intercept("input", text="? why").extra == {"text": "Answer in one sentence: why"}
        assert host.intercept("input", text="ping").extra == {"handled": True}
        assert host.intercept("input", text="other").extra == {}


def pirate(tmp_path: Path) -> None:
    with hosted("pirate", tmp_path) as host:
        assert host.intercept("before_agent_start", system_prompt="Be kind.").system_prompt is None
        host.command("pirate")
        found = host.intercept("before_agent_start", system_prompt="Be kind.").system_prompt
        assert found == "Be kind.\n\nTalk like a pirate."


def prompt_customizer(tmp_path: Path) -> None:
    (tmp_path / "NOTE.md").write_text("use tabs\n")
    with hosted("prompt-customizer", tmp_path) as host:
        found = host.intercept("before_agent_start", system_prompt="", prompt="go")
        assert found.extra == {"message": {"content": "use tabs", "display": False}}
        assert host.intercept("before_agent_start", system_prompt="", prompt="no note: go").extra == {}


def todo_tree(tmp_path: Path) -> None:
    entries: list[dict[str, Any]] = []

    def append(params: Any) -> dict[str, Any]:
        entries.append({"id": str(len(entries)), "kind": "custom", **params})
        return {"id": entries[-1]["id"]}

    def page(params: Any) -> dict[str, Any]:
        return {"entries": [*entries], "current": None, "more": False}

    with hosted("todo-tree", tmp_path, session_entries=page, session_append=append) as host:
        first = host.tool("steps", {"action": "add", "text": "cut"})
        assert texts(first) == "1. [ ] cut"
        assert first.details is not None
        kept = {**first.details.value, "extension": "todo-tree"}
        entries.append({"id": "t", "kind": "tool", "content": [{"type": "tool_result", "details": kept}]})
        assert texts(host.tool("steps", {"action": "tick", "number": 1})) == "1. [x] cut"
        assert host.tool("steps", {"action": "tick", "number": 2}).is_error
        assert host.command("steps").display == "1. [ ] cut"
        assert host.command("steps", "clear").display == "no steps"


def tools(tmp_path: Path) -> None:
    known = [{"name": name, "source": "zot"} for name in ("bash", "read")]
    active: list[str] = []

    def set_active(params: Any) -> dict[str, Any]:
        active[:] = params["names"]
        return {"names": [*active]}

    stored = {"entries": [{"id": "1", "data": ["read", "gone"]}], "more": False}
    calls = {"tools_list": {"tools": known}, "tools_set_active": set_active, "session_append": {"id": "2"}}
    with hosted("tools", tmp_path, session_entries=stored, ui_pick={"value": ["bash"]}, **calls) as host:
        host.event("session_start")
        assert host.command("tools", "bash read").display == "the model has bash, read"
        assert host.command("tools").display == "the model has bash"
        host.calls["ui.pick"] = {"closed": "user"}
        assert host.command("tools").display == "nothing has changed"


def dynamic_tools(tmp_path: Path) -> None:
    with hosted("dynamic-tools", tmp_path, any={}) as host:
        assert host.command("teach", "x").display == "usage: /teach NAME TEXT"
        assert host.command("teach", "deploy tag, then push").display == "the model has the tool deploy"
        assert host.tools["deploy"].prompt_snippet.startswith("The person has something to say about deploy")
        assert texts(host.tool("deploy")) == "tag, then push"
        assert host.command("forget", "deploy").display == "the tool deploy is gone"
        assert host.tools == {}
        assert "there are none" in host.command("forget", "deploy").display


def structured_output(tmp_path: Path) -> None:
    with hosted("structured-output", tmp_path, session_entries={"entries": [], "more": False}) as host:
        answer = host.tool("report", {"summary": "Fine.", "verdict": "good", "findings": ["a"]})
        assert answer.terminate
        assert answer.structured_content is not None
        assert answer.structured_content.value == {"summary": "Fine.", "verdict": "good", "findings": ["a"]}
        assert texts(answer) == "**good**: Fine.\n\n- a"
        assert host.command("report").display == "there is no report"


def tool_override(tmp_path: Path) -> None:
    with hosted("tool-override", tmp_path, any={}) as host:
        host.host_tools["read"] = lambda args: f"content of {args['path']}"
        assert host.tools["read"].override
        assert texts(host.tool("read", {"path": "a.py"})) == "content of a.py"
        assert host.tool("read", {"path": "conf/.env"}).is_error
        assert host.command("reads").display == "a.py"


def github_issue_autocomplete(tmp_path: Path) -> None:
    issues = [
        {"number": 28, "title": "Prices without tax", "user": {"login": "ada"}},
        {"number": 30, "title": "A pull request", "user": {"login": "ada"}, "pull_request": {}},
    ]
    with (
        IssueServer({"shop/till": issues}) as url,
        hosted("github-issue-autocomplete", tmp_path, GITHUB_API_URL=url) as host,
    ):
        assert host.complete("#") == []
        assert host.command("issues").display == "this project is not on GitHub"
        assert host.command("issues", "shop/till").display == "1 open issues in shop/till"
        assert host.complete("#", "2") == [{"text": "#28", "label": "#28 Prices without tax", "description": "ada"}]
        assert [each["text"] for each in host.complete("#", "tax-price")] == ["#28"]
        assert host.complete("#", "3") == []
        assert "HTTP Error 404" in host.command("issues", "shop/none").error


def ssh(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "odd 'name'\n").write_text("odd")
    (work / "link").symlink_to("folder")
    (work / "folder").mkdir()
    (work / "locked").write_text("old")
    (work / "locked").chmod(0o640)
    large = bytes(range(256)) * 40_000
    with ssh_server(tmp_path / "server") as server, hosted("ssh", tmp_path, ZOT_SSH_CONFIG=server.config) as host:
        server.know("other")
        assert "key verification failed" in host.command("ssh", "far").error
        server.know("host")
        assert "is not me@host:/folder" in host.command("ssh", "-oProxyCommand=x").error
        assert "is no folder" in host.command("ssh", f"far:{work}/locked").error
        assert host.machine is None
        assert host.command("ssh").display == "the tools work here"
        assert host.command("ssh", f"far:{work}").display == f"the tools work on far: {work}"
        assert host.command("ssh").display == f"the tools work on far: {work}"
        assert host.machine is not None
        assert (host.machine.name, host.machine.cwd) == ("far", str(work))

        assert host.read_file(f"{work}/odd 'name'\n", 1, 5) == b"dd"
        assert host.op("stat", f"{work}/folder").kind == "directory"
        assert host.op("stat", f"{work}/none").code == "ENOENT"
        listed = host.op("list", str(work), follow=False)
        assert dict(zip(listed.names, listed.kinds, strict=True))["link"] == "link"
        listed = host.op("list", str(work))
        assert dict(zip(listed.names, listed.kinds, strict=True))["link"] == "directory"
        assert host.op("list", f"{work}/locked").code == "ENOTDIR"
        assert host.op("real", f"{work}/link/../none/./x").path == f"{work}/none/x"
        pieces = [large[start : start + 262_144] for start in range(0, len(large), 262_144)]
        assert host.write_file(f"{work}/new/deep/large", *pieces).code == ""
        assert b"".join(host.read_file(f"{work}/new/deep/large", each * 262_144) for each in range(40)) == large
        assert host.write_file(f"{work}/locked", b"new").code == ""
        assert (work / "locked").read_text() == "new"
        assert (work / "locked").stat().st_mode & 0o777 == 0o640
        assert sorted(os.listdir(work)) == ["folder", "link", "locked", "new", "odd 'name'\n"]

        ended, output = host.run_command('echo "$A"; pwd; exit 3', f"{work}/folder", {"A": "it's\nodd"})
        assert (ended.exit_code, output) == (3, f"it's\nodd\n{work}/folder\n".encode())
        assert host.run_command("sleep 600 & echo $! > background", str(work))[0].code == ""
        os.kill(int((work / "background").read_text()), signal.SIGKILL)
        assert host.run_command("true", f"{work}/nowhere")[0].code == "ENOENT"

        id = host.begin_op("exec", command="echo $$ > running; echo begun; sleep 600; true", cwd=str(work))
        host.wait_for(OpOutput, lambda frame: frame.id == id)
        host.cancel_op(id)
        assert host.op_answer(id).code == "ECANCELED"
        pid = int((work / "running").read_text())
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"))

        id = host.begin_op("exec", command="echo begun; sleep 600", cwd=str(work))
        host.wait_for(OpOutput, lambda frame: frame.id == id)
        server.cut()
        answer = host.op_answer(id)
        assert (answer.code, answer.error) == (
            "ECONNRESET",
            "the connection was lost; the command may still run there",
        )
        wait_until(lambda: host.op("stat", str(work)).code == "")  # it connects again
        assert host.command("ssh", "off").display == "the tools work here"
        assert host.machine is None


def message_renderer(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    calls: dict[str, Any] = {"messages_send": lambda params: sent.append(params) or {"delivered": "kept"}}
    with hosted("message-renderer", tmp_path, **calls) as host:
        assert host.command("remind").display == "/remind TEXT"
        assert host.command("remind", "tea").action == "noop"
        folded = host.render("message", "reminder", width=10, text="tea\nbread")
        assert folded is not None
        assert [line[0]["text"] for line in folded] == ["─" * 10, "⏰ ", "  1 more lines", "─" * 10]
    assert [(each["text"], each["custom_type"], each["trigger"]) for each in sent] == [("tea", "reminder", False)]


def entry_renderer(tmp_path: Path) -> None:
    stored: list[dict[str, Any]] = []
    calls: dict[str, Any] = {"session_append": lambda params: stored.append(params) or {"id": "1"}}
    with hosted("entry-renderer", tmp_path, **calls) as host:
        assert host.command("card").display == "/card TEXT"
        assert host.command("card", "ready").action == "noop"
        assert [(each["custom_type"], each["data"]["text"]) for each in stored] == [("card", "ready")]
        data = stored[0]["data"]
        assert host.render("entry", "card", data=data) == [
            [{"text": "┃ ", "style": "accent"}, {"text": "ready", "bold": True}]
        ]
        assert len(host.render("entry", "card", data=data, expanded=True) or ()) == 2


def markdown_transformer(tmp_path: Path) -> None:
    with hosted("markdown-transformer", tmp_path, renderers_again={}) as host:
        begin = "https://github.com/example/shop/issues"
        assert host.transform("see #12, not `#13`") == f"see [#12]({begin}/12), not `#13`"
        assert host.transform("```\n#1\n```\na#2 [#3](x)") == "```\n#1\n```\na#2 [#3](x)"
        shown = host.command("links", "https://x.test").display
        assert shown == "numbers of issues are links to https://x.test/"
        assert host.transform("#1") == "[#1](https://x.test/1)"
        host.command("links", "")
        assert host.transform("#1") == "#1"


def built_in_tool_renderer(tmp_path: Path) -> None:
    with hosted("built-in-tool-renderer", tmp_path, renderers_expand={}) as host:
        lines = host.render("tool_call", "bash", args={"command": "make\nmake test"})
        assert lines == [
            [
                {"text": "$ ", "style": "accent", "bold": True},
                {"text": "make"},
                {"text": "  +1 lines", "style": "muted"},
            ]
        ]
        path = host.render("tool_call", "read", args={"path": "src/a.py"})
        assert path is not None
        assert "".join(span["text"] for span in path[0]) == "read src/a.py"
        assert len(host.render("tool_result", "bash", text="1\n2\n3\n4") or ()) == 4
        assert host.render("tool_result", "bash", text="1\n2", expanded=True) is not None
        assert host.command("drawn").display == "2 results"


def minimal_mode(tmp_path: Path) -> None:
    with hosted("minimal-mode", tmp_path, renderers_again={}) as host:
        assert host.render("tool_result", "grep") == []
        assert host.render("tool_result", "grep", state="failed") is None
        assert host.command("minimal").display == "results are shown"
        assert host.render("tool_result", "grep") is None


def custom_header(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    calls: dict[str, Any] = {"widgets_set": lambda params: sent.append(params) or {}}
    with hosted("custom-header", tmp_path, **calls) as host:
        host.command("header")
        host.command("header")
    assert [(each["key"], "lines" in each) for each in sent] == [("header", True), ("header", False), ("header", True)]
    assert sent[0]["lines"][0][1] == {"text": tmp_path.name, "bold": True}


def widget_placement(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    calls: dict[str, Any] = {"widgets_set": lambda params: sent.append(params) or {}}
    with hosted("widget-placement", tmp_path, **calls) as host:
        host.command("places")
        host.command("places")
    assert len({each["place"] for each in sent if each["lines"]}) == 8
    assert len([each for each in sent if not each["lines"]]) == 8


def working_indicator(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    calls: dict[str, Any] = {"widgets_working": lambda params: sent.append(params) or {}}
    with hosted("working-indicator", tmp_path, **calls) as host:
        assert host.command("working", "moon").display == "the working row is moon"
        assert host.command("working", "quiet").display == "the working row is quiet"
        assert host.command("working", "none").display == "the working row is as zot has it"
    assert sent[0]["frames"] == list("◐◓◑◒")
    assert sent[1:] == [{"hidden": True}, {}]


def titlebar_spinner(tmp_path: Path) -> None:
    titles: list[str] = []
    calls: dict[str, Any] = {"widgets_title": lambda params: titles.append(params["text"]) or {}}
    with hosted("titlebar-spinner", tmp_path, **calls) as host:
        host.event("agent_start")
        host.wait_for(HostCall)
        host.event("agent_end", reason="completed")
        wait_until(lambda: titles[-1:] == ["✓ zot is done"])
        host.command("title", "mine")
    assert titles[0] == "◴ zot works"
    assert titles[-1] == "mine"


def rainbow_editor(tmp_path: Path) -> None:
    calls: dict[str, Any] = {"editor_decorate": {}}
    with hosted("rainbow-editor", tmp_path, **calls) as host:
        spans = host.decorate("an ultrathink")
        assert [(span["start"], span["end"]) for span in spans] == [(at, at + 1) for at in range(3, 13)]
        assert len({span["style"] for span in spans}) == 7
        assert host.command("rainbow", "an").display == "an is drawn in colours"
        assert [span["start"] for span in host.decorate("an ultrathink")] == [0, 1]


def border_status_editor(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []
    state = {"model": "scripted", "reasoning": "off", "reasoning_used": "off"}
    calls: dict[str, Any] = {"widgets_set": lambda params: sent.append(params) or {}, "control_state": state}
    with hosted("border-status-editor", tmp_path, **calls) as host:
        assert host.press_in_editor("rune", "(", text="f") == {"ops": [{"insert": "()"}, {"move": 2}]}
        assert host.press_in_editor("rune", "(", text="fx", cursor=1) == {}
        assert host.press_in_editor("insert", mode="insert") == {"ops": [{"mode": "overwrite"}]}
        assert host.press_in_editor("insert", mode="overwrite") == {"ops": [{"mode": "insert"}]}
        assert host.press_in_editor("rune", "(", mode="overwrite") == {}
        assert host.decorate("one two") == []
        host.event("model_select")
        wait_until(lambda: len(sent) == 2)
        assert host.command("count", "one two").display == "2 words"
    assert sent[0]["lines"] == [[{"text": "2 words, 7 characters", "style": "muted"}]]
    assert sent[1]["lines"][0][1]["text"] == "scripted"


TALKS: dict[str, Callable[[Path], None]] = {
    "ssh": ssh,
    "custom-header": custom_header,
    "widget-placement": widget_placement,
    "working-indicator": working_indicator,
    "titlebar-spinner": titlebar_spinner,
    "message-renderer": message_renderer,
    "entry-renderer": entry_renderer,
    "markdown-transformer": markdown_transformer,
    "built-in-tool-renderer": built_in_tool_renderer,
    "minimal-mode": minimal_mode,
    "github-issue-autocomplete": github_issue_autocomplete,
    "bookmark": bookmark,
    "auto-commit": auto_commit,
    "qna": qna,
    "questionnaire": questionnaire,
    "git-checkpoint": git_checkpoint,
    "handoff": handoff,
    "preset": preset,
    "send-user-message": send_user_message,
    "session-name": session_name,
    "custom-footer": custom_footer,
    "overlay-test": overlay_test,
    "snake": snake,
    "space-invaders": space_invaders,
    "tic-tac-toe": tic_tac_toe,
    "rainbow-editor": rainbow_editor,
    "border-status-editor": border_status_editor,
    "status-line": status_line,
    "permission-gate": permission_gate,
    "question": question,
    "summarize": summarize,
    "timed-confirm": timed_confirm,
    "custom-provider": custom_provider,
    "club": club,
    "clock": clock,
    "guard": guard,
    "hello": hello,
    "hello-raw": hello_raw,
    "outline": outline,
    "event-bus": event_bus,
    "event-bus-log": event_bus_log,
    "team-kit": team_kit,
    "file-trigger": file_trigger,
    "claude-rules": claude_rules,
    "plan-flag": plan_flag,
    "plan-mode": plan_mode,
    "model-status": model_status,
    "notify": notify,
    "scratchpad": scratchpad,
    "shell": shell,
    "todo": todo,
    "confirm-destructive": confirm_destructive,
    "custom-compaction": custom_compaction,
    "dirty-repo-guard": dirty_repo_guard,
    "inline-bash": inline_bash,
    "input-transform": input_transform,
    "pirate": pirate,
    "prompt-customizer": prompt_customizer,
    "todo-tree": todo_tree,
    "tools": tools,
    "dynamic-tools": dynamic_tools,
    "structured-output": structured_output,
    "tool-override": tool_override,
    "weather": weather,
}
"""A conversation with each."""
