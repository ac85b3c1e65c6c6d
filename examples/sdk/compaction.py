"""A conversation that grows too long is summarised and continues. Nothing in the file is lost.

uv run examples/sdk/compaction.py talk.jsonl "what is here?" "which file is the longest?" "and the shortest?"
"""

import asyncio
import sys

from zot_core import CompactDone, CompactStart, ErrorEvent, Runtime
from zot_tui import sanitize


async def main(path: str, *texts: str) -> None:
    # By itself at 70 % of the model's context window, and below at once.
    async with Runtime(session=path, builtin_tools=["ls", "read"], auto_compact=0.7) as rt:
        for text in texts:
            print(sanitize(str(await rt.ask(text))))
        async for event in rt.compact("keep every file name"):
            match event:
                case CompactStart():
                    print(f"{event.message_count} messages, about {event.tokens_before} tokens")
                case CompactDone(summary):
                    print(f"{len(rt.messages)} messages, about {event.tokens_after} tokens")
                    print(sanitize(summary))
                case ErrorEvent(message):
                    print(message)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit('usage: compaction.py FILE.jsonl "what you say" ...')
    asyncio.run(main(*sys.argv[1:]))
