"""`worked_cell`: what is said when a run has ended: how long it took, its tokens and cost, and what it changed."""

from zot_agent.ui.format.amounts import cost, tokens
from zot_core.sessions.totals import RunTotals
from zot_tui.widgets.amounts import counted
from zot_tui.widgets.transcript.cells import WorkedCell


def worked_cell(run: RunTotals) -> WorkedCell:
    facts, usage = list[str](), run.usage
    if read := usage.input + usage.cache_read + usage.cache_write:
        facts.append(f"↑{tokens(read)} ↓{tokens(usage.output)}")
    if usage.cost_usd:
        facts.append(cost(usage.cost_usd))
    if run.files:
        lines = f" +{run.added} −{run.removed}" if run.added or run.removed else ""
        facts.append(f"{counted(run.files, 'file')} changed{lines}")
    return WorkedCell(run.seconds, *facts)
