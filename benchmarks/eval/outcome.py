"""What came of one try at one task, and the file of outcomes, which a later run continues."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

TRIES = ("passed", "failed")


@dataclass
class Use:
    """What an agent used: model calls, tokens, US dollars (None if unknown), calls of tools that failed."""

    steps: int = 0
    tokens: int = 0
    cost: float | None = None
    failed_edits: int = 0
    failed_calls: int = 0
    error: str = ""
    """Why the agent itself did not work, such as a missing key; empty if it did."""


@dataclass
class Outcome:
    """`state`: passed, failed (the check says why), set-up (the task could not be made), error (the agent did not
    work), missing (a program that the task needs is not there). Only the first two count as tries."""

    task: str
    repeat: int
    state: Literal["passed", "failed", "set-up", "error", "missing"]
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0
    use: Use = field(default_factory=Use)


class OutcomeFile:
    """One line of JSON for each outcome. Tries that are there are not made again, but what was no try is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        known = read_outcomes(path) if path.exists() else []
        self.outcomes = [each for each in known if each.state in TRIES]

    def has(self, task: str, repeat: int) -> bool:
        """Whether this try was made."""
        return any((each.task, each.repeat) == (task, repeat) for each in self.outcomes)

    def add(self, outcome: Outcome) -> None:
        """Append an outcome."""
        self.outcomes.append(outcome)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")


def read_outcomes(path: Path) -> list[Outcome]:
    """The outcomes in a file; a last line that was cut off is left out."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        try:
            value = json.loads(line)
            found.append(Outcome(**value | {"use": Use(**value["use"])}))
        except (ValueError, TypeError, KeyError):
            continue
    return found
