import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_tui.editor.history import ENTRY_SIZE, History, history_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history" / "a.jsonl"


def history(path: Path | None, *entries: str, **options: int) -> History:
    opened = History(path, **options)
    for entry in entries:
        opened.add(entry)
    return opened


def test_entries_are_there_next_time(path: Path) -> None:
    assert history(path, "one", "two\nlines", "ü \ud800").add("one")
    assert History(path).entries == ["one", "two\nlines", "ü \ud800", "one"]
    assert [json.loads(line) for line in path.read_text().splitlines()][1] == {"text": "two\nlines"}
    assert path.stat().st_mode & 0o777 == 0o600


def test_blank_text_and_the_last_entry_again_are_not_kept(path: Path) -> None:
    assert history(path, "a", "a", " \n", "b", "a").entries == ["a", "b", "a"]
    assert History(path).entries == ["a", "b", "a"]


def test_the_walk_goes_back_and_forward_to_the_draft() -> None:
    entries = history(None, "one", "two", "three")
    assert entries.back("dra") == "three"
    assert entries.back("three") == "two"
    assert entries.back("two") == "one"
    assert entries.back("one") is None
    assert entries.forward("one") == "two"
    assert entries.forward("two") == "three"
    assert entries.forward("three") == "dra"
    assert entries.forward("dra") is None


def test_a_changed_entry_is_a_draft_of_its_own() -> None:
    entries = history(None, "one", "two")
    assert entries.back("") == "two"
    assert entries.forward("two!") is None
    assert entries.back("two!") == "two"
    assert entries.forward("two") == "two!"


def test_an_entry_like_the_draft_is_no_step() -> None:
    assert history(None, "one", "two").back("two") == "one"


def test_the_walk_keeps_to_a_prefix() -> None:
    entries = history(None, "git a", "ls", "git b", "git a")
    assert entries.back("git", prefix="git") == "git a"
    assert entries.back("git a") == "git b"
    assert entries.back("git b") == "git a"
    assert entries.back("git a") is None


def test_garbage_is_passed_over(path: Path) -> None:
    path.parent.mkdir()
    rows = [b'{"text": "a"}', b"\xff\xfe", b"[1]", b'{"text": 3}', b'{"text": ""}', b"", b"[" * 99999, b'{"text": "b"}']
    path.write_bytes(b"\n".join(rows) + b'\n{"text": "torn')
    opened = History(path)
    assert opened.entries == ["a", "b"]
    assert opened.add("c")
    assert History(path).entries == ["a", "b", "c"]


def test_a_file_that_cannot_be_used_is_an_empty_history(tmp_path: Path) -> None:
    opened = History(tmp_path)  # a directory
    assert opened.entries == []
    assert not opened.add("a")
    assert opened.back("") == "a"


def test_an_entry_too_long_for_the_file_is_remembered_here(path: Path) -> None:
    opened = history(path, "a")
    assert not opened.add("x" * ENTRY_SIZE)
    assert opened.back("") == "x" * ENTRY_SIZE
    assert History(path).entries == ["a"]


def test_the_number_of_entries_is_bounded(path: Path) -> None:
    assert history(path, *map(str, range(20)), limit=5).entries == ["15", "16", "17", "18", "19"]
    assert History(path, limit=5).entries == ["15", "16", "17", "18", "19"]


def test_a_file_that_grew_is_cut_down_to_its_newest_rows(path: Path) -> None:
    history(path, *(f"entry {number}" for number in range(500)))
    opened = History(path, file_size=4000)
    assert opened.entries[-1] == "entry 499"
    assert opened.entries[0] == f"entry {500 - len(opened.entries)}"
    assert 1000 < path.stat().st_size <= 2000
    assert opened.add("new")
    assert History(path).entries[-2:] == ["entry 499", "new"]
    assert [each.name for each in path.parent.iterdir()] == [path.name]


WRITER = """
import sys
from pathlib import Path
from zot_tui.editor.history import History

path, name, file_size = sys.argv[1:]
for number in range(100):
    if not History(Path(path), file_size=int(file_size)).add(f"{name} {number} {'x' * (number * 7 % 300)}"):
        sys.exit("an entry was not written")
"""


@pytest.mark.parametrize("file_size", [10**6, 20_000])
def test_processes_that_write_at_once_lose_and_tear_nothing(path: Path, file_size: int) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, str(file_size)]) for name in "abc"]
    assert [writer.wait(timeout=PATIENCE) for writer in writers] == [0, 0, 0]
    rows = [json.loads(line)["text"].split()[:2] for line in path.read_bytes().splitlines()]
    for name in "abc":
        numbers = [int(number) for writer, number in rows if writer == name]
        assert numbers == [*range(100 - len(numbers), 100)]  # the file is cut from its beginning only
        assert file_size < 10**6 or len(numbers) == 100


def test_a_stopped_process_that_holds_the_lock_is_not_waited_for(path: Path) -> None:
    assert history(path, "x" * 100).add("one")
    code = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        opened = History(path, file_size=50)  # it would be cut
        assert opened.add("two")
        assert History(path).entries == ["x" * 100, "one", "two"]
        other.communicate(b"\n")
    assert History(path, file_size=50).entries == ["one", "two"]


def test_each_directory_has_a_file_that_its_name_leads_to() -> None:
    folder = Path("/history")
    one, other = history_path(folder, Path("/a/my app")), history_path(folder, Path("/b/my app"))
    assert one != other
    assert one.name.startswith("my-app-")
    assert history_path(folder, Path("/")).name.startswith("root-")
    assert one == history_path(folder, Path("/a/my app"))


def test_a_pipe_and_a_device_have_no_entries(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    assert History(path).entries == []
    path.unlink()
    path.symlink_to("/dev/zero")
    assert History(path).entries == []
    assert not History(path).add("lost")
