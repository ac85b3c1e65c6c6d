import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_agent.cli.acp import run


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["do it"], "prompt"),
        (["-c"], "--continue"),
        (["-c", "--fork"], "--continue"),
        (["--session", "x"], "--session"),
        (["--json"], "--json"),
        (["--rpc"], "--rpc"),
        (["--json-schema", "schema.json"], "--json-schema"),
        (["--list-models"], "--list-models"),
        (["--version"], "--version"),
        (["--stats"], "--stats"),
        (["--cwd", "/"], "--cwd"),
    ],
)
def test_what_the_editor_chooses_is_refused_by_name(
    arguments: list[str], name: str, alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (alone / "schema.json").write_text(json.dumps({"type": "object"}))
    assert run(arguments) == 2
    said = f"zot: zot acp takes no {name}: the editor chooses prompt, session and directory\n"
    assert capsys.readouterr() == ("", said)


def test_where_the_package_of_the_protocol_refuses_the_python_a_line_says_which_one_to_take(tmp_path: Path) -> None:
    (tmp_path / "acp.py").write_text("raise ImportError('not for this Python')")
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "zot_agent", "acp", "--provider", "anthropic"],
        env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "(not for this Python)" in done.stderr
    assert done.stderr.endswith("uv tool install --python 3.14 zot-agent\n")
