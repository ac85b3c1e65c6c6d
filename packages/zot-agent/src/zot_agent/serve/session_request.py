"""Turns the body of a request for a session into `HostOptions`."""

import re
from typing import Any

from zot_agent.host.options import HostOptions
from zot_agent.operations.fields import checked, schema_of
from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.serve.allowed_dirs import AllowedDirs
from zot_agent.serve.http_error import HttpError
from zot_core.errors import SessionError, SessionNotFound
from zot_ext.protocol.fields import FieldKind
from zot_provider.request import Reasoning

FIELDS = {
    name: FieldKind(schema_of(annotation))
    for name, annotation in {
        **dict.fromkeys(("cwd", "provider", "model", "session"), str),
        "reasoning": Reasoning,
        "tools": list[str],
        **dict.fromkeys(("fork", "no_session"), bool),
    }.items()
}
"""The fields. A field that is null counts as missing."""


def options_for(request: Any, defaults: HostOptions, allowed: AllowedDirs, stored: StoredSessions) -> HostOptions:
    """Return the options of the session that `request`, a JSON value, describes. Raises `HttpError`.

    Keys and addresses belong to the server. If the server was given any, they are for its provider, and sessions of
    other providers are refused.
    """
    given = _checked(request)
    provider, model = given.get("provider", ""), given.get("model", "")
    if provider in ("", defaults.provider):
        provider, model = defaults.provider, model or defaults.model
    elif defaults.api_key or defaults.base_url:
        raise HttpError(403, f"provider must be {defaults.provider}, the only provider that is served")
    options = defaults.replace(
        provider=provider,
        model=model,
        reasoning=given.get("reasoning", defaults.reasoning),
        tools=given.get("tools", defaults.tools),
        no_session=given.get("no_session", defaults.no_session),
    )
    if "session" in given:
        if given.get("no_session"):
            raise HttpError(400, "session and no_session exclude each other")
        path, cwd = _stored(given["session"], given.get("cwd"), allowed, stored)
        return options.replace(session=path, fork=given.get("fork", False), no_session=False, cwd=cwd)
    if given.get("fork"):
        raise HttpError(400, "fork needs session, which names the session to copy")
    return options.replace(cwd=allowed.resolve(given.get("cwd", "")))


def _checked(request: Any) -> dict[str, Any]:
    if not isinstance(request, dict):
        raise HttpError(400, "the body must be a JSON object")
    given = {name: value for name, value in request.items() if value is not None}
    for name, value in given.items():
        if name not in FIELDS:
            raise HttpError(400, f"unknown field {name!r}; known: {', '.join(FIELDS)}")
        given[name] = checked(FIELDS[name].read, name, value)
    if "session" in given and not re.fullmatch(r"[0-9A-Za-z-]{4,64}", given["session"]):
        raise HttpError(400, "session must be the id of a session, or at least four characters of its beginning")
    return given


def _stored(name: str, cwd: str | None, allowed: AllowedDirs, stored: StoredSessions) -> tuple[str, str]:
    try:
        found = stored.find(name, allowed.base if cwd is None else allowed.resolve(cwd))
    except SessionError:
        raise HttpError(404, str(SessionNotFound.named(name))) from None
    return found.path, allowed.resolve(found.cwd if cwd is None else cwd)
