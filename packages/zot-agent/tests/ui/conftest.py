"""Chat screens without a terminal, and a scripted server, as fixtures."""

from pathlib import Path

import pytest
from screen import Chats


@pytest.fixture
def chats(tmp_path: Path) -> Chats:
    return Chats(tmp_path)
