"""`BroughtResources`: the skills, prompt templates and themes that programs of extensions bring while they run."""

import asyncio
from collections.abc import Sequence

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.discover import ResourcePaths, ResourceUse
from zot_agent.extensions.managed import ManagedExtension
from zot_core.aio import spawn


class BroughtResources:
    """The resources of running extensions, and of remembered ones before they run."""

    def __init__(self, members: Sequence[ManagedExtension], users: ResourceUse | None) -> None:
        """`members` are the active extensions, which may change. `users` uses what they bring; without it they can
        bring nothing."""
        self._members, self.users = members, users
        self.ending: Sequence[ManagedExtension] = ()
        """Extensions that are being stopped. They may still say what they bring, for the next run."""
        self._reading: asyncio.Task[None] | None = None

    def remembered(self) -> None:
        """Read what remembered extensions brought in their last run."""
        if self.users is not None and any(each.late is not None and each.found.brings for each in self._members):
            self._reading = spawn(self.users.changed(), "resources of the last run")

    async def use(self) -> None:
        """Use what was read, before the first model call of a run."""
        if self._reading is not None:
            await asyncio.wait([self._reading])
        if self.users is not None:
            self.users.use()

    async def set(self, connection: Connection, paths: ResourcePaths) -> None:
        """An extension brings these in place of the ones of an earlier call; return when they can be used."""
        member = self._owner(connection)
        if member is None or self.users is None:
            return
        member.found.bring(paths)
        if member.memory is not None:
            member.memory.stored.brings = paths
        if member in self._members:
            await self.users.changed()

    def folders(self, connection: Connection) -> list[str]:
        member = self._owner(connection)
        return [] if member is None else [part.directory for part in member.found.parts]

    def forget_ended(self) -> None:
        for member in self._members:
            gone = not member.running and member.late is None and member.found.bring(ResourcePaths())
            if gone and self.users is not None:
                spawn(self.users.changed(), f"resources of {member.name}")

    def _owner(self, connection: Connection) -> ManagedExtension | None:
        return next((each for each in (*self._members, *self.ending) if each.connection is connection), None)
