"""What `scripts/outside_writes.py` reports."""

from pathlib import Path

from mypy import api

ROOT = Path(__file__).parents[2]
SAMPLE = """
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

class Ringer(Protocol):
    def pull(self) -> None: ...

class Rope:
    def pull(self) -> None: ...

class Place(NamedTuple):
    name: str

@dataclass
class Style:
    rope: Rope | None = None

class Bell:
    def __init__(self) -> None:
        self.ring: Callable[[], None] | None = None
        self.name = ""
        self.rope: Rope | None = None
        self.ringer: Ringer | None = None
        self.place: Place | None = None
        self.spare = Rope()

    def hang(self, rope: Rope) -> None:
        self.rope = rope

    @property
    def tone(self) -> Callable[[], None] | None:
        return self.ring

    @tone.setter
    def tone(self, tone: Callable[[], None] | None) -> None:
        self.ring = tone

    def follow(self, other: "Bell") -> None:
        self.ring, other.ring = other.ring, None

class _Hammer:
    def __init__(self) -> None:
        self.hit: Callable[[], None] = print

class Tower:
    def __init__(self, bell: Bell, hammer: _Hammer) -> None:
        self.ring: Callable[[], None] = print
        hammer.hit = print
        bell.name, bell.tone = "of a tower", print
        bell.ring = print  # wrong
        bell.rope = Rope()  # wrong
        bell.ringer = None  # wrong
        bell.place, bell.spare, Style().rope = Place(""), Rope(), Rope()

    def wind(self, bell: Bell) -> None:
        def later() -> None:
            self.ring, bell.ring = print, None  # wrong

        later()
"""


def test_what_an_object_calls_and_gets_from_outside_after_its_birth_is_reported(tmp_path: Path) -> None:
    source = tmp_path / "zot_sample.py"
    source.write_text(SAMPLE)
    wrong = [number for number, line in enumerate(SAMPLE.splitlines(), 1) if "# wrong" in line]

    said, failed, code = api.run(
        ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache"), str(source)]
    )

    assert (failed, code) == ("", 1)
    assert [line for line in said.splitlines() if ": error: " in line] == [
        f"{source}:{number}: error: What the object calls is assigned to an attribute outside its "
        "class: give it to the constructor  [misc]"
        for number in wrong
    ]
