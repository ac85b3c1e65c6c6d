"""An answer that is a value of a type, checked, and not a text.

uv run examples/sdk/structured.py README.md
"""

import asyncio
import sys
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from zot_core import InvalidOutput, Runtime


class Review(BaseModel):
    """What a careful reader says of a text."""

    verdict: Literal["good", "fair", "poor"]
    mistakes: Annotated[list[str], Field(description="one sentence each", max_length=5)]


async def main(path: str) -> None:
    async with Runtime(builtin_tools=["read"]) as rt:
        try:
            review = await rt.ask(f"Read {path} and review it.", returns=Review)
        except InvalidOutput as error:  # the model got the reason and a second try, and failed again
            sys.exit(f"structured: {error}")
        print(review.verdict, *review.mistakes, sep="\n- ")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: structured.py FILE")
    asyncio.run(main(sys.argv[1]))
