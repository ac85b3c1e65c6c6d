import pytest

from zot_tui.widgets.amounts import counted, duration, size


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "0.0s"),
        (0.04, "0.0s"),
        (0.31, "0.3s"),
        (9.94, "9.9s"),
        (9.96, "10s"),
        (59.4, "59s"),
        (59.6, "1m 00s"),
        (72, "1m 12s"),
        (3599.6, "1h 00m"),
        (7500, "2h 05m"),
    ],
)
def test_a_duration_is_as_exact_as_it_is_short(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (3_400_000, "3.4 MB")],
)
def test_bytes_are_counted_in_powers_of_1000(count: int, said: str) -> None:
    assert size(count) == said


def test_one_is_singular() -> None:
    assert [counted(1, "line"), counted(0, "line"), counted(12000, "file")] == ["1 line", "0 lines", "12,000 files"]
