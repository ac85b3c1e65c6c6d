"""A model server for the tests of the client."""

from collections.abc import Iterator

import pytest

from zot_provider.testing import ScriptedServer


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running
