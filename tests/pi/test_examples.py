"""The examples of pi under zot, each driven through its purpose; `make pi` drives all of them and writes the table.
With `--pi-real` pi itself runs each of them too, by the same steps."""

import json
from pathlib import Path

import pytest
from declared import declared
from pi_conversation_rows import ROWS as CONVERSATION
from pi_drive import Row, Way, drive
from pi_other_rows import ROWS as OTHER
from pi_screen_rows import ROWS as SCREEN

PACKAGE = "@earendil-works/pi-coding-agent"
ATOMIC = "packages/coding-agent"
"""The same in the repository of Atomic."""
EXAMPLES = "examples/extensions"
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
        age,
        id=f"{row.name}-{age}",
        marks=[
            pytest.mark.example_of_pi(row.name, age=age, sample=row.name in SAMPLE),
            pytest.mark.needs("pi", *row.needs),
        ],
    )
    for row in ROWS
    for age in ("newest", "older", "atomic")
]


def _packages(config: pytest.Config) -> dict[str, Path]:
    """The packages of pi by their age: what `make setup` installs is older than what `make pi` does. Atomic's is one
    more age."""
    newest, atomic = config.getoption("pi_newest"), config.getoption("atomic")
    return {
        **({"newest": Path(newest).resolve()} if newest else {}),
        "older": declared("pi") / PACKAGE,
        **({"atomic": Path(atomic) / ATOMIC} if atomic else {}),
    }


def _drive(row: Row, root: Path, example: Path, way: Way) -> None:
    folder = root / "-".join(filter(None, ("pi" if way.real else "zot", way.prints and "printed")))
    try:
        drive(row, folder, example, way)
    except Exception as error:
        raise AssertionError(f"{way}: {error}") from error


@pytest.mark.needs("pi")
def test_every_example_has_a_row(request: pytest.FixtureRequest) -> None:
    packages = _packages(request.config).values()
    names = {path.name for package in packages for path in (package / EXAMPLES).iterdir()} - {"README.md"}
    rows = {row.name for row in ROWS}
    # Atomic has divided some into files, which begin with the name of the whole.
    parts = {
        name for name in names if any(name.startswith(f"{Path(row).stem.removesuffix('-tests')}-") for row in rows)
    }
    assert names - rows - parts == set()
    assert names


@pytest.mark.parametrize(("row", "age"), EXAMPLES_TO_DRIVE)
def test_an_example_of_pi_does_what_it_is_for(
    row: Row, age: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    packages = _packages(request.config)
    example = packages[age] / EXAMPLES / row.name
    results, compared = request.config.getoption("pi_results"), request.config.getoption("pi_real")
    atomic = age == "atomic"
    row = row.elsewhere.get(age, row)
    version = "Atomic" if atomic else json.loads((packages[age] / "package.json").read_text())["version"]
    tried = "typed, `-p`" if row.prints else "typed"
    outcome = {"name": row.name, "version": version, "tried": tried, "state": "fails", "why": ""}
    ways = [Way(), Way(again=True)] if results else [Way()]
    ways += [Way(prints=True), Way(prints=True, again=True)] if row.prints and results else []
    of_pi = [Way(real=packages[age]), *([Way(real=packages[age], prints=True)] if row.prints else [])]
    try:
        for way in ways:
            _drive(row, tmp_path, example, way)
        outcome |= {"state": row.state, "why": row.cannot or row.part or row.differs}
        if compared and not row.cannot and not atomic:
            outcome["pi"] = "no"
            for way in of_pi:
                _drive(row, tmp_path, example, way)
            outcome["pi"] = "yes"
    except Exception as error:
        outcome["why"] = outcome["why"] or str(error)
        raise
    finally:
        if results:
            (Path(results) / f"{row.name}-{age}.json").write_text(json.dumps(outcome))
