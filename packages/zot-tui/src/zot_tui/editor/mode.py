"""`EditorMode`: how an editor reads keys. This one takes them for what they type, and leaves the rest to the bindings."""

from typing import Literal, TypeAlias

from zot_tui.keys.key import Key

Outcome: TypeAlias = Literal["", "used", "up", "down", "row_up", "row_down"]
"""What came of a key: it means nothing here; it is done; there is no line that way; a row up or down is wanted, which
depends on how wide the editor is."""

CursorShape: TypeAlias = Literal["", "block", "underline", "bar"]
"""How a cursor looks; empty for what the terminal has."""


class EditorMode:
    """What an editor asks and tells. `zot_tui.editor.vi.mode.Vi` is another one."""

    @property
    def name(self) -> str:
        """A word for the status line, or none."""
        return ""

    @property
    def shape(self) -> CursorShape:
        """How the cursor looks."""
        return ""

    @property
    def types(self) -> bool:
        """Whether characters are typed, so that it makes sense to offer what completes them."""
        return True

    @property
    def selection(self) -> tuple[int, int] | None:
        """What is selected: two offsets."""
        return None

    def press(self, key: Key) -> Outcome:
        """A key, before the bindings are asked."""
        return ""

    def escape(self) -> bool:
        """Esc; whether it means something here."""
        return False

    def enter(self) -> bool:
        """Enter; whether it means something here."""
        return False

    def make_room(self) -> None:
        """A text that is not typed in this mode, as one that is pasted, will be put at the cursor."""

    def pause(self) -> None:
        """The text will be replaced, or taken back: what was typed up to here is one change."""

    def settle(self) -> None:
        """The text or the cursor has changed."""

    def restart(self) -> None:
        """The text was sent."""
