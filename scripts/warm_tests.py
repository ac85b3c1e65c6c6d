"""Run some tests again and again, each time in a fork of a process that has loaded them: a plugin of pytest.

    python scripts/warm_tests.py REQUESTS ANSWERS loaded|bare TEST...

A request is a line of JSON on the descriptor REQUESTS: the tests to run, until one fails, and the function that another
text of its file has changed. The answer is a line of JSON on ANSWERS. What is `loaded` has collected the tests, and
gets the changed function in place of its own. What is `bare` has loaded pytest only, and its forks load the rest.
"""

import functools
import gc
import json
import os
import resource
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import suppress
from types import CodeType, FunctionType
from typing import TypedDict

import pytest
from coverage import Coverage

PATIENCE = 10
CANNOT = 99
"""Exit code of a run whose function cannot be exchanged, because it has other variables of the functions around it."""


_CACHE = type(functools.cache(len))


class Request(TypedDict):
    """What to run. All texts may be empty."""

    tests: list[str]
    """Empty: all."""
    path: str
    """A file that was changed, and what has the name `function` in it."""
    function: str
    record: str
    """A file for what each test reaches: `Reached` as JSON. No failure ends the run then."""
    sources: list[str]
    """Folders about which that is recorded. What functions in them have kept of earlier calls is forgotten: before the
    run if a function is exchanged, and before each test that is recorded, since only the first would reach them."""
    seconds: int
    """Of the processor, after which the run is ended; the same happens `PATIENCE` times as long after its begin."""


class Answer(TypedDict):
    """How a run has ended. A test that is skipped has failed, unless the run is recorded."""

    code: int
    """0, if all tests have passed."""
    failed: list[str]


class Reached(TypedDict):
    """What tests do, by the name of each."""

    lines: dict[str, dict[str, list[str]]]
    """By file and line, the tests that run it."""
    seconds: dict[str, float]
    """Of the processor, with what the tests start."""
    skipped: list[str]


class WarmTests:
    """Answers requests in place of the collection, or of the run, of pytest."""

    def __init__(self, requests: int, answers: int, *, loaded: bool) -> None:
        self._requests = os.fdopen(requests, "rb")
        self._answers = answers
        self._loaded = loaded
        self._request: Request | None = None
        self._failed: list[str] = []
        self._skipped: list[str] = []
        self._seconds: dict[str, float] = {}
        self._coverage: Coverage | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """See pytest."""
        if not self._loaded:
            self._serve()
            assert self._request is not None
            session.config.args = list(dict.fromkeys(each.partition("::")[0] for each in self._request["tests"]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """See pytest."""
        if self._loaded:
            self._serve()
        assert self._request is not None
        if self._request["tests"]:
            order = {name: at for at, name in enumerate(self._request["tests"])}
            session.items = sorted(
                (each for each in session.items if each.nodeid in order), key=lambda each: order[each.nodeid]
            )
        session.config.option.maxfail = session.config.option.maxfail if self._request["record"] else 1

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """See pytest."""
        if self._coverage is not None and self._request is not None:
            _forget(self._request["sources"])
            self._coverage.switch_context(item.nodeid)
        begin = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = sum(os.times()[:4]) - begin

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """See pytest."""
        if report.failed or report.skipped:
            (self._failed if report.failed else self._skipped).append(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """See pytest."""
        if self._request is None:
            return
        if self._coverage is not None:
            self._coverage.stop()
            with open(self._request["record"], "w", encoding="utf-8") as file:
                json.dump(Reached(lines=_lines(self._coverage), seconds=self._seconds, skipped=self._skipped), file)
        else:
            self._failed += self._skipped
        self._answer(int(exitstatus) or int(bool(self._failed)))
        os._exit(0)

    def _answer(self, code: int) -> None:
        answer = Answer(code=code, failed=list(dict.fromkeys(self._failed))[:20])
        os.write(self._answers, json.dumps(answer).encode() + b"\n")

    def _serve(self) -> None:
        """Answer requests, each in a fork; returns in the fork. Ends the process where there are no more."""
        while line := self._requests.readline():
            request: Request = json.loads(line)
            child = os.fork()
            if child == 0:
                self._begin(request)
                return
            # A thread, since the tests use the alarms of their process; none is alive at a fork.
            limit = threading.Timer(PATIENCE * request["seconds"], os.kill, (child, signal.SIGKILL))
            limit.start()
            _, status = os.waitpid(child, 0)
            limit.cancel()
            limit.join()
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what the tests have started and not ended
            if status:
                self._answer(status)
        os._exit(0)

    def _begin(self, request: Request) -> None:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (request["seconds"], resource.RLIM_INFINITY))
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        self._request = request
        if request["function"]:
            _forget(request["sources"])
            if not _exchange(request["path"], request["function"]):
                self._answer(CANNOT)
                os._exit(0)
        if request["record"]:
            self._coverage = Coverage(data_file=None, source=request["sources"], config_file=False)
            self._coverage.start()


def _forget(sources: list[str]) -> None:
    """Clear the caches of the functions of all modules below these folders."""
    for module in list(sys.modules.values()):
        if str(vars(module).get("__file__")).startswith(tuple(sources)):
            for each in vars(module).values():
                if type(each) is _CACHE:
                    each.cache_clear()


def _exchange(path: str, name: str) -> bool:
    """Give every function of this name what its file now says; whether that can be done."""
    with open(path, encoding="utf-8") as file:
        waiting: list[CodeType] = [compile(file.read(), path, "exec")]
    new: list[CodeType] = []
    while waiting:
        code = waiting.pop()
        new += [code] if code.co_qualname == name else []
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    gc.unfreeze()  # the plugins of the project hide what is loaded from the garbage collector
    functions = [
        each
        for each in gc.get_objects()
        if type(each) is FunctionType and each.__code__.co_qualname == name and each.__code__.co_filename == path
    ]
    gc.freeze()
    if len(new) != 1 or any(each.__code__.co_freevars != new[0].co_freevars for each in functions):
        return False
    for each in functions:
        each.__code__ = new[0]
    return True


def _lines(coverage: Coverage) -> dict[str, dict[str, list[str]]]:
    data = coverage.get_data()
    return {
        file: {str(line): [each for each in tests if each] for line, tests in data.contexts_by_lineno(file).items()}
        for file in data.measured_files()
    }


if __name__ == "__main__":
    plugin = WarmTests(int(sys.argv[1]), int(sys.argv[2]), loaded=sys.argv[3] == "loaded")
    arguments = ["-q", "-p", "no:cacheprovider", *sys.argv[4:]]
    sys.exit(pytest.main(arguments, plugins=[plugin]))
