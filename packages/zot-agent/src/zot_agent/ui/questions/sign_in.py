"""The dialog of a sign-in: it shows each step of a `SignInSession` and takes the person's answers."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any

from zot_agent.browser import open_browser
from zot_core.aio import finish, spawn
from zot_provider.auth.session import Method, SignInSession, sign_in_methods
from zot_provider.auth.steps import (
    AskCode,
    AskKey,
    ConfirmTerms,
    EnterCode,
    Mistake,
    NotSignedIn,
    OpenPage,
    SignedIn,
    SignInProgress,
    SignInStep,
)
from zot_provider.errors import ZotError
from zot_provider.providers.spec import Provider
from zot_tui.app import App
from zot_tui.keys.key import Key, parse_key
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.text.width import width
from zot_tui.text.wrap import wrap
from zot_tui.widgets.dialogs.dialog import DIALOG, Dialog, Hint
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.input.editor import EDITOR, EditorWidget
from zot_tui.widgets.scroll import MARGIN

COPY = "ctrl+y"
"""Copies the address or the code again."""

_CANCEL = Hint("dialog_cancel", "cancel")


async def sign_in(
    ask: Callable[["SignInDialog"], Awaitable[SignedIn | None]],
    app: App,
    session: SignInSession,
    title: str,
    removed: Iterable[str],
) -> SignedIn | None:
    """Sign in with a dialog that `ask` shows; return None if the person closed it: nothing is stored then.

    `removed` are variables that the browser does not get. Raises `ZotError`.
    """
    dialog = SignInDialog(app, session, title, removed)
    following = spawn(dialog.follow(), "sign in")
    try:
        signed_in = await ask(dialog)
    finally:
        following.cancel()
        await finish(following)
    if dialog.error is not None:
        raise dialog.error
    if not following.cancelled():
        following.result()  # raises what nobody expected
    return signed_in


async def choose_method(ask: Callable[[Picker[Method]], Awaitable[Method | None]], provider: Provider) -> Method | None:
    """Ask how to sign in to a provider, unless there is one way only; None if the person closed the question."""
    methods = sign_in_methods(provider)
    if len(methods) < 2:
        return methods[0]
    account = f"sign in with {provider.sign_in.title}" if provider.sign_in else ""
    words: dict[Method, tuple[str, str]] = {
        "account": (account, ""),
        "key": ("paste an API key", "it is not shown"),
        "page": ("give an API key in the browser", "in a form on this machine"),
    }
    items = [PickerItem(each, *words[each]) for each in words if each in methods]
    return await ask(Picker(f"Sign in to {provider.title}", items))


class SignInDialog(Dialog[SignedIn]):
    """Shows the steps of a session, one in place of the other. `follow` runs the session; closing the dialog does not
    end it. `error` is why it failed."""

    def __init__(self, app: App, session: SignInSession, title: str, removed: Iterable[str]) -> None:
        super().__init__(title, hints=(_CANCEL,))
        self.error: ZotError | None = None
        self._app, self._session, self._removed = app, session, [*removed]
        self._agreeing = False
        self._copied = self._text = self._url = self._code = self._notice = ""
        self._show("one moment...")

    async def follow(self) -> None:
        """Run the session, and close the dialog when it ends."""
        try:
            async with aclosing(self._session.steps()) as steps:
                async for step in steps:
                    await self._step(step)
        finally:
            self.close(None)

    # Keys

    def accept(self) -> None:
        field = self.field
        if self._agreeing:
            self._agreeing = False
            self._show("one moment...")
            self._session.agree()
        elif field is not None and field.text.strip():
            self._session.paste(field.text)
            field.set_text("")

    def press(self, key: Key) -> bool:
        if self._copied and key == parse_key(COPY):
            spawn(self._copy(), "copy")
            return True
        return super().press(key)

    # Steps

    async def _step(self, step: SignInStep) -> None:
        match step:
            case ConfirmTerms(text):
                self._agreeing = True
                self._show(text, hints=(Hint("dialog_accept", "agree and continue"), _CANCEL))
            case OpenPage(url):
                opened = open_browser(url, self._removed)
                head = "Continue in the browser. If none has opened, open" if opened else "Open in a browser"
                await self._offer(url, f"{head}:", url, copy=not opened)
            case EnterCode(code, url, seconds):
                opened = open_browser(url, self._removed)
                head = "On the page that opens, enter this code" if opened else "Open this address and enter the code"
                await self._offer(code, f"{head}; it is valid for {seconds / 60:.0f} minutes:", url, code, copy=True)
            case AskKey():
                self._ask(EditorWidget(placeholder="paste the key", masked=True))
            case AskCode():
                self._ask(EditorWidget(placeholder="browser on another machine? paste the address it ends at"))
            case SignInProgress(text):
                self._notice = f"{text}..."
                self.changed()
            case Mistake(text):
                self._notice = ""
                self.problem = text
                self.changed()
            case SignedIn():
                self.close(step)
            case NotSignedIn(error):
                self.error = error
        self._app.redraw()

    async def _offer(self, copied: str, head: str, url: str, code: str = "", *, copy: bool) -> None:
        self._copied = copied
        self._show(head, url, code, hints=(Hint(COPY, "copy the code" if code else "copy the address"), _CANCEL))
        self._app.redraw()
        if copy:
            await self._copy()

    async def _copy(self) -> None:
        ways = await self._app.copy(self._copied)
        self._notice = "copied" if ways else "this terminal cannot set the clipboard"
        self.changed()
        self._app.redraw()

    def _show(self, text: str, url: str = "", code: str = "", *, hints: Sequence[Hint] = (_CANCEL,)) -> None:
        self._text, self._url, self._code = sanitize(text), sanitize_line(url), sanitize_line(code)
        self._notice, self.body, self.field, self.hints, self.contexts = "", None, None, hints, (DIALOG,)
        self.changed()

    def _ask(self, field: EditorWidget) -> None:
        if not self._copied:  # no page was opened before: there is nothing else to show
            self._show("The key is checked with one request, which costs nothing, and stored.")
        self.body = self.field = field
        self.contexts = (DIALOG, EDITOR)
        self.hints = (Hint("dialog_accept", "send"), *(each for each in self.hints if each.action != "dialog_accept"))
        self.changed()

    def note_rows(self, columns: int) -> list[Row[Any]]:
        """See `Dialog`: a text, an address, a code and a line of news, as far as there are such."""
        rows = _wrapped("text", self._text, columns)
        if self._url:
            rows += [[], *_wrapped("accent", self._url, columns)]
        if self._code:
            rows += [[], *_large(self._code, columns)]
        if self._notice:
            rows += [[], *_wrapped("muted", sanitize_line(self._notice), columns)]
        return [[], *rows]


def _wrapped(style: str, text: str, columns: int) -> list[Row[Any]]:
    return [*wrap([(style, text)], columns, first=[(None, MARGIN)], rest=[(None, MARGIN)])]


def _large(code: str, columns: int) -> list[Row[Any]]:
    """Return the code with spaces between its characters, in a frame; as it is if that does not fit."""
    spaced = "  ".join(code)
    if width(spaced) + 3 * len(MARGIN) + 2 > columns:
        return _wrapped("title", code, columns)
    line = "─" * (width(spaced) + 2 * len(MARGIN))
    return [
        [("border", f"{MARGIN}╭{line}╮")],
        [("border", f"{MARGIN}│"), ("title", f"{MARGIN}{spaced}{MARGIN}"), ("border", "│")],
        [("border", f"{MARGIN}╰{line}╯")],
    ]
