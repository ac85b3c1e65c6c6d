"""`ConversationEvent`: every event that a front end gets, in one union: the agent's events, what extensions want a
person to see or say, and changes of the conversation itself.

Text of extensions is as they sent it: a front end on a terminal strips its control sequences.
"""

from typing import ClassVar, Literal, TypeAlias

from zot_core.conversation.shell_command import ShellCommand, ShellResult
from zot_core.events import AgentEvent
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
    """An extension sends a message of the user, which is queued already.

    `refused` says why it is not queued. Nothing of that kind is in the JSON: a notice tells it.
    """

    type: ClassVar[str] = "ext_submit"
    extension: str
    text: str
    refused: str = ""


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


@record
class Changed(Record):
    """Something is different now: the `queue` (what runs, what waits), the `settings` (model, reasoning, tools), the
    `session` (another conversation is shown), or the `extensions` (their commands)."""

    type: ClassVar[str] = "changed"
    what: Literal["queue", "settings", "session", "extensions"]


@record
class Undelivered(Record):
    """Messages for a prompt that ended before the model could read them."""

    type: ClassVar[str] = "undelivered"
    texts: list[str]


@record
class ShellStart(Record):
    """A shell command of the person's begins."""

    type: ClassVar[str] = "shell_start"
    command: ShellCommand


@record
class ShellOutput(Record):
    """The running shell command has printed something."""

    type: ClassVar[str] = "shell_output"
    text: str


@record
class ShellEnd(Record):
    """The shell command has ended."""

    type: ClassVar[str] = "shell_end"
    result: ShellResult


ConversationEvent: TypeAlias = AgentEvent | ExtensionEvent | Changed | Undelivered | ShellStart | ShellOutput | ShellEnd
