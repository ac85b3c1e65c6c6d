from pathlib import Path

import pytest
from calling_extension import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Where the extensions and the session of a test are."""
    return World(tmp_path)
