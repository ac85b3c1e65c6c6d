"""`worked_cell`: what is said when a run has ended: how long it took, its tokens and cost, and what it changed.
`agent_facts`: what is said of a sub-agent."""

from zot_agent.ui.format.amounts import cost, tokens
from zot_core.sessions.totals import AgentTotals, RunTotals
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


def agent_facts(agent: AgentTotals | None) -> list[str]:
    """Return the words about a sub-agent in the first row of its call; none without one."""
    if agent is None:
        return []
    used = [f"{tokens(agent.tokens)} tokens"] if agent.tokens else []
    return [f"{agent.id}: {agent.name}".removesuffix(": "), *used]
