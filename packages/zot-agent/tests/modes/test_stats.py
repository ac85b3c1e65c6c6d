import json
import os

import pytest

from zot_agent.modes.stats import Stats
from zot_core.events import ToolResultEvent, TurnStart, UsageEvent
from zot_provider.model import Model, Price
from zot_provider.usage import Usage

MODEL = Model("m", "v", price=Price(1, 2))


def test_a_run_is_counted_from_its_events() -> None:
    stats = Stats()
    for step in (1, 2):
        stats(TurnStart(step))
        stats(UsageEvent(Usage(10, 5, cost_usd=0.5), Usage(1000, 1000)))
        stats(ToolResultEvent("c", "read", step == 2, []))
    line = json.loads(stats.line(MODEL, "ask", "strict"))
    assert line.pop("duration_ms") >= 0
    assert line == {
        **{"type": "stats", "provider": "v", "model": "m", "input": 20, "output": 10, "cache_read": 0},
        **{"cache_write": 0, "cost_usd": 1.0, "reasoning": None, "steps": 2, "tool_calls": 2, "tool_errors": 1},
        **{"mode": "ask", "sandbox": "strict"},
    }


def test_the_cost_is_null_where_no_price_is_known() -> None:
    stats = Stats()
    stats(UsageEvent(Usage(10, 5), Usage()))
    assert json.loads(stats.line(Model("m", "v"), "yolo", "off"))["cost_usd"] is None
    assert json.loads(stats.line(MODEL, "ask", "strict"))["cost_usd"] == 0
    stats(UsageEvent(Usage(cost_usd=0.1), Usage()))
    assert json.loads(stats.line(Model("m", "v"), "yolo", "off"))["cost_usd"] == 0.1


def test_it_is_told_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    Stats().print(Model(f"m{os.linesep}\udc80", "v"), "yolo", "off")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert json.loads(err)["steps"] == 0
