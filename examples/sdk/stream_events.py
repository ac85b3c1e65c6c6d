"""Show what an agent does while it does it: its words as they come, a line for each tool, what it cost.

uv run examples/sdk/stream_events.py "which files are the longest?"
"""

import asyncio
import sys

from zot_core import AssistantMessage, Done, ErrorEvent, Runtime, TextDelta, ToolCall, ToolResultEvent
from zot_tui import Sanitizer, sanitize


async def main(question: str) -> None:
    safe = Sanitizer()  # text of a model may hold what commands a terminal
    async with Runtime() as rt:
        async for event in rt.prompt(question):
            match event:
                case TextDelta(text):
                    print(safe.feed(text), end="", flush=True)
                case AssistantMessage(message) if message.text:  # the text of this turn is complete
                    print()
                case ToolCall(_, name, arguments):
                    print(sanitize(f"> {name} {arguments}"))
                case ToolResultEvent(is_error=failed):
                    print("> failed" if failed else "> done")
                case ErrorEvent(message):
                    print(f"error: {message}", file=sys.stderr)
                case Done(reason):
                    print(f"{reason}: {rt.usage.input} tokens read, {rt.usage.output} written")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "which files are the longest?"))
