"""`ChatAccess`: what extensions can do with the editor, the theme and the keys of the chat screen."""

import os
from typing import TYPE_CHECKING, Any

from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.screen import Screen
from zot_provider.errors import ConfigError, UnknownName
from zot_tui.keys.key import RUNE, Key, parse_key
from zot_tui.keys.keymap import RESERVED, Binding
from zot_tui.theme import ThemeError

if TYPE_CHECKING:
    from zot_agent.ui.extensions.completions import ExtensionCompletions
    from zot_agent.ui.extensions.editing.control import ExtensionEditing
    from zot_agent.ui.extensions.entry_cells import EntryCells
    from zot_agent.ui.extensions.markdown_cells import MarkdownCells
    from zot_agent.ui.extensions.painter import ExtensionPainter
    from zot_core.conversation.extensions import AskCompletions, DrawLines

_COLORS = {16777216: "truecolor", 256: "256", 16: "16"}

MOST_TEXT = 1_000_000
"""Characters of a text for the editor."""

_KEPT = frozenset(("submit", "cancel", "interrupt", "leave", "up", "down", "complete"))
"""Actions whose keys no extension can take."""


class ChatAccess:
    """See `ScreenAccess`. Of two extensions that want one key, the first has it; the person's own keys are stronger,
    the keys of zot weaker."""

    def __init__(self, chat: Chat, view: Screen) -> None:
        self._chat, self._view = chat, view
        self._painter: ExtensionPainter | None = None
        self._entries: EntryCells | None = None
        self._markdown: MarkdownCells | None = None
        self._editing: ExtensionEditing | None = None
        self.completions: ExtensionCompletions | None = None
        """The completions of extensions, if there are any."""
        self._bound: dict[str, tuple[str, Binding]] = {}  # by key: the extension and what it bound

    @property
    def editor(self) -> tuple[str, int]:
        buffer = self._view.editor.buffer
        return buffer.text, buffer.cursor

    @property
    def editing(self) -> "ExtensionEditing":
        if self._editing is None:
            from zot_agent.ui.extensions.editing.control import ExtensionEditing  # noqa: PLC0415  few change the editor

            self._editing = ExtensionEditing(self._chat, self._view)
        return self._editing

    def takes(self, key: Key) -> bool:
        """Whether a key waits for extensions that are asked about keys."""
        return self._editing is not None and self._editing.takes(key)

    def takes_paste(self, text: str) -> bool:
        """Whether a paste waits for the keys before it."""
        return self._editing is not None and self._editing.takes_paste(text)

    def edit(self, text: str, cursor: int | None = None) -> None:
        self._view.editor.set_text(text[:MOST_TEXT], cursor)
        self._chat.app.redraw()

    def paste(self, text: str) -> None:
        self._view.editor.insert(text[:MOST_TEXT])
        self._chat.app.redraw()

    @property
    def terminal(self) -> dict[str, Any]:
        from zot_tui.image.protocol import choose  # noqa: PLC0415  few extensions want to know

        app = self._chat.app
        width, height = app.window.size
        shown = choose(os.environ, app.screen.depth).protocol
        return {"width": width, "height": height, "images": shown, "color": _COLORS.get(app.screen.depth, "none")}

    @property
    def theme(self) -> str:
        return self._chat.themes.name or self._chat.app.theme.name

    @property
    def theme_colors(self) -> dict[str, str]:
        from zot_tui.theme.tokens import TOKENS  # noqa: PLC0415  few extensions want to know

        theme, found = self._chat.app.theme, dict[str, str]()
        for token in TOKENS:
            style = theme.style(token.name)
            found[token.name] = style.foreground
            if style.background is not None:
                found[f"{token.name}.background"] = style.background
        return found

    @property
    def themes(self) -> list[str]:
        return [choice.name for choice in self._chat.themes.choices()]

    def use_theme(self, name: str) -> None:
        if name and name not in self.themes:
            raise UnknownName(f"no theme {name!r}: there are {', '.join(self.themes)}")
        try:
            self._chat.themes.load(name, self._chat.themes.background)
        except ThemeError as error:
            raise ConfigError(str(error)) from None
        self._chat.themes.use(name)

    def bind(self, extension: str, key: str, command: str) -> None:
        try:
            read = parse_key(key)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        name, keys = str(read), self._chat.keys.keymap
        found = keys.find(read, (CHAT,))
        if name in RESERVED or read.name == RUNE or (found is not None and found.action in _KEPT):
            raise ConfigError(f"{name} keeps its meaning; choose a function key, or one with ctrl or alt")
        owner = self._bound.get(name, (extension,))[0]
        if owner != extension:
            raise ConfigError(f"{name} belongs to extension {owner}")
        if name not in self._bound and keys.overrides(read):
            raise ConfigError(f"{name} is in the keymap of the user")
        self._bound[name] = extension, Binding(name, f"/{command}", (CHAT,))
        self._rebind()

    def unbind(self, extension: str, key: str = "") -> None:
        kept = {name: each for name, each in self._bound.items() if each[0] != extension or key not in ("", name)}
        if kept != self._bound:
            self._bound = kept
            self._rebind()

    def add_completer(self, extension: str, trigger: str, command: str, ask: "AskCompletions") -> None:
        if self.completions is None:
            from zot_agent.ui.extensions.completions import ExtensionCompletions  # noqa: PLC0415  few complete words

            self.completions = ExtensionCompletions()
            self.completions.changed.connect(self._chat.prompt_input.suggestions_changed)
            self._chat.prompt_input.add_source(self.completions)
        self.completions.add(extension, trigger, command, ask)

    def remove_completer(self, extension: str, trigger: str = "", command: str = "") -> None:
        if self.completions is not None:
            self.completions.remove(extension, trigger, command)

    def add_renderer(self, extension: str, kind: str, name: str, draw: "DrawLines", misses: int) -> None:
        if self._painter is None:
            from zot_agent.ui.extensions.painter import ExtensionPainter  # noqa: PLC0415  few draw in the conversation

            chat = self._chat
            self._painter = ExtensionPainter(
                chat.transcript, lambda: chat.app.theme, lambda text, name: chat.presenter.note(text, "warning", name)
            )
            chat.presenter.style.painter = self._painter
            chat.themes.switched.connect(lambda _: chat.transcript.refresh())
        if kind == "markdown" and self._markdown is None:
            from zot_agent.ui.extensions.markdown_cells import MarkdownCells  # noqa: PLC0415  as above

            markdown = self._markdown = MarkdownCells(self._chat, self._painter.renderers)
            self._painter.changed.connect(lambda changed: markdown.again() if changed == "markdown" else None)
        self._painter.add(extension, kind, name, draw, misses)
        if kind == "entry":
            if self._entries is None:
                from zot_agent.ui.extensions.entry_cells import EntryCells  # noqa: PLC0415  as above

                self._entries = EntryCells(self._chat, self._painter)
            self._entries.load()

    def remove_renderer(self, extension: str, kind: str = "", name: str = "") -> None:
        if self._painter is not None:
            self._painter.remove(extension, kind, name)

    def render_again(self, extension: str, kind: str, name: str) -> None:
        if self._painter is not None:
            self._painter.again(extension, kind, name)

    @property
    def expanded(self) -> bool:
        return self._chat.transcript.all_expanded

    @expanded.setter
    def expanded(self, expanded: bool) -> None:
        if expanded != self.expanded:
            self._chat.transcript.toggle_all_expanded()

    def _rebind(self) -> None:
        self._chat.keys.keymap = self._chat.keys.keymap.extended(binding for _, binding in self._bound.values())
