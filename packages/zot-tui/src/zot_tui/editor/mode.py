"""`EditorMode`: how an editor interprets keys. This one types characters and leaves other keys to the bindings."""

from typing import Literal, TypeAlias

from zot_tui.keys.key import Key

Outcome: TypeAlias = Literal["", "used", "up", "down", "row_up", "row_down"]
"""The result of a key: not used; used; used, but there is no line above or below; a move by one screen row is wanted,
which depends on the width of the editor."""

CursorShape: TypeAlias = Literal["", "block", "underline", "bar"]
"""The shape of a cursor; empty for the terminal's own."""


class EditorMode:
    """The interface between an editor and its mode. `zot_tui.editor.keyed.mode.KeyedMode` is the other mode."""

    @property
    def name(self) -> str:
        """A word for the status line, or an empty string."""
        return ""

    @property
    def shape(self) -> CursorShape:
        return ""

    @property
    def types(self) -> bool:
        """Whether characters are typed, so that completions should be offered."""
        return True

    @property
    def selection(self) -> tuple[int, int] | None:
        """The selected range as two offsets, or None."""
        return None

    def claims(self, key: Key) -> bool:
        """Whether a control key is a command of the mode now, so that no binding of the screen may take it."""
        return False

    def press(self, key: Key) -> Outcome:
        """Handle a key before the bindings do."""
        return ""

    def escape(self) -> bool:
        """Handle Esc; return whether it was used."""
        return False

    def enter(self) -> bool:
        """Handle Enter; return whether it was used."""
        return False

    def make_room(self) -> None:
        """Prepare for text that is inserted at the cursor without being typed in this mode, such as a paste."""

    def pause(self) -> None:
        """End the current change: the text will be replaced, or an undo follows."""

    def settle(self) -> None:
        """React to a change of the text or the cursor."""

    def restart(self) -> None:
        """Reset: the text was sent."""
