import pytest

from zot_agent.standard_error import is_plain, print_error


def test_an_error_is_one_line_that_is_safe_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_error("a\nb\r\n  c \x1b[2J\x07 d\u202ee\u200bf")
    assert capsys.readouterr().err == "zot: a b c  d\ufffdef\n"


def test_an_error_can_name_its_author(capsys: pytest.CaptureFixture[str]) -> None:
    print_error("no network", "[weather] error")
    assert capsys.readouterr().err == "[weather] error: no network\n"


@pytest.mark.parametrize(
    ("text", "plain"), [("", True), ("a b\n", True), ("a\tb", False), ("\x1b[m", False), ("é", False)]
)
def test_only_printable_ascii_and_line_feeds_are_plain(text: str, plain: bool) -> None:
    assert is_plain(text) is plain
