"""`Tool`: what the loop needs of a tool; `@tool`: a tool made of any typed function.

The function's annotations are the schema, `Annotated[int, "words for the model"]` describes a parameter, the docstring
is the description. A parameter annotated `ToolContext` is handed the call's context and is not part of the schema.
The function may return text, a `ToolResult`, or any JSON value, which the model reads as JSON.
"""

from typing import Any, Protocol

from zot_core.result import ToolResult
from zot_core.tools.context import ToolContext


class Tool(Protocol):
    """A tool the model may call.

    `schema` is a JSON Schema of type "object". `parallel` allows the tool to run beside others of the same batch that
    allow it too. `run` gets the parsed arguments, checks them itself, and raises `ToolError` with words for the model
    when they or the world do not allow what was asked; any other exception is a fault of the tool and becomes an error
    result too.
    """

    name: str
    description: str
    parallel: bool

    @property
    def schema(self) -> dict[str, Any]: ...

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult: ...
