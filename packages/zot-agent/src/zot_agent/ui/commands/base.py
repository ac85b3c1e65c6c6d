"""`SlashCommand`: what `/name` does, and `Chat`: all that a command can use."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from zot_agent.host import Host
from zot_agent.ui.input.prompt_input import Typed
from zot_agent.ui.themes import Themes
from zot_tui.app import App
from zot_tui.widgets.dialogs.dialog import Dialog
from zot_tui.widgets.transcript.cells import Level
from zot_tui.widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from zot_agent.ui.permission import Permission

V = TypeVar("V")

Busy: TypeAlias = Literal["now", "cancel", "wait"]
"""While a turn runs: at once beside it, after it was stopped, or after its end."""


class Chat(Protocol):
    """The screen as commands see it."""

    host: Host
    app: App
    transcript: Transcript
    home: str

    async def ask(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        """The answer of a person, None for none. With `behind` nobody has asked for the question: it takes no key that
        is meant for something else (see `Stack`)."""
        ...

    def note(self, text: str, level: Level = "info") -> None:
        """A line beside the conversation."""
        ...

    def submit_text(self, text: str) -> None:
        """Send a message of the person's; it waits while zot works."""
        ...

    def insert(self, text: str) -> None:
        """Put text into the editor."""
        ...

    def refresh(self) -> None:
        """Something in the status has changed."""
        ...

    async def compact(self, instructions: str) -> None:
        """Compact the conversation, as a run of its own."""
        ...

    permission: "Permission"
    themes: Themes
    typed: Typed

    def stop(self) -> None:
        """Stop what goes on; what waited goes back into the editor."""
        ...

    def leave(self) -> None:
        """End the screen."""
        ...


class SlashCommand(NamedTuple):
    """`run` gets the chat and what stands behind the name; it raises `ZotError` for what the person is told."""

    name: str
    arguments: str
    help: str
    busy: Busy
    run: Callable[[Chat, str], Awaitable[Any]]
