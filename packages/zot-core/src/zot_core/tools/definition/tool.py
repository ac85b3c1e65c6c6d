"""`Tool`, the interface between the loop and a tool, and `@tool`, which makes a tool from a typed function.

The function's annotations become the schema, its docstring the description. `Annotated[int, "words for the model"]`
describes a parameter, and `AtLeast(1)` after the words bounds it. A parameter annotated `ToolContext` receives the
call's context and is not part of the schema. The function may return text, a `ToolResult`, a block or a list of
blocks, or any JSON value, which the model reads as JSON. An `async` function runs on the event loop, a plain one in a
thread (which a cancelled call does not stop).
"""

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias, TypeVar, overload

from zot_core.aio import is_async
from zot_core.display import DisplayBlock, TerminalDisplay
from zot_core.result import Carried, ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess
from zot_core.tools.definition.schema_match import fits
from zot_provider.messages import ImageBlock, Message, TextBlock

if TYPE_CHECKING:
    from zot_core.tools.definition.arguments import Arguments
    from zot_core.tools.definition.check import ArgumentCheck
    from zot_provider.request import Sampling

P = ParamSpec("P")
R = TypeVar("R")

JsonSchema: TypeAlias = dict[str, Any]

FileAccessOf: TypeAlias = Callable[[dict[str, Any], ToolContext], Awaitable[FileAccess]]
"""Returns the file that a call accesses, given its checked arguments."""


class Tool(ABC):
    """A tool that the model may call. A class of its own needs `name`, `description`, `schema` and `run`; everything
    else has a default."""

    name: str
    description: str = ""
    parallel: bool = False
    """It may run at the same time as other parallel tools of the same batch."""
    repeatable: bool = False
    """It changes nothing that lasts: a call of it that was cut off may be made again."""
    changes_nothing: bool = False
    """Rules need not judge its calls."""
    read_only: bool = False
    """Its author says that it only reads; rules may ask the person all the same."""
    replaceable: bool = False
    """It gives way to a tool of an extension with its name."""
    on_demand: bool = False
    """It can be called, but is in requests only if somebody has named it."""
    deferred: bool = False
    """It is not in requests until the model has found it with `tool_search`."""
    namespace: str = ""
    """The group of which `tool_search` lists it."""
    other_names: Sequence[str] = ()
    """The names of such tools in other programs, by which models call it."""
    prompt_line: str = ""
    """A line that is added to the system prompt while the model has the tool."""
    sampling: "Sampling | None" = None
    """How the model is made to write arguments that fit."""
    original: "Tool | None" = None
    """The tool of zot whose place it takes."""

    def only_reads(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call changes nothing, so that a person need not look at it."""
        return self.repeatable or self.changes_nothing or self.read_only

    @property
    @abstractmethod
    def schema(self) -> JsonSchema:
        """The JSON Schema of the arguments, of type "object"."""

    @abstractmethod
    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Carry out a call. It checks the parsed `arguments` itself. Raises `ToolError`, with words for the model, when
        the call cannot be carried out; any other exception is a bug in the tool and becomes an error result too."""

    async def meant(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Return what the model meant by arguments, as far as they can only mean one thing, and notes about it."""
        from zot_core.tools.definition.argument_repair import meant  # noqa: PLC0415  not before the first request

        return meant(arguments, self.schema)

    def received(self, arguments: str) -> dict[str, Any]:
        """Return the arguments that a call with this JSON text, or what was meant by it, gave to the tool; none if it
        cannot be read."""
        from zot_core.tools.definition.argument_repair import meant, read_arguments  # noqa: PLC0415  as above

        try:
            return meant(read_arguments(arguments)[0], self.schema)[0]
        except ValueError:
            return {}

    def carry(self, messages: Sequence[Message]) -> Carried | None:
        """Return what is still needed of earlier calls when these messages are replaced by a summary. The first of them
        may be an earlier summary."""
        return None

    def hidden(self) -> Collection[str]:
        """Return the tools that stay out of requests until the model has found them with it."""
        return ()

    def found_tools(self) -> Sequence[str]:
        """Return the tools that were found with it, which such a summary keeps."""
        return ()

    def recall(
        self, arguments: dict[str, Any], text: str, *, details: dict[str, Any] | None = None, failed: bool = False
    ) -> list[DisplayBlock]:
        """Rebuild what the user saw of an earlier call from the arguments that `received` returns, from the text of its
        result, without notes, and from the details that it kept; empty if that was the text, and for arguments that the
        tool refused. Of a call that `failed` the
        user saw the error, unless a command has printed something."""
        return []

    async def preview(self, arguments: dict[str, Any], context: ToolContext) -> list[DisplayBlock]:
        """Return what a call would change; empty if the tool cannot say. Raises `ToolError` for a call that would
        fail."""
        return []

    async def access(self, arguments: dict[str, Any], context: ToolContext) -> FileAccess | None:
        """Return the file that a call with these arguments accesses; None if the tool does not say. Raises `ToolError`
        for arguments that the tool refuses."""
        return None


Recall: TypeAlias = Callable[[dict[str, Any], str, dict[str, Any]], list[DisplayBlock]]
"""Rebuilds what the user saw of a call from its arguments, from the text the model read, and from the details that the
session keeps."""


Preview: TypeAlias = Callable[..., Awaitable[list[DisplayBlock]]]
"""Returns what a call would change, from the arguments of the tool's function. Raises ToolError for a call that would
fail."""


Carry: TypeAlias = Callable[[Sequence[Message]], Carried | None]
"""Returns what the model must still know of earlier calls when these messages are replaced by a summary."""


Reads: TypeAlias = Callable[[Mapping[str, Any]], bool]
"""Returns whether a call with these arguments changes nothing."""


class FunctionTool(Tool, Generic[P, R]):
    """A `Tool` made from a function; calling it calls the function.

    `name` and `description` default to the function's name and docstring. The model sees `schema` if it is given;
    arguments are checked against the annotations, or with `check_schema` against `schema`. Calls of tools with
    `file_access` keep their order where it matters, also when they run side by side. The rest is as in `Tool`.
    TypeError on first use of `schema` or `run` if a parameter cannot be described to a model (`*args`,
    positional-only).
    """

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str | None = None,
        description: str | None = None,
        parallel: bool = False,
        repeatable: bool = False,
        schema: JsonSchema | None = None,
        check_schema: bool = False,
        file_access: FileAccessOf | None = None,
        recall: Recall | None = None,
        preview: Preview | None = None,
        prompt_line: str = "",
        carry: Carry | None = None,
        reads: Reads | None = None,
    ) -> None:
        self.function = function
        self.prompt_line = prompt_line
        self._carry, self._reads = carry, reads
        self.name = name or function.__name__
        self.description = inspect.cleandoc(function.__doc__ or "") if description is None else description
        self.parallel, self.repeatable = parallel, repeatable
        self._schema = schema
        self._check_schema = check_schema and schema is not None
        self._file_access = file_access
        self._recall, self._preview = recall, preview
        self._arguments: Arguments | None = None
        self._check: ArgumentCheck | None = None

    def only_reads(self, arguments: Mapping[str, Any]) -> bool:
        return super().only_reads(arguments) if self._reads is None else self._reads(arguments)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self.name}>"

    @property
    def arguments(self) -> "Arguments":
        """The function's parameters as pydantic models them; built on first use, which may import pydantic."""
        if self._arguments is None:
            from zot_core.tools.definition.arguments import Arguments  # noqa: PLC0415  pydantic: 100 ms, after the first request

            self._arguments = Arguments(self.function, self.name)
        return self._arguments

    @property
    def schema(self) -> JsonSchema:
        if self._schema is None:
            self._schema = self.arguments.schema()
        return self._schema

    def carry(self, messages: Sequence[Message]) -> Carried | None:
        return None if self._carry is None else self._carry(messages)

    def recall(
        self, arguments: dict[str, Any], text: str, *, details: dict[str, Any] | None = None, failed: bool = False
    ) -> list[DisplayBlock]:
        if self._recall is None:
            return []
        try:
            shown = self._recall(arguments, text, details or {})
        except (KeyError, TypeError, ValueError, OverflowError):
            return []
        return [] if failed and not all(isinstance(each, TerminalDisplay) for each in shown) else shown

    async def preview(self, arguments: dict[str, Any], context: ToolContext) -> list[DisplayBlock]:
        return [] if self._preview is None else await self._preview(**await self._values(arguments, context))

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        if self._file_access is None:
            return await self._call(await self._values(arguments, context))
        with context.file_order.ticket() as ticket:  # before the first await, so that tickets follow the call order
            values = await self._values(arguments, context)
            await ticket.wait_for(await self._file_access(values, context))
            return await self._call(values)

    async def access(self, arguments: dict[str, Any], context: ToolContext) -> FileAccess | None:
        if self._file_access is None:
            return None
        return await self._file_access(await self._values(arguments, context), context)

    async def _values(self, arguments: dict[str, Any], context: ToolContext) -> dict[str, Any]:
        if self._check is None and self._check_schema and fits(arguments, self._schema or {}):
            name = _context_name(self.function)
            return arguments if name is None else arguments | {name: context}
        if self._check is None:
            self._check = await asyncio.to_thread(self._make_check)  # the screen stays responsive meanwhile
        return self._check.values(arguments, context)

    def _make_check(self) -> "ArgumentCheck":
        if self._schema is None or not self._check_schema:
            return self.arguments
        from zot_core.tools.definition.check import schema_check  # noqa: PLC0415  pydantic's core: 17 ms, for what does not fit

        return schema_check(self.name, self._schema, _context_name(self.function))

    async def _call(self, values: dict[str, Any]) -> ToolResult:
        function: Callable[..., Any] = self.function  # the values fit: they were checked against its annotations
        if is_async(function):
            return _result(await function(**values), self.name)
        returned = await asyncio.to_thread(function, **values)
        return _result(await returned if isinstance(returned, Awaitable) else returned, self.name)


def _context_name(function: Callable[..., object]) -> str | None:
    """Return the parameter for the `ToolContext`, or None without one."""
    return next((name for name, kind in function.__annotations__.items() if kind is ToolContext), None)


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
    *,
    name: str | None = None,
    description: str | None = None,
    parallel: bool = False,
    repeatable: bool = False,
    prompt_line: str = "",
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    parallel: bool = False,
    repeatable: bool = False,
    prompt_line: str = "",
) -> FunctionTool[P, R] | Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Make a tool from a function: `@tool`, or `@tool(name="lookup", description="...", parallel=True)`. The rest is as
    in `FunctionTool`."""

    def decorate(function: Callable[P, R]) -> FunctionTool[P, R]:
        return FunctionTool(
            function,
            name=name,
            description=description,
            parallel=parallel,
            repeatable=repeatable,
            prompt_line=prompt_line,
        )

    return decorate if function is None else decorate(function)
