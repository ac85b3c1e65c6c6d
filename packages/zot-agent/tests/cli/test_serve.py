import json
from pathlib import Path

import pytest

from zot_agent.cli.serve import run


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (["-c"], "--continue"),
        (["--session", "x"], "--session"),
        (["--json"], "--json"),
        (["--json-schema", "schema.json"], "--json-schema"),
        (["--list-models"], "--list-models"),
        (["--stats"], "--stats"),
        (["--version"], "--version"),
    ],
)
def test_a_flag_that_means_nothing_for_many_sessions_is_refused_by_name(
    arguments: list[str], flag: str, alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (alone / "schema.json").write_text(json.dumps({"type": "object"}))
    assert run(arguments) == 2
    assert capsys.readouterr() == ("", f"zot: zot serve has no {flag}; see zot serve --help\n")
