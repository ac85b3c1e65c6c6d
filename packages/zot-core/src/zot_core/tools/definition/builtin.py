"""Built-in tools: `@builtin` makes one from a function, `BuiltinTool` is its place in the registry.

`specs.json` lists the tools, with what the model sees of each. `scripts/generate_tool_specs.py` writes it from the
modules that use `@builtin` and from `prompts`, so that the first request needs neither pydantic nor the modules of the
tools. A test compares it with the current signatures and prompts.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from zot_core.display import DisplayBlock
from zot_core.result import Carried, ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess
from zot_core.tools.definition.tool import Carry, FileAccessOf, FunctionTool, JsonSchema, Preview, Reads, Recall, Tool
from zot_provider.messages import Message

P = ParamSpec("P")
R = TypeVar("R")

with open(os.path.join(os.path.dirname(__file__), "specs.json"), "rb") as _file:
    _specs = json.load(_file)

TOOL_NAMES: Sequence[str] = sorted(_specs)
"""The built-in tools, as of the last `make generate`."""

_UNKNOWN: dict[str, Any] = {
    "description": "",
    "schema": None,
    "parallel": False,
    "repeatable": False,
    "other_names": "",
    "replaceable": False,
    "on_demand": False,
}
"""The specification of a tool until `make generate` has run."""


def builtin(
    *,
    other_names: str = "",
    replaceable: bool = False,
    on_demand: bool = False,
    parallel: bool = False,
    repeatable: bool = False,
    file_access: FileAccessOf | None = None,
    recall: Recall | None = None,
    preview: Preview | None = None,
    carry: Carry | None = None,
    reads: Reads | None = None,
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Make a built-in tool from the function of the same name. `other_names`, separated by blanks, are what other
    programs call such tools; the rest is as in `Tool`. The model reads `prompts/NAME.md` as its description, or without
    such a file the docstring.

    `replaceable`: the Go zot has no tool of this name, so extensions may have one. `on_demand`: models use others in
    its place; it is there for rules, prompts and extensions that name it.
    """

    def decorate(function: Callable[P, R]) -> FunctionTool[P, R]:
        spec = _specs.get(function.__name__, _UNKNOWN)
        tool = FunctionTool(
            function,
            description=spec["description"],
            schema=spec["schema"],
            check_schema=True,
            parallel=parallel,
            repeatable=repeatable,
            file_access=file_access,
            recall=recall,
            preview=preview,
            carry=carry,
            reads=reads,
        )
        tool.other_names, tool.on_demand = other_names.split(), on_demand
        tool.replaceable = replaceable or on_demand
        return tool

    return decorate


def _without_bounds(schema: JsonSchema) -> JsonSchema:
    properties = {
        name: {key: value for key, value in each.items() if key != "minimum"}
        for name, each in schema["properties"].items()
    }
    return schema | {"properties": properties}


class BuiltinTool(Tool):
    """The built-in tool of a name, whose module, `zot_core.tools.NAME`, is imported when it is needed."""

    def __init__(self, name: str) -> None:
        spec = _UNKNOWN | _specs.get(name, {})
        self.name, self.other_names = name, spec["other_names"].split()
        self.replaceable, self.on_demand = spec["replaceable"], spec["on_demand"]
        self.description: str = spec["description"]
        self.parallel, self.repeatable = spec["parallel"], spec["repeatable"]
        self._schema = None if spec["schema"] is None else _without_bounds(spec["schema"])

    @cached_property
    def function_tool(self) -> FunctionTool[..., Any]:
        """The tool that the module defines."""
        tool: FunctionTool[..., Any] = getattr(import_module(f"zot_core.tools.{self.name}"), self.name)
        return tool

    @property
    def schema(self) -> JsonSchema:
        """The JSON Schema of the arguments, of type "object", without the bounds of numbers: a call that breaks one
        gets an error, and all others need not pay for them."""
        return self.function_tool.schema if self._schema is None else self._schema

    def only_reads(self, arguments: Mapping[str, Any]) -> bool:
        return self.repeatable or self.function_tool.only_reads(arguments)

    def carry(self, messages: Sequence[Message]) -> Carried | None:
        return self.function_tool.carry(messages)

    def recall(
        self, arguments: dict[str, Any], text: str, *, details: dict[str, Any] | None = None, failed: bool = False
    ) -> list[DisplayBlock]:
        return self.function_tool.recall(arguments, text, details=details, failed=failed)

    async def access(self, arguments: dict[str, Any], context: ToolContext) -> FileAccess | None:
        return await self.function_tool.access(arguments, context)

    async def preview(self, arguments: dict[str, Any], context: ToolContext) -> list[DisplayBlock]:
        return await self.function_tool.preview(arguments, context)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        return await self.function_tool.run(arguments, context)
