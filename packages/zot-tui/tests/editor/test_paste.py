from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.editor.paste import Pastes, dropped_paths


def test_a_short_paste_is_text_that_prints() -> None:
    pastes = Pastes()
    assert pastes.collapse("a\r\nb\tc\x1b[31m\u202e\n") == "a\nb\tc�\n"
    assert pastes.collapse("") == ""


def test_a_long_paste_is_a_chip_until_it_is_sent() -> None:
    pastes = Pastes(lines=3, characters=20)
    text = "1\n2\n3\n4\n"
    assert pastes.collapse("1\n2\n3\n") == "1\n2\n3\n"
    chip = pastes.collapse(text)
    other = pastes.collapse("x" * 21)
    assert (chip, other) == ("[pasted 4 lines #1]", "[pasted 21 characters #2]")
    assert pastes.expand(f"see {chip} and {other}, {chip}") == f"see {text} and {'x' * 21}, {text}"


def test_what_looks_like_a_chip_and_is_none_stays() -> None:
    pastes = Pastes(lines=1)
    chip = pastes.collapse("[pasted 2 lines #1]\nb")
    assert pastes.expand(f"[pasted 9 lines #9] {chip}") == "[pasted 9 lines #9] [pasted 2 lines #1]\nb"
    pastes.clear()
    assert pastes.expand(chip) == chip
    assert pastes.collapse("c\nd") == chip


def test_a_chip_is_found_to_be_drawn_and_deleted_as_a_whole() -> None:
    pastes = Pastes(lines=1)
    chip = pastes.collapse("a\nb")
    text = f"x {chip} y"
    (found,) = pastes.find(text)
    assert text[found.start : found.end] == chip == found.chip.label
    assert (found.chip.kind, found.chip.content) == ("text", "a\nb")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/a/b.py", ["/a/b.py"]),
        (" /a/b.py \n", ["/a/b.py"]),
        ("'/a/b c.py'", ["/a/b c.py"]),
        ('"/a/b \\"c\\".py"', ['/a/b "c".py']),
        ("/a/b\\ c.py /d", ["/a/b c.py", "/d"]),
        ("/a/it'\\''s", []),
        ("'/a/it'\\''s'", ["/a/it's"]),
        ("/a\n/b c\n/d", ["/a", "/b c", "/d"]),
        ("file:///a/b%20c.png", ["/a/b c.png"]),
        ("file://localhost/a\nfile:///b", ["/a", "/b"]),
        ("file://elsewhere/a", []),
        ("file://[", []),
        ("/a and words", []),
        ("relative/path", []),
        ("words", []),
        ("'/a", []),
        ("", []),
        ("/a" * 9000, []),
    ],
)
def test_dropped_paths_are_read_as_terminals_write_them(text: str, expected: list[str]) -> None:
    assert dropped_paths(text) == expected


def test_dropped_files_become_chips_that_stand_for_their_paths(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "a b.py").touch()
    (tmp_path / "src" / "a b.py").touch()
    (tmp_path / "cat.PNG").touch()
    pastes = Pastes()
    inserted = pastes.collapse(f"'{tmp_path}/a b.py' {tmp_path}/src file://{tmp_path}/cat.PNG '{tmp_path}/src/a b.py'")
    assert inserted == "[file:a b.py] [dir:src/] [image:cat.PNG] [file:a b.py #2] "
    assert [(each.chip.kind, each.chip.content) for each in pastes.find(inserted)] == [
        ("file", f"{tmp_path}/a b.py"),
        ("dir", f"{tmp_path}/src"),
        ("image", f"{tmp_path}/cat.PNG"),
        ("file", f"{tmp_path}/src/a b.py"),
    ]
    assert pastes.expand("see [dir:src/]") == f"see {tmp_path}/src"
    assert pastes.collapse(f"{tmp_path}/cat.PNG") == "[image:cat.PNG] "


def test_paths_that_lead_nowhere_are_text(tmp_path: Path) -> None:
    assert Pastes().collapse(f"{tmp_path}/none") == f"{tmp_path}/none"
    assert Pastes().collapse("/null\x00") == "/null"


def test_the_name_of_a_dropped_file_cannot_break_its_chip() -> None:
    pastes = Pastes(kind=lambda path: "file")
    inserted = pastes.collapse("'/a/b]\x1b[2J\u202e[c'")
    assert inserted == "[file:b)�(c] "
    assert pastes.expand(inserted) == "/a/b]\x1b[2J\u202e[c "


@given(st.text(max_size=200), st.text(max_size=50), st.text(max_size=50))
def test_a_chip_stands_for_the_paste_whatever_is_around_it(text: str, before: str, after: str) -> None:
    pastes = Pastes(lines=1, characters=1, kind=lambda path: None)
    chip = pastes.collapse(text + "\n\n")
    content = (text + "\n\n").replace("\r\n", "\n").replace("\r", "\n")
    assert pastes.expand(before + chip + after) == before + content + after


def test_a_paste_of_a_megabyte_stays_out_of_the_buffer() -> None:
    pastes = Pastes()
    text = "word " * 200_000
    chip = pastes.collapse(text)
    assert chip == "[pasted 1000000 characters #1]"
    assert pastes.expand(chip) == text
