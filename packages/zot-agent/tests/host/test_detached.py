"""Processes of zot that survive what started them. The zot of these tests is a folder with a module `zot_agent`."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_agent.host.detached import NotStarted, StartLimits, last_line, start_detached
from zot_provider.errors import ZotError

READY = "import os, sys\nos.write(int(os.environ['ZOT_READY_FD']), b'\\n')\n"


def own_zot(folder: Path, program: str) -> dict[str, str]:
    """An environment in which `zot` is this program."""
    package = folder / "path" / "zot_agent"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(program)
    return {**os.environ, "PYTHONPATH": str(package.parent)}


def test_it_is_ready_once_it_says_so_and_is_in_a_session_of_its_own(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told = f"print(os.getsid(0) == os.getpid(), sys.argv[1:], os.getcwd(), flush=True)\nopen({str(pipe)!r}).read()\n"
    log = tmp_path / "state" / "log"
    pid = start_detached(["one", "two"], str(log), cwd=str(tmp_path), env=own_zot(tmp_path, READY + told))
    with pipe.open("w"):
        assert os.getsid(pid) == pid != os.getsid(0)
    assert os.waitpid(pid, 0)[1] == 0
    assert log.read_text() == f"True ['one', 'two'] {tmp_path}\n"
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700


def test_it_survives_the_process_that_started_it(tmp_path: Path) -> None:
    pipe, log = tmp_path / "pipe", tmp_path / "log"
    os.mkfifo(pipe)
    env = own_zot(tmp_path, READY + f"print('alive', file=open({str(pipe)!r}, 'w'))\n")
    program = (
        "import os, signal, sys\nsys.path.pop(0)\nfrom zot_agent.host.detached import start_detached\n"
        f"start_detached([], {str(log)!r}, cwd='.', env={env!r})\nos.killpg(0, signal.SIGKILL)\n"
    )
    starter = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, start_new_session=True, timeout=PATIENCE)
    assert starter.returncode == -signal.SIGKILL
    assert pipe.read_text() == "alive\n"


@pytest.mark.parametrize(
    ("program", "said", "code"),
    [
        ("import sys\nprint('a line', flush=True)\nsys.exit('zot: no key for it')", "no key for it", 1),
        ("import sys\nsys.exit(2)", "zot has ended with the exit code 2", 2),
        ("import os\nos.kill(os.getpid(), 9)", "zot has ended with the exit code -9", 1),
    ],
)
def test_the_last_line_of_one_that_cannot_begin_is_the_error(
    tmp_path: Path, program: str, said: str, code: int
) -> None:
    log = tmp_path / "log"
    log.write_text("of an earlier start\n")
    with pytest.raises(NotStarted) as raised:
        start_detached([], str(log), cwd=str(tmp_path), env=own_zot(tmp_path, program))
    assert (str(raised.value), raised.value.exit_code) == (said, code)


def test_one_that_hangs_before_it_is_ready_is_stopped(tmp_path: Path) -> None:
    env = own_zot(tmp_path, "import signal\nsignal.pause()\n")
    with pytest.raises(NotStarted, match=r"not begun within 0\.3 s and was stopped"):
        start_detached([], str(tmp_path / "log"), cwd=str(tmp_path), env=env, limits=StartLimits(0.3))


def test_a_long_log_is_emptied_before_a_start(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("a long line\n" * 10)
    env = own_zot(tmp_path, READY + "print('new')\n")
    pid = start_detached([], str(log), cwd=str(tmp_path), env=env, limits=StartLimits(log_bytes=100))
    os.waitpid(pid, 0)
    assert log.read_text() == "new\n"
    assert (last_line(str(log)), last_line(str(tmp_path / "none"))) == ("new", "")


def test_a_log_or_a_directory_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ZotError, match="cannot write"):
        start_detached([], str(pipe), cwd=str(tmp_path))
    with pytest.raises(ZotError, match="cannot start zot in"):
        start_detached([], str(tmp_path / "log"), cwd=str(tmp_path / "none"))


def test_modules_of_its_working_directory_are_not_run(tmp_path: Path) -> None:
    for name in ("zot_agent.py", "asyncio.py"):
        (tmp_path / name).write_text("open('mark', 'w')\n")
    log = tmp_path / "log"
    pid = start_detached([], str(log), cwd=str(tmp_path), env=own_zot(tmp_path, f"import asyncio\n{READY}"))
    os.waitpid(pid, 0)
    assert not (tmp_path / "mark").exists()
