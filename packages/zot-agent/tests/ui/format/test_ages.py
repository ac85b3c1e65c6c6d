import pytest

from zot_agent.ui.format.ages import age


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "just now"), (59, "just now"), (60, "1 min ago"), (185, "3 min ago"), (3600, "1 h ago"),
        (86399, "23 h ago"), (86400, "1 day ago"), (13 * 86400, "13 days ago"), (14 * 86400, "2 weeks ago"),
        (70 * 86400, "2 months ago"), (729 * 86400, "23 months ago"), (800 * 86400, "2 years ago"),
    ],
)  # fmt: skip
def test_ages_in_words(seconds: float, text: str) -> None:
    assert age(seconds) == text
