"""One agent divides the work, others do the parts side by side, the first sums up; limits hold for all together.

uv run examples/sdk/supervisor.py "Which parts of this project lack tests?"
"""

import asyncio
import sys

from zot_core import AgentLimits, Runtime, SubagentProgress


async def main(question: str) -> None:
    async with Runtime(builtin_tools=["ls", "read", "grep"], max_tokens=2_000_000) as rt:
        rt.agents.limits = AgentLimits(steps=20, seconds=300)
        rt.hooks.event.add(lambda event: show(event) if isinstance(event, SubagentProgress) else None)
        tasks = await rt.ask(f"Divide this into 2 to 6 independent tasks: {question}", returns=list[str])
        parts = []
        async for task, answer in rt.agents.map(lambda task: task, tasks, limit=3, agent="explore"):
            parts.append(f"{task}\n{answer if answer.ok else f'failed: {answer.error}'}")
        print(await rt.ask("Sum up, and say what is missing:\n\n" + "\n\n".join(parts)))
        print(f"{len(parts)} agents, {rt.usage.context:,} tokens", file=sys.stderr)


def show(event: SubagentProgress) -> None:
    print(f"{event.agent_id}: {event.line}", file=sys.stderr)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
