"""The programs of `examples/extensions`, each a real process: through the shell, and against a host over pipes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from zot_ext import load_manifest
from zot_ext.protocol.from_extension import Notify, PanelRender, Ready
from zot_ext.testing import FakeHost

ROOT = Path(__file__).parents[2]
EXTENSIONS = ROOT / "examples" / "extensions"
NAMES = sorted(path.parent.name for path in EXTENSIONS.glob("*/extension.json"))

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
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return kept | {"PATH": path, "PYTHONPATH": str(ROOT / "packages" / "zot-ext" / "src")}


@contextmanager
def hosted(name: str, data_dir: Path) -> Iterator[FakeHost]:
    folder = EXTENSIONS / name
    command = [str(folder / load_manifest(folder).exec)]
    with subprocess.Popen(
        command, cwd=data_dir, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        with FakeHost(process, data_dir=str(data_dir)) as host:
            yield host
        assert process.wait(10) == 0
    assert host.noise == []


def pipeline(name: str, command: str, folder: Path) -> list[dict[str, Any]]:
    exec = load_manifest(EXTENSIONS / name).exec.removeprefix("./")
    (folder / exec).symlink_to(EXTENSIONS / name / exec)
    script = PIPELINE.replace("NAME", command).replace("EXEC", exec)
    done = subprocess.run(
        ["sh", "-c", script], cwd=folder, env=environment(), capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_extension_is_run_here_and_stands_in_the_list() -> None:
    listed = re.findall(r"^\| \[([\w-]+)\]", (EXTENSIONS / "README.md").read_text("utf-8"), re.M)
    here = Path(__file__).read_text("utf-8")
    assert sorted(listed) == NAMES
    assert [name for name in NAMES if f'hosted("{name}"' not in here] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_names_a_program_that_can_be_started(name: str) -> None:
    manifest = load_manifest(EXTENSIONS / name)
    assert manifest.name == name
    assert os.access(EXTENSIONS / name / manifest.exec, os.X_OK)


@pytest.mark.parametrize(
    ("name", "command", "answer"),
    [
        ("hello-raw", "hellopy", {"action": "prompt", "prompt": "Greet me very briefly. Add one emoji."}),
        ("weather", "weather", {"action": "prompt", "prompt": "Show today's weather for Berlin in one line."}),
        ("guard", "audit", {"action": "display", "display": "0 tool calls, in FOLDER/audit.jsonl"}),
        (
            "todo",
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
    ],
)
def test_the_pipeline_of_the_protocol_document(name: str, command: str, answer: dict[str, Any], tmp_path: Path) -> None:
    frames = pipeline(name, command, tmp_path)

    assert frames[0]["type"] == "hello"
    assert frames[0]["name"] == name
    types = [frame["type"] for frame in frames]
    assert types.index("register_command") < types.index("ready") < types.index("command_response")
    expected = json.loads(json.dumps(answer).replace("FOLDER", str(tmp_path)))
    assert frames[-2:] == [{"type": "command_response", "id": "1"} | expected, {"type": "shutdown_ack"}]


def test_hello_raw(tmp_path: Path) -> None:
    with hosted("hello-raw", tmp_path) as host:
        assert host.command("hellopy").action == "prompt"


def test_weather(tmp_path: Path) -> None:
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


def test_guard(tmp_path: Path) -> None:
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


def test_todo(tmp_path: Path) -> None:
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
