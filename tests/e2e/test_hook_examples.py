"""The programs of `examples/hooks`, started by zot."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command import Zot

from zot_provider.testing import Call, ScriptedServer, Turn

HOOKS = Path(__file__).parents[2] / "examples" / "hooks"

pytestmark = pytest.mark.needs("jq")


def settle(zot: Zot) -> None:
    """Use the settings of the page, with the programs where they are."""
    block = (HOOKS / "README.md").read_text("utf-8").partition("```json\n")[2].partition("```")[0]
    zot.home.mkdir()
    (zot.home / "config.json").write_text(block.replace("~/hooks", str(HOOKS)))


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("bash", {"command": "git push --force origin main"}, "this rewrites history; ask the user to do it"),
        ("write", {"path": "src/generated/api.ts", "content": ""}, "src/generated/api.ts is written by a program"),
        ("bash", {"command": "echo fine"}, ""),
        ("write", {"path": "src/api.ts", "content": ""}, ""),
    ],
)
def test_the_guard_refuses_what_it_says(
    zot: Zot, server: ScriptedServer, tool: str, arguments: dict[str, Any], reason: str
) -> None:
    settle(zot)
    server.add(Turn(calls=[Call(tool, arguments)]), "done")
    assert zot.ask(server, "-p", "go").err == ""
    result = json.dumps(server.requests[1].body["messages"][-1])
    assert (reason or "error") in result if reason else "error" not in result


def test_the_formatter_formats_what_the_model_has_written_and_says_so(zot: Zot, server: ScriptedServer) -> None:
    settle(zot)
    assert os.access(HOOKS / "format.sh", os.X_OK)
    server.add(
        Turn(calls=[Call("write", {"path": "a.py", "content": "x=1\n"})]),
        Turn(calls=[Call("write", {"path": "b.py", "content": "x = 1\n"})]),
        Turn(calls=[Call("write", {"path": "c.txt", "content": "x=1\n"})]),
        "done",
    )
    assert zot.ask(server, "-p", "go").err == ""
    assert (zot.cwd / "a.py").read_text() == "x = 1\n"
    assert (zot.cwd / "c.txt").read_text() == "x=1\n"
    said = ["ruff has formatted a.py" in json.dumps(each.body["messages"][-1]) for each in server.requests[1:]]
    assert said == [True, False, False]
