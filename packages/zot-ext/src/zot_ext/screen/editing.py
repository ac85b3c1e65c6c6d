"""`EditorKey` and `EditorText`: questions about a key and about the text of the editor."""

from __future__ import annotations

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class EditorKey(Record):
    """A key that was pressed in the editor, whose text has the cursor before `text[cursor]`.

    `key` is `rune` for a character, which is in `typed`; `mods` are `ctrl`, `alt`, `shift`, `super`, `hyper`. `mode` is
    the mode of this extension that is in force.
    """

    key: str
    typed: str = ""
    mods: Sequence[str] = ()
    text: str = ""
    cursor: int = 0
    mode: str = ""


class EditorText(Record):
    """The text in the editor, and the place of the cursor in it."""

    text: str = ""
    cursor: int = 0
