import os
from pathlib import Path

import pytest

from zot_agent.attachments import MOST_NAMES, attach, named_files
from zot_provider.errors import ConfigError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "my notes.txt").write_text("milk\n")
    (tmp_path / "src").mkdir()
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("fix @a.py", ["a.py"]),
        ("@a.py, then @a.py.", ["a.py"]),
        ('read @"my notes.txt" and @my notes.txt', ["my notes.txt"]),
        ("mail@a.py (@a.py) @nobody @src @src/ @pipe @ @, x", []),
        ("two\n@a.py", ["a.py"]),
        ("@a\0.py", []),
        ("@no " * MOST_NAMES + "@a.py", []),
    ],
)
def test_only_names_of_regular_files_are_attached(project: Path, text: str, found: list[str]) -> None:
    assert named_files(text, str(project)) == found


def test_a_path_starts_at_the_working_directory_or_at_the_home_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    assert named_files("@~/a.py", "/") == ["~/a.py"]
    assert named_files(f"@{project}/a.py", "/") == [f"{project}/a.py"]
    assert attach(["a.py"], str(project)).texts == ['<file path="a.py">\nx = 1\n</file>']


def test_a_file_that_disappears_is_an_error_in_one_line(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"^no such file: gone$"):
        attach(["gone"], str(project))


def test_a_file_whose_name_is_not_utf8_is_named_as_it_is_shown(tmp_path: Path) -> None:
    folder = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    os.mkdir(folder)
    Path(os.fsdecode(os.path.join(folder, b"lat\xe9.txt"))).write_text("hello\n")
    shown = "caf\ufffd/lat\ufffd.txt"
    assert named_files(f"see @{shown}", str(tmp_path)) == [shown]
    assert attach([shown], str(tmp_path)).texts == [f'<file path="{shown}">\nhello\n</file>']
    Path(os.fsdecode(os.path.join(folder, b"lat\xe8.txt"))).write_text("other\n")
    assert named_files(f"see @{shown}", str(tmp_path)) == []
