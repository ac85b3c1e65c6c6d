"""Chat screens without a terminal, and a scripted server, as fixtures."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from screen import Chats

from zot_provider.testing import ScriptedServer


@pytest.fixture
def chats(tmp_path: Path) -> Chats:
    return Chats(tmp_path)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running
