"""Durable runs: the CPU time of a step beside that of a plain run, and how long continuing a hundred of them takes."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

from environment import Environment, Figure
from tool_server import ToolServer

STEPS, RUNS = 400, 100

STEP = """
import asyncio, json, statistics, sys, time
from pathlib import Path
from zot_core import Runtime, tool
from zot_provider import Model
from zot_provider.testing import Call, ScriptedClient, Turn

@tool
def act() -> str:
    "Do nothing."
    return "done"

async def run(path, steps, task):
    turns = [Turn(calls=[Call("act", {}, f"c{number}")]) for number in range(steps)]
    options = {"client": ScriptedClient([*turns, Turn("done")]), "tools": [act], "builtin_tools": [], "run": task}
    async with Runtime(Model("m", "v"), session=path, **options) as rt:
        begin = time.process_time()
        if task is None:
            await rt.ask("go")
        else:
            await rt.durable.finish()
        took = time.process_time() - begin
    assert Path(path).read_bytes().count(b'"tool_begin"') == (0 if task is None else steps)
    return took / steps * 1000

async def main(folder, steps):
    await run(f"{folder}/warm.jsonl", 5, None)
    assert not [name for name in sys.modules if name.endswith(".durable")], "imported before it is used"
    took = {None: [], "go": []}
    for number in range(14):  # the first two are left out, and each kind is first as often as the other
        for task in (None, "go") if number % 2 else ("go", None):
            took[task].append(await run(f"{folder}/{number}-{task}.jsonl", steps, task))
    print(json.dumps(statistics.median(took["go"][2:]) - statistics.median(took[None][2:])))

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""

BEGIN = """
import sys
from zot_agent.host.options import HostOptions
from zot_agent.runs.store import RunStore

cwd, url = sys.argv[1:3]
for number in range(int(sys.argv[3])):
    options = HostOptions(provider="openai", model="m", base_url=url, cwd=cwd)
    RunStore().create(f"run-{number}", "go", cwd, options)
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """The runs that are continued have two steps of `true` each."""
    folder = environment.folder / "runs"
    folder.mkdir()
    done = environment.run([environment.python, "-c", STEP, str(folder), str(STEPS)])
    assert done.returncode == 0, done.stderr.decode()
    took = json.loads(done.stdout) * environment.scale
    yield Figure(f"{STEPS} steps of a durable run less those of a plain one, CPU", took, "ms a step", 0.3)
    server = ToolServer("bash", lambda _: {"command": "true"}, 2)
    made = environment.run([environment.python, "-c", BEGIN, str(folder), server.base_url, str(RUNS)])
    assert made.returncode == 0, made.stderr.decode()
    begin = time.monotonic()
    done = environment.run([environment.zot, "runs", "resume", "--all"])
    took = time.monotonic() - begin
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.count(b" is done\n") == RUNS, done.stdout.decode()
    yield Figure(f"{RUNS} interrupted runs of 2 steps, all continued to their ends", took * environment.scale, "s", 10)
    for path in Path(environment.variables["ZOT_HOME"]).rglob("*.jsonl"):
        path.unlink()
