"""`Session`, `KeyValues` and `Secrets`: what is stored, in the groups `session` and `storage`."""

from __future__ import annotations

from contextlib import contextmanager

from zot_ext.calls.caller import Calls, current_session
from zot_ext.calls.operations import SessionOperations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from zot_ext.protocol.answers import SessionItem, SessionPlace, StoredSessionInfo


class Session(SessionOperations):
    """`ext.session`. What it returns is in `zot_ext.protocol.answers`."""

    def entries(
        self,
        *,
        kinds: Sequence[str] = (),
        custom_type: str = "",
        whole_tree: bool = False,
        to: str = "",
        content: bool = False,
    ) -> Iterator[SessionItem]:
        """Yield the entries of the current branch, of the branch up to the entry `to`, or of the `whole_tree`, from the
        first on. `custom_type` leaves out all but the data of this type that this extension has stored with
        `append`. `content` adds the blocks of messages."""
        fields = {"whole_tree": whole_tree or None, "to": to or None, "content": content or None}
        return self._pages("session.entries", kinds, custom_type, **fields)

    def read(
        self, session: str, *, kinds: Sequence[str] = (), whole_tree: bool = False, content: bool = False
    ) -> Iterator[SessionItem]:
        """Yield the entries of a stored session, named by its id or path, as `entries` does. Raises `HostError`
        (`not_found`)."""
        fields = {"session": session, "whole_tree": whole_tree or None, "content": content or None}
        return self._pages("session.read", kinds, "", **fields)

    def _pages(self, method: str, kinds: Sequence[str], custom_type: str, **fields: object) -> Iterator[SessionItem]:
        after: str | None = None
        while True:
            page = self._call(method, kinds=list(kinds) or None, custom_type=custom_type or None, after=after, **fields)
            yield from page["entries"]
            if not page["more"] or not page["entries"]:
                return
            after = page["entries"][-1]["id"]

    def details(self) -> Iterator[dict[str, Any]]:
        """Yield the details that tools have kept with their results, in the current branch, from the first on."""
        for entry in self.entries(kinds=("tool",), content=True):
            yield from (block["details"] for block in entry.get("content", ()) if "details" in block)

    def list(self, *, scope: str = "cwd") -> Iterator[StoredSessionInfo]:
        """Yield the stored sessions of the folder, or of `all`, last used first."""
        after: str | None = None
        while True:
            page = self._call("session.list", scope=scope, after=after)
            yield from page["sessions"]
            if not page["next"]:
                return
            after = page["next"]

    @contextmanager
    def only(self, session: str) -> Iterator[None]:
        """Let the calls of a block fail with `stale_session` once another session than this one is open."""
        token = current_session.set(session)
        try:
            yield
        finally:
            current_session.reset(token)

    def new(self, messages: Sequence[Mapping[str, object] | str] = (), *, parent: bool = False) -> SessionPlace:
        """Continue with a new session, which begins with `messages`: texts of the user, or objects with `text` and
        `role`. This and the following changes work in handlers of commands; they return `session_id`, `entry` and
        `messages`, and raise `HostError`: `busy`, `denied` elsewhere, `unavailable` where sessions cannot change."""
        first = [{"text": each} if isinstance(each, str) else dict(each) for each in messages]
        answer: SessionPlace = self._call("session.new", messages=first or None, parent=parent or None)
        return answer

    def append(self, custom_type: str, data: object) -> str:
        """Store data in the conversation, which models do not see; return the id of its entry."""
        return str(self._call("session.append", custom_type=custom_type, data=data)["id"])


class KeyValues(Calls):
    """`ext.kv`: JSON values that the extension keeps. `scope` is `global`, `project`, `session` or `process`."""

    def get(self, key: str, default: Any = None, *, scope: str = "global") -> Any:
        """Return a value, or `default`."""
        value = self._call("kv.get", key=key, scope=scope)["value"]
        return default if value is None else value

    def set(self, key: str, value: object, *, scope: str = "global") -> None:
        """Keep a value, which must not be None."""
        self._call("kv.set", key=key, value=value, scope=scope)

    def delete(self, key: str, *, scope: str = "global") -> None:
        """Delete a value, if it exists."""
        self._call("kv.delete", key=key, scope=scope)

    def keys(self, *, scope: str = "global") -> list[str]:
        """List the keys."""
        return list(self._call("kv.keys", scope=scope)["keys"])


class Secrets(Calls):
    """`ext.secrets`: texts that zot keeps where it keeps the keys of providers."""

    def get(self, key: str) -> str | None:
        """Return a secret; None without one."""
        value = self._call("secret.get", key=key)["value"]
        return None if value is None else str(value)

    def set(self, key: str, value: str) -> None:
        """Keep a secret."""
        self._call("secret.set", key=key, value=value)

    def delete(self, key: str) -> None:
        """Delete a secret, if it exists."""
        self._call("secret.delete", key=key)

    def authorize(
        self,
        key: str,
        token_url: str,
        *,
        client_id: str = "",
        authorize_url: str = "",
        device_url: str = "",
        scope: str = "",
        title: str = "",
        refused: str = "",
        ask: bool = True,
        **more: object,
    ) -> str:
        """Return an access token for a service: the token kept under `key`, refreshed if it ends soon, else that
        of a new sign-in of the person, in a browser, or with a code if there is a `device_url`. `more` are
        `parameters`, `ports` and `path` of `auth.authorize` in `zot_ext.protocol.calls`. Raises `HostError`:
        `not_found` without `ask`, `cancelled`, `unavailable`, `failed`."""
        fields = {"client_id": client_id, "authorize_url": authorize_url, "device_url": device_url, "scope": scope}
        fields |= {"title": title, "refused": refused, "flow": "device" if device_url else ""}
        given = {name: text for name, text in fields.items() if text}
        return str(self._call("auth.authorize", key=key, token_url=token_url, ask=ask, **given, **more)["value"])
