import os
import re
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.extensions.log import LARGEST, ExtensionLog, log_path

LINE = re.compile(r"\[zot\] \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.*)")


def said(path: str) -> list[str]:
    found = []
    for line in Path(path).read_text().splitlines():
        match = LINE.fullmatch(line)
        found.append(f"zot: {match.group(1)}" if match else line)
    return found


def test_a_log_lies_in_the_folder_for_logs_under_its_extensions_name(tmp_path: Path) -> None:
    assert log_path("/home", "todo-list_2.0") == "/home/logs/ext-todo-list_2.0.log"
    assert LARGEST == 5 << 20


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "a\\b", "..", ".", "a\0b", "a\nb", "\ud800", "CON:"])
def test_a_name_that_is_no_file_name_becomes_one(name: str) -> None:
    path = log_path("/home", name)
    assert os.path.dirname(path) == "/home/logs"
    assert re.fullmatch(r"ext-[\w .-]*-[0-9a-f]{8}\.log", os.path.basename(path))
    assert ".." not in path


@given(st.text(alphabet=st.characters(), max_size=400))
def test_any_name_is_one_file_name_that_every_system_takes(name: str) -> None:
    base = os.path.basename(log_path("/home", name))
    assert log_path("/home", name) == f"/home/logs/{base}"
    assert len(base.encode()) < 200
    assert not set(base) & set('<>:"/\\|?*')
    assert base.isprintable()


def test_names_that_look_alike_have_logs_of_their_own() -> None:
    names = ["a/b", "a\\b", "a:b", "a_b", "x" * 300, "x" * 301]
    assert len({log_path("/home", name) for name in names}) == len(names)


def test_the_process_and_zot_write_to_one_file_that_its_owner_alone_can_read(tmp_path: Path) -> None:
    log = ExtensionLog(str(tmp_path), "x")
    log.line("zot 1 starts it")
    subprocess.run(["sh", "-c", "echo of its own >&2"], stderr=log.descriptor, check=True)
    log.line("a line\nwith\r\nbreaks")
    log.close()
    log.line("too late")
    log.close()
    assert said(log.path) == ["zot: zot 1 starts it", "of its own", "zot: a line with breaks"]
    assert log.problem == ""
    assert stat.S_IMODE(os.stat(log.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "logs").st_mode) == 0o700


def test_the_last_words_are_those_of_the_process_and_not_of_zot(tmp_path: Path) -> None:
    log = ExtensionLog(str(tmp_path), "x")
    assert log.last_words() == ""
    os.write(log.descriptor, b"first\n" + b"x" * 5000 + b"\n it \tneeds a newer Go\n\n")
    assert log.last_words() == "it needs a newer Go"
    os.write(log.descriptor, b"y" * 5000 + b"\n")
    assert log.last_words() == "y" * 200
    log.line("after it")
    assert log.last_words() == ""
    log.close()


def test_a_log_is_added_to_and_made_private(tmp_path: Path) -> None:
    path = Path(log_path(str(tmp_path), "x"))
    path.parent.mkdir()
    path.write_text("before\n")
    path.chmod(0o644)
    log = ExtensionLog(str(tmp_path), "x")
    log.line("after")
    log.close()
    assert said(log.path) == ["before", "zot: after"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_line_like_the_one_before_is_counted(tmp_path: Path) -> None:
    log = ExtensionLog(str(tmp_path), "x")
    for text in ["a", *["b"] * 1000, "a", "c", "c"]:
        log.line(text)
    log.close()
    assert said(log.path) == [
        "zot: a",
        "zot: b",
        "zot: (the line before, 999 more times)",
        "zot: a",
        "zot: c",
        "zot: (the line before, 1 more times)",
    ]


def test_a_log_that_is_too_large_begins_anew_also_under_a_process_that_writes_to_it(tmp_path: Path) -> None:
    log = ExtensionLog(str(tmp_path), "x", largest=1000)
    log.line("first")
    child = subprocess.Popen(
        ["sh", "-c", "read go; echo after >&2"], stdin=subprocess.PIPE, stderr=log.descriptor, bufsize=0
    )
    with child:
        os.write(log.descriptor, b"x" * 2000 + b"end\n")
        log.line("second")
        child.communicate(b"go\n")
    log.line("third")
    log.close()
    assert said(log.path) == ["zot: second", "after", "zot: third"]
    assert Path(f"{log.path}.1").read_bytes() == b"x" * 996 + b"end\n"
    assert stat.S_IMODE(os.stat(f"{log.path}.1").st_mode) == 0o600


def test_a_large_log_of_before_begins_anew_with_the_first_line(tmp_path: Path) -> None:
    path = Path(log_path(str(tmp_path), "x"))
    path.parent.mkdir()
    path.write_bytes(b"y" * 3000)
    Path(f"{path}.1").write_text("older")
    log = ExtensionLog(str(tmp_path), "x", largest=2000)
    log.line("new")
    log.close()
    assert said(log.path) == ["zot: new"]
    assert Path(f"{path}.1").read_bytes() == b"y" * 2000


def test_a_pipe_in_the_place_of_the_older_part_is_not_waited_for(tmp_path: Path) -> None:
    log = ExtensionLog(str(tmp_path), "x", largest=1000)
    assert log.problem == ""
    os.mkfifo(f"{log.path}.1")
    log.line("x" * 2000)
    log.line("lost")
    log.close()
    assert len(said(log.path)) == 1


def in_the_way(kind: str, path: Path) -> None:
    if kind == "logs is a file":
        path.parent.write_text("")
        return
    path.parent.mkdir()
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/ptmx")
    else:
        os.mkfifo(path)


@pytest.mark.parametrize("kind", ["logs is a file", "folder", "device", "named pipe"])
def test_without_a_log_the_extension_runs_on(tmp_path: Path, kind: str) -> None:
    path = Path(log_path(str(tmp_path), "x"))
    in_the_way(kind, path)
    log = ExtensionLog(str(tmp_path), "x")
    assert log.problem.startswith(f"cannot write the log {path}: ")
    assert len(log.problem.splitlines()) == 1
    log.line("nobody reads this")
    subprocess.run(["sh", "-c", "echo x >&2"], stderr=log.descriptor, check=True)
    log.close()
    assert log.descriptor == subprocess.DEVNULL
