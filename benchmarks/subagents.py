"""Sub-agents: the CPU time of a small one beside its model call, and the memory of two hundred at a time."""

import json
from collections.abc import Iterator

from environment import Environment, Figure

AGENTS = 200

PROGRAM = """
import asyncio, json, sys, time
from zot_core import AgentLimits, Runtime
from zot_core.testing import TaskClient
from zot_provider import Model

def peak():
    # Kilobytes. Not ru_maxrss: a process inherits it from its parent.
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

async def main(folder, count):
    tasks = [f"task {number}" for number in range(count)]
    client = TaskClient({task: [f"answer to {task}"] for task in ["warm-up", *tasks]})
    async with Runtime(Model("m", "v"), client=client, cwd=folder, session=f"{folder}/s.jsonl") as runtime:
        assert not [name for name in sys.modules if ".subagents.subagent" in name], "imported before they are used"
        await runtime.agents.run("warm-up")
        runtime.agents.limits = AgentLimits(running=count)
        before, begin = peak(), time.process_time()
        answers = await runtime.agents.gather(tasks, limit=count)
        took = time.process_time() - begin
        assert [str(each) for each in answers] == [f"answer to {task}" for task in tasks]
    print(json.dumps([took / count * 1000, (peak() - before) / count / 1024]))

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """The time of an agent includes a model call that takes no time, its session file and its end."""
    folder = environment.folder / "subagents"
    folder.mkdir()
    done = environment.run([environment.python, "-c", PROGRAM, str(folder), str(AGENTS)])
    assert done.returncode == 0, done.stderr.decode()
    took, memory = json.loads(done.stdout)
    yield Figure(f"{AGENTS} sub-agents side by side, CPU of one", took * environment.scale, "ms", 2)
    yield Figure(f"{AGENTS} sub-agents side by side, memory of one", memory, "MB", 1)
