"""`Tool`: what the loop needs of a tool; `@tool`: a tool made of any typed function.

The function's annotations are the schema, `Annotated[int, "words for the model"]` describes a parameter (`AtLeast(1)`
beside the words bounds it), the docstring is the description. A parameter annotated `ToolContext` is handed the
call's context and is not part of the schema. The function may return text, a `ToolResult`, a block or a list of
blocks, or any JSON value, which the model reads as JSON. It may be `async`, and then runs on the event loop, or plain,
and then runs in a thread (which a cancelled call does not stop).
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from zot_core.display import DisplayBlock
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess
from zot_provider.messages import ImageBlock, TextBlock

if TYPE_CHECKING:
    from zot_core.tools.definition.arguments import Arguments

P = ParamSpec("P")
R = TypeVar("R")

JsonSchema: TypeAlias = dict[str, Any]

Reaching: TypeAlias = Callable[[dict[str, Any], ToolContext], Awaitable[FileAccess]]
"""Tells, of checked arguments, which file a call touches."""


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
    def schema(self) -> JsonSchema: ...

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult: ...


Recall: TypeAlias = Callable[[dict[str, Any], str], list[DisplayBlock]]
"""Makes, of a call's arguments and of the text the model read, what a person was shown: a session keeps the text."""


class AtLeast(NamedTuple):
    """The smallest number a parameter may be: `Annotated[int, "words", AtLeast(1)]`."""

    minimum: float


class FunctionTool(Generic[P, R]):
    """A `Tool` made of a function; calling it calls the function.

    `name` and `description` default to the function's name and docstring. A `schema` that is given is what the model
    sees; the arguments are checked against the annotations all the same. Calls of tools with a `reach` keep their order
    where it matters, also when they run side by side. `recall` is for screens that show a session again. TypeError on
    first use of `schema` or `run` if a parameter cannot be described to a model (`*args`, positional-only).
    """

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str | None = None,
        description: str | None = None,
        parallel: bool = False,
        schema: JsonSchema | None = None,
        reach: Reaching | None = None,
        recall: Recall | None = None,
    ) -> None:
        self.function = function
        self.name = name or function.__name__
        self.description = inspect.cleandoc(function.__doc__ or "") if description is None else description
        self.parallel = parallel
        self._schema = schema
        self._reach = reach
        self._recall = recall
        self._arguments: Arguments | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self.name}>"

    @property
    def arguments(self) -> "Arguments":
        """The function's parameters as pydantic sees them; made on first use, which may import pydantic."""
        if self._arguments is None:
            from zot_core.tools.definition.arguments import Arguments  # noqa: PLC0415  pydantic: 100 ms, after the first request

            self._arguments = Arguments(self.function, self.name)
        return self._arguments

    @property
    def schema(self) -> JsonSchema:
        """The JSON Schema of the arguments, of type "object"."""
        if self._schema is None:
            self._schema = self.arguments.schema()
        return self._schema

    def recall(self, arguments: dict[str, Any], text: str) -> list[DisplayBlock]:
        """What a person was shown of a call that was; nothing for tools that cannot say."""
        return self._recall(arguments, text) if self._recall is not None else []

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Check `arguments`, call the function, make a result of what it returns."""
        if self._reach is None:
            return await self._call(await self._values(arguments, context))
        with context.turns.claim() as claim:  # before the first wait: calls stand in line as they were started
            values = await self._values(arguments, context)
            await claim.on(await self._reach(values, context))
            return await self._call(values)

    async def _values(self, arguments: dict[str, Any], context: ToolContext) -> dict[str, Any]:
        if self._arguments is None:
            await asyncio.to_thread(lambda: self.arguments)  # a screen stays alive while pydantic is imported
        return self.arguments.values(arguments, context)

    async def _call(self, values: dict[str, Any]) -> ToolResult:
        function: Callable[..., Any] = self.function  # the values fit: they were checked against its annotations
        if inspect.iscoroutinefunction(function):
            return _result(await function(**values), self.name)
        returned = await asyncio.to_thread(function, **values)
        return _result(await returned if inspect.isawaitable(returned) else returned, self.name)


def _result(value: object, name: str) -> ToolResult:
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, str):
        return ToolResult.of(value)
    items = value if isinstance(value, list) else [value]
    blocks = [item for item in items if isinstance(item, TextBlock | ImageBlock)]
    if blocks and len(blocks) == len(items):
        return ToolResult(blocks)
    from zot_core.tools.definition.arguments import json_text  # noqa: PLC0415  pydantic, which a run has loaded by now

    return ToolResult.of(json_text(value, name))


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...


@overload
def tool(
    *, name: str | None = None, description: str | None = None, parallel: bool = False
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    parallel: bool = False,
) -> FunctionTool[P, R] | Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Make a tool of a function: `@tool`, or `@tool(name="lookup", description="...", parallel=True)`."""

    def decorate(function: Callable[P, R]) -> FunctionTool[P, R]:
        return FunctionTool(function, name=name, description=description, parallel=parallel)

    return decorate if function is None else decorate(function)
