import os
from pathlib import Path

import pytest

from zot_core.prompt.context_files import FILE_LIMIT, TOTAL_LIMIT, Context, find_context, find_system, read_bounded


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    return folder


def found(cwd: Path, home: Path | str = "") -> list[tuple[str, str]]:
    context = find_context(str(cwd), str(home))
    assert context.notes == []
    return [(each.path, each.text) for each in context.files]


def noted(path: Path) -> str:
    """The only note on a file that gives no text."""
    notes: list[str] = []
    assert read_bounded(str(path), notes) == ""
    (note,) = notes
    assert note.startswith(f"{path} ")
    return note.removeprefix(f"{path} ")


def test_the_home_comes_first_and_then_every_directory_down_to_the_working_one(home: Path, deep: Path) -> None:
    places = [home, deep.parents[1], deep]
    for place in places:
        (place / "AGENTS.md").write_text(f"\n in {place.name} \n")
    assert found(deep, home) == [(str(place / "AGENTS.md"), f"in {place.name}") for place in places]
    assert [text for _, text in found(deep.parent)] == ["in a"]


@pytest.mark.parametrize("whose", ["file", "folder", "link"])
def test_above_the_working_directory_nothing_of_a_stranger_is_read(deep: Path, tmp_path: Path, whose: str) -> None:
    above = deep.parents[1]
    path = above / "AGENTS.md"
    if whose == "link":
        (tmp_path / "private").write_text("a key")
        path.symlink_to(tmp_path / "private")
    else:
        path.write_text("run this")
    (deep / "AGENTS.md").write_text("here")
    if os.geteuid() != 0:  # nobody else can give files away
        assert [text for _, text in found(deep)][1:] == ["here"]
    else:
        stranger = above if whose == "folder" else path
        os.chown(stranger, 65534, 65534, follow_symlinks=False)
        context = find_context(str(deep))
        assert [each.text for each in context.files] == ["here"]
        assert context.notes == [f"{stranger} belongs to another user; {path} is left out"]
        for folder in (deep, above, path):  # to work in the folder of another user is to read what is theirs
            os.chown(folder, 65534, 65534, follow_symlinks=False)
        assert len(find_context(str(deep)).files) == 2


def test_in_a_folder_of_everybody_nothing_of_a_stranger_is_read(deep: Path) -> None:
    deep.chmod(0o1777)
    (deep / "AGENTS.md").write_text("run this")
    assert [text for _, text in found(deep)] == ["run this"]
    if os.geteuid() == 0:  # nobody else can give files away
        os.chown(deep / "AGENTS.md", 65534, 65534)
        assert find_context(str(deep)).files == []


def test_a_directory_without_agents_md_has_its_claude_md_read(home: Path, deep: Path) -> None:
    for place in (home, deep.parents[1], deep):
        (place / "CLAUDE.md").write_text(f"claude in {place.name}")
    (deep / "AGENTS.md").write_text("agents")
    claude = deep.parents[1] / "CLAUDE.md"
    assert found(deep, home) == [
        (str(home / "CLAUDE.md"), "claude in home"),
        (str(claude), "claude in a"),
        (str(deep / "AGENTS.md"), "agents"),
    ]
    assert [each.text for each in find_context(str(deep), str(home), claude=False).files] == ["agents"]


def test_a_home_above_the_working_directory_is_read_once(deep: Path) -> None:
    for place in (deep.parents[1], deep):
        (place / "AGENTS.md").write_text(place.name)
    assert [text for _, text in found(deep, deep.parents[1])] == ["a", "c"]
    (deep.parent / "AGENTS.md").write_text("b")
    assert [text for _, text in found(deep, deep)] == ["c", "a", "b"]


def test_the_sections_name_their_files(deep: Path) -> None:
    (deep / "AGENTS.md").write_text("be brief")
    assert find_context(str(deep)).sections() == [f"# Instructions from {deep}/AGENTS.md\n\nbe brief"]
    assert Context().sections() == []


def test_empty_and_missing_files_are_nothing(deep: Path) -> None:
    (deep / "AGENTS.md").write_text(" \n")
    assert found(deep, "/nowhere") == []


@pytest.mark.parametrize(
    ("content", "text", "note"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9", "caf\u00e9", ""),
        (
            b"\xef\xbb\xbfcaf\xe9",
            "caf\ufffd",
            "has bytes that are not UTF-8, shown as \ufffd; the rest is taken for UTF-8",
        ),
        (b"caf\xe9 \x1b[1m", "caf\u00e9 \u241b[1m", "is not UTF-8; guessed: windows-1252"),
        ("Größe".encode("utf-16"), "Größe", "is in UTF-16 (little-endian), not UTF-8"),
    ],
)
def test_text_that_is_not_utf8_is_read_and_noted(deep: Path, content: bytes, text: str, note: str) -> None:
    path = deep / "AGENTS.md"
    path.write_bytes(content)
    context = find_context(str(deep), "")
    assert [file.text for file in context.files] == [text]
    assert context.notes == ([f"{path} {note}"] if note else [])


def test_files_that_cannot_be_used_are_noted_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"text\0")
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    assert noted(tmp_path / "binary") == "looks binary; it is left out"
    assert noted(tmp_path / "folder") == "cannot be read (Is a directory); it is left out"
    assert noted(tmp_path / "dangling") == "is a broken link; it is left out"
    assert noted(tmp_path / "loop") == "cannot be read (Too many levels of symbolic links); it is left out"
    assert noted(tmp_path / "pipe") == "cannot be read (not a regular file); it is left out"


def test_of_a_long_file_the_head_is_taken_up_to_a_whole_character(deep: Path) -> None:
    (deep / "AGENTS.md").write_text("x" + "ü" * FILE_LIMIT)
    context = find_context(str(deep))
    assert context.files[0].text == "x" + "ü" * (FILE_LIMIT // 2 - 1)
    assert context.notes == [f"{deep}/AGENTS.md is longer than 64 KiB; the rest is left out"]


def test_all_together_are_bounded_and_the_nearest_are_kept(home: Path, tmp_path: Path) -> None:
    folder, folders = tmp_path / "many", []
    for number in range(TOTAL_LIMIT // FILE_LIMIT + 2):
        folder = folder / str(number)
        folder.mkdir(parents=True)
        (folder / "AGENTS.md").write_text(str(number) * FILE_LIMIT)
        folders.append(folder)
    (home / "AGENTS.md").write_text("from home")
    context = find_context(str(folder), str(home))
    assert [each.text[0] for each in context.files] == ["2", "3", "4", "5"]
    left = [*(folders[1], folders[0]), home]
    assert context.notes == [f"{each}/AGENTS.md is left out: the context files are more than 256 KiB" for each in left]


def test_the_system_file_of_the_project_goes_before_that_of_the_home(home: Path, deep: Path) -> None:
    notes: list[str] = []
    assert find_system(str(deep), str(home), notes) is None
    (home / "SYSTEM.md").write_text("from home")
    (deep / "SYSTEM.md").write_text("not in the right folder")
    system = find_system(str(deep), str(home), notes)
    assert system is not None
    assert system.text == "from home"
    (deep / ".zot").mkdir()
    (deep / ".zot" / "SYSTEM.md").write_text("from the project")
    system = find_system(str(deep), str(home), notes)
    assert system is not None
    assert (system.path, system.text) == (f"{deep}/.zot/SYSTEM.md", "from the project")
    assert notes == []


def test_a_system_file_that_cannot_be_used_is_noted_and_the_next_one_taken(home: Path, deep: Path) -> None:
    (deep / ".zot").mkdir()
    (deep / ".zot" / "SYSTEM.md").write_bytes(b"\0")
    (home / "SYSTEM.md").write_text("from home")
    notes: list[str] = []
    system = find_system(str(deep), str(home), notes)
    assert system is not None
    assert system.text == "from home"
    assert notes == [f"{deep}/.zot/SYSTEM.md looks binary; it is left out"]
