"""`ConversationBranches`: going back in the session of a conversation."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from zot_core.agent.loop import run_work
from zot_core.agent.run import Run
from zot_core.conversation.events import SessionStart, SessionTreeMove
from zot_core.events import RunEnd
from zot_core.runtime.runtime import Runtime
from zot_provider.errors import ZotError
from zot_provider.messages import Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_core.checkpoints.compare import FileDiff
    from zot_core.runtime.restoring import Moved, Restore
    from zot_core.sessions.tree import SessionTree


class NotSummarised(ZotError):
    """The branch that is left was not summarised: the model failed, or was stopped."""


def position(runtime: Runtime, *, same: bool) -> SessionStart | SessionTreeMove:
    """Return the event for a conversation that continues elsewhere, in the `same` session or another one."""
    session_id, messages = runtime.state.session_id, runtime.messages
    return SessionTreeMove(session_id, messages[-1].id if messages else "") if same else SessionStart(session_id)


class ConversationBranches:
    """The entries of a conversation's session. The changes raise what those of `Runtime.branches` raise."""

    def __init__(
        self, runtime: Runtime, check_idle: Callable[[], None], moved: Callable[..., None],
        begin: Callable[[Callable[[], Coroutine[Any, Any, RunEnd]], str], Run],
    ) -> None:  # fmt: skip
        """`moved` is called after a change, with `same` for another entry of the same session. `begin` starts a run of
        other work."""
        self._runtime, self._check_idle, self._moved, self._begin = runtime, check_idle, moved, begin

    async def tree(self) -> "SessionTree":
        """See `Runtime.branches`."""
        return await self._runtime.branches.tree()

    async def go_to(self, entry: str, *, before: bool = False, summarise: bool = False) -> Message | None:
        """Continue after this entry, or with `before` after the one before it. Return its message, None for an entry
        without one. With `summarise` the model first writes a summary of what is left behind, as a run that can be
        stopped; raises `NotSummarised` if it did not, and nothing has changed then."""
        self._check_idle()
        summary = await self._summary(entry, before=before) if summarise else None
        message = await self._runtime.branches.go_to(entry, before=before, summary=summary)
        self._moved(same=True)
        return message

    async def go_back(
        self, entry: str, *, before: bool = False, restore: "Restore" = "both", force: bool = False,
        summarise: bool = False,
    ) -> "Moved":  # fmt: skip
        """Do what `go_to` does, with the files: see `RestoringBranches.go_back`."""
        self._check_idle()
        summary = None
        if summarise and restore != "files":
            if restore == "both" and not force:  # a summary that is then not used would cost money
                await self._runtime.branches.check_edited(entry, before=before)
            summary = await self._summary(entry, before=before)
        moved = await self._runtime.branches.go_back(
            entry, before=before, restore=restore, force=force, summary=summary
        )
        if restore != "files":
            self._moved(same=True)
        return moved

    async def files_to_restore(self, entry: str, *, before: bool = False) -> list[str]:
        """Return the paths of the files that `go_back` would restore."""
        return await self._runtime.branches.files_to_restore(entry, before=before)

    async def undo(self, *, force: bool = False) -> "Moved":
        """Go back to before the last prompt, with the files: see `RestoringBranches.undo`."""
        self._check_idle()
        moved = await self._runtime.branches.undo(force=force)
        self._moved(same=True)
        return moved

    async def redo(self, *, force: bool = False) -> "Moved":
        """Take back the last undo: see `RestoringBranches.redo`."""
        self._check_idle()
        moved = await self._runtime.branches.redo(force=force)
        self._moved(same=True)
        return moved

    async def diff(self) -> "list[FileDiff]":
        """Return what the session changed: see `RestoringBranches.diff`."""
        return await self._runtime.branches.diff()

    async def _summary(self, entry: str, *, before: bool) -> Message | None:
        written: list[Message | None] = []

        async def work() -> None:
            written.append(await self._runtime.branches.summary(entry, before=before))

        run = self._begin(lambda: run_work(self._runtime.agent, work()), "/tree")
        if await run.finished(run.cancel):
            raise asyncio.CancelledError
        if not written:
            raise NotSummarised("the branch was not summarised, so nothing has changed")
        return written[0]

    async def fork(self, entry: str = "", *, before: bool = False) -> None:
        """Continue in a copy of the session up to this entry, or of all of it."""
        self._check_idle()
        await self._runtime.branches.fork(entry, before=before)
        self._moved()

    def label(self, entry: str, text: str) -> None:
        """Give an entry a label, or remove it with an empty text."""
        self._runtime.branches.label(entry, text)
