"""`SlashCommand`, the record behind `/name`, and `Chat`, everything that a command can use."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from zot_agent.host.host import Host
from zot_agent.ui.chat_keys import ChatKeys
from zot_agent.ui.input.prompt_input import PromptInput
from zot_agent.ui.latest_run import LatestRun
from zot_agent.ui.presenter import Presenter
from zot_agent.ui.settings.choices import StoredChoices
from zot_agent.ui.themes import Themes
from zot_provider.messages import ImageBlock
from zot_tui.app import App
from zot_tui.widgets.dialogs.dialog import Dialog
from zot_tui.widgets.transcript.cells import Level
from zot_tui.widgets.transcript.transcript import Transcript

V = TypeVar("V")

Busy: TypeAlias = Literal["now", "cancel", "wait"]
"""When a command starts during a run: at once, after it has stopped the run, or when the run has ended."""


class Chat(Protocol):
    """The screen as commands see it."""

    host: Host
    app: App
    presenter: Presenter
    transcript: Transcript
    keys: ChatKeys
    themes: Themes
    prompt_input: PromptInput
    choices: StoredChoices
    latest_run: LatestRun

    async def ask(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        """Show a dialog and return the answer, None if it was closed.

        `behind` marks a question that the user did not ask for: it takes no key meant for something else (see `Stack`).
        """

    def note(self, text: str, level: Level = "info") -> None:
        """Show a line that is not part of the conversation."""

    def send(
        self, text: str, images: Sequence[ImageBlock] = (), attached: Sequence[str] = (), *, typed: str = ""
    ) -> None:
        """Send a message as the user, with images and the texts of attached files; it is queued while zot works.
        `typed` is what they typed, if that differs."""

    def insert(self, text: str) -> None: ...

    def refresh(self) -> None:
        """Update the status row."""

    def stop(self) -> None:
        """Stop the current run; queued prompts go back into the editor."""


class SlashCommand(NamedTuple):
    """A slash command: `run` gets the chat and the text after the name, and raises `ZotError` with a line to show.
    `keys` run it without a text."""

    name: str
    arguments: str
    help: str
    busy: Busy
    run: Callable[[Chat, str], Awaitable[Any]]
    keys: tuple[str, ...] = ()
