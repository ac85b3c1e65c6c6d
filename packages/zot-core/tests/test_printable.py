import pytest

from zot_core.printable import printable_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain words", "plain words"),
        ("  a\n\tb \r\n c ", "a b c"),
        ("\x1b[31mred\x1b[0m \x1b[2Jcleared", "red cleared"),
        ("a\x07b\x9bc\u202ed\u200be", "a b c d e"),
        ("می\u200cخواهم 👩\u200d👧", "می\u200cخواهم 👩\u200d👧"),
        ("\u200d a", "a"),
        ("\u200d\x00", ""),
        ("", ""),
    ],
)
def test_a_line_holds_printable_characters_and_joiners(text: str, line: str) -> None:
    assert printable_line(text) == line
