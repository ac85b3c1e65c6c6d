"""`forking_python`: a Python for tests that has loaded a large library once, and is forked for each program.

The program in the place of Python passes its streams on to `zot_forks`, and lives as long as the child. A signal to end
reaches the child too, and with SIGKILL the child is killed. It is another process, in a session of its own.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import zot_forks
from waiting import wait_until

_PROGRAM = """\
#!{python} -IS
import json, os, signal, socket, sys
if not sys.argv[1:] or not sys.argv[1].endswith(".py"):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
words = {{"arguments": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ), "session": True, "terminal": False}}
told, file = os.memfd_create("words"), os.pipe()
os.write(told, json.dumps(words).encode())
os.lseek(told, 0, 0)
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
    server.connect({place!r})
    socket.send_fds(server, [b"fork"], [0, 1, 2, told, file[1]])
for each in (0, 1, told, file[1]):
    os.close(each)
child = int(os.read(file[0], {report}))
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, lambda number, _: os.kill(child, number))
code = int(os.read(file[0], {report}))
if code < 0:
    signal.signal(-code, signal.SIG_DFL) if code != -9 else None
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


@contextmanager
def forking_python(folder: Path, python: str, modules: Sequence[str]) -> Iterator[Path]:
    """Yield a program in `folder`, to be used as `python`, whose server has loaded these modules.

    Only a program by its path is forked; what else is asked of Python starts a new one.
    """
    if sys.platform != "linux":
        yield Path(python)
        return
    place, program = folder / "forks", folder / "python"
    environment = {name: os.environ[name] for name in ("LANG", "PATH", "TZ") if name in os.environ}
    program.write_text(_PROGRAM.format(python=python, place=str(place), report=zot_forks.REPORT))
    program.chmod(0o755)
    command = [python, "-P", zot_forks.__file__, str(place), *modules]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as server:
        wait_until(lambda: place.exists() or server.poll() is not None, "the server of forks")
        yield program
        assert server.stdin is not None
        server.stdin.close()
