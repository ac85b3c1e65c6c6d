"""`Action`: a function that keys are bound to. Each widget with actions has a table of them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from zot_tui.keys.keymap import Binding

W = TypeVar("W")


class Action(NamedTuple, Generic[W]):
    """An action on a widget: its name in bindings, its function, its help text and its default keys."""

    name: str
    run: Callable[[W], object]
    help: str
    keys: tuple[str, ...]


def bindings(context: str, actions: Iterable[Action[W]]) -> Iterator[Binding]:
    """Yield the default bindings of actions, which hold in `context`."""
    return (Binding(key, action.name, (context,), action.help) for action in actions for key in action.keys)
