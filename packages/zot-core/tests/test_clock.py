import re

import pytest

from zot_core.clock import timestamp


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1795292965.586, "2026-11-21T20:29:25.586Z"),
        (1795292965.623, "2026-11-21T20:29:25.623Z"),
        (1795292965.9996, "2026-11-21T20:29:26.000Z"),
    ],
)
def test_a_time_is_utc_with_milliseconds(seconds: float, text: str) -> None:
    assert timestamp(seconds) == text


def test_without_a_time_it_is_now() -> None:
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", timestamp())
    assert timestamp() >= "2026"
