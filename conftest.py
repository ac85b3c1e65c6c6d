"""The environment of all tests, the same on every machine.

Tests see only the variables, settings and programs of the machine that are named here. A test that needs more sets or
makes it.
"""

import asyncio
import atexit
import ctypes
import functools
import inspect
import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

PROGRAMS = """
    [ awk basename bash cat chmod cp cut date dd df dirname echo env expr false find git grep head id kill ln ls make
    mkdir mkfifo mktemp mv nohup od printf pwd readlink rm rmdir sed seq setsid sh sleep sort stat stty tail tar tee
    test touch tr true tty uname uniq wc which xargs yes
"""
"""The programs of the machine that tests may run. Programs beside the Python that runs the tests take precedence."""

PROGRAMS_OF_SOME = (
    "Xvfb",
    "alacritty",
    "bwrap",
    "chromium",
    "curl",
    "dbus-daemon",
    "fish",
    "gnome-keyring-daemon",
    "jq",
    "kitty",
    "node",
    "npm",
    "ps",
    "socat",
    "ssh",
    "ssh-keygen",
    "sshd",
    "uv",
    "xdotool",
    "xkbcomp",
    "xterm",
    "zsh",
)
"""More programs, which a machine may lack."""
PARTS = (*PROGRAMS_OF_SOME, "libgomp", "mcp-servers", "pi", "tsx", "xclip")
"""What a machine may lack. A test marked `needs(PART, ...)` is skipped there, and fails where the project is judged."""
MCP_SERVERS = Path(__file__).parent / "tests" / "support" / "mcp-servers" / "node_modules" / ".bin"
TSX = Path(__file__).parent / "examples" / "extensions" / "node_modules" / ".bin" / "tsx"
PI = Path(__file__).parent / "tests" / "support" / "pi" / "node_modules"
"""The examples of pi, the modules of the bridge, and a Node that is new enough for them."""

INSTALLER_VARIABLES = (
    *("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    "NODE_EXTRA_CA_CERTS",
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
)


def _installer_environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in INSTALLER_VARIABLES or name.startswith(("UV_", "PIP_", "SSL_"))
    }


def _clean_environment() -> None:
    """Remove from the environment what differs between machines."""
    folder = Path(tempfile.mkdtemp(prefix="zot-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    programs, home = folder / "bin", folder / "home"
    programs.mkdir()
    home.mkdir()
    for name in (*PROGRAMS.split(), *PROGRAMS_OF_SOME):
        found = os.environ.get("UV") if name == "uv" else None  # `uv run` says where it is; it may not be on PATH
        if found := found or shutil.which(name) or shutil.which(name, path="/usr/sbin"):
            (programs / name).symlink_to(os.path.realpath(found))  # a sandbox may hide what is on the way
    git_settings = folder / "gitconfig"  # git makes a name and an address up from the host's name, if it has a domain
    git_settings.write_text("[user]\n\tuseConfigOnly = true\n")
    kept = {name: value for name, value in os.environ.items() if name == "TMPDIR" or name.startswith("PYTEST_")}
    os.environ.clear()
    os.environ.update(
        kept,
        PATH=os.pathsep.join([os.path.dirname(sys.executable), str(programs)]),
        HOME=str(home),
        LANG="C.UTF-8",
        TERM="xterm-256color",
        TZ="UTC",
        GIT_CONFIG_SYSTEM=str(git_settings),
        ZOT_EXT_PATIENCE="20",  # extensions of tests compete for the processor
    )
    time.tzset()
    os.umask(0o022)


IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
INSTALLERS = _installer_environment()
WORKER = "PYTEST_XDIST_WORKER" in os.environ  # its environment is that of the process that started it
if not WORKER:
    _clean_environment()
for name in ("COLUMNS", "LINES"):  # readline sets them where it is imported, which pytest does
    os.environ.pop(name, None)

# The background jobs of a shell ignore SIGINT and SIGQUIT, and programs started by nohup ignore SIGHUP. The processes
# that a test starts would inherit that. They do not inherit a handler.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
if WORKER or signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# A busy machine makes no test fail. Every run of `make test` tries the same examples; `make fuzz` looks for new ones.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", _PATIENT, max_examples=1000, print_blob=True)
settings.register_profile("same", _PATIENT, derandomize=True)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fleet-runs", type=int, default=6, help="runs of the fleet that tests/fleet kills")
    parser.addoption("--fleet-kills", type=int, default=3, help="how often it kills a worker or the process of a run")
    parser.addoption("--kill-seeds", type=int, default=3, help="runs that tests/faults kills at random moments")
    parser.addoption("--pi-results", default="", help="a folder: drive all examples of pi, and write there how they do")
    parser.addoption("--fuzz-seconds", type=float, default=0, help="seconds to search with each target in tests/fuzz")
    parser.addoption("--example-seconds", type=float, default=60, help="seconds after which an example hangs")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(part, ...): what the test cannot do without, of PARTS")
    if config.getoption("hypothesis_profile") != "fuzz":
        # Hypothesis tries constants of the modules that are loaded, which depend on the tests that ran before.
        providers.is_local_module_file = lambda path: False


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    """Pass the variables of installers to a worker of xdist, which does not see them."""
    node.workerinput["installers"] = INSTALLERS


@pytest.fixture(scope="session")
def installer_environment(request: pytest.FixtureRequest) -> dict[str, str]:
    """The variables that a package installer needs on this machine: caches, indexes, certificates, proxies.

    `UV_PYTHON` is the Python that runs the tests; without it uv would download one.
    """
    return getattr(request.config, "workerinput", {}).get("installers", INSTALLERS) | {"UV_PYTHON": sys.executable}


def _is_here(part: str) -> bool:
    if part == "tsx":
        return TSX.exists()
    if part == "mcp-servers":
        return MCP_SERVERS.exists()
    if part == "xclip":  # not on the PATH of tests: with it, zot would use the clipboard of the machine
        return Path("/usr/bin/xclip").exists()
    if part == "pi":
        return (PI / ".package-lock.json").exists() and any(PI.glob("node-*/bin/node"))
    if part == "libgomp":  # what llama.cpp is linked with on Linux
        try:
            return sys.platform != "linux" or ctypes.CDLL("libgomp.so.1") is not None
        except OSError:
            return False
    return shutil.which(part) is not None


def pytest_runtest_setup(item: pytest.Item) -> None:
    for part in sorted({part for mark in item.iter_markers("needs") for part in mark.args}):
        assert part in PARTS, f"the root conftest.py does not know {part!r}"
        if not _is_here(part):
            pytest.skip(f"{part} is not installed")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Run a test that is a coroutine in an event loop of its own, and each example of a property in another one."""
    place: Any = getattr(pyfuncitem.obj, "hypothesis", None)
    holder, name = (place, "inner_test") if place else (pyfuncitem, "obj")
    test = getattr(holder, name)
    if not place and not inspect.iscoroutinefunction(test):
        return

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        with _example_limit(pyfuncitem.config.getoption("example_seconds")) if place else nullcontext():
            if inspect.iscoroutinefunction(test):
                asyncio.run(test(*args, **kwargs))
            else:
                test(*args, **kwargs)

    setattr(holder, name, run)


@contextmanager
def _example_limit(seconds: float) -> Iterator[None]:
    """Fail an example that takes too long, wherever it is, so that hypothesis shows and keeps it.

    The alarm also ends a regular expression that backtracks. It repeats, because a task may swallow the first one.
    """

    def give_up(*_: object) -> None:
        pytest.fail(f"the example took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> Generator[None, None, None]:
    """Report a skipped test as failed if CI is set."""
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{report.longrepr[-1]}; no test may be skipped where CI is set"
    return (yield)


class _KeptErrors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.fixture(autouse=True)
def _no_failure_that_nobody_sees() -> Iterator[None]:
    """Fail a test if asyncio logs an error, such as a task whose exception was never retrieved."""
    kept = _KeptErrors()
    logger = logging.getLogger("asyncio")
    logger.addHandler(kept)
    yield
    logger.removeHandler(kept)
    assert kept.messages == []
