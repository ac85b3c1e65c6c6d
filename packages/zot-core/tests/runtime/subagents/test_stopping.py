"""Whenever a run with sub-agents is stopped, all of it ends, and nothing is left."""

import asyncio
import random
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_core.errors import SessionError
from zot_core.events import AgentEvent, SubagentStart
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.subagents.limits import AgentLimits
from zot_core.testing.tasks import HANGS, TaskClient
from zot_provider.model import Model
from zot_provider.testing import Call, Turn


def script(chance: random.Random) -> dict[str, list[Turn | str]]:
    """Nine agents on two levels, which answer, fail or hang."""

    def give(*names: str) -> Turn:
        return Turn(calls=[Call("agent", {"task": each, "background": chance.random() < 0.4}) for each in names])

    answers: dict[str, list[Turn | str]] = {"main": [give("a", "b", "c"), "meanwhile", "end"]}
    for name in "abc":
        answers[name] = [give(f"{name}1", f"{name}2"), chance.choice(["ok", HANGS, Turn(error=ValueError("no"))]), "ok"]
        for number in "12":
            first = chance.choice([Turn(calls=[Call("ls")]), HANGS, "fine", Turn(error=RuntimeError("boom"))])
            answers[name + number] = [first, "end"]
    return answers


@pytest.mark.parametrize("seed", [0, 3, 8, 41, 57, 90])
async def test_nothing_is_left_whenever_a_run_is_stopped(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    runtime = Runtime(Model("m", "v"), client=TaskClient(script(chance)), agents=(), cwd=tmp_path)
    runtime.agents.limits = AgentLimits(running=chance.choice([1, 2, 16]))
    before = asyncio.all_tasks()
    async with asyncio.timeout(PATIENCE):
        run = runtime.prompt("main")
        for _ in range(chance.randrange(60)):
            await asyncio.sleep(0)
        for each in runtime.agents.all if chance.random() < 0.5 else ():
            each.stop()
        run.cancel()
        await run
        await runtime.close()
    assert {each for each in asyncio.all_tasks() if not each.done()} <= before
    assert all(each.end for each in runtime.agents.all)


async def test_nobody_waits_for_an_agent_whose_start_fails(tmp_path: Path) -> None:
    give = Turn(calls=[Call("agent", {"task": "a", "background": True})])
    client = TaskClient({"main": [give, "done"], "a": ["x"]})

    def fail(event: AgentEvent) -> None:
        if isinstance(event, SubagentStart):
            raise SessionError("the disk is full")

    async with Runtime(Model("m", "v"), client=client, agents=(), cwd=tmp_path) as runtime:
        runtime.hooks.event.add(fail)
        async with asyncio.timeout(PATIENCE):
            assert await runtime.prompt("main") == "completed"
        assert runtime.agents.all == []
        assert "the disk is full" in str(client.asked("main")[1].messages[-1])
