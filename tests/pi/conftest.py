"""What runs here: `make test` drives a sample of the examples, `make pi` all of them, and packages of npm."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the packages of npm, except with `--pi-results`, and those of Atomic, except with `--atomic`: what they
    need comes from the registry."""
    option = {"test_packages.py": "pi_results", "test_atomic.py": "atomic"}.get(collection_path.name)
    return True if option and not config.getoption(option) else None


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "example_of_pi(name, age, sample): an example of a pi of this age, and whether `make test` drives it"
    )


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Deselect the examples outside of the sample; with `--pi-results`, those whose results are there already."""
    results, newest = config.getoption("pi_results"), config.getoption("pi_newest")
    left_out = []
    for item in items:
        for mark in item.iter_markers("example_of_pi"):
            (name,) = mark.args
            done = (Path(results) / f"{name}.json").exists() if results else not mark.kwargs["sample"]
            if done or (mark.kwargs["age"] == "newest" and not newest):
                left_out.append(item)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
