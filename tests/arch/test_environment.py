"""The root `conftest.py`: every machine's tests see the same, run the same and leave nothing out unnoticed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
SEEN = """
import json, os, shutil, signal, subprocess, sys, time
def test_seen():
    hangup = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_DFL)"
    child = subprocess.run([sys.executable, "-c", hangup], capture_output=True, text=True)
    umask = os.umask(0)
    print("SEEN", sorted(name for name in os.environ if not name.startswith("PYTEST_")), shutil.which("xclip"),
          bool(shutil.which("git")), os.listdir(os.environ["HOME"]), oct(umask), time.tzname, child.stdout.strip())
"""
SKIPPED = "import pytest\n@pytest.mark.needs('no-such-program')\ndef test_it(): pass\n"
DECLARING = """
import os, pytest, shutil, subprocess
def seen(): return subprocess.run(["sh", "-c", "command -v of-some"], capture_output=True).stdout != b""
@pytest.fixture(scope="module")
def outliving(): return seen()
@pytest.fixture
def own(): return seen()
@pytest.mark.needs("of-some")
def test_declares(outliving, own): assert (outliving, own, seen()) == (False, True, True)
def test_forgets(outliving, own): assert (outliving, own, seen()) == (False, False, False)
@pytest.fixture(scope="module")
def with_uv(uv): return subprocess.run(["uv"], stdout=subprocess.PIPE).stdout, uv
def test_has_what_its_fixture_needs(with_uv): assert with_uv == (b"here\\n", os.path.realpath(shutil.which("uv")))
def test_comes_after(): assert shutil.which("uv") is None
"""
TRIED = """
from hypothesis import given, strategies as st
@given(st.text())
def test_tried(text): print("TRIED", ascii(text))
"""

HANGS = """
import asyncio, re
from hypothesis import given, strategies as st
@given(st.just("a" * 40 + "b"))
def test_hangs(text): re.fullmatch("(a+)+", text)
@given(st.just("c" * 7))
async def test_waits(text): await asyncio.Event().wait()
"""


def run(
    folder: Path, test: str, env: dict[str, str] | None = None, *flags: str, hidden: bool = False, **options: object
) -> tuple[int, str]:
    """Exit code and output of a run of pytest with the root `conftest.py` and this test; `hidden` is as in CI."""
    (folder / "test_it.py").write_text(test)
    hiding = [str(ROOT / "scripts" / "hide_programs.py"), sys.executable] if hidden else []
    flags += ("-p", "conftest", "-s", "-q", "-rs", f"--basetemp={folder / 'tmp'}")
    command = [sys.executable, *hiding, "-m", "pytest", *flags, "test_it.py"]
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = {**outside, "PYTHONPATH": f"{ROOT}:{ROOT}/tests/support", **(env or {})}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, **options
    )  # type: ignore[call-overload]
    return done.returncode, done.stdout + done.stderr


def lines(output: str, mark: str) -> list[str]:
    return [line[line.index(mark) :] for line in output.splitlines() if mark in line]


def test_what_tests_see_does_not_depend_on_the_machine(tmp_path: Path) -> None:
    here, there, machine = (tmp_path / name for name in ("here", "there", "machine"))
    for folder in (here, there, machine):
        folder.mkdir()
    (machine / "xclip").write_text("#!/bin/sh\n")
    (machine / "xclip").chmod(0o755)
    (machine / ".gitconfig").write_text("[user]\nname = Me\n")
    hostile = {
        **{"PATH": f"{os.environ['PATH']}:{machine}", "HOME": str(machine), "XDG_CONFIG_HOME": str(machine)},
        **{"LC_ALL": "C", "TZ": "Pacific/Kiritimati", "TERM": "dumb", "NO_COLOR": "1", "DISPLAY": ":0", "TMUX": "x"},
        **{"OPENAI_API_KEY": "k", "ZOT_HOME": "/x", "http_proxy": "http://127.0.0.1:1", "EDITOR": "ed", "COLUMNS": "9"},
        **{"PYTHONUNBUFFERED": "1", "GIT_DIR": "/x", "SSH_CONNECTION": "1 2 3 4"},
    }

    def as_nohup_does() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.umask(0o077)

    code, output = run(here, SEEN, hostile, preexec_fn=as_nohup_does)
    assert (code, lines(output, "SEEN")) == (0, lines(run(there, SEEN)[1], "SEEN"))
    (seen,) = lines(output, "SEEN")
    assert seen.endswith(" None True [] 0o22 ('UTC', 'UTC') True")


def test_a_test_is_not_skipped_for_anything_but_what_it_declares(tmp_path: Path) -> None:
    for test in ("def test_it(): pytest.skip('no time')", "@pytest.mark.skip\ndef test_it(): pass"):
        code, output = run(tmp_path, f"import pytest\n{test}\n")
        assert code == 1
        assert "a test is skipped only where what it declares is missing" in output


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0), ("false", 0)])
def test_a_skipped_test_names_what_is_missing_and_fails_in_ci(tmp_path: Path, ci: str, code: int) -> None:
    ended, output = run(tmp_path, SKIPPED, {"CI": ci})
    assert ended == code, output
    assert "this machine lacks no-such-program" in output


@pytest.mark.parametrize("flags", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_a_test_sees_the_programs_that_it_and_its_fixtures_declare_and_no_others(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    machine = tmp_path / "machine"
    machine.mkdir()
    for name in ("of-some", "uv"):
        (machine / name).write_text("#!/bin/sh\necho here\n")
        (machine / name).chmod(0o755)
    code, output = run(tmp_path, DECLARING, {"PATH": f"{os.environ['PATH']}:{machine}"}, *flags)
    assert code == 0, output
    assert "4 passed" in output


HIDDEN = """
import os, pytest, shutil, subprocess
def at_its_place():
    return os.path.exists("PLACE")
def without_a_path():
    return subprocess.check_output(["sh", "-c", "ls /bin /usr/bin"], env={}, text=True)
def test_forgets():
    assert (at_its_place(), shutil.which("of-some")) == (False, None)
    print("SEEN", without_a_path().split())
@pytest.mark.needs("of-some")
def test_declares():
    assert (at_its_place(), subprocess.check_output(["of-some"])) == (False, b"here\\n")
"""


@pytest.mark.needs("mount-namespace")
def test_a_program_that_tests_do_not_declare_is_not_at_its_place_in_ci(tmp_path: Path) -> None:
    machine = tmp_path / "machine"
    machine.mkdir()
    (machine / "of-some").write_text("#!/bin/sh\necho here\n")
    (machine / "of-some").chmod(0o755)
    test, env = HIDDEN.replace("PLACE", str(machine / "of-some")), {"PATH": f"{os.environ['PATH']}:{machine}"}
    assert run(tmp_path, test, env)[0] == 1
    code, output = run(tmp_path, test, env, hidden=True)
    assert code == 0, output
    (seen,) = lines(output, "SEEN")
    assert "'git'" in seen
    assert "'mount'" not in seen  # every Linux has it, and no test needs it


@pytest.mark.parametrize(("ci", "count"), [("", 40), ("true", 100)])
def test_every_run_tries_the_same_examples(ci: str, count: int, tmp_path: Path) -> None:
    (_, first), (_, second) = run(tmp_path, TRIED, {"CI": ci}), run(tmp_path, TRIED, {"CI": ci})
    assert len(lines(first, "TRIED")) == count
    assert lines(first, "TRIED") == lines(second, "TRIED")


def test_an_example_that_hangs_fails_and_is_shown(tmp_path: Path) -> None:
    code, output = run(tmp_path, HANGS, None, "--example-seconds=0.2")
    assert code == 1
    assert output.count("Failed: the example took more than 0.2 s") >= 2
    assert f"text={'a' * 40 + 'b'!r}" in output
    assert f"text={'c' * 7!r}" in output


def test_a_test_that_hangs_ends_the_run_and_says_where(tmp_path: Path) -> None:
    hangs = "import time\ndef test_before(): pass\ndef test_hangs(): time.sleep(1000)\ndef test_after(): pass\n"
    code, output = run(tmp_path, hangs, None, "--test-seconds=1")
    assert code == 1
    assert "in test_hangs" in output
    assert "passed" not in output


BARE = """
import os, socket, subprocess, sys, threading
sys.path.insert(0, sys.argv[1])
import bare
from zot_core.sandbox import landlock
bare.without_features()
threading.Thread(target=print, args=["a thread"]).start()
print(subprocess.check_output(["echo", "a program"], text=True), socket.socket(socket.AF_INET).family, flush=True)
for refused in (lambda: socket.socket(socket.AF_INET6), lambda: bare.ctypes.CDLL(None).unshare(0x10000000)):
    try: print(refused())
    except OSError as error: print(error.errno)
print(landlock.problem())
"""


def test_a_test_that_has_waited_for_what_never_came_is_named(tmp_path: Path) -> None:
    sleeps = "import time\ndef test_sleeps(): time.sleep(1.3)\ndef test_runs(): pass\n"
    code, output = run(tmp_path, sleeps, {"PYTEST_SLOWNESS": "0.01"})
    assert code == 0
    assert [line.split()[0] for line in output.splitlines() if "has waited" in line] == ["test_it.py::test_sleeps"]


@pytest.mark.needs("linux")
def test_on_a_bare_machine_the_kernel_has_no_ipv6_no_namespaces_and_no_landlock() -> None:
    command = [sys.executable, "-c", BARE, str(ROOT / "scripts")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert "a thread" in done.stdout
    assert "a program\n 2\n97\n-1\nthe kernel has no Landlock, or an old version of it\n" in done.stdout


PLACES = """
import os, sys
sys.path.insert(0, sys.argv[1])
import hide_programs
kept, other = sys.argv[2:]
print(os.path.exists(kept), os.path.exists(other))
hide_programs.hide([kept], outside=False)
print(os.path.exists(kept), os.path.exists(other), os.path.exists("/bin/sh"), os.path.exists(hide_programs.OUTSIDE))
"""


@pytest.mark.needs("mount-namespace")
def test_on_a_bare_machine_no_program_is_at_its_place(tmp_path: Path) -> None:
    programs = [tmp_path / name for name in ("kept", "other")]
    for program in programs:
        program.touch()
    (tmp_path / "env").mkdir()  # a folder on the PATH may hold one of that name
    command = [sys.executable, "-c", PLACES, str(ROOT / "scripts"), *map(str, programs)]
    env = os.environ | {"PATH": f"{os.environ['PATH']}:{tmp_path}"}
    assert subprocess.check_output(command, env=env, text=True) == "True True\nTrue False True False\n"
