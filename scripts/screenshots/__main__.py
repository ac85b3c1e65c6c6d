"""Makes docs/images/NAME-dark.svg and NAME-light.svg of every state of the screen, from real runs of zot, and NAME.png
of the page of `zot serve`. The pictures called `moving` are of a run while it goes.

    uv run scripts/screenshots [--check] [--list] [--theme THEME] [--folder DIR] [NAME ...]

`--check` writes nothing and says which screenshots are not current, with exit code 1. It compares the texts, not the
colours, without the rows that differ from machine to machine, and looks again before it says that one differs: a busy
machine may have been caught in between. `--list` prints the names of the states.

Needs POSIX (pseudo-terminals), pyte, which the development group brings, and Chromium for the page. The pictures of the
page are not checked, because their fonts are those of the machine.
"""

import argparse
import asyncio
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))  # for `pty_screen`

import moving
from browser_page import NAMES, take
from draw import PALETTES
from play import Shot, play, rows_of
from states import STATES, State

IMAGES = Path(__file__).parents[2] / "docs" / "images"
LOOKS = 3
"""How often a state is tried for."""
AT_A_TIME = 6
"""Runs beside each other; they wait more than they work."""
_WORKED = re.compile("workedfor")
"""A row that a run without a call has on a busy machine alone."""


def write(state: State, theme: str, path: Path) -> str:
    """Make a screenshot; what went wrong, if something did."""
    difficulty = ""
    for _ in range(LOOKS):
        try:
            svg = play(state, theme).svg(state, theme)
        except TimeoutError as error:
            difficulty = f"{state.name}, {theme}: {error}"
        else:
            path.write_text(svg, "utf-8")
            return ""
    return difficulty


def check(state: State, theme: str, path: Path) -> str:
    """Compare a screenshot with what is seen now; the difference, if there is one."""
    if not path.exists():
        return f"{path.name} is missing; run make screenshots"
    before, difference = _compared(state, path.read_text("utf-8")), ""

    def seen(shot: Shot) -> list[str]:
        return _compared(state, shot.svg(state, theme))

    for _ in range(LOOKS):
        try:
            after = seen(play(state, theme, lambda shot: _same(before, seen(shot))))
        except TimeoutError as error:
            difference = str(error)
            continue
        if _same(before, after):
            return ""
        gone = [f"- {row}" for row in before if row not in after]
        come = [f"+ {row}" for row in after if row not in before]
        difference = "\n".join([*gone, *come])
    return f"{path.name} is not current; run make screenshots\n{difference}"


_VERSION = re.compile(r"\bzot\d+\.\d+\.\d+(?:rc\d+)?")
"""A new version alone makes no screenshot old, else none could be released without taking all of them again."""


def _compared(state: State, svg: str) -> list[str]:
    varies = re.compile(state.varies.replace(" ", "") or "(?!)")  # rows have no blanks; without one, nothing varies
    return [_VERSION.sub("zot", row) for row in rows_of(svg) if not varies.search(row)]


def _same(before: list[str], after: list[str]) -> bool:
    """Whether rows are those of the screenshot. A row of a busy machine may have pushed out the first ones."""
    rows, rest = ([row for row in each if not _WORKED.match(row)] for each in (before, after))
    return rows == rest or (len(rest) < len(after) and rows[-len(rest) :] == rest)


def main() -> int:
    """Write or check; the exit code."""
    parser = argparse.ArgumentParser(prog="screenshots", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these states")
    parser.add_argument("--theme", choices=[*PALETTES], help="only this one")
    parser.add_argument("--check", action="store_true", help="write nothing, say what is not current")
    parser.add_argument("--folder", type=Path, default=IMAGES, metavar="DIR", help="the screenshots are there")
    parser.add_argument("--list", action="store_true", help="print the page and the name of each state")
    asked = parser.parse_args()
    if unknown := {*asked.names} - {state.name for state in STATES} - NAMES - {moving.NAME}:
        parser.error(f"no state {', '.join(sorted(unknown))}")
    states = [state for state in STATES if not asked.names or state.name in asked.names]
    if asked.list:
        print("\n".join(f"{state.page or state.name} {state.name}" for state in states))
        return 0
    asked.folder.mkdir(parents=True, exist_ok=True)
    jobs = [
        (state, theme, asked.folder / f"{state.name}-{theme}.svg")
        for state in states
        for theme in ([asked.theme] if asked.theme else PALETTES)
    ]
    do = check if asked.check else write
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        problems = [each for each in pool.map(lambda job: do(*job), jobs) if each]
    if not asked.check and not asked.theme and moving.NAME in (asked.names or [moving.NAME]):
        moving.write(asked.folder)
    if not asked.check and not asked.theme and (pages := NAMES.intersection(asked.names or NAMES)):
        if shutil.which("chromium"):
            asyncio.run(take(asked.folder, pages))
        else:
            problems.append(f"{', '.join(sorted(pages))}: chromium is not installed")
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
