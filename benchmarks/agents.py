"""A thousand agents at a time in one process, each with a client of its own, over loopback."""

import json
from collections.abc import Iterator

from environment import Environment, Figure
from tool_server import ToolServer

AGENTS, STEPS = 1000, 20

PROGRAM = """
import asyncio, json, sys, time
from zot_core import Runtime, tool
from zot_provider import TextBlock, ToolResultBlock

def peak():
    # Kilobytes. Not ru_maxrss: a process inherits it from its parent.
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

async def one(identity, url, steps):
    @tool
    async def look(number: int) -> str:
        "Look at a number."
        return f"{identity} {number}"

    async with Runtime("m", provider="openai", api_key="bench", base_url=url, tools=[look]) as runtime:
        answer = await runtime.ask(f"I am {identity}")
        results = [
            block.content[0].text
            for message in runtime.messages
            for block in message.content
            if isinstance(block, ToolResultBlock)
        ]
        assert answer.text == "done", answer
        assert results == [f"{identity} {number}" for number in range(steps)], results
        return len(results)

async def main(url, agents, steps):
    await one("warm-up", url, steps)
    before, begin = peak(), time.perf_counter()
    done = await asyncio.gather(*(one(identity, url, steps) for identity in range(agents)))
    print(json.dumps([time.perf_counter() - begin, sum(done), (peak() - before) / agents / 1024]))

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """Steps a second of all agents, normalised; megabytes of peak memory that each of them adds."""
    server = ToolServer("look", lambda number: {"number": number}, STEPS)
    done = environment.run([environment.python, "-c", PROGRAM, server.base_url, str(AGENTS), str(STEPS)])
    assert done.returncode == 0, done.stderr.decode()
    seconds, steps, memory = json.loads(done.stdout)
    assert steps == AGENTS * STEPS, "not every step was made"
    rate = steps / seconds / environment.scale
    # A budget is an upper bound: 300 steps a second are 3.33 ms a step.
    yield Figure(f"{AGENTS} agents of {STEPS} steps, a step", 1000 / rate, "ms", 3.33, f"{rate:.0f} steps/s")
    yield Figure(f"{AGENTS} agents of {STEPS} steps, an agent", memory, "MB", 1)
