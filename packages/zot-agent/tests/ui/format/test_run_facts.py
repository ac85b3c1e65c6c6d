"""What is said at the end of a run."""

from zot_agent.ui.format.run_facts import LONG, RunFacts
from zot_core.display import CodeDisplay, DiffDisplay, TerminalDisplay
from zot_provider.usage import Usage
from zot_tui.text.runs import plain


def said(facts: RunFacts, seconds: float) -> str:
    cell = facts.cell(seconds)
    return "" if cell is None else plain(cell.chunks[0].rows(80)[0]).strip()


def test_a_short_answer_without_a_call_ends_without_a_line() -> None:
    facts = RunFacts()
    facts.spend(Usage(input=100, output=5))
    assert said(facts, LONG - 0.1) == ""
    assert said(facts, LONG) == "worked for 10s · ↑100 ↓5"


def test_the_line_has_tokens_and_cost_of_all_agents_and_what_calls_changed() -> None:
    facts = RunFacts()
    facts.spend(Usage(input=100, output=5, cost_usd=0.01))
    facts.spend(Usage(cache_read=900, output=5, cost_usd=0.02))
    facts.call([DiffDisplay("a.py", "-x\n+y\n+z\n  w")], wrote=True)
    facts.call([DiffDisplay("a.py", "-y\n+x")], wrote=True)
    facts.call([CodeDisplay("b.py", "new")], wrote=True)
    facts.call([CodeDisplay("c.py", "only read")], wrote=False)
    facts.call([TerminalDisplay("touch d", "", 0, 0.1)], wrote=True)
    assert facts.changes
    assert said(facts, 1.2) == "worked for 1.2s · ↑1.0k ↓10 · $0.030 · 2 files changed +3 −2"
    facts.begin()
    assert not facts.changes
    assert said(facts, 1.2) == ""
