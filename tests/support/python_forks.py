"""`forking_python`: a Python for tests that has loaded a large library once, and is forked for each program.

`zot_python` has loaded zot, for what starts `python -m zot_agent` itself. The program in the place of Python passes its
streams on to `zot_forks`, and lives as long as the child. A signal to end reaches the child too, and with SIGKILL the
child is killed, with what it has started. The child is another process, in a session of its own.
"""

import atexit
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

import zot_forks
from waiting import wait_until

_PROGRAM = """\
#!{python} -IS
import _signal, _socket, marshal, posix, sys
env = {{name.decode(): text.decode("utf-8", "surrogateescape") for name, text in posix.environ.items()}}
words, zot = sys.argv[1:], {zot}
theirs = [name for name in env if name.startswith(("PYTHON", "LD_", "LC_"))] if zot else []
if theirs or (words[:2] != ["-m", "zot_agent"] if zot else not words or not words[0].endswith(".py")):
    posix.execv({python!r}, [{python!r}, *words])
request = {{"arguments": words, "cwd": posix.getcwd(), "env": env}}
told, (reports, report) = posix.memfd_create("words"), posix.pipe()
posix.write(told, marshal.dumps(request | {{"session": True, "terminal": False}}))
posix.lseek(told, 0, 0)
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM)
server.connect({place!r})
files = b"".join(each.to_bytes(4, sys.byteorder) for each in (0, 1, 2, told, report))
server.sendmsg([b"fork"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
server.close()
for each in (0, 1, told, report):
    posix.close(each)
child = int(posix.read(reports, {size}))
for number in (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
    _signal.signal(number, lambda number, _: (posix.kill if zot else posix.killpg)(child, number))
code = int(posix.read(reports, {size}))
try:
    zot or posix.killpg(child, _signal.SIGKILL)  # as who starts an extension ends what is left of its group
except ProcessLookupError:
    pass
if code < 0:
    if code != -_signal.SIGKILL:
        _signal.signal(-code, _signal.SIG_DFL)
    posix.kill(posix.getpid(), -code)
posix._exit(code)
"""


@contextmanager
def forking_python(folder: Path, python: str, modules: Sequence[str] = ()) -> Iterator[Path]:
    """Yield a program in `folder`, to be used as `python`, whose server has loaded these modules, or without them zot.

    Only a program by its path is forked, or zot; what else is asked of Python starts a new one.
    """
    if sys.platform != "linux":
        yield Path(python)
        return
    place, program = folder / "forks", folder / "python"
    environment = {name: os.environ[name] for name in ("LANG", "PATH", "TZ") if name in os.environ}
    said = {"python": python, "place": str(place), "size": zot_forks.REPORT, "zot": not modules}
    program.write_text(_PROGRAM.format(**said))
    program.chmod(0o755)
    command = [python, "-P", zot_forks.__file__, str(place), *modules]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as server:
        wait_until(lambda: place.exists() or server.poll() is not None, "the server of forks")
        yield program
        assert server.stdin is not None
        server.stdin.close()


@cache
def zot_python() -> str:
    """A program to be used as `sys.executable` by what starts `-m zot_agent` with it."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    return str(stack.enter_context(forking_python(Path(folder), sys.executable)))
