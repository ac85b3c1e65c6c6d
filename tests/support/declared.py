"""`declared`: where a part of the machine is, for the test that declares it."""

import json
import os
from pathlib import Path


def declared(part: str) -> Path:
    """Return where the root `conftest.py` has found a part that the running test `needs`. KeyError if it does not say
    so: the test would fail on a machine that lacks the part."""
    found: dict[str, str] = json.loads(os.environ["PYTEST_NEEDS"])
    return Path(found[part])
