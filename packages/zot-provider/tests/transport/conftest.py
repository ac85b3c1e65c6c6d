"""The raw server as a fixture."""

import pytest
from raw_server import StartRawServer, start_raw_server


@pytest.fixture
def raw_server() -> StartRawServer:
    return start_raw_server
