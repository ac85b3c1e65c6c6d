import io

import pytest

from zot_agent.cli.ext.terminal import confirm, inline, print_line, print_table, print_text


def test_a_line_stays_a_single_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("one\ntwo")
    assert capsys.readouterr().out == "one two\n"
    assert inline(" one\n\x1b[2J two ") == "one two"


def test_colors_are_kept_and_other_control_sequences_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    print_text("\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J\n")
    assert capsys.readouterr().out == "red\n"


def test_characters_that_the_encoding_lacks_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii", newline="\n"))
    print_text("wéather\n")
    assert written.getvalue() == b"w?ather\n"


def test_the_columns_of_a_table_are_aligned_by_their_width_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    print_table([("name", "text"), ("日本語", "a\nb"), ("x", "")])
    assert capsys.readouterr().out == "name    text\n日本語  a b\nx       -\n"


@pytest.mark.parametrize(
    ("answer", "agreed"),
    [("y\n", True), (" YES \n", True), ("y", True), ("n\n", False), ("yess\n", False), ("\n", False), ("", False)],
)
def test_only_yes_is_consent(
    answer: str, agreed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    assert confirm("delete it?") is agreed
    # The terminal shows the line break of an answer; the end of input has none.
    assert capsys.readouterr().out == "delete it? [y/N] " + ("" if answer.endswith("\n") else "\n")
