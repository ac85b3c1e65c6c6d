import json
from pathlib import Path

import pytest

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
