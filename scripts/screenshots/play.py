"""Runs zot in a pseudo-terminal against a model that reads from a script, in a small project, and takes its cells.

Nothing is drawn by hand: the program, its tools, its files and its children are real; only the model's words are
written down beforehand. What still differs from run to run is made the same in one place, `alike`.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import project
from draw import PALETTES, Cell, Palette, color, screenshot
from issue_server import IssueServer
from pty_screen import KITTY, PtyScreen
from states import AGO, Brings, Earlier, Extension, Issues, Keys, Repository, Sees, State
from waiting import PATIENCE, SLOWNESS

from zot_provider.testing import ScriptedServer, Turn

EXTENSIONS = Path(__file__).parents[2] / "examples" / "extensions"
PAPER_QUERY = b"\x1b]11;?\x1b\\"
QUIET = 0.4
"""Seconds without output after which a screen is stable; a spinning screen is taken after `RESTLESS`."""
RESTLESS = 2.0
EXPECTED = 3.0 * SLOWNESS
"""Seconds within which a screen shows what it is expected to show, after the last step."""

_SECONDS = re.compile(r"\d+(?=s\b)")
_SHORT = re.compile(r"(?:  | · )0\.\ds(?=\s*$)")
_TOOK = re.compile(r"(?:  | · )(?:\d\.\d|(?:\d+m )?\d\d)s(?=\s*$)")
_WORKED = re.compile(r"(?<=worked for )(?:\d+m )?[\d.]+s.*")
"""The end of the row about a run: how long it took, and more."""
_OVER = ("●", "✗")
"""The first character of a call that is over."""
_NOTIFIED = re.compile(rb"\x1b\]99;[^;]*p=body;([^\x1b]*)\x1b")
_FRAMES = re.compile("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]")


class Shot(NamedTuple):
    """What was on a terminal: cells, row by row, and the cursor's column and row, None if it is hidden."""

    rows: list[list[Cell]]
    cursor: tuple[int, int] | None

    def svg(self, state: State, theme: str) -> str:
        """The screenshot."""
        return screenshot(self.rows, PALETTES[theme], state.title, state.about, self.cursor)


def play(
    state: State,
    theme: str,
    expected: Callable[[Shot], bool] | None = None,
    watch: Callable[[Shot], None] | None = None,
) -> Shot:
    """Bring zot into a state, on a terminal that says it is dark or light. Raises TimeoutError, with the screen, if
    something that the state waits for is not seen. The shot is taken when the screen is stable, or is `expected`.
    `watch` gets what is seen on the way."""
    with _home() as home, _server(state) as server, _issues(state) as issues:
        shop = project.write(home / "shop")
        environment = _environment(home, state, theme, server) | issues
        if state.window:
            environment["TERM"] = "xterm-kitty"  # which has notifications
        if not state.asks_for_mode:
            Path(environment["ZOT_HOME"], "sessions").mkdir(parents=True)
        for each in state.before:
            if isinstance(each, Brings):
                project.write(shop, each.files)
            elif isinstance(each, Extension):
                _install(each, environment, shop)
            elif isinstance(each, Earlier):
                _speak(each, environment, shop, server)
            elif isinstance(each, Repository):
                _commit(environment, shop)
        server.add(*state.turns)
        paper = PALETTES[theme].paper[1:]
        answers = {**KITTY, PAPER_QUERY: f"\x1b]11;rgb:{paper[:2]}/{paper[2:4]}/{paper[4:]}\x1b\\".encode()}
        command = ["bash", "-c", state.shell] if state.shell else [sys.executable, "-m", "zot_agent", *state.arguments]
        columns, rows = state.size
        with PtyScreen(
            command, columns=columns, rows=rows, environment=environment, cwd=str(shop), answers=answers
        ) as pty:
            look = (lambda: watch(_taken(pty, state, theme))) if watch is not None else lambda: None
            _take_steps(pty, state, look, rest_last=expected is None)
            if expected is not None:
                with contextlib.suppress(TimeoutError):
                    pty.wait_until(lambda: expected(_taken(pty, state, theme)), EXPECTED)
            shot = _taken(pty, state, theme)
            pty.type("\x1b\x03\x03")  # stops what is going on, then leaves; hanging up ends what does not
        return shot


def _taken(pty: PtyScreen, state: State, theme: str) -> Shot:
    rows = [alike(row) for row in _cells(pty, state.size, PALETTES[theme])]
    if not state.window or pty.cursor is None:
        return Shot(rows, pty.cursor)
    above = list(_above(pty, state.size[0], PALETTES[theme]))
    return Shot([*above, *rows], (pty.cursor[0], pty.cursor[1] + len(above)))


def _above(pty: PtyScreen, width: int, palette: Palette) -> Iterator[list[Cell]]:
    """The notifications at the right, and below them the title of the window."""
    plain = Cell(" ", palette.ink, palette.paper)
    for found in sorted(_NOTIFIED.findall(bytes(pty.received))):  # an extension may be later than zot
        note = f"  {found.decode()}  "
        yield [plain] * (width - len(note)) + [plain._replace(text=each, paper=palette.edge) for each in note]
        yield [plain] * width
    yield [plain._replace(text=each, paper=palette.edge, bold=True) for each in pty.title.center(width)]
    yield [plain] * width


def alike(row: list[Cell]) -> list[Cell]:
    """A row with what no two runs have in common made the same. The spinner shows one frame, seconds (of the
    working row, and the last digits that a test run prints) are all `2`. How long a call took, at the end of a row, is
    left out: zot tells it from a twentieth of a second on, and a fast machine is below that."""
    text = "".join(cell.text or "\0" for cell in row)  # one character a cell: no state shows combined ones
    text = (_TOOK if text.lstrip().startswith(_OVER) else _SHORT).sub(lambda found: " " * len(found[0]), text)
    text = _WORKED.sub(lambda found: f"0.2s{found[0].partition('s')[2]:{len(found[0])}}"[: len(found[0])], text)
    text = _SECONDS.sub(lambda found: "2".rjust(len(found[0]), "0"), text)
    text = _FRAMES.sub("⠹", text)
    return [cell._replace(text=each.strip("\0")) for cell, each in zip(row, text, strict=True)]


@contextlib.contextmanager
def _home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="zot-screenshots-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _server(state: State) -> Iterator[ScriptedServer]:
    with ScriptedServer(models=state.models) as server:
        yield server


@contextlib.contextmanager
def _issues(state: State) -> Iterator[dict[str, str]]:
    """The servers of the state, as variables of the environment."""
    found = [each for each in state.before if isinstance(each, Issues)]
    listed = [{"number": n, "title": title, "user": {"login": by}} for each in found for n, title, by in each.issues]
    with IssueServer({"shop/till": listed}) as url:
        yield {"GITHUB_API_URL": url} if found else {}


def _environment(home: Path, state: State, theme: str, server: ScriptedServer) -> dict[str, str]:
    keys = {
        "ANTHROPIC_API_KEY": "sk-ant-not-a-key-of-anybody",
        "ANTHROPIC_BASE_URL": server.base_url("anthropic-messages"),
    }
    return {
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
        "HOME": str(home),
        "ZOT_HOME": str(home / ".zot"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "COLORFGBG": "0;15" if theme == "light" else "15;0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **(keys if state.key else {}),
    }


def _install(extension: Extension, environment: dict[str, str], shop: Path) -> None:
    command = [sys.executable, "-m", "zot_agent", "ext", "install", str(EXTENSIONS / extension.name)]
    subprocess.run(command, env=environment, cwd=shop, check=True, capture_output=True, timeout=PATIENCE)
    for name, text in extension.files.items():
        Path(environment["ZOT_HOME"], "extensions", extension.name, name).write_text(text, "utf-8")


def _commit(environment: dict[str, str], shop: Path) -> None:
    me = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    for words in (("init", "-q", "-b", "main"), ("add", "."), (*me, "commit", "-q", "-m", "begin")):
        subprocess.run(["git", *words], env=environment, cwd=shop, check=True, capture_output=True, timeout=PATIENCE)


def _speak(earlier: Earlier, environment: dict[str, str], shop: Path, server: ScriptedServer) -> None:
    """Have a session, and have it be as old as is said."""
    server.add(Turn(earlier.answer))
    command = [sys.executable, "-m", "zot_agent", "-p", earlier.prompt]
    subprocess.run(command, env=environment, cwd=shop, check=True, capture_output=True, timeout=PATIENCE)
    sessions = Path(environment["ZOT_HOME"], "sessions").glob("*/*.jsonl")
    newest = max(sessions, key=lambda path: path.stat().st_mtime_ns)
    text = newest.read_text("utf-8")
    newest.write_text(re.sub(r'"started":"[^"]*"', '"started":"2026-11-02T09:00:00.000Z"', text), "utf-8")
    then = time.time() - AGO[earlier.ago]
    os.utime(newest, (then, then))


def _take_steps(pty: PtyScreen, state: State, look: Callable[[], None], *, rest_last: bool) -> None:
    for number, step in enumerate(state.steps, 1):
        if isinstance(step, Keys):
            pty.type(step.keys)
        elif isinstance(step, Sees):
            pty.wait_until(_shown(pty, step, look), what=repr(step.text))
            if rest_last or number < len(state.steps):
                _rest(pty)


def _shown(pty: PtyScreen, step: Sees, look: Callable[[], None]) -> Callable[[], bool]:
    def shown() -> bool:
        look()
        return (step.text in pty.screen()) is not step.gone

    return shown


def _rest(pty: PtyScreen) -> None:
    end = time.monotonic() + RESTLESS
    while pty.read(QUIET) and time.monotonic() < end:
        pass


def _cells(pty: PtyScreen, size: tuple[int, int], palette: Palette) -> Iterator[list[Cell]]:
    for row in range(size[1]):
        yield [_cell(pty.style_at(column, row), palette) for column in range(size[0])]


def _cell(char: Any, palette: Palette) -> Cell:
    ink, paper = color(char.fg, palette.ink, palette), color(char.bg, palette.paper, palette)
    if char.reverse:
        ink, paper = paper, ink
    return Cell(char.data, ink, paper, char.bold, char.italics, char.underscore, char.strikethrough)


def rows_of(svg: str) -> Sequence[str]:
    """The texts of a screenshot, row by row and without blanks: what is compared where colours may differ."""
    found: dict[str, str] = {}
    for y, text in re.findall(r'<text[^>]* y="(\d+)"[^>]*>([^<]*)</text>', svg):
        found[y] = found.get(y, "") + re.sub(r"\s", "", text)
    return [found[y] for y in sorted(found, key=int)]
