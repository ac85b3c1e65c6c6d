"""`SignInServer`: a real HTTP server on the loopback interface that signs people in, as providers do.

It checks what the standards ask of a client: the code verifier (RFC 7636), a code that is used once, and refresh tokens
that are replaced by each use (RFC 6749).
"""

import hashlib
import json
import secrets
import threading
import time
from base64 import urlsafe_b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from zot_provider.providers.sign_in import Callback, Flow, KeyExchange, SignIn
from zot_provider.record import Record, field


class SignInScript(Record):
    """The behaviour of the server, besides granting.

    `device` are its answers to a client that polls, before it grants: `authorization_pending`, `slow_down`,
    `access_denied`, `expired_token` (RFC 8628, 3.5), or a status such as "503". `refuse` is the error of the page.
    `life` is `expires_in` of tokens, left out for 0. `rotate`: a refresh token works once. `revoked`: no refresh works.
    `broken` is the body of all answers of the token endpoint, with status 200. `scope` is what is granted.
    """

    device: list[str] = field(default_factory=list)
    refuse: str = ""
    life: float = 3600
    rotate: bool = True
    revoked: bool = False
    broken: str = ""
    scope: str = "openid offline_access"
    interval: float = 0.01
    slow_answers: float = 0.0


class SignInServer:
    """An authorization server and what belongs to it: `/authorize`, `/token`, `/device`, `/exchange` and `/keys`.

    `posts` are the requests with their fields, in order. `granted` has the access tokens that are valid.
    """

    def __init__(self, script: SignInScript | None = None) -> None:
        self.script = script or SignInScript()
        self.posts: list[tuple[str, dict[str, str]]] = []
        self.granted: set[str] = set()
        self.refresh_tokens: set[str] = set()
        self.lock = threading.Lock()
        self._codes: dict[str, dict[str, str]] = {}
        self._server = _Listener(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="sign-in server")

    def __enter__(self) -> "SignInServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The origin, `http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def sign_in(self, flow: Flow = "browser", **more: Any) -> SignIn:
        """Return the record of a sign-in at this server; `more` are fields of it."""
        fields: dict[str, Any] = {
            "title": "a test account",
            "flow": flow,
            "client_id": "zot-test",
            "scope": "openid offline_access",
            "authorize_url": f"{self.url}/authorize",
            "device_url": f"{self.url}/device",
            "token_url": f"{self.url}/token",
            "callback": Callback(),
        }
        return SignIn(**(fields | more))

    def exchange(self, **more: Any) -> KeyExchange:
        """Return the record of a second step at this server."""
        return KeyExchange(f"{self.url}/exchange", **more)

    def paths(self) -> list[str]:
        """List the paths of the requests, in order."""
        with self.lock:
            return [path for path, _ in self.posts]

    # What the handler asks.

    def authorize(self, query: dict[str, str]) -> str:
        """Return where the page sends the browser after the person has agreed or not."""
        back = query.get("redirect_uri") or query["callback_url"]
        state = {"state": query["state"]} if "state" in query else {}
        if self.script.refuse:
            return f"{back}?{urlencode({'error': self.script.refuse, **state})}"
        code = secrets.token_urlsafe(12)
        issued = f"issued-{secrets.token_hex(4)}"
        self._codes[code] = query | {"issued": issued}
        return f"{back}?{urlencode({'code': code, 'client_id': issued, **state})}"

    def answer(self, path: str, fields: dict[str, str], authorization: str) -> tuple[int, Any]:
        """Return status and JSON of an answer."""
        with self.lock:
            self.posts.append((path, fields))
            if path == "/device":
                return 200, self._device_code()
            if path == "/exchange":
                return self._exchange(authorization)
            if path in ("/token", "/keys"):
                if self.script.broken:
                    return 200, self.script.broken
                return self._token(fields)
            return 404, {"error": "not_found"}

    # Internal.

    def _device_code(self) -> dict[str, Any]:
        return {
            "device_code": "device-secret",
            "user_code": "WDJB-MJHT",
            "verification_uri": f"{self.url}/activate",
            "expires_in": 900,
            "interval": self.script.interval,
        }

    def _token(self, fields: dict[str, str]) -> tuple[int, Any]:
        grant = fields.get("grant_type", "")
        if grant == "refresh_token":
            token = fields.get("refresh_token", "")
            if self.script.revoked or token not in self.refresh_tokens:
                return 400, {"error": "invalid_grant", "error_description": f"{token} is revoked"}
            if self.script.rotate:
                self.refresh_tokens.discard(token)
            return 200, self._grant()
        if grant.endswith("device_code"):
            word = self.script.device.pop(0) if self.script.device else ""
            if word.isdecimal():
                return int(word), {"message": "busy"}
            return (400, {"error": word}) if word else (200, self._grant())
        asked = self._codes.pop(fields.get("code", ""), None)
        challenge = urlsafe_b64encode(hashlib.sha256(fields.get("code_verifier", "").encode()).digest()).decode()
        if asked is None or challenge.rstrip("=") != asked.get("code_challenge"):
            return 400, {"error": "invalid_grant", "error_description": f"bad code {fields.get('code')}"}
        if "callback_url" in asked:
            return 200, {"key": f"permanent-key-{secrets.token_hex(8)}"}
        if fields.get("redirect_uri") != asked.get("redirect_uri"):
            return 400, {"error": "invalid_grant", "error_description": "another redirect_uri"}
        if fields.get("client_id") not in (asked.get("client_id"), asked["issued"]):
            return 401, {"error": "invalid_client"}
        return 200, self._grant()

    def _grant(self) -> dict[str, Any]:
        access, refresh = f"access-{secrets.token_hex(8)}", f"refresh-{secrets.token_hex(8)}"
        self.granted.add(access)
        self.refresh_tokens.add(refresh)
        life = {"expires_in": self.script.life} if self.script.life else {}
        return {
            "access_token": access,
            "refresh_token": refresh,
            "token_type": "Bearer",
            "scope": self.script.scope,
            **life,
        }

    def _exchange(self, authorization: str) -> tuple[int, Any]:
        if authorization.removeprefix("Bearer ") not in self.refresh_tokens:
            return 401, {"message": "Bad credentials"}
        key = f"tid={secrets.token_hex(8)};proxy-ep=proxy.example.com"
        self.granted.add(key)
        return 200, {"token": key, "expires_at": int(time.time() + self.script.life)}


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, server: SignInServer) -> None:
        self.sign_in = server
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal belongs to the tests."""

    def do_GET(self) -> None:
        """Send the browser back, as a page does after the person has agreed; or answer an exchange."""
        server: SignInServer = self.server.sign_in  # type: ignore[attr-defined]  # the listener of a SignInServer
        parts = urlsplit(self.path)
        if parts.path == "/authorize":
            self.send_response(302)
            self.send_header("location", server.authorize(_first(parse_qs(parts.query))))
            self.send_header("content-length", "0")
            self.end_headers()
        else:
            self._send(*server.answer(parts.path, {}, self.headers.get("authorization", "")))

    def do_POST(self) -> None:
        """Answer a request for a token."""
        server: SignInServer = self.server.sign_in  # type: ignore[attr-defined]  # the listener of a SignInServer
        raw = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        as_json = self.headers.get("content-type", "").startswith("application/json")
        fields = json.loads(raw) if as_json else _first(parse_qs(raw, strict_parsing=True))
        time.sleep(server.script.slow_answers)
        self._send(*server.answer(self.path, fields, self.headers.get("authorization", "")))

    def _send(self, status: int, answer: Any) -> None:
        body = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _first(values: dict[str, list[str]]) -> dict[str, str]:
    return {name: each[0] for name, each in values.items()}
