"""Makes moving-dark.svg and moving-light.svg: the task of the screenshots, while zot does it."""

import itertools
import time
from pathlib import Path

from draw import PALETTES, Frame, moving
from play import Shot, play
from project import PROMPT, TASK
from states import READY, Keys, Sees, State

from zot_agent.version import __version__
from zot_provider.testing import Fault

NAME = "moving"
LONGEST, LAST = 1.0, 5.0
"""Seconds that a frame is seen at most, and that the last one is."""
SHORTEST = 0.08
"""Seconds: what is seen for less is left out."""

_WORDS = PROMPT.split()
PICTURE = State(
    NAME,
    "zot at work",
    "A prompt is typed, the model searches, changes a file and runs the tests, and its answer comes.",
    (
        Sees(READY),
        *(
            step
            for count, word in enumerate(_WORDS)
            for step in (Keys(f"{word} "), Sees(" ".join(_WORDS[: count + 1])))
        ),
        Keys("\r"),
        Sees("return amount"),
        Sees("esc to stop", gone=True),
    ),
    turns=tuple(turn.replace(chunk=8, delay=0.05, fault=Fault(stall=0.7)) for turn in TASK),
    size=(92, 30),
)


def record(theme: str) -> str:
    """The picture, whose times are those of a run, within limits."""
    seen: list[tuple[float, Shot]] = []

    def watch(shot: Shot) -> None:
        card = any(__version__ in "".join(cell.text for cell in row) for row in shot.rows)  # no empty screen first
        if seen[-1][1] != shot if seen else card:
            seen.append((time.monotonic(), shot))

    watch(play(PICTURE, theme, watch=watch))
    frames = []
    for (begun, shot), (ended, _) in itertools.pairwise(seen):
        if ended - begun >= SHORTEST:
            frames.append(Frame(shot.rows, min(ended - begun, LONGEST)))
    frames.append(Frame(seen[-1][1].rows, LAST))
    return moving(frames, PALETTES[theme], PICTURE.title, PICTURE.about)


def write(folder: Path) -> None:
    """Write both pictures."""
    for theme in PALETTES:
        (folder / f"{NAME}-{theme}.svg").write_text(record(theme), "utf-8")
