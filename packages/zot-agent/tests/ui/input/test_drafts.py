import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import until

from zot_agent.ui.input.drafts import Drafts, SavedDraft

LIVE = """
import asyncio, sys
from zot_agent.ui.input.drafts import Drafts

async def main():
    drafts = Drafts(sys.argv[1], sys.argv[2], pause=0.01)
    drafts.keep(sys.argv[3], sys.argv[4:])
    await asyncio.sleep(0.05)
    print("kept", flush=True)
    await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "home")


def files(home: str) -> list[Path]:
    folder = Path(home, "drafts")
    return sorted(folder.iterdir()) if folder.exists() else []


def rows(home: str) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in files(home) if path.suffix == ".json"]


def other_zot(home: str, cwd: str, text: str, *queue: str) -> "subprocess.Popen[bytes]":
    """A process that keeps a draft, until its standard input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", LIVE, home, cwd, text, *queue], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"kept\n"
    return process


def die(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_a_crash_loses_neither_the_draft_nor_the_queue(home: str) -> None:
    die(other_zot(home, "/p", "half a sen", "first", "second"))
    drafts = Drafts(home, "/p")
    found = drafts.recover()
    assert (found.text, found.queue) == ("half a sen", ["first", "second"])
    drafts.close()


def test_a_draft_is_recovered_once(home: str) -> None:
    die(other_zot(home, "/p", "text"))
    first, second = Drafts(home, "/p"), Drafts(home, "/p")
    assert first.recover().text == "text"
    assert not second.recover()
    first.close()
    second.close()


def test_what_was_recovered_survives_the_next_crash_too(home: str) -> None:
    die(other_zot(home, "/p", "text"))
    recover = f"from zot_agent.ui.input.drafts import Drafts; import os; Drafts({home!r}, '/p').recover(); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", recover], check=False).returncode == 9
    drafts = Drafts(home, "/p")
    assert drafts.recover().text == "text"
    drafts.close()


def test_the_draft_of_a_zot_that_lives_is_its_own(home: str) -> None:
    process = other_zot(home, "/p", "theirs", "queued")
    drafts = Drafts(home, "/p")
    assert not drafts.recover()
    assert [row["draft"] for row in rows(home)] == ["theirs"]
    die(process)
    assert drafts.recover().text == "theirs"
    drafts.close()


def test_another_directory_has_other_drafts(home: str) -> None:
    die(other_zot(home, "/q", "text"))
    drafts = Drafts(home, "/p")
    assert not drafts.recover()
    drafts.close()
    assert [row["cwd"] for row in rows(home)] == ["/q"]


def test_what_several_left_is_put_together_the_oldest_first_and_nothing_twice(home: str) -> None:
    for text, queue in (("one", ["a"]), ("two", ["b", "a"]), ("one", [])):
        die(other_zot(home, "/p", text, *queue))
    drafts = Drafts(home, "/p")
    found = drafts.recover()
    assert (found.text, found.queue) == ("one\n\ntwo", ["a", "b"])
    drafts.close()
    assert len(rows(home)) == 1


async def test_a_draft_left_at_the_end_is_there_at_the_next_start(home: str) -> None:
    drafts = Drafts(home, "/p")
    drafts.keep("later", [])
    drafts.close()
    drafts.close()
    drafts.keep("too late", [])
    following = Drafts(home, "/p")
    assert following.recover().text == "later"
    following.close()


async def test_nothing_to_keep_leaves_nothing_behind(home: str) -> None:
    drafts = Drafts(home, "/p", pause=0.01)
    drafts.keep("text", ["queued"])
    await until(lambda: bool(rows(home)))
    drafts.keep("  \n", [])
    await until(lambda: not rows(home))
    drafts.close()
    assert files(home) == []


async def test_many_changes_are_few_writes(home: str) -> None:
    drafts = Drafts(home, "/p", pause=3600)
    drafts.keep("t", [])
    await until(lambda: bool(rows(home)))
    for length in range(1, 500):
        drafts.keep("t" * length, [])
        await asyncio.sleep(0)
    assert rows(home)[0]["draft"] == "t"
    drafts.close()
    assert rows(home)[0]["draft"] == "t" * 499


async def test_the_last_change_is_written_without_another_one(home: str) -> None:
    drafts = Drafts(home, "/p", pause=0.02)
    drafts.keep("a", [])
    await until(lambda: bool(rows(home)))
    drafts.keep("ab", ["q"])
    await until(lambda: rows(home)[0]["draft"] == "ab")
    drafts.close()


async def test_files_are_the_persons_own(home: str) -> None:
    drafts = Drafts(home, "/p")
    drafts.keep("secret", [])
    await until(lambda: bool(rows(home)))
    assert {path.stat().st_mode & 0o777 for path in files(home)} == {0o600}
    assert Path(home, "drafts").stat().st_mode & 0o777 == 0o700
    drafts.close()


async def test_the_file_has_a_bound_and_says_what_was_cut(home: str) -> None:
    drafts = Drafts(home, "/p", size=1000)
    drafts.keep("d" * 5000, ["q" * 400] * 10)
    drafts.close()
    (row,) = rows(home)
    assert row["draft"] == "d" * 1000
    assert row["queue"] == ["q" * 400, "q" * 400, "q" * 200]
    following = Drafts(home, "/p")
    assert following.recover().cut
    following.close()
    last = Drafts(home, "/p")
    assert last.recover().cut
    last.keep("short", [])
    last.close()
    assert "cut" not in rows(home)[0]


async def test_half_of_a_surrogate_pair_does_no_harm(home: str) -> None:
    drafts = Drafts(home, "/p")
    drafts.keep("a\ud800b", [])
    drafts.close()
    assert rows(home)[0]["draft"] == "a\ufffdb"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"draft": 3, "queue": [1], "time": "x"}', b"\xff"])
def test_a_file_that_cannot_be_understood_is_in_nobodys_way(home: str, content: bytes) -> None:
    die(other_zot(home, "/p", "text"))
    next(path for path in files(home) if path.suffix == ".json").write_bytes(content)
    drafts = Drafts(home, "/p")
    assert drafts.recover() == SavedDraft()
    drafts.close()
    assert files(home) == []


def test_a_file_without_its_lock_belongs_to_nobody(home: str) -> None:
    die(other_zot(home, "/p", "text"))
    next(path for path in files(home) if path.suffix == ".lock").unlink()
    drafts = Drafts(home, "/p")
    assert drafts.recover().text == "text"
    drafts.close()


async def test_a_home_that_cannot_be_written_is_said_once_it_matters(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file")
    drafts = Drafts(str(home), "/p")
    assert drafts.recover() == SavedDraft()
    assert drafts.failure == ""
    drafts.keep("text", [])
    drafts.close()
    assert drafts.failure.endswith("drafts: Not a directory")


def test_what_cannot_be_kept_on_is_not_removed(home: str) -> None:
    die(other_zot(home, "/p", "text"))
    code = f"""
import resource
from zot_agent.ui.input.drafts import Drafts
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # as on a full disk
drafts = Drafts({home!r}, "/p")
assert drafts.recover().text == "text"
assert drafts.failure.endswith("File too large"), drafts.failure
drafts.close()
"""
    assert subprocess.run([sys.executable, "-B", "-c", code], check=False).returncode == 0
    drafts = Drafts(home, "/p")
    assert drafts.recover().text == "text"
    drafts.close()


def test_two_zots_that_start_at_once_recover_a_draft_once(home: str) -> None:
    for number in range(4):
        die(other_zot(home, "/p", f"text {number}"))
    code = f"""
import sys
from zot_agent.ui.input.drafts import Drafts
drafts = Drafts({home!r}, "/p")
sys.stdin.readline()
print(drafts.recover().text.replace("\\n\\n", ","), flush=True)
sys.stdin.readline()
"""
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.stdout.readline().strip() for process in both if process.stdout is not None]
    for process in both:
        process.communicate("end\n")
    assert sorted(",".join(filter(None, answers)).split(",")) == [f"text {number}" for number in range(4)]


@pytest.mark.parametrize("suffix", [".json", ".lock"])
def test_a_draft_and_a_lock_that_are_pipes_are_not_waited_for(home: str, suffix: str) -> None:
    die(other_zot(home, "/p", "text"))
    for path in [path for path in files(home) if path.suffix == suffix]:
        path.unlink()
        os.mkfifo(path)
    drafts = Drafts(home, "/p")
    assert not drafts.recover()
    drafts.close()
