"""Ask one question about the files here, and print the answer.

export ANTHROPIC_API_KEY=sk-ant-...     # or OPENAI_API_KEY
uv run examples/sdk/ask.py "what does this project do?"
"""

import asyncio
import sys

from zot_core import Runtime, ZotError
from zot_tui import sanitize


async def main(question: str) -> None:
    async with Runtime(builtin_tools=["ls", "read", "grep"], max_steps=20) as rt:
        print(sanitize(str(await rt.ask(question))))
        print(f"{rt.usage.output} tokens written", file=sys.stderr)


if __name__ == "__main__":
    try:
        asyncio.run(main(" ".join(sys.argv[1:]) or "what does this project do?"))
    except ZotError as error:  # one line for a person: no key, no network, a limit
        sys.exit(f"ask: {error}")
