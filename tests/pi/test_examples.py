"""The examples of pi under zot, each driven through its purpose; `make pi` drives all of them and writes the table."""

import json
from pathlib import Path

import pytest
from pi_conversation_rows import ROWS as CONVERSATION
from pi_drive import Row, drive
from pi_other_rows import ROWS as OTHER
from pi_screen_rows import ROWS as SCREEN
from pi_zot import examples

ROWS = sorted((*CONVERSATION, *SCREEN, *OTHER), key=lambda row: row.name)
SAMPLE = (
    "hello.ts",
    "todo.ts",
    "permission-gate.ts",
    "pirate.ts",
    "input-transform.ts",
    "status-line.ts",
    "overlay-test.ts",
    "message-renderer.ts",
    "custom-footer.ts",
    "sandbox",
    "with-deps",
)
"""What `make test` drives."""
EXAMPLES_TO_DRIVE = [
    pytest.param(
        row,
        id=row.name,
        marks=[pytest.mark.example_of_pi(row.name, sample=row.name in SAMPLE), pytest.mark.needs(*row.needs)],
    )
    for row in ROWS
]


@pytest.mark.needs("pi")
def test_every_example_has_a_row() -> None:
    names = {path.name for path in examples().iterdir() if path.name != "README.md"}
    assert names - {row.name for row in ROWS} == set()


@pytest.mark.needs("pi")
@pytest.mark.parametrize("row", EXAMPLES_TO_DRIVE)
def test_an_example_of_pi_does_what_it_is_for(row: Row, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    results = request.config.getoption("pi_results")
    outcome = {"name": row.name, "state": "fails", "why": ""}
    try:
        drive(row, tmp_path)
        outcome |= {"state": row.state, "why": row.cannot or row.part}
    except Exception as error:
        outcome["why"] = str(error)
        raise
    finally:
        if results:
            (Path(results) / f"{row.name}.json").write_text(json.dumps(outcome))
