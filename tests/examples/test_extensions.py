"""The programs of `examples/extensions`, each a real process: through the shell, and against a host over pipes."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from zot_agent.ui.commands import slash_commands
from zot_ext import ExtensionLimits, load_manifest
from zot_ext.protocol.from_extension import CAPABILITIES, Notify, PanelRender, Ready
from zot_ext.testing import FakeHost, check

ROOT = Path(__file__).parents[2]
EXTENSIONS = ROOT / "examples" / "extensions"
NAMES = sorted(path.parent.name for path in EXTENSIONS.glob("*/extension.json"))


PATIENT = ExtensionLimits(intercept_seconds=60, shutdown_seconds=60, write_seconds=60)

NEEDS = {"clock": ("node",), "scratchpad": ("node", "tsx"), "shell": ("jq",)}
RUN = [pytest.param(name, marks=pytest.mark.needs(*NEEDS.get(name, ()))) for name in NAMES]
"""The examples, each with what it needs that the workspace does not bring."""

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
def hosted(name: str, data_dir: Path, **calls: Any) -> Iterator[FakeHost]:
    """The example at a host that grants what it asks for and answers these calls, by method with `_` for the dot."""
    folder = EXTENSIONS / name
    with subprocess.Popen(
        command_of(folder), cwd=folder, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        answers = {name.replace("_", "."): answer for name, answer in calls.items()}
        groups = CAPABILITIES if calls else ()
        with FakeHost(process, cwd=str(data_dir), data_dir=str(data_dir), capabilities=groups, calls=answers) as host:
            yield host
        assert process.wait(60) == 0
    assert host.noise == []


def pipeline(name: str, command: str, folder: Path) -> list[dict[str, Any]]:
    """Run the script in a copy of the example: without a `data_dir` it keeps its files beside itself."""
    place = folder / name
    shutil.copytree(EXTENSIONS / name, place)
    if (EXTENSIONS / "node_modules").exists():
        (folder / "node_modules").symlink_to(EXTENSIONS / "node_modules")
    exec = load_manifest(place).exec.removeprefix("./")
    script = PIPELINE.replace("NAME", command).replace("EXEC", exec)
    done = subprocess.run(
        ["sh", "-c", script], cwd=place, env=environment(), capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_extension_is_run_here_and_stands_in_the_list() -> None:
    listed = re.findall(r"^\| \[([\w-]+)\]", (EXTENSIONS / "README.md").read_text("utf-8"), re.M)
    here = Path(__file__).read_text("utf-8")
    assert sorted(listed) == NAMES
    assert [name for name in NAMES if f'hosted("{name}"' not in here] == []
    assert sorted(TALKS) == sorted(PIPED) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_names_a_program_that_can_be_started(name: str) -> None:
    manifest = load_manifest(EXTENSIONS / name)
    assert manifest.name == name
    assert os.access(EXTENSIONS / name / manifest.exec, os.X_OK)
    assert (EXTENSIONS / name / "README.md").read_text("utf-8").startswith(f"# {name}\n")


_NO_UI = "NotGranted: the host does not grant 'ui'"
_NO_SESSION = "NotGranted: the host does not grant 'session'"

PIPED: dict[str, tuple[str, dict[str, Any]]] = {
    "bookmark": ("bookmark", {"error": _NO_SESSION}),
    "permission-gate": ("gate", {"action": "display", "display": "0 questions, 0 refusals"}),
    "question": ("question", {"error": _NO_UI}),
    "summarize": ("summarize", {"error": _NO_SESSION}),
    "timed-confirm": ("deploy", {"error": _NO_UI}),
    "clock": ("clock", {"error": "there is no time zone Berlin; try Europe/Berlin"}),
    "guard": ("audit", {"action": "display", "display": "0 tool calls, in FOLDER/audit.jsonl"}),
    "hello": ("hello", {"action": "prompt", "prompt": "Greet Berlin in one short sentence."}),
    "hello-raw": ("hellopy", {"action": "prompt", "prompt": "Greet me very briefly. Add one emoji."}),
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
    report = check(EXTENSIONS / name, limits=PATIENT)
    assert report.rules == (("no-ready",) if name == "hello-raw" else ())
    assert report.ok
    assert PIPED[name][0] in report.commands
    assert not set(report.commands) & set(slash_commands()), "zot's own slash commands take precedence"


@pytest.mark.parametrize("name", RUN)
def test_what_each_of_them_does(name: str, tmp_path: Path) -> None:
    TALKS[name](tmp_path)


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


TALKS: dict[str, Callable[[Path], None]] = {
    "bookmark": bookmark,
    "permission-gate": permission_gate,
    "question": question,
    "summarize": summarize,
    "timed-confirm": timed_confirm,
    "clock": clock,
    "guard": guard,
    "hello": hello,
    "hello-raw": hello_raw,
    "outline": outline,
    "scratchpad": scratchpad,
    "shell": shell,
    "todo": todo,
    "weather": weather,
}
"""A conversation with each."""
