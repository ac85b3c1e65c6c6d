"""What `make pi` runs beside the examples that `make test` runs too."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the packages of npm, except with `--pi-results`: they come from the registry."""
    return True if collection_path.name == "test_packages.py" and not config.getoption("pi_results") else None
