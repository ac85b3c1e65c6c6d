"""What every test run needs, whoever started it."""

import logging
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# The background jobs of a shell ignore SIGINT, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine that is busy with something else makes no test fail.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())


@pytest.fixture(autouse=True)
def _no_failure_that_nobody_sees() -> Iterator[None]:
    """A task whose exception nobody has retrieved is told to a log alone, here or in the next test."""
    kept = _Kept()
    logger = logging.getLogger("asyncio")
    logger.addHandler(kept)
    yield
    logger.removeHandler(kept)
    assert kept.told == []
