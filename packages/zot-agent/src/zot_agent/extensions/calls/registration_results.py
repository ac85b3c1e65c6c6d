"""`RegistrationResults`: says to an extension what became of its commands and tools."""

from collections.abc import Callable

from zot_agent.extensions.registry import ExtensionRegistry
from zot_ext.protocol.from_host import RegistrationResult


class RegistrationResults:
    """The names that the extension at `position` in the load order has registered; `send` tells it of them."""

    def __init__(self, send: Callable[[RegistrationResult], None], position: int, registry: ExtensionRegistry) -> None:
        self._send, self._position, self._registry = send, position, registry
        self._sent: dict[tuple[str, str], str] = {}

    def add(self, kind: str, name: str) -> None:
        """Note a command or a tool; `report` sends what became of it."""
        self._sent[kind, name.removeprefix("/")] = ""

    def accepted(self, kind: str, name: str) -> None:
        """Send that a name is registered which no other extension can have."""
        self._send(RegistrationResult(kind, name, "ok"))

    def rejected(self, kind: str, name: str, reason: str) -> None:
        """Send that a name cannot be registered."""
        self._send(RegistrationResult(kind, name, "rejected", reason))

    def report(self) -> None:
        """Send what has changed: the owner of a name may have come or gone."""
        tools = {offer.name: position for position, offer in self._registry.tools()}
        for (kind, name), before in self._sent.items():
            command = self._registry.command(name) if kind == "command" else None
            owner = tools.get(name) if kind == "tool" else command[0] if command is not None else None
            status = "ok" if owner == self._position else "shadowed"
            if status == before:
                continue
            self._sent[kind, name] = status
            reason = (
                "" if status == "ok" else "zot or an extension that is loaded before has a " + kind + " of this name"
            )
            self._send(RegistrationResult(kind, name, status, reason))
