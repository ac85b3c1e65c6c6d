"""Frames about panels that an extension draws cell by cell, in both directions, in the group `panels2`.

They are opened and changed with `host_call`: `panels.open` and `panels.change`. Keys come as `panel_key`, `panel_close`
closes.
"""

from __future__ import annotations

from zot_ext.protocol.frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Line = str | Sequence[Mapping[str, object]]


class PanelDraw(Frame, type="panel_draw"):
    """The contents of a panel. Of several frames that come within a thirtieth of a second the newest is shown."""

    panel_id: str
    lines: tuple[Line, ...]
    """Strings, which may have colours (SGR), or lists of spans as in `widgets.set`. What does not fit is cut off."""
    cursor_row: int = -1
    """The row of the cursor within the lines, from 0, and so of what an input method shows; -1 for no cursor."""
    cursor_column: int = -1


class PanelKeyResult(Frame, type="panel_key_result"):
    """Answers a `panel_key`. What was drawn before it is shown at once."""

    panel_id: str
    seq: int
    """That of the `panel_key`."""
    consumed: bool = True
    """False: the panel has no use for the key. Within 100 ms it may still scroll the conversation."""


class PanelPaste(Frame, type="panel_paste"):
    """Text was pasted while a panel of this extension had the keys, which asked for pastes."""

    panel_id: str
    text: str


class PanelMouse(Frame, type="panel_mouse"):
    """The mouse was used over a panel that asked for it."""

    panel_id: str
    action: str
    """`press`, `release`, `drag` or `wheel`."""
    row: int
    """The cell within the lines, from 0."""
    column: int
    button: int = 0
    """1, 2 or 3; for the wheel 4 (up) or 5 (down)."""


class PanelFocus(Frame, type="panel_focus"):
    """A panel has got the keys, or has lost them."""

    panel_id: str
    focused: bool


class PanelResize(Frame, type="panel_resize"):
    """The room of a panel has changed."""

    panel_id: str
    width: int
    """The cells of a line."""
    height: int
    """The most lines."""
    visible: bool
    """False: the screen is too small for it, or it is hidden. It has no keys then."""
