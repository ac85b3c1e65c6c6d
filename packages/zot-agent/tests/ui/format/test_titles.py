from hypothesis import given
from hypothesis import strategies as st

from zot_agent.ui.format.titles import NOTIFICATION_CELLS, clipped_line, notification, terminal_title
from zot_tui.keys.key import is_character
from zot_tui.text.width import width


def test_a_title_says_what_is_worked_on_and_where() -> None:
    assert terminal_title("fix the\n  tests", "project") == "fix the tests – project"
    assert terminal_title("fix the tests", busy=True) == "● fix the tests"
    assert terminal_title("", "project") == "project"
    assert terminal_title(" \n") == "zot"


def test_a_notification_says_how_the_run_ended() -> None:
    assert notification("fix the tests", "completed") == "done: fix the tests"
    assert notification("fix the tests", "completed", "ignored") == "done: fix the tests"
    assert notification("fix the tests", "error", "connection\nrefused") == "failed: fix the tests (connection refused)"
    assert notification("", "aborted") == "stopped"


def test_a_semicolon_does_not_end_the_field_of_a_notification() -> None:
    assert notification("a;b", "completed") == "done: a,b"


def test_a_long_prompt_is_cut_where_it_is_seen_to_be() -> None:
    assert clipped_line("word " * 100, 11) == "word word …"
    assert width(clipped_line("漢字" * 100, 11)) <= 11


def test_a_pasted_file_costs_no_more_than_its_beginning() -> None:
    assert terminal_title("fix\n" + "x" * 50_000_000).startswith("fix xxx")


@given(st.text(), st.text())
def test_nothing_that_is_typed_reaches_the_terminal_as_a_command(prompt: str, reason: str) -> None:
    for text in (terminal_title(prompt, reason), notification(prompt, "error", reason)):
        assert all(map(is_character, text))
        assert text
        assert width(text) <= NOTIFICATION_CELLS


def test_escape_sequences_go_with_what_they_hold() -> None:
    assert terminal_title("a\x1b]0;evil\x07b\x9b2Jc\x1b\\") == "abc"
