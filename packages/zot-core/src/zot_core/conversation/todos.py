"""`TodoList`: the list that the model keeps with the tool `todo`, as front ends show it."""

from collections.abc import Callable

from zot_core.conversation.events import TodoUpdate
from zot_core.display import Todo, TodoDisplay
from zot_core.events import ToolResultEvent
from zot_core.runtime.runtime import Runtime


class TodoList:
    """`items` is the current list. It follows from the history, in which a compaction keeps it: going back in a session
    goes back to its list."""

    def __init__(self, runtime: Runtime, notify: Callable[[TodoUpdate], None]) -> None:
        """`notify` is called after a change."""
        self._runtime, self._notify = runtime, notify
        self.items: list[Todo] = self._stored()

    def follow(self, event: ToolResultEvent) -> None:
        for block in event.display:
            if isinstance(block, TodoDisplay) and not event.is_error:
                self._set(block.items)

    def restore(self) -> None:
        """Take the list of the history, which has been replaced."""
        self._set(self._stored())

    def _stored(self) -> list[Todo]:
        messages = self._runtime.messages
        if not messages:
            return []
        from zot_core.tools.todo import current_list  # noqa: PLC0415  not before the first request

        return current_list(messages)

    def _set(self, items: list[Todo]) -> None:
        if items != self.items:
            self.items = items
            self._notify(TodoUpdate(items))
