import os
import stat
import time
from pathlib import Path

import pytest

from zot_core.tools.text.capture import Capture
from zot_core.tools.text.truncate import TextLimits

LIMITS = TextLimits(lines=3, bytes=10)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def captured(*pieces: bytes, spill_bytes: int = 1000) -> Capture:
    capture = Capture(LIMITS, spill_bytes)
    for piece in pieces:
        capture.feed(piece)
    capture.close()
    return capture


def test_a_short_output_stays_in_memory(temporary: Path) -> None:
    capture = captured(b"a\n", b"b\nc\n")
    assert (capture.path, capture.shortened) == ("", "")
    assert os.listdir(temporary) == []


def test_the_next_file_takes_away_those_that_are_a_week_old(temporary: Path) -> None:
    week = 7 * 86400
    now = time.time()
    ages = {"zot-output-old.log": week + 60, "zot-output-new.log": week - 60, "mine-old.log": week + 60}
    for name, age in ages.items():
        (temporary / name).touch()
        os.utime(temporary / name, (now - age, now - age))
    kept = captured(b"a\nb\nc\nd\n").path
    assert sorted(os.listdir(temporary)) == sorted(["mine-old.log", "zot-output-new.log", Path(kept).name])


def test_a_long_one_is_in_a_file_from_its_first_byte() -> None:
    capture = captured(b"a\nb\n", b"c\nd", b"\n\xff\0e\n")
    assert Path(capture.path).read_bytes() == b"a\nb\nc\nd\n\xff\0e\n"
    assert stat.S_IMODE(os.stat(capture.path).st_mode) == 0o600
    assert Path(capture.path).name.startswith("zot-output-")


def test_the_byte_limit_spills_too() -> None:
    capture = captured(b"0123456789", b"0")
    assert Path(capture.path).read_bytes() == b"01234567890"


def test_the_file_is_bounded() -> None:
    capture = captured(b"x" * 11, b"y" * 11, b"z", spill_bytes=20)
    assert Path(capture.path).read_bytes() == b"x" * 11 + b"y" * 9
    assert capture.shortened == "too long"


def test_memory_is_bounded() -> None:
    capture = Capture(LIMITS, 1_000_000)
    for _ in range(1000):
        capture.feed(b"x" * 100)
    assert len(capture._start) == 0
    capture.discard()


def test_an_output_whose_file_the_command_has_removed_is_discarded(temporary: Path) -> None:
    capture = Capture(LIMITS, 1000)
    capture.feed(b"x" * 11)
    Path(capture.path).unlink()
    capture.discard()
    assert capture.path == ""


def test_a_discarded_output_leaves_no_file(temporary: Path) -> None:
    capture = Capture(LIMITS, 1000)
    capture.feed(b"x" * 11)
    capture.discard()
    assert (os.listdir(temporary), capture.path) == ([], "")


def test_a_place_where_no_file_can_be_made_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    capture = captured(b"x" * 11, b"y")
    assert (capture.path, capture.shortened) == ("", "No such file or directory")


def test_a_file_that_takes_no_more_is_noted() -> None:
    capture = Capture(LIMITS, 1000)
    capture.feed(b"x" * 11)
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, capture._file or 0)
    os.close(writing)
    capture.feed(b"y")
    assert capture.shortened == "Broken pipe"
    capture.discard()
