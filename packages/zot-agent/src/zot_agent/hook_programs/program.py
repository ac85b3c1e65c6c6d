"""`HookProgram`: a program of the settings, and when it runs."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from zot_agent.hook_programs.events import INTERCEPTED
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.permissions.rule import Rule

_SHOWN = 60


class HookProgramLimits(Record):
    """Limits of all hook programs. Times are in seconds."""

    seconds: float = 60.0
    """From the start of a program to its end, unless its entry has a `timeout`."""
    most_seconds: float = 3600.0
    """The longest `timeout`."""
    frame_bytes: int = 16 << 20
    """Longest frame on standard input, and longest answer; with a longer one the program has failed."""
    reason_bytes: int = 16 << 10
    """How much of standard error is kept, from its beginning."""
    waiting: int = 64
    """Events that may wait for one program; further ones are dropped, and a line says so."""
    close_seconds: float = 5.0
    """How long the end of zot waits for programs that observe; then they are ended."""


DEFAULT_LIMITS = HookProgramLimits()


class HookProgram(Record):
    """A program that `source`, a file of settings, names for `event`.

    `match` is a regular expression for the whole name of a tool, in small or large letters; without it the program runs
    for all. One of its `rules` must be about the call, if it has any. It is asked if it `waits`, else only notified.
    `blocks_on_failure`: what it should have judged is refused if it fails. `claude` is the name of the event in Claude
    Code, if the program reads and writes what that defines.
    """

    event: str
    command: str
    source: str
    match: str = ""
    seconds: float = DEFAULT_LIMITS.seconds
    waits: bool = True
    blocks_on_failure: bool = False
    sandboxed: bool = True
    claude: str = ""
    rules: "Sequence[Rule]" = ()

    @property
    def answers(self) -> bool:
        """Whether it is asked, and not only notified."""
        return self.waits and self.event in INTERCEPTED

    def matches(self, name: str) -> bool:
        return not self.match or re.fullmatch(self.match, name, re.IGNORECASE) is not None

    def of_no_tool(self, tools: Iterable[str]) -> list[str]:
        """Return the parts of `match` that match none of `tools` and no name of an MCP server's."""
        parts = self.match.split("|") if self.match and not self.claude else []
        known = [each for each in parts if any(re.fullmatch(each, tool, re.IGNORECASE) for tool in tools)]
        return [each.replace(".*", "*") for each in parts if each not in known and not each.startswith("mcp__")]

    def lines(self) -> list[str]:
        """Describe it for a person, its event first."""
        how = ["for " + self.match.replace(".*", "*")] if self.match else []
        how += [f"if {self.rules[0].text}"] if self.rules else []
        how += [] if self.answers else ["only notified"]
        how += ["a failure blocks"] if self.blocks_on_failure else []
        how += [] if self.sandboxed else ["outside the sandbox"]
        head = ", ".join([self.claude or self.event, *how, f"at most {self.seconds:g} s"])
        return [head, *(f"    {line}" for line in self.command.splitlines()), f"    of {self.source}"]

    @property
    def line(self) -> str:
        """Its event and its command in a line, for a person."""
        command = " ".join(self.command.split())
        return f"{self.claude or self.event}: {command if len(command) <= _SHOWN else f'{command[:_SHOWN]}...'}"
