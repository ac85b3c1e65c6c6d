"""`@builtin`: makes a built-in tool, whose schema and description are read from `specs.json`.

`scripts/generate_tool_specs.py` writes that file from the signatures and from `prompts/<name>.md`, so that the first
request needs no pydantic. A test compares it with the current signatures and prompts.
"""

import json
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from zot_core.tools.definition.tool import FileAccessOf, FunctionTool, Recall

P = ParamSpec("P")
R = TypeVar("R")

with open(os.path.join(os.path.dirname(__file__), "specs.json"), "rb") as _file:
    _specs = json.load(_file)


def builtin(
    *, parallel: bool = False, file_access: FileAccessOf | None = None, recall: Recall | None = None
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Make a built-in tool from the function of the same name; the description is empty until specs are generated."""

    def decorate(function: Callable[P, R]) -> FunctionTool[P, R]:
        spec = _specs.get(function.__name__, {"description": "", "schema": None})
        return FunctionTool(
            function,
            description=spec["description"],
            schema=spec["schema"],
            parallel=parallel,
            file_access=file_access,
            recall=recall,
        )

    return decorate
