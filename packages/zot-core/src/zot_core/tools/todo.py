"""The `todo` tool: a list of what is still to be done, for the user to see."""

from collections.abc import Sequence
from contextlib import suppress
from typing import get_args

from typing_extensions import TypedDict  # pydantic's, before Python 3.12

from zot_core.display import Todo, TodoDisplay, TodoStatus
from zot_core.errors import ToolError
from zot_core.result import CARRIED, Carried, ToolResult, kept_values
from zot_core.tools.definition.argument_repair import meant
from zot_core.tools.definition.builtin import builtin
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock

LONGEST = 100
"""Items of a list."""

LENGTH = 500
"""Characters of an item."""

RECENT = 500
"""Messages at the end of a session in which the list is looked for: reading all of a long session takes seconds."""

LEFT_ALONE = 60
"""Answers of the model without a change of the list after which a compaction does not keep it: nobody works by it."""

_KEPT = "Your list of the steps of the task (x: completed, >: in progress), as it was {} answers ago:\n{}"


class TodoItem(TypedDict):
    __pydantic_config__ = {"use_attribute_docstrings": True, "coerce_numbers_to_str": True}  # type: ignore[misc]  # noqa: RUF012

    content: str
    status: TodoStatus


def _carry(messages: Sequence[Message]) -> Carried | None:
    items, alone = _list_of(messages)
    marks = {"pending": " ", "in_progress": ">", "completed": "x"}
    rows = "\n".join(f"- [{marks[each.status]}] {each.content}" for each in items)
    needless = alone > LEFT_ALONE or all(each.status == "completed" for each in items)
    stored = [{"content": each.content, "status": each.status} for each in items]
    return (
        Carried("" if needless else _KEPT.format(alone, rows), {"items": stored, "answers": alone}) if items else None
    )


@builtin(
    other_names="todo_write todowrite update_plan manage_todo_list update_todo_list",
    replaceable=True,
    parallel=True,
    recall=lambda arguments, *_: [TodoDisplay(_todos(arguments["items"]))],
    carry=_carry,
)
async def todo(items: list[TodoItem]) -> ToolResult:
    """Replace the list."""
    if len(items) > LONGEST:
        raise ToolError(f"the list has {len(items)} items; keep at most {LONGEST}")
    todos = _todos(items)
    for number, each in enumerate(todos, 1):
        if not each.content.strip() or len(each.content) > LENGTH:
            raise ToolError(f"item {number} is empty or has more than {LENGTH} characters; use a few words")
    done = sum(each.status == "completed" for each in todos)
    count = "1 item" if len(todos) == 1 else f"{len(todos)} items"
    text = f"the list has {count}, {done} of them completed" if todos else "the list is empty"
    return ToolResult([TextBlock(text)], display=[TodoDisplay(todos)])


def current_list(messages: Sequence[Message]) -> list[Todo]:
    """Return the list after these messages: that of the last call which succeeded, or which a summary has kept. Empty
    without one in the last `RECENT` messages."""
    return _list_of(messages)[0]


def _list_of(messages: Sequence[Message]) -> tuple[list[Todo], int]:
    """Return the list, and how many answers of the model came after it."""
    succeeded: set[str] = set()
    alone = 0
    for message in reversed(messages[-RECENT:]):
        for block in reversed(message.content):
            if isinstance(block, ToolResultBlock) and not block.is_error and block.fate == "ran":
                succeeded.add(block.call_id)
            elif isinstance(block, ToolCallBlock) and block.name == todo.name and block.id in succeeded:
                with suppress(KeyError, TypeError, ValueError):
                    return _todos(meant(block.parsed(), todo.schema)[0]["items"]), alone
        alone += message.role == "assistant"
        with suppress(KeyError, OverflowError, TypeError, ValueError):
            kept = kept_values(message)[CARRIED][todo.name]
            return _todos(kept["items"]), alone + int(kept["answers"])
    return [], 0


def _todos(items: Sequence[TodoItem]) -> list[Todo]:
    """Return the items as records. A stored session may have any status; an unknown one counts as pending."""
    known = get_args(TodoStatus)
    return [Todo(str(each["content"]), each["status"] if each["status"] in known else "pending") for each in items]
