"""Drives `zot`, or pi itself, with one example of pi in a terminal by steps, and checks what each step says."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from command import KEY, Zot
from pi_packages import Package
from pi_zot import pi_environment
from pty_screen import PtyScreen
from waiting import PATIENCE, wait_until

from zot_ext.limits import DEFAULT_LIMITS
from zot_provider.record import Record
from zot_provider.testing import ScriptedServer, Turn
from zot_tui.widgets.dialogs.stack import WAITS

HOSTS = Path(__file__).parents[1] / "support" / "pi_hosts.mjs"
SECONDS = PATIENCE
"""How long a step waits for what it says."""
_PATIENCE = 10.0
"""How long it waits before it types again."""
_ZOT_PATIENCE = PATIENCE / DEFAULT_LIMITS.editor_key_seconds
"""Has zot wait for the answer to a key as long as a step waits, and longer for all else: pi has no such limits."""


class Front(Record):
    """A program that runs extensions. `ready` is on its screen when it has started, `busy` while it works. `sessions`
    are the files of its sessions, below the folder that has `home` and `zot-home`."""

    ready: str
    busy: str
    sessions: str


class Way(Record):
    """How an example is run: in pi, if `real` is the folder of pi's own package; with `-p`, if `prints`; `again`, in
    the folder of a run before, where zot remembers what the extension registers."""

    real: Path | None = None
    prints: bool = False
    again: bool = False

    def __str__(self) -> str:
        words = (self.real and "pi", self.again and "remembered", self.prints and "-p")
        return ", ".join(filter(None, words)) or "at once"


TYPED = Way()
ZOT = Front("ask, or / for commands", "esc to stop", "zot-home/sessions/*/*.jsonl")
PI = Front("fd not found", "Working...", "home/.pi/agent/sessions/*/*.jsonl")  # it takes no prompt before it has looked


class Stage:
    """A running zot, or pi: its terminal, its model and its project. `zot` has the folders of both. If it `prints`, it
    has answered one prompt (`-p`) and ended."""

    def __init__(self, zot: Zot, server: ScriptedServer, pty: PtyScreen, front: Front, *, prints: bool) -> None:
        self.zot, self.server, self.pty, self.front, self.prints = zot, server, pty, front, prints

    def requests(self) -> str:
        """The bodies of all requests to the model, as text."""
        return "\n".join(json.dumps(each.body, ensure_ascii=False) for each in self.server.requests)

    def session(self) -> str:
        """The rows of all sessions, as text."""
        files = sorted(self.zot.cwd.parent.glob(self.front.sessions))
        rows = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


Step = Callable[[Stage], None]
Steps = Sequence["Step | Steps"]


@dataclass
class Row:
    """An example and what proves that it works. `part` and `cannot` say what does not, and why."""

    name: str
    steps: Steps
    says: Sequence[str | Turn] = ()
    """What the model answers."""
    entry: str = ""
    """The file in the folder of the example that is run; empty: the folder."""
    prints: str = ""
    """What it is asked with `-p` too: then the steps hold that type nothing and are not for the screen alone."""
    asks: str = ""
    """What the person is asked about the project before it is ready."""
    part: str = ""
    cannot: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    """Models that zot has beside its catalogue, by their providers. The scripted server answers for them."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """Programs on the PATH: shell scripts by their names."""
    needs: Sequence[str] = ()
    """Programs of the machine, beside pi."""
    arguments: Sequence[str] = ()
    differs: str = ""
    """What is not as in pi 1.6, and why. Empty: pi itself does what the steps say."""
    variables: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, str] = field(default_factory=dict)
    """Addresses that the extension fetches from, and what answers instead; empty: the scripted server."""
    rows: int = 30
    columns: int = 180
    setup: Callable[[Path], None] | None = None
    """Prepares the project."""
    elsewhere: "Mapping[str, Row]" = field(default_factory=dict)
    """Try the example of this name that `older` or `atomic` has, where that does something else."""

    @property
    def state(self) -> str:
        """For the table."""
        if self.cannot:
            return "cannot"
        return "works in part" if self.part else "differs" if self.differs else "works"


# Steps


def keys(text: str) -> Step:
    """Type."""
    return lambda stage: None if stage.prints else stage.pty.type(text)


def typed(*steps: "Step | Steps") -> Step:
    """Take steps on the screen alone."""
    return lambda stage: None if stage.prints else take(steps, stage)


def printed(*steps: "Step | Steps") -> Step:
    """Take steps with `-p` alone."""
    return lambda stage: take(steps, stage) if stage.prints else None


def only(front: Front, *steps: "Step | Steps") -> Step:
    """Take steps in one of the two alone: how it says something is its own."""
    return lambda stage: take(steps, stage) if stage.front is front else None


def take(steps: Steps, stage: Stage) -> None:
    """Take steps, and the steps in them."""
    for each in steps:
        if callable(each):
            each(stage)
        else:
            take(each, stage)


def idle() -> Step:
    """Wait until nothing runs."""
    return lambda stage: gone(stage.front.busy)(stage)


def see(*texts: str) -> Step:
    """Wait until each text is on the screen, and what is asked there takes keys."""

    def step(stage: Stage) -> None:
        for text in texts:
            stage.pty.wait_for(text, SECONDS)
        stage.pty.wait_until(lambda: WAITS not in stage.pty.screen(), SECONDS, "a question that takes keys")

    return step


def offered(typed: str, text: str) -> Step:
    """Type until a text is suggested: an extension may register its completer a little later."""

    def step(stage: Stage) -> None:
        for _ in range(int(SECONDS / _PATIENCE)):
            stage.pty.type(typed)
            with contextlib.suppress(TimeoutError):
                return stage.pty.wait_for(text, _PATIENCE)
            stage.pty.type("\x15")
        raise TimeoutError(f"{text!r} is not suggested for {typed!r}; the screen:\n{stage.pty.screen()}")

    return step


def gone(text: str) -> Step:
    """Wait until a text is not on the screen."""
    return lambda stage: stage.pty.wait_until(
        lambda: text not in stage.pty.screen(), SECONDS, f"a screen without {text!r}"
    )


def slash(text: str) -> Steps:
    """Send a slash command when nothing runs. pi's editor completes what is typed, with some delay: Enter may take a
    suggestion, and the next one sends it."""

    def sent(stage: Stage) -> None:
        def waits() -> bool:
            return text in map(str.strip, stage.pty.screen().splitlines())

        while waits():
            stage.pty.type("\r")
            with contextlib.suppress(TimeoutError):
                stage.pty.wait_until(lambda: not waits(), 5.0)

    pasted = (keys(f"\x1b[200~{text}\x1b[201~"), see(text), sent)
    return [typed(idle(), only(ZOT, keys(f"{text}\r")), only(PI, *pasted))]


def command(name: str, about: str, words: str = "") -> Steps:
    """Run a slash command when nothing runs, once its description is offered. One whose name zot uses itself is
    `NAME:2` there."""
    offered = (idle(), keys(f"/{name}"), see(about), keys(f" {words}\r" if words else "\r"))
    return [typed(only(ZOT, *offered), only(PI, slash(f"/{name.removesuffix(':2')} {words}".strip())))]


def ask(text: str = "go") -> Step:
    """Send a prompt."""
    return keys(f"{text}\r")


def requested(*texts: str) -> Step:
    """Wait until requests to the model have these texts."""
    return lambda stage: _wait(stage, stage.requests, texts, "the requests")


def stored(*texts: str) -> Step:
    """Wait until the session has these texts."""
    return lambda stage: _wait(stage, stage.session, texts, "the session")


def file(name: str, *texts: str) -> Step:
    """Wait until a file of the project has these texts."""

    def read(stage: Stage) -> Callable[[], str]:
        path = stage.zot.cwd / name
        return lambda: path.read_text("utf-8") if path.exists() else ""

    return lambda stage: _wait(stage, read(stage), texts, name)


def log(text: str, times: int) -> Step:
    """Wait until the log of the extensions has a text so many times."""

    def step(stage: Stage) -> None:
        path = stage.zot.home / "logs" / "ext-pi.log"
        stage.pty.wait_until(lambda: path.read_text("utf-8").count(text) >= times, SECONDS, f"{times} times {text!r}")

    return step


def no_file(name: str) -> Step:
    """A file does not exist."""

    def step(stage: Stage) -> None:
        assert not (stage.zot.cwd / name).exists()

    return step


def wrote(data: bytes) -> Step:
    """Wait until zot has written these bytes to its terminal."""
    return lambda stage: stage.pty.wait_until(lambda: data in stage.pty.received, SECONDS, repr(data))


def titled(text: str) -> Step:
    """Wait until the title of the window is a text."""

    def step(stage: Stage) -> None:
        def title() -> str:
            written = re.findall(rb"\x1b\][02];([^\x07\x1b]*)", bytes(stage.pty.received))  # pyte drops pi's
            return written[-1].decode() if written else ""

        stage.pty.wait_until(lambda: title() == text, SECONDS, f"the title {text!r}")

    return step


def ends() -> Step:
    """Zot ends by itself, without an error."""

    def step(stage: Stage) -> None:
        assert stage.pty.wait_end(SECONDS) == 0, stage.pty.screen()

    return step


def write(name: str, text: str) -> Step:
    """Write a file of the project, or at an absolute path."""
    return lambda stage: _write(stage.zot.cwd / name, text)


def git(*words: str) -> Step:
    """Run git in the project."""
    return lambda stage: run_git(stage.zot.cwd, *words)


# The run


def run_git(folder: Path, *words: str) -> None:
    """Run git with a name and a branch of its own."""
    settings = ("user.name=Ada", "user.email=ada@example.org", "init.defaultBranch=main")
    command = ["git", *(word for each in settings for word in ("-c", each)), *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def drive(
    row: Row,
    root: Path,
    example: Path | None = None,
    way: Way = TYPED,
    *,
    package: Package | None = None,
) -> None:
    """Run the script of an `example`, or of a `package`, which is installed first. The folder `root` is made.
    AssertionError or TimeoutError, with the screen, where it does not hold."""
    root.mkdir(exist_ok=True)
    if way.again:
        for name in ("project", "home", "zot-home/sessions", "zot-home/drafts"):
            shutil.rmtree(root / name, ignore_errors=True)
    zot, front = Zot(root), PI if way.real else ZOT
    if package is not None:
        package.install_in_pi(way.real, zot) if way.real else package.install(zot)
    run_git(zot.cwd, "init", "-q")
    for name, text in row.files.items():
        _write(zot.cwd / name, text)
    if row.setup is not None:
        row.setup(zot.cwd)
    variables = {"TERM": "xterm-256color", "PI_OFFLINE": "1", "ZOT_EXT_PATIENCE": f"{_ZOT_PATIENCE:g}", **row.variables}
    environment = pi_environment({**zot.env, **variables})
    if way.real:
        # Some start `pi` by name; zot's bridge has one on its PATH.
        environment["PATH"] = os.pathsep.join([str(way.real.parents[1] / ".bin"), environment["PATH"]])
    if row.programs:
        for name, text in row.programs.items():
            _write(root / "programs" / name, f"#!/bin/sh\n{text}\n")
            (root / "programs" / name).chmod(0o755)
        environment["PATH"] = os.pathsep.join([str(root / "programs"), environment["PATH"]])
    with ScriptedServer(row.says, key=KEY) as server:
        if row.hosts:
            hosts = {host: instead or server.url for host, instead in row.hosts.items()}
            environment |= {"NODE_OPTIONS": f"--import={HOSTS}", "PI_HOSTS": json.dumps(hosts)}
        words = _pi(way.real, zot, row, server) if way.real else _zot(zot, row, server)
        words += [*([] if package else ["-e", str((example or Path(row.name)) / row.entry)]), *row.arguments]
        words += ["-p", row.prints] if way.prints else []
        with PtyScreen(words, columns=row.columns, rows=row.rows, environment=environment, cwd=str(zot.cwd)) as pty:
            stage = Stage(zot, server, pty, front, prints=way.prints)
            try:
                take([ends() if way.prints else see(row.asks or front.ready), *row.steps], stage)
            except (AssertionError, TimeoutError) as error:
                raise AssertionError(f"{error}\n{_logs(zot.home)}") from error
            assert "Traceback" not in pty.screen()
    left = lambda: processes_of(zot.home)  # noqa: E731
    wait_until(lambda: left() == [])


def _zot(zot: Zot, row: Row, server: ScriptedServer) -> list[str]:
    if row.models:
        _write(zot.home / "models.json", _models(row.models, "openai", server))
    return [sys.executable, "-m", "zot_agent", *zot.at(server)]


def _pi(real: Path, zot: Zot, row: Row, server: ScriptedServer) -> list[str]:
    models = {"openai": "scripted", **row.models}
    text = _models(models, "openai-completions", server, ("scripted",))
    _write(zot.cwd.parent / "home/.pi/agent/models.json", text)
    return ["node", str(real / "dist" / "cli.js"), "--provider", "openai", "--model", "scripted"] + (
        [] if row.asks else ["--approve"]
    )


def _models(models: Mapping[str, str], api: str, server: ScriptedServer, more: Sequence[str] = ()) -> str:
    described = {"api": api, "baseUrl": server.base_url("openai-chat"), "apiKey": KEY}
    found = {
        name: {**described, "models": [{"id": each} for each in dict.fromkeys((id, *more))]}
        for name, id in models.items()
    }
    return json.dumps({"providers": found})


def processes_of(home: Path) -> list[int]:
    """The processes that have this folder of zot in their environment."""
    return [pid for pid, environ in _environments() if f"ZOT_HOME={home}\0".encode() in environ]


def _environments() -> Iterator[tuple[int, bytes]]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            yield int(path.parent.name), path.read_bytes() + b"\0"


def _wait(stage: Stage, read: Callable[[], str], texts: Sequence[str], what: str) -> None:
    end = time.monotonic() + (0 if stage.prints else SECONDS)
    while missing := [text for text in texts if text not in read()]:
        stage.pty.read(0.05)
        assert time.monotonic() < end, f"{missing} not in {what}: {read()[-3000:]}\n{stage.pty.screen()}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _logs(home: Path) -> str:
    return "\n".join(f"{path.name}: {path.read_text('utf-8')[-3000:]}" for path in home.glob("logs/ext-*.log"))
