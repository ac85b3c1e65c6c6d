"""`Session`, `KeyValues` and `Secrets`: what is stored, in the groups `session` and `storage`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any


class Session:
    """`ext.session`. Entries are dictionaries as in `session.entries` of `zot_ext.protocol.calls`."""

    def __init__(self, call: Callable[..., dict[str, Any]]) -> None:
        self._call = call

    def info(self) -> dict[str, Any]:
        """Describe the session: `id`, `file`, `title`, `cwd`, `entry`, `messages`."""
        return self._call("session.info")

    def entries(
        self, *, kinds: Sequence[str] = (), custom_type: str = "", whole_tree: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Yield the entries of the current branch, or of the `whole_tree`, from the first on. `custom_type` leaves
        out all but the data of this type that this extension has stored with `append`."""
        after: str | None = None
        while True:
            page = self._call(
                "session.entries",
                kinds=list(kinds) or None,
                custom_type=custom_type or None,
                whole_tree=whole_tree or None,
                after=after,
            )
            yield from page["entries"]
            if not page["more"] or not page["entries"]:
                return
            after = page["entries"][-1]["id"]

    def entry(self, entry: str) -> dict[str, Any]:
        """Read an entry whole. Raises `HostError` (`not_found`)."""
        return self._call("session.entry", entry=entry)

    def append(self, custom_type: str, data: object) -> str:
        """Store data in the conversation, which models do not see; return the id of its entry."""
        return str(self._call("session.append", custom_type=custom_type, data=data)["id"])

    def label(self, entry: str, label: str) -> None:
        """Give an entry a label; an empty one removes it."""
        self._call("session.label", entry=entry, label=label)

    def rename(self, title: str) -> None:
        """Give the session a title; an empty one removes it."""
        self._call("session.rename", title=title)


class KeyValues:
    """`ext.kv`: JSON values that the extension keeps. `scope` is `global`, `project`, `session` or `process`."""

    def __init__(self, call: Callable[..., dict[str, Any]]) -> None:
        self._call = call

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


class Secrets:
    """`ext.secrets`: texts that zot keeps where it keeps the keys of providers."""

    def __init__(self, call: Callable[..., dict[str, Any]]) -> None:
        self._call = call

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
