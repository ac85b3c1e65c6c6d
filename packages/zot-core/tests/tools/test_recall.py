"""What a session shows again of a call is what was shown when it ran."""

import json
from pathlib import Path
from typing import Any

import pytest

from zot_core.display import DiffDisplay, TerminalDisplay
from zot_core.machine.files import LocalFiles
from zot_core.machine.shell import LocalShell
from zot_core.tools import BUILTIN_TOOLS
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import FunctionTool

TOOLS: dict[str, Any] = {tool.name: tool for tool in BUILTIN_TOOLS}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "a.txt"}),
        ("read", {"path": "a.txt", "offset": 2}),
        ("edit", {"path": "a.txt", "edits": [{"oldText": "two", "newText": "2"}]}),
        ("edit", {"path": "c.txt", "edits": [{"oldText": "a", "newText": "A"}, {"oldText": "z", "newText": "Z"}]}),
        ("read", {"path": "a.txt", "offset": 2, "from_character": 2}),
        ("write", {"path": "b.txt", "content": "x\ny\n"}),
        ("bash", {"command": "echo one; echo; echo '[exit 3] 9.9s'; exit 4"}),
        ("bash", {"command": "true"}),
        ("bash", {"command": "echo a\n\necho b"}),
        ("bash", {"command": "sleep 60", "timeout": 0.1}),
    ],
)
async def test_a_tool_recalls_what_it_had_shown(tmp_path: Path, name: str, arguments: dict[str, Any]) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "c.txt").write_text("\n".join("abcdefghijklmnopqrstuvwxyz"))
    tool: FunctionTool[..., Any] = TOOLS[name]

    result = await tool.run(arguments, ToolContext(str(tmp_path), LocalFiles(), LocalShell()))
    kept = json.loads(json.dumps(result.details)) if result.kept else None
    recalled = tool.recall(arguments, result.text, details=kept)

    shown = list(result.display)
    if isinstance(shown[0], TerminalDisplay):
        shown[0] = shown[0].replace(duration=round(shown[0].duration, 1))
    assert recalled == shown


def test_arguments_that_the_tool_refused_are_not_recalled() -> None:
    for offset in (float("inf"), float("nan"), "first", []):
        assert TOOLS["read"].recall({"path": "a.txt", "offset": offset or [1, 2]}, "a") == []
    assert TOOLS["write"].recall({"path": "a.txt"}, "a") == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("edit", {"path": "a.txt", "edits": [{"old": "a", "new": "b"}]}),
        ("write", {"path": "a.txt", "content": "never written"}),
        ("read", {"path": "gone.txt"}),
    ],
)
def test_of_a_call_that_failed_the_error_is_shown(name: str, arguments: dict[str, Any]) -> None:
    assert TOOLS[name].recall(arguments, "cannot do it") != []
    assert TOOLS[name].recall(arguments, "cannot do it", failed=True) == []


def test_of_a_command_that_failed_the_output_is_shown() -> None:
    (block,) = TOOLS["bash"].recall({"command": "x"}, "no such thing\n[exit 1] 0.1s", failed=True)
    assert isinstance(block, TerminalDisplay)
    assert (block.output, block.exit_code) == ("no such thing", 1)


def test_a_result_of_an_earlier_version_is_shown_as_it_was() -> None:
    (diff,) = TOOLS["edit"].recall({"path": "a", "edits": []}, "@@ -1,+1 @@\n-a\n+b\n@@ -20,+20 @@\n-c\n+d")
    assert diff == DiffDisplay("a", "-a\n+b\n...\n-c\n+d", [(1, 1), (20, 20)])
    (block,) = TOOLS["bash"].recall({"command": "x"}, "$ x\n\nout\n\n[exit 0] (full output: /tmp/o)  Took 1.5s")
    assert block == TerminalDisplay("x", "out\n", 0, 1.5)


def test_a_text_of_another_shape_is_not_recalled() -> None:
    assert TOOLS["bash"].recall({"command": "ls"}, "aborted: stopped by the user") == []
    assert TOOLS["ls"].recall({}, "a\nb") == []


def test_a_text_that_only_looks_like_a_result_is_soon_known() -> None:
    """Of a session that was tampered with; a search with several wildcards would take days."""
    for piece in ("\n\n[exit 1]  Took 1", "[exit 1] 1", "[exit 1] ", "[exit 1] (full output: ", "[exit -", "$ x\n\n"):
        assert TOOLS["bash"].recall({"command": "x"}, "$ x\n\n" + piece * 100_000) == []
    for last in ("[exit 1]  Took 1.2.3s", f"[exit {'1' * 5000}]  Took 1.0s", f"[exit 1]  Took {'1' * 5000}.0s"):
        assert TOOLS["bash"].recall({"command": "x"}, f"$ x\n\n{last}") == []
