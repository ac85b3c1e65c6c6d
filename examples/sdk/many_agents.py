"""A hundred agents in one event loop, twenty at a time; a failing agent does not stop the others.

uv run examples/sdk/many_agents.py
"""

import asyncio

from zot_core import Runtime, ZotError


async def agent(number: int, turnstile: asyncio.Semaphore) -> str:
    async with turnstile, Runtime(builtin_tools=[], system_prompt="Answer with one word.", deadline=60) as rt:
        return str(await rt.ask(f"What is the name of asteroid {number}?"))


async def main() -> None:
    turnstile = asyncio.Semaphore(20)  # providers limit how many requests may be under way
    agents = [agent(number, turnstile) for number in range(1, 101)]
    answers = await asyncio.gather(*agents, return_exceptions=True)
    for number, answer in enumerate(answers, 1):
        print(number, f"failed: {answer}" if isinstance(answer, ZotError) else answer)


if __name__ == "__main__":
    asyncio.run(main())
