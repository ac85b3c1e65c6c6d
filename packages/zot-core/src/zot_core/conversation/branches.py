"""`ConversationBranches`: going back in the session of a conversation."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeVar

from zot_core.agent.loop import run_work
from zot_core.agent.run import Run
from zot_core.aio import finish, spawn
from zot_core.conversation.events import SessionReason, SessionStart, SessionTreeMove
from zot_core.errors import Refused
from zot_core.events import RunEnd
from zot_core.hooks import SessionChange, TreeMove
from zot_core.printable import first_line
from zot_core.runtime.runtime import Runtime
from zot_provider.errors import ZotError
from zot_provider.messages import Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_core.checkpoints.compare import FileDiff
    from zot_core.runtime.restoring import Moved, Restore
    from zot_core.sessions.tree import SessionTree

T = TypeVar("T")


class NotSummarised(ZotError):
    """The branch that is left was not summarised: the model failed."""


class SummaryStopped(NotSummarised):
    """Somebody has stopped the run that writes the summary."""


class NotAllowed(ZotError):
    """A hook does not allow the conversation to continue elsewhere."""


def position(runtime: Runtime, reason: SessionReason | Literal["same"]) -> SessionStart | SessionTreeMove:
    """Return the event for a conversation that continues elsewhere, in the `same` session or another one."""
    session_id, messages = runtime.state.session_id, runtime.messages
    if reason == "same":
        return SessionTreeMove(session_id, messages[-1].id if messages else "")
    return SessionStart(session_id, reason)


class ConversationBranches:
    """The entries of a conversation's session. The changes raise the errors of `Runtime.branches`."""

    def __init__(
        self, runtime: Runtime, check_idle: Callable[[], None],
        moved: Callable[[SessionReason | Literal["same"]], None],
        begin: Callable[[Callable[[], Coroutine[Any, Any, RunEnd]], str], Run],
    ) -> None:  # fmt: skip
        """`moved` is called after a change, with what has changed. `begin` starts a run of other work."""
        self._runtime, self._check_idle, self._moved, self._begin = runtime, check_idle, moved, begin

    async def tree(self) -> "SessionTree":
        return await self._runtime.branches.tree()

    async def go_to(
        self, entry: str, *, before: bool = False, summarise: bool = False, instructions: str = ""
    ) -> Message | None:
        """Continue after this entry, or with `before` after the one before it. Return its message, None for an entry
        without one. With `summarise` the model first writes a summary of what is left behind, as a run that can be
        stopped; `instructions` say what it must keep. Raises `NotSummarised` if it did not, and nothing has changed
        then."""
        self._check_idle()
        move = await self._ask(entry, before=before, summarise=summarise, instructions=instructions)
        moving = self._runtime.branches.go_to(entry, before=before, summary=await self._summary(move))
        message = await self._whole(moving, "same")
        if move.label:
            await self.label(entry, move.label)
        return message

    async def go_back(
        self, entry: str, *, before: bool = False, restore: "Restore" = "both", force: bool = False,
        stop_jobs: bool = False, summarise: bool = False, instructions: str = "", label: str = "",
    ) -> "Moved":  # fmt: skip
        """Do what `go_to` does, with the files: see `RestoringBranches.go_back`. `label` is that of the entry at which
        the conversation then continues, the summary if there is one."""
        self._check_idle()
        if restore == "files":
            moving = self._runtime.branches.go_back(
                entry, before=before, restore=restore, force=force, stop_jobs=stop_jobs
            )
            return await self._whole(moving, "same", moved=False)
        if summarise and restore == "both" and not force:  # a summary that is then not used would cost money
            await self._runtime.branches.check_edited(entry, before=before, stop_jobs=stop_jobs)
        move = await self._ask(entry, before=before, summarise=summarise, instructions=instructions)
        summary = await self._summary(move)
        moving = self._runtime.branches.go_back(
            entry, before=before, restore=restore, force=force, stop_jobs=stop_jobs, summary=summary
        )
        moved = await self._whole(moving, "same")
        if move.label:
            await self.label(entry, move.label)
        if label and (current := (await self.tree()).current):
            await self.label(current, label)
        return moved

    async def files_to_restore(self, entry: str, *, before: bool = False) -> list[str]:
        """Return the paths of the files that `go_back` would restore."""
        return await self._runtime.branches.files_to_restore(entry, before=before)

    async def undo(self, *, force: bool = False, stop_jobs: bool = False) -> "Moved":
        """Go back to before the last prompt, with the files: see `RestoringBranches.undo`."""
        self._check_idle()
        return await self._whole(self._runtime.branches.undo(force=force, stop_jobs=stop_jobs), "same")

    async def redo(self, *, force: bool = False, stop_jobs: bool = False) -> "Moved":
        """Take back the last undo: see `RestoringBranches.redo`."""
        self._check_idle()
        return await self._whole(self._runtime.branches.redo(force=force, stop_jobs=stop_jobs), "same")

    async def diff(self) -> "list[FileDiff]":
        """Return what the session changed: see `RestoringBranches.diff`."""
        return await self._runtime.branches.diff()

    async def _whole(
        self, change: Coroutine[Any, Any, T], reason: SessionReason | Literal["same"], *, moved: bool = True
    ) -> T:
        """Make a change and report it, even if the caller is cancelled: half of one leaves a file that nobody has."""

        async def work() -> T:
            result = await change
            if moved:
                self._moved(reason)
            return result

        task = spawn(work(), "change of the session")
        cancelled = await finish(task)
        result = task.result()
        if cancelled:
            raise asyncio.CancelledError
        return result

    async def _ask(self, entry: str, *, before: bool, summarise: bool, instructions: str = "") -> TreeMove:
        """Return the move as hooks change it. Raises `NotAllowed` if one of them stops it."""
        messages = self._runtime.messages
        move = TreeMove(entry, before, messages[-1].id if messages else "", summarise, instructions)
        try:
            move = await self._runtime.hooks.tree_move.apply(move)
        except Refused as refused:
            raise NotAllowed(str(refused)) from None
        self._check_idle()
        return move

    async def _summary(self, move: TreeMove) -> Message | None:
        """Return the summary that becomes the next entry; None for none."""
        if move.summary:
            from zot_core.compaction.branch import summary_message  # noqa: PLC0415  few branches are summarised

            return summary_message(move.summary, 0)
        entry, before, instructions = move.target, move.before, move.instructions
        if not move.summarise:
            return None
        written: list[Message | None] = []

        async def work() -> None:
            written.append(await self._runtime.branches.summary(entry, before=before, instructions=instructions))

        (await self.tree()).node(entry)  # raises `UnknownEntry`
        self._check_idle()
        if self._runtime.agent.busy:  # the running command waits for this, so it cannot be another run
            await work()
            return written[0]
        run = self._begin(lambda: run_work(self._runtime.agent, work()), "/tree")
        if await run.finished(run.cancel):
            raise asyncio.CancelledError
        if not written and run.cancelled:
            raise SummaryStopped("the summary was stopped, so nothing has changed")
        if not written:
            raise NotSummarised("the branch was not summarised, so nothing has changed")
        return written[0]

    async def allow(self, change: SessionChange) -> None:
        """Raise `NotAllowed` if a hook does not allow the conversation to continue in another session, and `Busy`."""
        self._check_idle()
        refusal = await self._runtime.hooks.session_change.ask(change)
        if refusal is not None:
            raise NotAllowed(refusal.reason)
        self._check_idle()

    async def clear(self) -> None:
        """Clear the history: see `Runtime.clear`. Raises `NotAllowed` if a hook stops that, as it would stop a new
        session."""
        await self.allow(SessionChange("new"))
        self._runtime.clear()
        self._moved("same")

    async def fork(self, entry: str = "", *, before: bool = False) -> None:
        """Continue in a copy of the session up to this entry, or of all of it."""
        self._check_idle()
        await self.allow(SessionChange("fork", entry, before))
        await self._whole(self._runtime.branches.fork(entry, before=before), "fork")

    async def label(self, entry: str, text: str) -> None:
        """Give an entry a label, the `first_line` of a text, or remove it with an empty one. Raises `UnknownEntry`."""
        (await self.tree()).node(entry)
        self._runtime.branches.label(entry, first_line(text))
