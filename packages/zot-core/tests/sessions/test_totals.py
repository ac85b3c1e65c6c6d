"""Totals of runs, and their row in a session."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.display import CodeDisplay, DiffDisplay, DisplayBlock, Recaller, TerminalDisplay
from zot_core.events import (
    AssistantStart,
    Done,
    Fate,
    ReasoningDelta,
    SubagentStart,
    SubagentStop,
    TextDelta,
    ToolResultEvent,
    ToolStart,
    TurnStart,
    UsageEvent,
    UserMessage,
)
from zot_core.runtime.runtime import Runtime
from zot_core.sessions.file import load
from zot_core.sessions.raw import read_row
from zot_core.sessions.totals import (
    LONG,
    SHORTEST,
    AgentTotals,
    RunCounter,
    RunTotals,
    SessionTotals,
    read_totals,
    totals_row,
)
from zot_core.tools.definition.tool import tool
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn
from zot_provider.usage import Usage

PROMPT = Message("user", [TextBlock("go")], id="p")


@tool(parallel=True, repeatable=True)
async def look(text: str) -> str:
    return text


class Counted:
    """A counter, and a clock that a test turns."""

    def __init__(self, tools: Mapping[str, Recaller] | None = None) -> None:
        self.now = 100.0
        self.counter = RunCounter(tools or {}, lambda: self.now)

    def show(self, *events: object) -> None:
        for event in events:
            self.counter.follow(event)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    def end(self, name: str, *display: DisplayBlock, failed: bool = False, fate: Fate = "ran") -> None:
        self.show(ToolResultEvent("1", name, failed, [], "{}", display=list(display), fate=fate))


def test_a_run_without_calls_is_told_of_from_ten_seconds_on() -> None:
    run = Counted()
    run.show(UserMessage(PROMPT), UsageEvent(Usage(input=100, output=5), Usage()))
    run.pass_time(LONG - 0.1)
    run.show(Done())
    assert run.counter.ended is None
    run.show(UserMessage(PROMPT), TurnStart(1))
    run.pass_time(LONG)
    run.show(UserMessage(PROMPT), Done())  # steers the same run
    assert run.counter.ended == RunTotals(LONG, Usage())
    run.show(UsageEvent(Usage(input=1), Usage()), Done())  # of a compaction that a person asked for
    assert run.counter.ended is None


def test_tokens_of_all_agents_and_the_changes_of_calls_are_counted() -> None:
    run = Counted({"look": look})
    run.show(UserMessage(PROMPT))
    run.show(UsageEvent(Usage(input=100, output=5, cost_usd=0.01), Usage()))
    run.show(UsageEvent(Usage(cache_read=900, output=5, cost_usd=0.02), Usage(), "1"))
    run.end("edit", DiffDisplay("a.py", "-x\n+y\n+z\n  w"))
    run.end("edit", DiffDisplay("a.py", "-y\n+x"))
    run.end("write", CodeDisplay("b.py", "new\n\n"))
    run.end("write", CodeDisplay("empty.py", ""))
    run.end("look", CodeDisplay("c.py", "only read"))
    run.end("bash", TerminalDisplay("touch d", "", 0, 0.1))
    run.end("write", CodeDisplay("e.py", "failed"), failed=True)
    run.end("write", CodeDisplay("f.py", "refused"), fate="refused")
    assert run.counter.changes
    run.show(Done())
    assert run.counter.ended == RunTotals(0, Usage(100, 10, 900, 0, 0.03), 3, 5, 2)
    run.show(UserMessage(PROMPT))
    assert not run.counter.changes


def test_times_belong_to_the_answer_whose_calls_and_thoughts_they_are() -> None:
    run = Counted()
    run.show(UserMessage(PROMPT), AssistantStart(), ReasoningDelta("never mind"))
    run.pass_time(9)
    run.show(AssistantStart(), ReasoningDelta("hm"))
    run.pass_time(1)
    run.show(ReasoningDelta("hm"))
    run.pass_time(0.5)
    run.show(TextDelta("I look."))
    assert run.counter.thought == 1.5
    run.pass_time(5)
    run.counter.answered("a")
    run.show(ToolStart("1", "look"))
    run.pass_time(2 * SHORTEST)
    run.end("look")
    assert run.counter.took("1") == 2 * SHORTEST
    run.counter.answered("b")
    assert run.counter.took("1") is None
    run.show(ToolStart("1", "look"))
    run.pass_time(2)
    run.end("look")
    run.show(Done())
    assert run.counter.ended is not None
    assert run.counter.ended.calls == {"a": {"1": 2 * SHORTEST}, "b": {"1": 2}}
    assert run.counter.ended.thoughts == {"a": [1.5]}


def test_an_agent_belongs_to_the_call_that_waits_for_it() -> None:
    run = Counted()
    run.show(UserMessage(PROMPT))
    run.counter.answered("a")
    run.show(SubagentStart("1", "explore", "look", "m", tool_call="c1"))
    run.show(SubagentStart("2", "", "look", "m", parent="1", tool_call="c1"))
    run.show(SubagentStart("3", "", "look", "m", tool_call="c2", background=True))
    for id in ("3", "2", "1"):
        run.show(SubagentStop(id, "", "completed", "", 1, 30, None, 0.1))
    assert run.counter.agent("c1") == AgentTotals("1", "explore", 30)
    assert run.counter.agent("c2") is None
    run.end("agent")
    run.show(Done())
    assert run.counter.ended is not None
    assert run.counter.ended.agents == {"a": {"c1": AgentTotals("1", "explore", 30)}}


times = st.floats(0, 1e8)
runs = st.builds(
    RunTotals,
    times,
    st.builds(Usage, *[st.integers(0, 10**9)] * 4),
    *[st.integers(0, 10**6)] * 3,
    calls=st.dictionaries(st.text(), st.dictionaries(st.text(), times)),
    thoughts=st.dictionaries(st.text(), st.lists(times)),
    agents=st.dictionaries(
        st.text(), st.dictionaries(st.text(), st.builds(AgentTotals, st.text(), st.text(), st.integers(0, 10**6)))
    ),
)


@given(runs)
def test_a_row_is_read_as_it_was_written(run: RunTotals) -> None:
    written = run.replace(usage=run.usage.replace(cost_usd=0.0))
    assert read_totals(json.loads(totals_row("a", written))) == written


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.fixed_dictionaries({name: json_values for name in RunTotals.__match_args__}))
def test_a_row_of_another_program_is_read_as_far_as_it_has_numbers(fields: dict[str, Any]) -> None:
    found = read_totals({"totals": fields})
    assert found is None or 0 <= found.seconds < 1e9


@pytest.mark.parametrize("damaged", ["{}", '{"after":"a","totals":[]}', '{"totals":{"seconds":"1"}}'])
def test_a_damaged_row_says_nothing(damaged: str) -> None:
    assert read_totals(read_row(damaged.encode())) is None


def test_the_last_run_is_the_one_after_the_last_prompt() -> None:
    answer, note = Message("assistant", [], id="a"), Message("user", [], id="n", hidden="a hook")
    run = RunTotals(1, Usage())
    known = SessionTotals({"a": run})
    assert known.last([PROMPT, answer, note]) is run
    assert known.last([PROMPT, answer, PROMPT]) is None
    assert known.last([]) is None


@pytest.mark.parametrize("saved", [True, False])
async def test_a_session_knows_what_its_runs_took(tmp_path: Path, saved: bool) -> None:
    path = str(tmp_path / "s.jsonl")
    turn = Turn("look", calls=[Call("look", {"text": "a"})])
    client, session = ScriptedClient([turn, "ok", "short"]), path if saved else None
    async with Runtime("m", client=client, tools=[look], session=session) as rt:
        await rt.ask("hi")
        last = rt.messages[-1].id
        await rt.ask("again")
        assert list(rt.totals.runs) == [last]
        assert rt.totals.runs[last].usage.output == 10
        assert rt.totals.last(rt.messages) is None
        await rt.branches.go_to(last)
        assert rt.totals.last(rt.messages) == rt.totals.runs[last]
        await rt.branches.fork()
        assert list(rt.totals.runs) == [last]
    if saved:
        assert list(load(path).totals.runs) == [last]
