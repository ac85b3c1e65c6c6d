"""A conversation that outlives the program: run it again, and the model remembers.

uv run examples/sdk/resume.py talk.jsonl "I am Ada."
uv run examples/sdk/resume.py talk.jsonl "Who am I?"
"""

import asyncio
import sys

from zot_core import Runtime


async def main(path: str, text: str) -> None:
    async with Runtime(session=path, builtin_tools=[]) as rt:  # created with the first message, or continued
        if rt.messages:
            cost = "unknown cost" if rt.cost is None else f"${rt.cost:.6f}"
            print(f"({len(rt.messages)} messages so far, {cost})")
        print(await rt.ask(text))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit('usage: resume.py FILE.jsonl "what you say"')
    asyncio.run(main(*sys.argv[1:]))
