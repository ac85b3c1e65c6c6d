"""`Signal`: what a widget or an app reports to its owner, with the types of its arguments; pure.

urwid's signals are named by strings and pass any arguments.
"""

from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Signal(Generic[P]):
    """Functions to call when something has happened: `Signal[[str]]` passes a text, `Signal[[]]` nothing."""

    __slots__ = ("_listeners",)

    def __init__(self) -> None:
        self._listeners: list[Callable[P, object]] = []

    def connect(self, listener: Callable[P, object]) -> None:
        """Call `listener` every time, after those connected before it."""
        self._listeners.append(listener)

    def emit(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call the listeners. An exception of one is the caller's, and the others are not called."""
        for listener in self._listeners:
            listener(*args, **kwargs)
