"""`KeyPage`: the form for an API key, on a page that only the person's browser can open."""

import asyncio
import hmac
import secrets
from collections.abc import Sequence
from urllib.parse import parse_qs

from zot_provider.auth.flows.loopback import LoopbackAnswer, LoopbackRequest, LoopbackServer
from zot_provider.auth.flows.pages import key_form, message_page
from zot_provider.providers.spec import Provider
from zot_provider.record import Record

_COOKIE = "zot_key_page"


class KeySubmission(Record):
    """A key that the person sent with the form. `done` takes an error for the form, empty if the key was stored; the
    browser waits for it."""

    provider: str
    key: str
    done: "asyncio.Future[str]"


class KeyPage:
    """Serves the form until it is closed.

    The address works once: it gives the browser a cookie, without which there is no form. So another user of the
    machine who sees the address among the processes cannot use it after the person, and the person notices one who was
    faster. A submission must come from the page itself (`origin`), with the cookie and a secret of the form.
    """

    def __init__(self, providers: Sequence[Provider], chosen: str = "") -> None:
        """`providers` are offered; `chosen` is the id of the selected provider."""
        self._providers = [(each.id, each.title) for each in providers]
        self._chosen = chosen
        self._server = LoopbackServer(self._answer)
        self._entrance: str | None = f"/{secrets.token_urlsafe(24)}"
        self._cookie = secrets.token_urlsafe(24)
        self._guard = secrets.token_urlsafe(24)
        self._sent: KeySubmission | None = None
        self._submissions: asyncio.Queue[KeySubmission] = asyncio.Queue()

    async def open(self) -> str:
        """Begin to serve, and return the address for the person. Raises `ConfigError`."""
        await self._server.open()
        return f"http://127.0.0.1:{self._server.port}{self._entrance}"

    async def next(self) -> KeySubmission:
        """Wait for the person to send the form."""
        return await self._submissions.get()

    async def close(self) -> None:
        """Stop serving, after the last answer was sent."""
        if self._sent is not None:
            self._sent.done.cancel()  # without effect on an answer that was given
        await self._server.close()

    async def _answer(self, request: LoopbackRequest) -> LoopbackAnswer:
        if request.method == "GET" and request.path == self._entrance:
            self._entrance = None
            cookie = f"{_COOKIE}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"
            return LoopbackAnswer(303, headers={"location": "/", "set-cookie": cookie})
        if not _same(request.cookies.get(_COOKIE, ""), self._cookie):
            return _refused("This address was used before, or is not complete. Start again in zot.")
        if request.method == "GET" and request.path == "/":
            return LoopbackAnswer(200, key_form(self._providers, self._chosen, self._guard))
        if request.method == "POST" and request.path == "/key":
            return await self._submit(request)
        return LoopbackAnswer(404, message_page("Not found", "There is nothing at this address.", good=False))

    async def _submit(self, request: LoopbackRequest) -> LoopbackAnswer:
        form = {name: values[0] for name, values in parse_qs(request.body.decode("utf-8", "replace")).items()}
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        origins = (f"http://127.0.0.1:{self._server.port}", f"http://localhost:{self._server.port}")
        if (
            request.headers.get("origin") not in origins
            or kind != "application/x-www-form-urlencoded"
            or not _same(form.get("guard", ""), self._guard)
        ):
            return _refused("This form did not come from the page of zot. Start again in zot.")
        id = form.get("provider", "")
        if self._sent is not None or id not in dict(self._providers):
            return self._form(id, "Choose a provider, and send the form once.")
        self._sent = submission = KeySubmission(id, form.get("key", ""), asyncio.get_running_loop().create_future())
        try:
            self._submissions.put_nowait(submission)
            error = await submission.done
        except asyncio.CancelledError:
            if not submission.done.cancelled():
                raise
            return _refused("zot has stopped the sign-in.")
        finally:
            self._sent = None
        if error:
            return self._form(id, error)
        return LoopbackAnswer(200, message_page("The key is stored", "You can close this page and go back to zot."))

    def _form(self, chosen: str, error: str) -> LoopbackAnswer:
        return LoopbackAnswer(422, key_form(self._providers, chosen, self._guard, error))


def _refused(text: str) -> LoopbackAnswer:
    return LoopbackAnswer(403, message_page("Not accepted", text, good=False))


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())
