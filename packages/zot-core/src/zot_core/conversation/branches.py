"""`ConversationBranches`: going back in the session of a conversation."""

from collections.abc import Callable

from zot_core.conversation.events import SessionStart, SessionTreeMove
from zot_core.runtime.runtime import Runtime
from zot_core.sessions.tree import SessionTree
from zot_provider.messages import Message


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

    async def go_to(self, entry: str, *, before: bool = False) -> Message | None:
        """Continue after this entry, or with `before` after the one before it. Return its message, None for an entry
        without one."""
        self._check_idle()
        message = await self._runtime.branches.go_to(entry, before=before)
        self._moved(same=True)
        return message

    async def fork(self, entry: str = "", *, before: bool = False) -> None:
        """Continue in a copy of the session up to this entry, or of all of it."""
        self._check_idle()
        await self._runtime.branches.fork(entry, before=before)
        self._moved()

    def label(self, entry: str, text: str) -> None:
        """Give an entry a label, or remove it with an empty text."""
        self._runtime.branches.label(entry, text)
