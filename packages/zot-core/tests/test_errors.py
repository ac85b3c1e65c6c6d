import pytest

from zot_core.errors import Busy, Refused, SessionError, SessionLocked, SessionNotFound, error_line
from zot_provider.errors import ZotError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Busy("the agent is busy"), "the agent is busy"),
        (Refused("not\n  today"), "not today"),
        (Refused(), "Refused"),
        (ValueError("bad\nvalue"), "unexpected ValueError: bad value"),
        (ValueError(), "unexpected ValueError"),
        (Busy("a" * 1000), "a" * 1000),
        (Busy("a" * 500 + "b" * 10**6 + "c" * 200), "a" * 500 + "b" * 300 + " … " + "c" * 200),
    ],
)
def test_error_line_describes_an_error_in_one_line(error: Exception, text: str) -> None:
    assert error_line(error) == text


def test_errors_for_the_user_have_an_exit_code() -> None:
    assert [error.exit_code for error in (ZotError, SessionError, SessionNotFound, SessionLocked)] == [1, 1, 2, 2]
