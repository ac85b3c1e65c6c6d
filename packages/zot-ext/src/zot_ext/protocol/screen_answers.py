"""The results of `host_call` about dialogs, panels and the screen: see `answers`."""

from typing import Any, Literal, NotRequired, TypedDict


class PersonAnswer(TypedDict):
    """The answer of the person; or why the dialog has none: it was closed by the `user`, or at the `timeout`. `index`
    is the place of the option, for `ui.select`."""

    value: NotRequired[Any]
    index: NotRequired[int]
    closed: NotRequired[Literal["user", "timeout"]]


class ThemeInfo(TypedDict):
    """The theme in use, and its colours by token. A colour is `#rrggbb`, a number below 256, or `default`. Tokens of
    backgrounds end in `.background`."""

    name: str
    colors: dict[str, str]


class InputText(TypedDict):
    """The text in the editor; `cursor` is a place in it, counted from 0."""

    text: str
    cursor: int


class ModeName(TypedDict):
    """The mode of the editor that is in force; empty if it belongs to zot or to another extension."""

    name: str


class Expansion(TypedDict):
    """Whether everything is expanded."""

    expanded: bool


class PanelRoom(TypedDict):
    """The cells of a line and the most lines of a panel, and whether it is visible."""

    width: int
    height: int
    visible: bool
