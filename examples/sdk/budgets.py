"""Leave an agent alone with a budget: steps, tokens, dollars, seconds. What it had done by then is kept.

uv run examples/sdk/budgets.py "find and fix a bug" 300
"""

import asyncio
import sys

from zot_core import RunFailed, Runtime


async def main(task: str, seconds: float) -> None:
    async with Runtime(max_steps=10, max_tokens=200_000, max_cost=0.05, deadline=seconds) as rt:
        try:
            print(await rt.ask(task))
        except RunFailed as stopped:
            match stopped.end:
                case "max_steps" | "max_tokens" | "max_cost" | "deadline":
                    print(f"out of budget ({stopped.end}): {stopped}")
                case _:
                    print(f"failed ({stopped.end}): {stopped}")
        print(f"{len(rt.messages)} messages, ${rt.cost:.4f}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        sys.exit('usage: budgets.py "task" SECONDS')
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
