"""`OwnRegistrations`: what one extension has registered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from zot_agent.extensions.hooks.subscription import accepted, not_permitted
from zot_agent.extensions.registry import ExtensionRegistry, NameConflict, RegistrationError, ToolOffer
from zot_ext.protocol.permissions import granted

if TYPE_CHECKING:
    from zot_agent.extensions.calls.registration_results import RegistrationResults
    from zot_agent.extensions.discover import DiscoveredExtension
    from zot_ext.protocol.from_host import RegistrationResult


class OwnRegistrations:
    """The commands and events of the extension `found`, which is at `position` in the load order.

    `changed` is called when names or subscriptions have changed, `name_taken` when it cannot have a name.
    """

    def __init__(
        self,
        position: int,
        found: DiscoveredExtension,
        registry: ExtensionRegistry,
        log: Callable[[str], None],
        changed: Callable[[], None],
        name_taken: Callable[[NameConflict], None],
    ) -> None:
        self.position, self.name, self.permissions = position, found.name, found.permissions
        self.observes: set[str] = set()
        self.intercepts: set[str] = set()
        self.conflicts: list[NameConflict] = []
        """Names that it could not have."""
        self.results: RegistrationResults | None = None
        """The outcome of its registrations, if it wants to know."""
        self.loading = False
        """Whether they come from its last run, and the caller says that they have changed."""
        self.log, self._registry, self._changed, self._name_taken = log, registry, changed, name_taken

    def report_to(self, send: Callable[[RegistrationResult], None]) -> None:
        """Say to a process of the extension, with `send`, what becomes of its registrations."""
        from zot_agent.extensions.calls.registration_results import RegistrationResults  # noqa: PLC0415  few ask

        self.results = RegistrationResults(send, self.position, self._registry)

    def add_command(self, name: str, description: str, *, hidden: bool) -> None:
        try:
            if not granted(name.removeprefix("/"), self.permissions.commands):
                raise RegistrationError(not_permitted(f"the command {name!r}", "commands"))
            conflict = self._registry.add_command(self.position, self.name, name, description, hidden=hidden)
        except RegistrationError as error:
            self.refuse("command", name, str(error))
        else:
            self.registered("command", name, conflict)

    def add_tool(self, offer: ToolOffer) -> None:
        if not granted(offer.name, self.permissions.tools):
            self.refuse("tool", offer.name, not_permitted(f"the tool {offer.name!r}", "tools"))
            return
        self.registered("tool", offer.name, self._registry.add_tool(self.position, offer))
        if self._registry.replaces(self.position, offer.name):
            self._name_taken(NameConflict(self.position, f"the tool {offer.name} takes the place of zot's own"))

    @property
    def has_tools(self) -> bool:
        """Whether the model can have a tool of it."""
        return any(position == self.position for position, _ in self._registry.tools())

    def remove_tool(self, name: str) -> None:
        if self._registry.remove_tool(self.position, name):
            self._changed()

    def give_up(self, commands: Iterable[str], tools: Iterable[str], events: Iterable[str]) -> None:
        """Take back what it has not registered again, in lower case for commands."""
        for name in commands:
            self._registry.remove_command(self.position, name)
        for name in tools:
            self._registry.remove_tool(self.position, name)
        self.observes -= {*events}

    def subscribe(self, events: Iterable[str], intercept: Iterable[str], groups: Collection[str]) -> set[str]:
        """Subscribe to what an extension with these groups may have; return what of `intercept` that is."""
        observes, intercepts = accepted(events, intercept, groups, self.permissions, self.refuse)
        self.observes |= observes
        self.intercepts |= intercepts
        return intercepts

    def refuse(self, kind: str, name: str, why: str) -> None:
        """Log that something cannot be registered, and say so to the extension."""
        self.log(why)
        if self.results is not None:
            self.results.rejected(kind, name, why)

    def accept(self, kind: str, name: str) -> None:
        """Say to the extension that a name is registered which no other one can have."""
        if self.results is not None:
            self.results.accepted(kind, name)

    def registered(self, kind: str, name: str, conflict: NameConflict | None) -> None:
        """Note a command or a tool that has been registered."""
        if self.results is not None:
            self.results.add(kind, name)
        if conflict is not None:
            self._name_taken(conflict)
        self.change()

    def change(self) -> None:
        """Names or subscriptions have changed."""
        if not self.loading:
            self._changed()

    def end(self, intercepts: set[str]) -> None:
        """Take back everything but `intercepts`."""
        self.observes, self.intercepts = set(), intercepts
        self._registry.drop(self.position)
