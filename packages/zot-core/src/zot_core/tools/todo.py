"""The `todo` tool: a list of what is still to be done, for the user to see."""

import re
from collections.abc import Sequence
from typing import get_args

from typing_extensions import TypedDict  # pydantic's, before Python 3.12

from zot_core.display import Todo, TodoDisplay, TodoStatus
from zot_core.errors import ToolError
from zot_core.result import ToolResult
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
_CARRIED = re.compile(re.escape(_KEPT).replace(r"\{\}", r"(\d{1,9})", 1).replace(r"\{\}", "(.+)", 1) + r"\Z", re.DOTALL)
"""The end of a summary that has a list."""


class TodoItem(TypedDict):
    __pydantic_config__ = {"use_attribute_docstrings": True, "coerce_numbers_to_str": True}  # type: ignore[misc]  # noqa: RUF012

    content: str
    status: TodoStatus


def _carry(messages: Sequence[Message]) -> str:
    items = current_list(messages)
    marks = {"pending": " ", "in_progress": ">", "completed": "x"}
    rows = "\n".join(f"- [{marks[each.status]}] {each.content}" for each in items)
    done = all(each.status == "completed" for each in items)
    calling = [any(call.name == todo.name for call in each.tool_calls) for each in reversed(messages)]
    last = calling.index(True) if True in calling else len(messages)
    alone = sum(each.role == "assistant" for each in messages[len(messages) - last :])
    is_older = last == len(messages) and bool(messages) and messages[0].summarized_tokens is not None
    if is_older and (found := _CARRIED.search(messages[0].text)):  # an earlier compaction has kept it
        rows, done, alone = found[2], False, alone + int(found[1])
    return "" if done or alone > LEFT_ALONE else _KEPT.format(alone, rows)


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
    """Return the list after these messages: that of the last call which succeeded. Empty without one in the last
    `RECENT` messages."""
    succeeded: set[str] = set()
    for message in reversed(messages[-RECENT:]):
        for block in reversed(message.content):
            if isinstance(block, ToolResultBlock) and not block.is_error and block.fate == "ran":
                succeeded.add(block.call_id)
            elif isinstance(block, ToolCallBlock) and block.name == todo.name and block.id in succeeded:
                try:
                    return _todos(meant(block.parsed(), todo.schema)[0]["items"])
                except (KeyError, TypeError, ValueError):
                    continue
    return []


def _todos(items: Sequence[TodoItem]) -> list[Todo]:
    """Return the items as records. A stored session may have any status; an unknown one counts as pending."""
    known = get_args(TodoStatus)
    return [Todo(str(each["content"]), each["status"] if each["status"] in known else "pending") for each in items]
