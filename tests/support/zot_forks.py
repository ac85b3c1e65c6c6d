"""The program that `forked` forks: it has loaded the modules of zot, has no threads, and takes requests from a socket.

The socket is its standard input. A request comes with FILES: the streams of the new process, a file with the words of
the request, and a pipe for two reports of REPORT bytes each: the number of the process, and its exit code, minus the
signal that has ended it.
"""

import atexit
import fcntl
import gc
import json
import os
import pkgutil
import random
import runpy
import signal
import socket
import sys
import termios
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

ZOT = (sys.executable, "-m", "zot_agent")
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


def _serve(requests: socket.socket) -> Iterator[tuple[dict[str, Any], list[int]]]:
    """Fork for each request until the process of the tests has gone. Yields, in each child, the request and streams."""
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
    while files := socket.recv_fds(requests, 16, FILES)[1]:
        *streams, words, report = files
        with open(words, encoding="utf-8") as file:
            request = json.load(file)
        for word in _OTHERS.keys() & request["arguments"]:
            _load(f"zot_agent.{_OTHERS[word]}")
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        if not (pid := os.fork()):
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            requests.detach()
            yield request, streams
            return
        reports[pid] = report
        os.write(report, b"%*d" % (REPORT, pid))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        for each in streams:
            os.close(each)


def _be_zot(request: dict[str, Any], streams: Sequence[int]) -> int:
    """Run zot as a new process would, and return the exit code."""
    for number, each in enumerate(streams):
        os.dup2(each, number)
    os.closerange(3, max(map(int, os.listdir("/proc/self/fd"))) + 1)
    if request["session"]:
        os.setsid()
    if request["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    random.seed()
    sys.path.insert(0, request["cwd"])
    sys.argv = ["zot", *request["arguments"]]
    sys.orig_argv = [*ZOT, *request["arguments"]]
    for name, mode in {"stdin": "r", "stdout": "w", "stderr": "w"}.items():
        old = getattr(sys, name)
        number, buffering = old.fileno(), 1 if name == "stderr" else -1
        newline = None if mode == "r" else "\n"
        stream = open(number, mode, buffering, old.encoding, old.errors, newline, closefd=False)  # noqa: SIM115  it stays
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    try:
        runpy.run_module("zot_agent", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def main() -> None:
    """Be the server, and each of its children."""
    code = 0
    try:
        for name in ("zot_agent", "zot_core", "zot_provider", "zot_tui", "zot_ext"):
            _load(name)
        gc.collect()
        gc.freeze()  # a collection in a child would copy all memory that it shares
        with socket.socket(fileno=0) as requests:
            for request, streams in _serve(requests):
                code = _be_zot(request, streams)
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
    main()
