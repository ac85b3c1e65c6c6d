"""A tool is a typed function: the docstring and the annotations are everything the model sees of it.

uv run examples/sdk/own_tool.py
"""

import asyncio
from typing import Annotated

from zot_core import Runtime, ToolError, tool

SHELF = {"Dune": 3, "Emma": 0}


@tool(parallel=True)
async def copies(title: Annotated[str, "the title alone, without its author"]) -> int:
    """How many copies of a book are on the shelf."""
    if title not in SHELF:
        raise ToolError(f"there is no book {title!r}; the books are {', '.join(SHELF)}")  # the model tries again
    return SHELF[title]


async def main() -> None:
    async with Runtime(tools=[copies], builtin_tools=[], system_prompt="You are the clerk of a bookshop.") as rt:
        print(await rt.ask("Do you have Dune and Emma?"))


if __name__ == "__main__":
    asyncio.run(main())
