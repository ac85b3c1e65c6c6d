"""What is said at the end of a run."""

from zot_agent.ui.format.run_facts import worked_cell
from zot_core.sessions.totals import RunTotals
from zot_provider.usage import Usage
from zot_tui.text.runs import plain


def said(work: RunTotals) -> str:
    return plain(worked_cell(work).chunks[0].rows(80)[0]).strip()


def test_the_line_has_the_time_tokens_cost_and_changes_that_are_known() -> None:
    assert said(RunTotals(10, Usage())) == "worked for 10s"
    assert said(RunTotals(1.2, Usage(input=100, output=5))) == "worked for 1.2s · ↑100 ↓5"
    usage = Usage(input=100, cache_read=900, output=10, cost_usd=0.03)
    assert said(RunTotals(1.2, usage, 2, 3, 2)) == "worked for 1.2s · ↑1.0k ↓10 · $0.030 · 2 files changed +3 −2"
    assert said(RunTotals(1.2, Usage(), 1)) == "worked for 1.2s · 1 file changed"
