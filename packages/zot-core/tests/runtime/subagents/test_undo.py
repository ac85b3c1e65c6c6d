"""Going back undoes what sub-agents have changed."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_core.checkpoints.watch import Checkpoints
from zot_core.runtime.runtime import Runtime
from zot_core.testing.tasks import TaskClient
from zot_provider.model import Model
from zot_provider.testing import Call, Turn


@pytest.mark.parametrize("background", [False, True])
async def test_what_a_sub_agent_writes_is_undone_with_the_prompt(tmp_path: Path, background: bool) -> None:
    work = tmp_path / "work"
    work.mkdir()
    path = work / "a.txt"
    path.write_text("before")
    give = Turn(calls=[Call("agent", {"task": "a", "background": background})])
    look = Turn(calls=[Call("ls", {})])
    change = Turn(calls=[Call("write", {"path": "a.txt", "content": "after"})])
    client = TaskClient({"main": [give, "done"], "a": [look, look, look, change, "changed"]})
    options = {"session": tmp_path / "s.jsonl", "checkpoints": partial(Checkpoints, str(tmp_path / "checkpoints"))}
    async with Runtime(Model("m", "v"), client=client, cwd=work, agents=(), **options) as runtime:
        async with asyncio.timeout(PATIENCE):
            await runtime.prompt("main")
            assert path.read_text() == "after"
            await runtime.branches.undo()
    assert path.read_text() == "before"
