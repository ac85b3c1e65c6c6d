import pytest

from zot_tui.terminal.key_report import KeyReport, read_report


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (b"\x1b[97;;97u", "press", "a"),
        (b"\x1b[97:65;2;65u", "press", "A"),
        (b"\x1b[97;1:2;97u", "repeat", "a"),
        (b"\x1b[97;1:3u", "release", ""),
        (b"\x1b[97;65:2;65u", "repeat", "A"),
        (b"\x1b[0;;233:24555u", "press", "é快"),
        (b"\x1b[1;1:3A", "release", ""),
        (b"\x1b[5;5:2~", "repeat", ""),
        (b"\x1b[99;5:2;99u", "repeat", ""),
    ],
)
def test_a_report_says_whether_a_key_was_let_go_and_what_it_types(data: bytes, kind: str, text: str) -> None:
    assert read_report(data) == KeyReport(kind, text)


@pytest.mark.parametrize(
    "data",
    [b"\x1b[A", b"\x1b[97;5u", b"\x1b[1;5A", b"\x1b[97;3;97u", b"\x1b[?0u", b"\x1b[<0;1;1M", b"a", b"\x1b[97;1:3ub"],
)
def test_presses_without_text_and_other_sequences_say_nothing(data: bytes) -> None:
    assert read_report(data) is None


def test_a_hostile_report_has_no_text() -> None:
    assert read_report(b"\x1b[97;;7:27u") is None
    assert read_report(b"\x1b[97;1:2;1114112:0u") == KeyReport("repeat", "")
    assert read_report(b"\x1b[97;0:2;97u") == KeyReport("repeat", "")
