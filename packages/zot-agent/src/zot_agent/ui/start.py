"""`StartScreen`: the empty chat screen, drawn before the modules of an agent are loaded."""

from zot_agent.ui.extensions.widget_area import WidgetArea
from zot_agent.ui.screen import Screen
from zot_tui.app import App
from zot_tui.keys.key import RUNE, Key
from zot_tui.terminal.screen import AppScreen
from zot_tui.theme import builtin
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.spinner import Spinner
from zot_tui.widgets.status import Status
from zot_tui.widgets.transcript.transcript import Transcript

PLACEHOLDER = "ask, or / for commands, @ for files"


class StartScreen:
    """The widgets of a chat and their `app`, which can be entered before there is a host.

    It is the `KeyTarget` of the screen until a controller is. Text goes to the editor at once. Any other key, and all
    that is typed after it, waits for `pass_on`.
    """

    def __init__(self, screen: AppScreen | None = None) -> None:
        theme = builtin("dark")
        self.app = App(theme=theme, screen=screen, held=self._held)
        spinner = Spinner(theme.spinner, self.app.after)
        widgets = WidgetArea(lambda: self.app.theme)
        self.view = Screen(Transcript(), EditorWidget(placeholder=PLACEHOLDER), spinner, Status(), widgets)
        self.view.stack.keys = self
        self.app.root = self.view.stack
        self._kept: list[Key | str] = []

    def press(self, key: Key) -> bool:
        asks = key.text == "?" and not self.view.editor.text  # help, which there is later
        if not self._kept and key.name == RUNE and not asks:
            return self.view.editor.handle(key, None)
        if not self._kept and str(key) == "backspace":
            return self.view.editor.press(key)
        self._kept.append(key)
        return True

    def paste(self, text: str) -> None:
        if self._kept:
            self._kept.append(text)
        else:
            self.view.editor.paste(text)

    def _held(self, key: Key, released: bool) -> bool:  # noqa: FBT001  of `App`
        return self.view.layer is not None and self.view.layer.held(key, released)

    def pass_on(self) -> None:
        """Handle the keys and pastes that waited; now a dialog or a controller gets them."""
        kept, self._kept = self._kept, []
        for each in kept:
            if isinstance(each, str):
                self.app.paste(each)
            else:
                self.app.press(each)
