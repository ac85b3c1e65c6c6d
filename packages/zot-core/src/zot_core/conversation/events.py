"""`ConversationEvent`: the union of all events that a front end receives: events of the agent, of extensions, and
changes of the conversation itself.

Text of extensions is passed on as they sent it: a front end on a terminal must remove control sequences.
"""

from typing import Any, ClassVar, Literal, TypeAlias

from zot_core.conversation.shell_command import ShellCommand, ShellResult
from zot_core.display import Todo
from zot_core.events import AgentEvent
from zot_provider.messages import Message
from zot_provider.record import Record

Level: TypeAlias = Literal["info", "success", "warn", "error"]


class Notify(Record):
    """A note of one or more lines, shown until the next prompt."""

    type: ClassVar[str] = "ext_notify"
    extension: str
    level: Level
    message: str


class Display(Record):
    """The text that a command of the extension displays; shown as a note."""

    type: ClassVar[str] = "ext_display"
    extension: str
    text: str


class ClearNotes(Record):
    """All notes of this extension are to be removed."""

    type: ClassVar[str] = "ext_clear_notes"
    extension: str


class Insert(Record):
    """Text to insert into the editor at the cursor."""

    type: ClassVar[str] = "ext_insert"
    extension: str
    text: str


class Submit(Record):
    """An extension sends a prompt, which has been queued.

    If it was not queued, `refused` says why; the JSON then has a `notice` instead of this event.
    """

    type: ClassVar[str] = "ext_submit"
    extension: str
    text: str
    refused: str = ""


class Panel(Record):
    """The contents of a panel."""

    id: str
    title: str = ""
    lines: tuple[str, ...] = ()
    footer: str = ""


class PanelOpen(Record):
    """A panel opens and replaces any other open panel."""

    type: ClassVar[str] = "ext_panel_open"
    extension: str
    panel: Panel


class PanelRender(Record):
    """The contents of the open panel changed."""

    type: ClassVar[str] = "ext_panel_render"
    extension: str
    panel: Panel


class PanelClose(Record):
    """The open panel was closed."""

    type: ClassVar[str] = "ext_panel_close"
    extension: str
    panel_id: str


WidgetLine: TypeAlias = str | list[dict[str, Any]]
"""A line of text, which may have colours of the terminal (SGR), or spans: objects with `text`, and `style`, `bg`
(tokens of the theme or `#rrggbb`), `bold`, `faint`, `italic`, `underline`, `inverse` and `strike` (true or false)."""

WidgetPlace: TypeAlias = Literal[
    "status", "above_editor", "below_editor", "header", "footer", "top_left", "top_right", "bottom_left", "bottom_right"
]
"""Where a widget is. `top` and `bottom` are the borders of the editor; a footer replaces the status row."""


class WidgetChange(Record):
    """An extension shows something beside the conversation, until it removes it (no `lines`) or ends.

    Of several widgets at one place, a higher `priority` comes first.
    """

    type: ClassVar[str] = "ext_widget"
    extension: str
    key: str
    place: WidgetPlace
    lines: tuple[WidgetLine, ...] = ()
    priority: int = 0


class TitleChange(Record):
    """An extension names the window; an empty text gives back the title of zot."""

    type: ClassVar[str] = "ext_title"
    extension: str
    text: str


class Alert(Record):
    """An extension wants the attention of the person, who may be elsewhere."""

    type: ClassVar[str] = "ext_alert"
    extension: str
    text: str


class WorkingChange(Record):
    """An extension changes the row that shows that work is going on. What is empty or 0 is as zot has it; `hidden`
    removes the row. `thinking` takes the place of the word before what the model thinks."""

    type: ClassVar[str] = "ext_working"
    extension: str
    message: str = ""
    frames: tuple[str, ...] = ()
    interval_ms: int = 0
    hidden: bool = False
    thinking: str = ""


class MessageAdded(Record):
    """A message of an extension was added to the conversation while nothing runs: the model reads it with the next
    prompt. One with the field `hidden` is not shown."""

    type: ClassVar[str] = "ext_message"
    extension: str
    message: Message


class EntryAdded(Record):
    """An extension has stored data in the session, as the entry `id`, which it may draw."""

    type: ClassVar[str] = "ext_entry"
    extension: str
    id: str
    custom_type: str


class KeyChange(Record):
    """A key runs a slash command of an extension, written without the slash; an empty command gives the key back."""

    type: ClassVar[str] = "ext_key"
    extension: str
    key: str
    command: str


class RendererChange(Record):
    """An extension draws calls or results of a tool (`*`: of all tools), or messages or entries of a type: from now on
    (`set`), in another way than before (`again`), or not at all (`removed`)."""

    type: ClassVar[str] = "ext_renderer"
    extension: str
    kind: str
    name: str
    change: Literal["set", "again", "removed"]


class ExpandChange(Record):
    """An extension expands or folds everything in the conversation."""

    type: ClassVar[str] = "ext_expand"
    expanded: bool


class PlacedPanel(Record):
    """A panel that an extension draws on the screen, in cells: its place on a screen of the client's size, frame
    included. The frame takes a row above and below `lines`, and around an overlay also a column at every side.
    `hidden`: it is not on the screen now. `focused`: it has the keys. Of two panels that overlap, the one with the
    higher `order` covers the other. `cursor` is row and column within the lines. `mouse`: it takes clicks. `key_kinds`:
    it takes keys that are held down and let go."""

    id: str
    mode: Literal["inline", "overlay", "replace_editor"]
    title: str = ""
    lines: tuple[WidgetLine, ...] = ()
    footer: str = ""
    column: int = 0
    row: int = 0
    width: int = 0
    height: int = 0
    hidden: bool = False
    focused: bool = False
    order: int = 0
    cursor: tuple[int, int] | None = None
    mouse: bool = False
    key_kinds: bool = False


class PanelShow(Record):
    """An extension opened or changed a panel of the group `panels2`. `ext_panel_close` closes it."""

    type: ClassVar[str] = "ext_panel_show"
    extension: str
    panel: PlacedPanel


ExtensionEvent: TypeAlias = (
    PanelShow
    | KeyChange
    | RendererChange
    | ExpandChange
    | WidgetChange
    | TitleChange
    | Alert
    | WorkingChange
    | MessageAdded
    | EntryAdded
    | Notify
    | Display
    | ClearNotes
    | Insert
    | Submit
    | PanelOpen
    | PanelRender
    | PanelClose
)
"""An extension shows or changes something."""


class Changed(Record):
    """Something changed: the `queue` (running or waiting prompts, unread messages), the `settings` (model, reasoning,
    tools), the `extensions` (their commands), or the `title` of the session."""

    type: ClassVar[str] = "changed"
    what: Literal["queue", "settings", "extensions", "title"]


SessionReason: TypeAlias = Literal["new", "resume", "fork"]


class SessionStart(Record):
    """The conversation continues in another session; its id is empty if it is not kept in a file. `reason`: it is new,
    a stored one, or a copy."""

    type: ClassVar[str] = "session_start"
    session_id: str
    reason: SessionReason = "new"


class SessionTreeMove(Record):
    """The conversation continues at another entry of the same session: `entry` is the id of its last message, empty for
    none."""

    type: ClassVar[str] = "session_tree"
    session_id: str
    entry: str


class TodoUpdate(Record):
    """The list of what is to be done has changed: a call of the tool `todo`, or another place in the session."""

    type: ClassVar[str] = "todo"
    items: list[Todo]


SessionEvent: TypeAlias = SessionStart | SessionTreeMove | TodoUpdate


class Undelivered(Record):
    """Steering and follow-up messages that the model did not read before the run ended."""

    type: ClassVar[str] = "undelivered"
    texts: list[str]


class ShellStart(Record):
    """A shell command of the user starts."""

    type: ClassVar[str] = "shell_start"
    command: ShellCommand


class ShellOutput(Record):
    """Output of the running shell command."""

    type: ClassVar[str] = "shell_output"
    text: str


class ShellEnd(Record):
    """The shell command has ended."""

    type: ClassVar[str] = "shell_end"
    result: ShellResult


class PermissionRequest(Record):
    """A tool call waits for an answer. `rules` are what the answer "always" adds. `agent_id` is the sub-agent that
    calls, empty for the agent itself."""

    type: ClassVar[str] = "permission_request"
    request: str
    tool_call: str
    name: str
    args: dict[str, Any]
    reason: str
    rules: list[str]
    agent_id: str = ""


class PermissionResolved(Record):
    """A request for a permission is over: `answer` is "yes", "always" or "no", also after the time limit."""

    type: ClassVar[str] = "permission_resolved"
    request: str
    answer: str


PermissionEvent: TypeAlias = PermissionRequest | PermissionResolved


class DialogRequest(Record):
    """An extension asks the person something. `question` are its fields for a client: `method` (`select`, `confirm`,
    `input`, `editor`, `form` or `pick`), `title`, and what the method has besides."""

    type: ClassVar[str] = "ext_ui_request"
    extension: str
    request: str
    question: dict[str, Any]


class DialogResolved(Record):
    """A question of an extension is over: it has its answer, or nobody needs one any more."""

    type: ClassVar[str] = "ext_ui_resolved"
    request: str


class FieldRequest(Record):
    """An extension wants to know, or to change, what is being typed: for the client in which the person typed last.
    `question` are its fields for the client: `method` (`read`, `edit` or `paste`), and what the method has besides."""

    type: ClassVar[str] = "ext_field_request"
    request: str
    question: dict[str, Any]


DialogEvent: TypeAlias = DialogRequest | DialogResolved | FieldRequest

ConversationEvent: TypeAlias = (
    AgentEvent
    | ExtensionEvent
    | Changed
    | SessionEvent
    | Undelivered
    | ShellStart
    | ShellOutput
    | ShellEnd
    | PermissionEvent
    | DialogEvent
)
"""Everything that a conversation emits to its clients."""
