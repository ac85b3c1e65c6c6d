"""Protocols that a host of extensions implements for a `Conversation`, and what a front end can do for extensions."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from zot_core.conversation.commands import Command, CommandAnswer
from zot_core.conversation.events import ExtensionEvent, WidgetLine
from zot_core.hooks import Observe
from zot_provider.errors import ZotError
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.conversation.dialogs import AskPerson
    from zot_core.machine.shell import Launch
    from zot_provider.auth.session import SignInSession


RunProgram: TypeAlias = "Callable[[Launch], Awaitable[int]]"
"""Gives the terminal to a program until it ends, and returns its exit code. Cancelling kills it. Raises OSError,
and `Busy` if another program has the terminal."""


AskCompletions: TypeAlias = "Callable[[str, str, str, str], Awaitable[list[dict[str, str]]]]"
"""Asks an extension for completions of a word, given its trigger or the command, the word up to the cursor without the
trigger, and the line up to the cursor. Each has `text`, which takes the place of the word, and perhaps `label` and
`description`. Empty if it gives no answer in time."""


DrawLines: TypeAlias = "Callable[[dict[str, Any]], Awaitable[list[WidgetLine] | None]]"
"""Asks an extension for the lines of a part of the conversation, given the members of the question `render`. None to
let the screen draw it. Of the kind `markdown` the text to show, as one line. Raises TimeoutError if it gives no
answer in time."""


AskEditor: TypeAlias = "Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]"
"""Asks an extension about a key of the editor, or how its text is drawn, given the members of the question, and returns
the keys of the answer, which have been checked; none from an extension that has ended. Raises TimeoutError if it gives
no answer in time."""


class EditorControl(Protocol):
    """The part of a screen for the keys and the look of its editor."""

    def set_modes(self, extension: str, modes: dict[str, Any] | None) -> None:
        """Set or take back the modes of an extension. Raises `ConfigError`."""

    def mode(self, extension: str) -> str:
        """Return the mode in force, if it belongs to the extension, else an empty string."""

    def use_mode(self, extension: str, name: str) -> None:
        """Switch to another mode of the extension. Raises `ConfigError`."""

    def ask_about_keys(self, extension: str, keys: Sequence[str], ask: AskEditor, misses: int) -> None:
        """Ask about these keys, or about all if the list is empty, before they are typed. After `misses` misses in a
        row the extension is not asked any more. Raises `ConfigError` for what is no key."""

    def ask_about_text(self, extension: str, ask: AskEditor) -> None:
        """Ask how the text is drawn, now and after every change."""

    def stop_asking(self, extension: str, *, keys: bool = True, text: bool = True) -> None:
        """Stop asking about keys, or about the text."""


class OpenSession(Protocol):
    """Continues the stored session at a path, with `fork` in a copy of it, and returns lines for the person."""

    async def __call__(self, path: str, *, fork: bool = False) -> list[str]: ...


class CompletionAccess(Protocol):
    """Where extensions say for which words they have completions."""

    def add_completer(self, extension: str, trigger: str, command: str, ask: AskCompletions) -> None:
        """Offer completions of words that begin with `trigger`, or of the arguments of a slash command."""

    def remove_completer(self, extension: str, trigger: str = "", command: str = "") -> None:
        """Stop offering these, or all of the extension."""


class KeyAccess(Protocol):
    """Where extensions bind keys."""

    def bind(self, extension: str, key: str, command: str) -> None:
        """Let a key run a slash command. Raises `ConfigError` if it cannot be bound."""

    def unbind(self, extension: str, key: str = "") -> None:
        """Give back a key of the extension, or all of them."""


class RendererAccess(Protocol):
    """Where extensions say what they draw in the conversation."""

    def add_renderer(self, extension: str, kind: str, name: str, draw: DrawLines, misses: int) -> None:
        """Let an extension draw calls or results of a tool, or messages of a type. After `misses` questions in a row
        without an answer it is not asked any more."""

    def remove_renderer(self, extension: str, kind: str = "", name: str = "") -> None:
        """Take that back, or all of the extension."""

    def render_again(self, extension: str, kind: str, name: str) -> None:
        """Ask again about everything that a renderer has drawn."""

    @property
    def expanded(self) -> bool:
        """Whether everything in the conversation is expanded. It can be set."""

    @expanded.setter
    def expanded(self, expanded: bool) -> None: ...


class FieldAccess(Protocol):
    """The input field of a client in another process, which answers later. All raise `FieldSilent` if it does not, and
    `NoField` without such a client."""

    async def read(self) -> tuple[str, int]:
        """Return what is being typed, and the place of the cursor in it."""

    async def edit(self, text: str, cursor: int | None = None, expected: str | None = None) -> None:
        """Replace the text; the cursor is at its end, or at `cursor`. Changes nothing and raises `Busy` if the text is
        not `expected`."""

    async def paste(self, text: str) -> None:
        """Insert text at the cursor. Raises `Busy` if the client cannot do so now."""


class NoField(ZotError):
    """No client has an input field for extensions."""


class FieldSilent(ZotError):
    """The client with the input field does not answer."""


class ScreenAccess(CompletionAccess, KeyAccess, RendererAccess, Protocol):
    """A screen, as extensions use it."""

    @property
    def editor(self) -> tuple[str, int]:
        """The text that is being typed, and the place of the cursor in it."""

    @property
    def editing(self) -> EditorControl:
        """The keys of the editor, and how it is drawn."""

    def edit(self, text: str, cursor: int | None = None) -> None:
        """Replace the text; the cursor is at its end, or at `cursor`."""

    def paste(self, text: str) -> None:
        """Insert text at the cursor."""

    @property
    def terminal(self) -> dict[str, Any]:
        """The terminal: `width` and `height` in cells, `color` and `images`, as `hello_ack` of extensions has them."""

    @property
    def theme(self) -> str: ...

    @property
    def theme_colors(self) -> dict[str, str]:
        """The colours of its tokens, by name; names of backgrounds end in `.background`."""

    @property
    def themes(self) -> list[str]: ...

    def use_theme(self, name: str) -> None:
        """Draw with another theme until zot ends. Raises `ConfigError`."""


SignInDialogs: TypeAlias = "Callable[[SignInSession, str], Awaitable[bool]]"
"""Shows the steps of a sign-in below a title. Returns False if the person closed it: nothing is stored then. Raises
`ZotError` if it failed."""


class FrontEndActions(Record):
    """The abilities of a front end for extensions, or None. `quit` ends the program. Without `sign_in`, the
    dialogs of extensions show the steps of sign-ins. `shows_widgets` and `shows_panels`: it shows them, or passes them
    on. `field` is the input field of a client, where there is no screen.
    `fixed_session` says why the session cannot change, and is empty if it can. `refusal` returns the reason why prompts
    of extensions are refused now; empty if they are not. `ask_person` shows dialogs of extensions; None where nobody
    can be asked."""

    open_session: OpenSession | None = None
    quit: Callable[[], None] | None = None
    run_program: "RunProgram | None" = None
    screen: Callable[[], ScreenAccess] | None = None
    completers: Callable[[], CompletionAccess] | None = None
    sign_in: "SignInDialogs | None" = None
    shows_widgets: bool = False
    shows_panels: bool = False
    fixed_session: str = ""
    keys: Callable[[], KeyAccess] | None = None
    renderers: Callable[[], RendererAccess] | None = None
    field: Callable[[], FieldAccess] | None = None
    refusal: Callable[[], str] = lambda: ""
    ask_person: "AskPerson | None" = None


class ExtensionCommands(Protocol):
    @property
    def commands(self) -> Sequence[Command]:
        """The commands known so far, sorted by name."""

    async def ready(self) -> None:
        """Wait until all commands are known."""

    async def run_command(self, name: str, args: str = "") -> CommandAnswer:
        """Run a command; the case of its name does not matter. Raises `CommandError`."""


class ExtensionEvents(Protocol):
    events: Observe[ExtensionEvent]


class ExtensionHost(ExtensionCommands, ExtensionEvents, Protocol):
    """A host of extensions: their commands and their events."""
