"""The process that `forked` forks: it has loaded the modules of zot, has no threads, and takes requests from a socket.

The socket is its standard input. A request comes with FILES: the streams of the new process, a file with the words of
the request, and a pipe for two reports of REPORT bytes each: the number of the process, and its exit code, minus the
signal that has ended it.

`zot_forks.py PLACE` takes requests at PLACE until its standard input ends, and no child outlives the reader of its
reports: `python_forks`. `zot_forks.py PLACE MODULE...` has loaded these modules, and a child runs a program of Python.
"""

import atexit
import fcntl
import gc
import marshal
import os
import pkgutil
import random
import runpy
import select
import signal
import socket
import sys
import termios
import threading
import time
import traceback
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

ZOT = (sys.executable, "-m", "zot_agent")
FORKED = (sys.executable, "-X", "forked", "-c")
"""Before a program of Python that may find our modules loaded. The option means nothing to Python itself."""
PACKAGES = ("zot_agent", "zot_core", "zot_provider", "zot_tui", "zot_ext")
"""What is loaded, as far as it is installed: each package is tested alone too."""
FILES = 5
REPORT = 20


def _load(name: str) -> None:
    """Import a module, and all modules of a package but those that are for tests."""
    module = import_module(name)
    for each in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{name}."):
        if each.name.rpartition(".")[2] not in ("testing", "__main__") and each.name not in _NEVER:
            with suppress(ImportError):  # an extra
                _load(each.name)


_OTHERS = {"serve": "serve", "acp": "acp", "worker": "fleet", "fleet": "fleet", "--fleet": "fleet"}
"""Which word among the arguments has a package of `zot_agent` loaded: these have large dependencies."""
_NEVER = {f"zot_agent.{name}" for name in (*_OTHERS.values(), "local", "mcp", "traces")}


def _serve(
    requests: socket.socket, lasts: int, others: Mapping[str, str]
) -> Iterator[tuple[dict[str, Any], list[int]]]:
    """Fork for each request until `lasts` has ended; a word of `others` has a package loaded before. Yields, in each
    child, the request, its streams and the pipe."""
    reports: dict[int, int] = {}

    def report_ends(*_: object) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                report = reports.pop(ended[0])
                with suppress(BrokenPipeError):
                    os.write(report, b"%*d" % (REPORT, os.waitstatus_to_exitcode(ended[1])))
                os.close(report)

    signal.signal(signal.SIGCHLD, report_ends)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while requests.fileno() in select.select([requests.fileno(), lasts], [], [])[0]:
        files = socket.recv_fds(requests, 16, FILES)[1]
        if not files:
            return
        *streams, words, report = files
        with open(words, "rb") as file:
            request = marshal.load(file)
        for word in others.keys() & request["arguments"]:
            _load(f"zot_agent.{others[word]}")
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        if not (pid := os.fork()):
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            requests.detach()
            yield request, [*streams, report]
            return
        reports[pid] = report
        os.write(report, b"%*d" % (REPORT, pid))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        for each in streams:
            os.close(each)


def _become(request: dict[str, Any], streams: Sequence[int], *, watched: bool) -> None:
    """Have what a new process would have. One that is `watched` ends with the reader of its reports."""
    for number, each in enumerate(streams):
        os.dup2(each, number)
    os.closerange(len(streams) if watched else 3, max(map(int, os.listdir("/proc/self/fd"))) + 1)
    if watched:
        threading.Thread(target=_end_with_reader, args=(len(streams) - 1,), daemon=True).start()
    if request["session"]:
        os.setsid()
    if request["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    random.seed()
    for name, mode in {"stdin": "r", "stdout": "w", "stderr": "w"}.items():
        old = getattr(sys, name)
        number, buffering = old.fileno(), 1 if name == "stderr" else -1
        newline = None if mode == "r" else "\n"
        stream = open(number, mode, buffering, old.encoding, old.errors, newline, closefd=False)  # noqa: SIM115  it stays
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _end_with_reader(report: int) -> None:
    poll = select.poll()
    poll.register(report, 0)  # that nobody reads any more is always told
    poll.poll()
    os.killpg(0, signal.SIGKILL)


def _be_zot(request: dict[str, Any], streams: Sequence[int], *, watched: bool) -> None:
    """Run zot, or a program, as a new process would."""
    _become(request, streams, watched=watched)
    words = request["arguments"]
    if words[0] == FORKED[1]:
        *_, program = words[: len(FORKED)]
        sys.path.insert(0, "")
        sys.argv = ["-c", *words[len(FORKED) :]]
        sys.orig_argv = [sys.executable, *words]
        sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(program, "<string>", "exec"), vars(sys.modules["__main__"]))
        return
    sys.path.insert(0, request["cwd"])
    sys.argv = ["zot", *words[len(ZOT) - 1 :]]
    sys.orig_argv = [sys.executable, *words]
    runpy.run_module("zot_agent", run_name="__main__", alter_sys=True)


def _be_python(request: dict[str, Any], streams: Sequence[int], *, watched: bool) -> None:
    """Run a program as a new Python would."""
    _become(request, streams, watched=watched)
    program = os.path.abspath(request["arguments"][0])
    path = filter(None, request["env"].get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [os.path.dirname(program), *path]
    sys.argv = request["arguments"]
    sys.orig_argv = [sys.executable, *request["arguments"]]
    runpy.run_path(program, run_name="__main__")


def _exit_code(end: SystemExit) -> int:
    if isinstance(end.code, str):
        print(end.code, file=sys.stderr)
    return end.code if isinstance(end.code, int) else int(end.code is not None)


def main(place: str = "", *modules: str) -> None:
    """Be the server, and each of its children."""
    code = 0
    try:
        for name in modules:
            import_module(name)
        for name in () if modules else filter(find_spec, PACKAGES):
            _load(name)
        gc.collect()
        gc.freeze()  # a collection in a child would copy all memory that it shares
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) if place else socket.socket(fileno=0) as requests:
            if place:
                requests.bind(place)
            for request, streams in _serve(requests, 0, {} if modules else _OTHERS):
                try:
                    (_be_python if modules else _be_zot)(request, streams, watched=bool(place))
                except SystemExit as end:
                    code = _exit_code(end)
                except BaseException:
                    code = 1
                    traceback.print_exc()
                threading._shutdown()  # type: ignore[attr-defined]  as multiprocessing ends what it has forked
                atexit._run_exitfuncs()
    except BaseException:  # a child must not return into the server
        code = 1
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(code)  # to take apart the modules would copy all memory, too


if __name__ == "__main__":
    main(*sys.argv[1:])
