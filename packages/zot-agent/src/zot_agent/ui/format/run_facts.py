"""`RunFacts`: what is said when a run has ended: how long it took, its tokens and cost, and what it changed."""

from collections.abc import Sequence

from zot_agent.ui.format.amounts import cost, tokens
from zot_core.display import CodeDisplay, DiffDisplay, DisplayBlock
from zot_provider.usage import Usage
from zot_tui.widgets.amounts import counted
from zot_tui.widgets.transcript.cells import WorkedCell

LONG = 10.0
"""Seconds from which an answer without any call has such a line too."""


class RunFacts:
    """The facts of the current run; `begin` forgets the last one."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._usage, self._calls = Usage(), 0
        self._paths: dict[str, None] = {}
        self._added = self._removed = 0

    @property
    def changes(self) -> bool:
        """Whether the run has changed files, as far as its calls say so: what commands change is not known."""
        return bool(self._paths)

    def spend(self, usage: Usage) -> None:
        """Add tokens and cost, also of sub-agents."""
        self._usage += usage

    def call(self, display: Sequence[DisplayBlock], *, wrote: bool) -> None:
        """Count a call that has ended. `wrote`: the files in its display are changed."""
        self._calls += 1
        for block in display if wrote else ():
            if isinstance(block, DiffDisplay | CodeDisplay):
                self._paths[block.path] = None
            if isinstance(block, DiffDisplay):
                rows = block.diff.split("\n")
                self._added += sum(row.startswith("+") for row in rows)
                self._removed += sum(row.startswith("-") for row in rows)

    def cell(self, seconds: float) -> WorkedCell | None:
        """Return the line about a run that took so long; None for a short answer without a call."""
        if not self._calls and seconds < LONG:
            return None
        facts = []
        usage = self._usage
        if read := usage.input + usage.cache_read + usage.cache_write:
            facts.append(f"↑{tokens(read)} ↓{tokens(usage.output)}")
        if usage.cost_usd:
            facts.append(cost(usage.cost_usd))
        if self._paths:
            lines = f" +{self._added} −{self._removed}" if self._added or self._removed else ""
            facts.append(f"{counted(len(self._paths), 'file')} changed{lines}")
        return WorkedCell(seconds, *facts)
