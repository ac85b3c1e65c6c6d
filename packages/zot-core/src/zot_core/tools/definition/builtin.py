"""`@builtin`: a tool of zot's own, whose schema and description are read from `specs.json`.

`scripts/generate_tool_specs.py` writes that file from the signatures and from `prompts/<name>.md`, so that the first
request needs no pydantic. A test compares it with what the signatures and prompts say now.
"""

import json
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from zot_core.tools.definition.tool import FunctionTool, Reaching, Recall

P = ParamSpec("P")
R = TypeVar("R")

with open(os.path.join(os.path.dirname(__file__), "specs.json"), "rb") as _file:
    _specs = json.load(_file)


def builtin(
    *, parallel: bool = False, reach: Reaching | None = None, recall: Recall | None = None
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Make a built-in tool of a function named as the tool. One that was never generated has no description yet."""

    def decorate(function: Callable[P, R]) -> FunctionTool[P, R]:
        spec = _specs.get(function.__name__, {"description": "", "schema": None})
        return FunctionTool(
            function,
            description=spec["description"],
            schema=spec["schema"],
            parallel=parallel,
            reach=reach,
            recall=recall,
        )

    return decorate
