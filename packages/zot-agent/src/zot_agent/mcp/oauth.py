"""`ServerAuth`: access tokens for a server behind a URL.

zot runs the sign-in and keeps the tokens (`auth.authorize`). What is here finds out where the server wants it (RFC
9728, RFC 8414), and registers zot there (RFC 7591).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
)

from zot_agent.mcp.config import McpServerConfig
from zot_ext.errors import HostError, NotGranted
from zot_ext.extension import Extension

SECONDS = 15.0
"""For each answer of a server about sign-ins."""
ANSWER_BYTES = 1 << 20
PORTS = (33_418, 33_419, 33_420)
"""The ports that the sign-in may return to; services want to know them before."""
PATH = "/callback"


class SignInProblem(Exception):
    """A sign-in is not possible; `str()` is a line."""


class ServerAuth(httpx2.Auth):
    """Adds the token to each request, and gets a newer one if it is refused. Only `sign_in` asks the person."""

    def __init__(self, config: McpServerConfig, ext: Extension) -> None:
        self._config, self._ext = config, ext
        self._token = ""
        self._settings: dict[str, Any] | None = None
        self.refused = False
        """Whether the server wants a token that is not there."""

    async def async_auth_flow(self, request: Any) -> AsyncGenerator[Any, Any]:
        """Send a request, once more if the token has ended."""
        if not self._token:
            self._token = await self._get("", ask=False)
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
        response = yield request
        if response.status_code != 401:
            self.refused = False
            return
        refused, self._token = self._token, ""
        self._token = await self._get(refused, ask=False) if refused else ""
        self.refused = not self._token
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
            response = yield request
            self.refused = response.status_code == 401

    async def sign_in(self) -> None:
        """Have the person sign in. Raises `SignInProblem`."""
        async with httpx2.AsyncClient(timeout=SECONDS) as client:
            self._settings = await self._discover(client)
        await self._ext.soon(self._ext.kv.set, self._config.token_key, self._settings)
        try:
            self._token = await self._authorize("", ask=True)
        except HostError as error:
            raise SignInProblem(str(error)) from None

    async def _get(self, refused: str, *, ask: bool) -> str:
        """Return a token, empty without one."""
        try:
            if self._settings is None:
                self._settings = await self._ext.soon(self._ext.kv.get, self._config.token_key)
            return await self._authorize(refused, ask=ask) if self._settings else ""
        except (HostError, NotGranted) as error:
            self._ext.log(f"{self._config.name}: no token: {error}")
            return ""

    async def _authorize(self, refused: str, *, ask: bool) -> str:
        known, authorize = self._settings or {}, self._ext.secrets.authorize
        more: dict[str, Any] = {
            "parameters": {"resource": known.get("resource") or self._config.url},
            "ports": list(PORTS),
            "path": PATH,
        }
        more |= {name: known[name] for name in ("client_id", "authorize_url", "scope")}
        token_url, title = known["token_url"], f"MCP server {self._config.name}"
        return await self._ext.soon(
            lambda: authorize(self._config.token_key, token_url, title=title, refused=refused, ask=ask, **more)
        )

    async def _discover(self, client: Any) -> dict[str, Any]:
        """Return where to sign in, and as whom. Raises `SignInProblem`."""
        url = self._config.url
        try:
            first = await client.post(url, json={"jsonrpc": "2.0", "id": 0, "method": "ping"}, headers=_ACCEPT)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise SignInProblem(f"the server cannot be reached: {error}") from None
        if first.status_code != 401:
            raise SignInProblem("the server asks for no sign-in")
        named = extract_resource_metadata_from_www_auth(first)
        resource = await _first_object(client, build_protected_resource_metadata_discovery_urls(named, url)) or {}
        if not url.startswith(str(resource.get("resource") or url).rstrip("/")):
            raise SignInProblem(f"the server's sign-in is for another one: {resource['resource']}")
        issuer = (_texts(resource, "authorization_servers") or [None])[0]
        service = await _first_object(client, build_oauth_authorization_server_metadata_discovery_urls(issuer, url))
        if service is not None and issuer and str(service.get("issuer")).rstrip("/") != issuer.rstrip("/"):
            raise SignInProblem(f"the service {issuer} calls itself {service.get('issuer')}")
        if service is None or not all(isinstance(service.get(each), str) for each in _ENDPOINTS):
            raise SignInProblem("the server does not say where to sign in; put a token into its headers")
        scopes = extract_scope_from_www_auth(first) or " ".join(_texts(resource, "scopes_supported"))
        return {
            "authorize_url": service["authorization_endpoint"],
            "token_url": service["token_endpoint"],
            "client_id": self._config.client_id or await self._register(client, service),
            "scope": self._config.scope or scopes,
            "resource": str(resource.get("resource") or url),
        }

    async def _register(self, client: Any, service: dict[str, Any]) -> str:
        """Register zot with the service and return its id there. Raises `SignInProblem`."""
        place = service.get("registration_endpoint")
        if not isinstance(place, str):
            raise SignInProblem("the service registers nobody by itself; get a client id there, for 'oauth.client_id'")
        request = {
            "client_name": "zot",
            "redirect_uris": [f"http://{host}:{port}{PATH}" for host in ("127.0.0.1", "localhost") for port in PORTS],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
        try:
            response = await client.post(place, json=request)
            found = _object(response) if response.status_code in (200, 201) else None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise SignInProblem(f"the service cannot be reached: {error}") from None
        if found is None or not isinstance(found.get("client_id"), str):
            raise SignInProblem(f"the service did not register zot: HTTP {response.status_code}")
        return str(found["client_id"])


_ACCEPT = {"Accept": "application/json, text/event-stream"}
_ENDPOINTS = ("authorization_endpoint", "token_endpoint")


def _texts(found: dict[str, Any], name: str) -> list[Any]:
    """Return a list of texts; empty if it is something else."""
    value = found.get(name)
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else []


async def _first_object(client: Any, urls: list[str]) -> dict[str, Any] | None:
    """Return the JSON object at the first of the URLs that has one."""
    for url in urls:
        try:
            response = await client.get(url)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            continue
        if response.status_code == 200 and (found := _object(response)) is not None:
            return found
    return None


def _object(response: Any) -> dict[str, Any] | None:
    if len(response.content) > ANSWER_BYTES:
        return None
    try:
        value = response.json()
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
