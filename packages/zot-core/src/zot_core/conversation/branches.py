"""`ConversationBranches`: going back in the session of a conversation."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from zot_core.conversation.events import SessionStart, SessionTreeMove
from zot_core.runtime.runtime import Runtime
from zot_core.sessions.tree import SessionTree

if TYPE_CHECKING:
    from zot_core.checkpoints.compare import FileDiff
    from zot_core.runtime.branches import Moved, Restore


def position(runtime: Runtime, *, same: bool) -> SessionStart | SessionTreeMove:
    """Return the event for a conversation that continues elsewhere, in the `same` session or another one."""
    session_id, messages = runtime.state.session_id, runtime.messages
    return SessionTreeMove(session_id, messages[-1].id if messages else "") if same else SessionStart(session_id)


class ConversationBranches:
    """The entries of a conversation's session. The changes raise what those of `Runtime.branches` raise."""

    def __init__(self, runtime: Runtime, check_idle: Callable[[], None], moved: Callable[..., None]) -> None:
        """`moved` is called after a change, with `same` for another entry of the same session."""
        self._runtime, self._check_idle, self._moved = runtime, check_idle, moved

    async def tree(self) -> SessionTree:
        """See `Runtime.branches`."""
        return await self._runtime.branches.tree()

    async def go_to(
        self, entry: str, *, before: bool = False, restore: "Restore" = "conversation", force: bool = False
    ) -> "Moved":
        """Continue after this entry, or with `before` after the one before it: see `Branches.go_to`."""
        self._check_idle()
        moved = await self._runtime.branches.go_to(entry, before=before, restore=restore, force=force)
        if restore != "files":
            self._moved(same=True)
        return moved

    async def files_to_restore(self, entry: str, *, before: bool = False) -> list[str]:
        """Return the paths of the files that `go_to` would restore."""
        return await self._runtime.branches.files_to_restore(entry, before=before)

    async def undo(self, *, force: bool = False) -> "Moved":
        """Go back to before the last prompt: see `Branches.undo`."""
        self._check_idle()
        moved = await self._runtime.branches.undo(force=force)
        self._moved(same=True)
        return moved

    async def redo(self, *, force: bool = False) -> "Moved":
        """Take back the last undo: see `Branches.redo`."""
        self._check_idle()
        moved = await self._runtime.branches.redo(force=force)
        self._moved(same=True)
        return moved

    async def diff(self) -> "list[FileDiff]":
        """Return what the session changed: see `Branches.diff`."""
        return await self._runtime.branches.diff()

    async def fork(self, entry: str = "", *, before: bool = False) -> None:
        """Continue in a copy of the session up to this entry, or of all of it."""
        self._check_idle()
        await self._runtime.branches.fork(entry, before=before)
        self._moved()

    def label(self, entry: str, text: str) -> None:
        """Give an entry a label, or remove it with an empty text."""
        self._runtime.branches.label(entry, text)
