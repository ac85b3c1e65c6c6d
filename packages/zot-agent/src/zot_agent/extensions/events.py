"""`ExtensionEvent`: what an extension wants the person to see or say. Modes show it, or leave it out.

Text is as the extension sent it: whoever shows it on a terminal strips its control sequences.
"""

from typing import ClassVar, Literal, TypeAlias

from zot_provider.record import Record, record

Level: TypeAlias = Literal["info", "success", "warn", "error"]


@record
class Notify(Record):
    """A note of one line or more, until the next prompt."""

    type: ClassVar[str] = "ext_notify"
    extension: str
    level: Level
    message: str


@record
class Display(Record):
    """What a command of the extension answered; a note as well."""

    type: ClassVar[str] = "ext_display"
    extension: str
    text: str


@record
class ClearNotes(Record):
    """All notes of this extension go away."""

    type: ClassVar[str] = "ext_clear_notes"
    extension: str


@record
class Insert(Record):
    """Text for the editor, at the cursor."""

    type: ClassVar[str] = "ext_insert"
    extension: str
    text: str


@record
class Submit(Record):
    """A message of the user, which waits behind a running turn."""

    type: ClassVar[str] = "ext_submit"
    extension: str
    text: str


@record
class Panel(Record):
    """What an open panel shows."""

    id: str
    title: str = ""
    lines: tuple[str, ...] = ()
    footer: str = ""


@record
class PanelOpen(Record):
    """A panel opens, in place of the one that was open."""

    type: ClassVar[str] = "ext_panel_open"
    extension: str
    panel: Panel


@record
class PanelRender(Record):
    """The open panel shows something else."""

    type: ClassVar[str] = "ext_panel_render"
    extension: str
    panel: Panel


@record
class PanelClose(Record):
    """The open panel is gone."""

    type: ClassVar[str] = "ext_panel_close"
    extension: str
    panel_id: str


ExtensionEvent: TypeAlias = Notify | Display | ClearNotes | Insert | Submit | PanelOpen | PanelRender | PanelClose
