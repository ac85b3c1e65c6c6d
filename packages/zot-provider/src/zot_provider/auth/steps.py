"""The questions and reports of a sign-in, as records for a front end. See `SignInSession`."""

from typing import TypeAlias

from zot_provider.errors import ZotError
from zot_provider.record import Record


class ConfirmTerms(Record):
    """Show `text` and call `SignInSession.agree` or `decline`, as the person answers; nothing has been sent so far."""

    text: str


class OpenPage(Record):
    """Open `url` in a browser of the person, and show it too: there may be no browser on this machine. Show the URL
    whole and make it easy to copy. What comes from the page reaches the session by itself."""

    url: str


class EnterCode(Record):
    """Show `code`, which the person types on the page `url` within `seconds`, on any machine. The session notices."""

    code: str
    url: str
    seconds: float


class AskKey(Record):
    """Ask for the API key of the provider, without showing what is typed, and call `SignInSession.paste`."""

    provider: str


class AskCode(Record):
    """Offer a field for the code or the URL that the page shows after the sign-in, and call `SignInSession.paste`. The
    session usually continues without it: the page reports to this machine, unless the browser is on another one."""

    provider: str


class SignInProgress(Record):
    """Show `text`: what the session is doing."""

    text: str


class Mistake(Record):
    """Show `text`: what the person gave was not accepted. The last question remains open."""

    text: str


class SignedIn(Record):
    """The end: an account for `provider` is stored. Show `text`, which says where."""

    provider: str
    text: str


class NotSignedIn(Record):
    """The end: nothing was stored. Show `error`, which is one line and holds no secret."""

    error: ZotError


SignInStep: TypeAlias = (
    ConfirmTerms | OpenPage | EnterCode | AskKey | AskCode | SignInProgress | Mistake | SignedIn | NotSignedIn
)
