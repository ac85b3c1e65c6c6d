"""What runs here: `make test` drives a sample of the examples, `make pi` all of them, and packages of npm."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pi_drive import Row, Way, drive
from pi_packages import Package

OPTIONS = {"test_packages.py": "pi_results", "test_atomic.py": "atomic", "test_collections.py": "pi_collections"}
EXAMPLES = "examples/extensions"
OLDER = Path(__file__).parents[1] / "support/pi/node_modules/@earendil-works/pi-coding-agent"
"""The pi that `make setup` installs."""


_IMPORT = re.compile(r"^import\b[^;]*;$", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what comes from the registry, or from elsewhere, except where it is asked for."""
    option = OPTIONS.get(collection_path.name)
    return True if option and not config.getoption(option) else None


def _is_in(name: str, age: str, newest: Path | None, atomic: Path | None) -> bool:
    """Whether a pi of this age, or Atomic, has an example that is to be tried. Most of Atomic are those of
    pi, and what some need of npm is not in a clone."""
    new, old = newest and newest / EXAMPLES / name, OLDER / EXAMPLES / name
    if age == "atomic":
        own = atomic and atomic / "packages/coding-agent" / EXAMPLES / name
        if own is None or not own.exists() or _needs_packages(own / "package.json"):
            return False
        return not any(_same(own, each) for each in (new, old) if each)
    if age == "newest":
        return new is not None and new.exists()
    # Without any pi the test says that it lacks one.
    return (old.exists() or not OLDER.exists()) and not (new is not None and _same(old, new))


def _same(one: Path, other: Path) -> bool:
    """Whether two examples are the same, but for where they import from and what npm writes into its files."""
    files = [
        {path.relative_to(root): _IMPORT.sub("", path.read_text("utf-8")).split() for path in _programs(root)}
        for root in (one, other)
    ]
    return files[0] == files[1]


def _needs_packages(described: Path) -> bool:
    return described.exists() and "dependencies" in json.loads(described.read_text("utf-8"))


def _programs(example: Path) -> list[Path]:
    return [example] if example.is_file() else sorted(example.rglob("*.ts"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "example_of_pi(name, age, sample): an example of a pi of this age, and whether `make test` drives it"
    )


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Deselect the examples outside of the sample; with `--pi-results`, those whose results are there already; and
    those that a pi of this age does not have, or the newest has as well."""
    results, newest, atomic = (config.getoption(option) for option in ("pi_results", "pi_newest", "atomic"))
    places = [Path(each) if each else None for each in (newest, atomic)]
    left_out = []
    for item in items:
        for mark in item.iter_markers("example_of_pi"):
            (name,), age = mark.args, mark.kwargs["age"]
            done = (Path(results) / f"{name}-{age}.json").exists() if results else not mark.kwargs["sample"]
            if done or not _is_in(name, age, *places):
                left_out.append(item)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture
def driven(
    tmp_path: Path, request: pytest.FixtureRequest, installer_environment: dict[str, str]
) -> Callable[..., None]:
    """Drives a package that is installed, or a file, with `--pi-real` in pi too if that can run it, and notes the
    outcome by its name."""
    results, compared = request.config.getoption("pi_results"), request.config.getoption("pi_real")
    pi = Path(request.config.getoption("pi_newest") or OLDER).resolve()

    def run(name: str, source: str | Path, row: Row, *, in_pi: bool = True) -> None:
        outcome = {"package": name, "state": "fails", "why": ""}
        try:
            what: dict[str, Any] = {"example": source}
            if isinstance(source, str):
                what = {"package": Package(source, tmp_path / "package", installer_environment)}
            drive(row, tmp_path / "zot", **what)
            outcome |= {"state": row.state}
            if compared and in_pi and not row.differs:
                outcome["pi"] = "no"
                drive(row, tmp_path / "pi", way=Way(real=pi), **what)
                outcome["pi"] = "yes"
        except Exception as error:
            outcome["why"] = str(error)
            raise
        finally:
            if results:
                (Path(results) / f"package-{name.replace('/', '-')}.json").write_text(json.dumps(outcome))

    return run
