import errno
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from full_disk import full_disk
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.extensions.trace import Trace
from zot_provider.errors import ConfigError

NAN = b'{"type":"x","y":NaN}'


def traced(path: Path, *lines: bytes, extension: str = "x") -> list[dict[str, Any]]:
    trace = Trace(str(path))
    for line in lines:
        trace.add(extension, "in", line)
    trace.close()
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_each_frame_is_a_line_with_time_extension_and_direction(tmp_path: Path) -> None:
    trace = Trace(str(tmp_path / "t"))
    trace.add("a", "in", b'{"type":"ready"}')
    trace.add("b", "out", b'{"type":"shutdown"}\n')
    first, second = [json.loads(line) for line in (tmp_path / "t").read_text().splitlines()]
    trace.close()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first.pop("time"))
    assert first == {"extension": "a", "direction": "in", "frame": {"type": "ready"}}
    assert (second["extension"], second["direction"], second["frame"]) == ("b", "out", {"type": "shutdown"})


def test_a_frame_keeps_its_text(tmp_path: Path) -> None:
    traced(tmp_path / "t", b'{"type":"x","args":{"n":1.0e5, "big":123456789012345678901234567890}}')
    assert (
        b'"frame":{"type":"x","args":{"n":1.0e5, "big":123456789012345678901234567890}}}'
        in Path(tmp_path / "t").read_bytes()
    )


@pytest.mark.parametrize("line", [b"garbage", b"[1]", b'"text"', NAN, b'{"cut":', b"{}{}"])
def test_what_is_no_object_is_kept_as_text(tmp_path: Path, line: bytes) -> None:
    (found,) = traced(tmp_path / "t", line)
    assert found["text"] == line.decode()
    assert "frame" not in found


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: json.dumps({"type": text}).encode()))
def test_any_line_becomes_one_line_of_json(tmp_path_factory: pytest.TempPathFactory, line: bytes) -> None:
    path = tmp_path_factory.mktemp("trace") / "t"
    (found,) = traced(path, line, extension="a\n\"'\ud800")
    assert ("frame" in found) != ("text" in found)
    assert len(path.read_text("utf-8").splitlines()) == 1


def test_a_trace_is_private_and_added_to(tmp_path: Path) -> None:
    path = tmp_path / "t"
    traced(path, b'{"n":1}')
    assert [line["frame"] for line in traced(path, b'{"n":2}')] == [{"n": 1}, {"n": 2}]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("path", ["/no/such/folder/t", "/", "a\0b"])
def test_a_trace_that_cannot_be_opened_is_an_error_of_one_line(path: str) -> None:
    with pytest.raises(ConfigError, match="cannot write the trace") as failure:
        Trace(path)
    assert "--ext-trace" in str(failure.value)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_trace_that_would_be_waited_for_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/ptmx")
    with pytest.raises(ConfigError, match=r"^cannot write the trace .*: not a regular file; name another file"):
        Trace(str(path))


@pytest.fixture
def no_room() -> Iterator[None]:
    """No file can grow: this error differs from that of a full disk only in its number."""
    with full_disk(0):
        yield


@pytest.mark.usefixtures("no_room")
def test_a_full_disk_ends_the_trace_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t"
    trace = Trace(str(path))
    trace.add("x", "in", b"{}")
    assert trace.failure == f"the trace {path} ends early: {os.strerror(errno.EFBIG)}"
    trace.add("x", "in", b"{}")
    trace.close()
