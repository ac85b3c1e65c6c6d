"""`BrowserSignIn`: the flow in which a page of the provider returns a code (RFC 8252 and RFC 7636)."""

import asyncio
import secrets
import uuid
from urllib.parse import parse_qs, urlencode, urlsplit

from zot_provider.auth.entry import AccountToken
from zot_provider.auth.flows.loopback import LoopbackAnswer, LoopbackRequest, LoopbackServer
from zot_provider.auth.flows.pages import message_page
from zot_provider.auth.oauth import SignInFailed, TokenEndpoint
from zot_provider.providers.sign_in import SignIn
from zot_provider.record import Record

_ERROR = 200
"""Characters of a provider's error that are shown."""


class WrongCode(SignInFailed):
    """The pasted text is not the code of this sign-in; another may follow."""


class CodeAnswer(Record):
    """A code of the provider; `client_id` is the id that it issued, if it did."""

    code: str
    client_id: str = ""


class BrowserSignIn:
    """One sign-in in the browser. The callback and a pasted URL or code race; the first counts."""

    def __init__(self, sign_in: SignIn, endpoint: TokenEndpoint) -> None:
        self._sign_in = sign_in
        self._endpoint = endpoint
        self._server = LoopbackServer(self._callback)
        self._verifier = secrets.token_urlsafe(48)
        self._state = secrets.token_urlsafe(24)
        self._path = sign_in.callback.path or f"/{secrets.token_urlsafe(24)}"
        self._answers: asyncio.Queue[CodeAnswer | SignInFailed | str] = asyncio.Queue()
        self._answered = False

    @property
    def redirect(self) -> str:
        """The URL to which the page of the provider returns."""
        return f"http://{self._sign_in.callback.host}:{self._server.port}{self._path}"

    async def open(self) -> str:
        """Listen for the callback, and return the URL of the provider's page. Raises `ConfigError` if the ports that
        the provider accepts are taken."""
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri  # noqa: PLC0415  only at a sign-in
        from authlib.oauth2.rfc7636 import create_s256_code_challenge  # noqa: PLC0415  as above

        await self._server.open(self._sign_in.callback.ports)
        challenge = {"code_challenge": create_s256_code_challenge(self._verifier), "code_challenge_method": "S256"}
        if self._sign_in.yields_key:  # not OAuth: it has its own names, and no state
            query = urlencode({"callback_url": self.redirect, **challenge, **self._sign_in.parameters})
            return f"{self._sign_in.authorize_url}?{query}"
        nonce = {"nonce": secrets.token_urlsafe(24)} if self._sign_in.nonce else {}
        url: str = prepare_grant_uri(
            self._sign_in.authorize_url,
            self._sign_in.client_id,
            "code",
            redirect_uri=self.redirect,
            scope=self._sign_in.scope or None,
            state=self._state,
            **challenge,
            **nonce,
            # An id of this sign-in, not of the machine: nothing else needs to know that two were made on the same one.
            **{name: value.replace("{uuid}", str(uuid.uuid4())) for name, value in self._sign_in.parameters.items()},
        )
        return url

    def paste(self, text: str) -> None:
        """Give what the person pasted: the URL that the browser shows at the end, `code#state`, or the code."""
        self._answers.put_nowait(text)

    async def token(self) -> AccountToken:
        """Wait for the code, and return the token that it buys.

        Raises `WrongCode` for a pasted text of another sign-in, after which one may call this again, `SignInFailed` if
        the person or the provider refused, and `ProviderError` without a connection.
        """
        answer = await self._answers.get()
        if isinstance(answer, str):
            answer = self._parse_pasted(answer.strip())
        if isinstance(answer, SignInFailed):
            raise answer
        fields = {"code": answer.code, "code_verifier": self._verifier}
        if self._sign_in.yields_key:
            fields |= {"code_challenge_method": "S256"}
        else:
            fields |= {"grant_type": "authorization_code", "redirect_uri": self.redirect}
        return await self._endpoint.token(fields, answer.client_id)

    async def close(self) -> None:
        await self._server.close()

    # Internal.

    async def _callback(self, request: LoopbackRequest) -> LoopbackAnswer:
        """Answer the browser. Only a navigation counts: a script of another page sends an origin, or says its mode."""
        mode = request.headers.get("sec-fetch-mode", "navigate")
        if request.method != "GET" or "origin" in request.headers or mode != "navigate":
            return _page("Not accepted", "This request did not come from a sign-in.", 403)
        if request.path != self._path:
            return _page("Not found", "There is nothing at this address.", 404)
        if self._answered:
            return _page("Not accepted", "This sign-in is over. Start again in zot.", 410)
        answer = self._parse(request.target)
        if isinstance(answer, WrongCode):
            return _page("Not accepted", "This is not the sign-in that zot waits for. Start again in zot.", 400)
        self._answered = True
        self._answers.put_nowait(answer)
        if isinstance(answer, SignInFailed):
            return _page("Not signed in", "You can close this page and go back to zot.", 200)
        return LoopbackAnswer(200, message_page("Almost done", "You can close this page and go back to zot."))

    def _parse(self, url: str) -> CodeAnswer | SignInFailed:
        """Return what a callback says; `WrongCode` if it belongs to another sign-in."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        if not self._sign_in.yields_key and not secrets.compare_digest(
            query.get("state", "").encode(), self._state.encode()
        ):
            return WrongCode("this belongs to another sign-in")
        if "error" in query:
            code = "".join(filter(str.isprintable, query["error"]))[:_ERROR]
            said = " ".join("".join(filter(str.isprintable, query.get("error_description", ""))).split())[:_ERROR]
            denied = "you or the provider declined" if code == "access_denied" else code
            return SignInFailed(f"the provider refused: {denied}{f' ({said})' if said else ''}", code=code)
        if not query.get("code"):
            return WrongCode("this holds no code")
        return CodeAnswer(query["code"], query.get("client_id", "") if self._sign_in.issues_client_id else "")

    def _parse_pasted(self, text: str) -> CodeAnswer | SignInFailed:
        if "://" in text or "code=" in text or "error=" in text:
            return self._parse(text if "?" in text else f"?{text}")
        code, _, state = text.partition("#")
        if not code or len(code.split()) > 1 or (state and state != self._state):
            return WrongCode("this is not the code of this sign-in; copy the whole address that the browser shows")
        if self._sign_in.issues_client_id:
            return WrongCode("the code alone is not enough; copy the whole address that the browser shows")
        return CodeAnswer(code)


def _page(title: str, text: str, status: int) -> LoopbackAnswer:
    return LoopbackAnswer(status, message_page(title, text, good=False))
