"""`RestoringBranches`: going back in a session with the files that the agent changed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from zot_core.agent import Agent
from zot_core.checkpoints.compare import FileDiff
from zot_core.checkpoints.restore import FileHistory, Restoration, RestorePlan
from zot_core.checkpoints.watch import Checkpoints
from zot_core.errors import Busy, FilesEdited, JobsRunning, NothingToRestore
from zot_core.printable import printable_line
from zot_core.runtime.branches import Branches
from zot_core.sessions.recorder import Recorder
from zot_core.sessions.tree import SessionTree
from zot_provider.messages import Message
from zot_provider.record import Record, field

Restore: TypeAlias = Literal["both", "conversation", "files"]
"""The changes of going back."""


class Moved(Record):
    """A change of the entry at which the conversation continues. `message` is that of the entry, None for an entry
    without one. `restored` are the paths of the files that were restored, `problems` are lines about files that could
    not be."""

    message: Message | None = None
    restored: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class _Undone(Record):
    """An undo that can be taken back: the last entry before it and after it, and the files that it restored."""

    old: str
    new: str
    files: list[Restoration]


class RestoringBranches(Branches):
    """`Branches` that can restore files too. Raises what `Branches` raises."""

    def __init__(
        self,
        agent: Agent,
        recorder: Recorder,
        check_idle: Callable[[], None],
        name_model: Callable[[], Awaitable[None]],
        checkpoints: Checkpoints | None = None,
    ) -> None:
        """Without `checkpoints` no file is restored. For the others see `Branches`."""
        super().__init__(agent, recorder, check_idle, name_model)
        self._checkpoints = checkpoints
        self._undone: list[_Undone] = []
        self._restoring = False

    async def go_back(
        self,
        entry: str,
        *,
        before: bool = False,
        restore: Restore = "both",
        force: bool = False,
        stop_jobs: bool = False,
        summary: Message | None = None,
    ) -> Moved:
        """Do what `go_to` does; `restore` says what goes back: the conversation, the files to what they were at the
        entry, or both. Raises `FilesEdited`, and changes nothing, if a file has other contents than the agent left,
        unless `force` is set. With files, raises `JobsRunning`, and changes nothing, while a job of the conversation
        runs, because it could change files meanwhile and nobody would know of it; `stop_jobs` ends jobs first."""

        async def move() -> Message | None:
            return await self.go_to(entry, before=before, summary=summary)

        with self._alone():
            if restore == "conversation":
                return Moved(await move())
            tree, plan = await self._way(entry, before=before)
            await self._end_jobs(stop=stop_jobs)
            return (await self._restore(tree, plan, move if restore == "both" else None, force=force))[0]

    async def files_to_restore(self, entry: str, *, before: bool = False) -> list[str]:
        """Return the paths of the files that `go_back` would restore."""
        return [each.path for each in await self._planned(entry, before=before)]

    async def check_edited(self, entry: str, *, before: bool = False, stop_jobs: bool = False) -> None:
        """Raise `FilesEdited` or `JobsRunning` if `go_back` would without `force`."""
        await self._end_jobs(stop=stop_jobs)
        planned = await self._planned(entry, before=before)
        if edited := [each.path for each in planned if each.edited]:
            raise FilesEdited(edited)

    async def _planned(self, entry: str, *, before: bool) -> list[Restoration]:
        if self._checkpoints is None:
            return []
        tree, make_plan = await self._way(entry, before=before)
        async with self._checkpoints.ready() as make_history:
            return (await asyncio.to_thread(make_plan, await make_history(tree))).files

    async def undo(self, *, force: bool = False, stop_jobs: bool = False) -> Moved:
        """Go back to before the last prompt, with the files. Raises what `go_back` raises."""
        with self._alone():
            tree = await self.tree()
            path = tree.path()
            at = await asyncio.to_thread(_last_prompt, tree, path)
            if at < 0:
                raise NothingToRestore("there is no prompt to undo")
            await self._end_jobs(stop=stop_jobs)
            moved, files = await self._restore(
                tree,
                lambda history: history.plan(reversed(path[at:]), ()),
                lambda: self.go_to(path[at], before=True),
                force=force,
            )
            self._undone.append(_Undone(path[-1], tree.node(path[at]).parent, files))
            return moved

    async def redo(self, *, force: bool = False, stop_jobs: bool = False) -> Moved:
        """Take back the last undo, if nothing was asked since. Raises what `go_back` raises."""
        with self._alone():
            tree = await self.tree()
            if not self._undone or self._undone[-1].new != tree.current:
                raise NothingToRestore("there is nothing to redo")
            undone = self._undone[-1]
            await self._end_jobs(stop=stop_jobs)

            def plan(history: FileHistory) -> RestorePlan:
                found = history.plan((), ())
                for each in undone.files:
                    history.add(found, each.path, each.now, {each.target})
                return found

            moved, _ = await self._restore(tree, plan, lambda: self.go_to(undone.old), force=force)
            self._undone.pop()
            return moved

    async def diff(self) -> list[FileDiff]:
        """Return the files that differ from what they were before the session, by path. Changes of all its branches
        count, and what the person changed in these files since."""
        from zot_core.checkpoints.compare import compare  # noqa: PLC0415  not before the first request

        if self._checkpoints is None:
            return []
        tree = await self.tree()
        async with self._checkpoints.ready() as make_history:
            history = await make_history(tree)
        return await compare(history)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuse to go back while the block does."""
        self._check_idle()
        if self._restoring:
            raise Busy("going back is not done yet; try again")
        self._restoring = True
        try:
            yield
        finally:
            self._restoring = False

    async def _end_jobs(self, *, stop: bool) -> None:
        """End the jobs of the conversation; raise `JobsRunning` if there are some that must not be stopped."""
        jobs = self._agent.context.jobs
        running = jobs.running
        if running and not stop:
            raise JobsRunning([job.id for job in running], printable_line(running[0].command))
        for job in running:
            await jobs.stop(job)

    async def _way(self, entry: str, *, before: bool) -> tuple[SessionTree, Callable[[FileHistory], RestorePlan]]:
        """Return the tree, and what plans the changes of files between the current entry and another one."""
        tree = await self.tree()
        node = tree.node(entry)
        target = node.parent if before else entry
        old, new = tree.path(), tree.path(target) if target else []
        kept = set(old).intersection(new)
        left, entered = [id for id in reversed(old) if id not in kept], [id for id in new if id not in kept]
        return tree, lambda history: history.plan(left, entered)

    async def _restore(
        self,
        tree: SessionTree,
        make_plan: Callable[[FileHistory], RestorePlan],
        move: Callable[[], Awaitable[Message | None]] | None,
        *,
        force: bool,
    ) -> tuple[Moved, list[Restoration]]:
        """Carry out a plan, after `move` has moved the conversation."""
        checkpoints = self._checkpoints
        if checkpoints is None:
            if move is None:
                raise NothingToRestore("no files are saved here")
            return Moved(await move()), []
        async with checkpoints.ready() as make_history:
            history = await make_history(tree)
            plan = await asyncio.to_thread(make_plan, history)
            if plan.edited and not force:
                raise FilesEdited(plan.edited)
            self._check_idle()
            message = None if move is None else await move()
            done = await asyncio.to_thread(history.restore, plan)
        return Moved(message, [each.path for each in done], plan.problems), done


def _last_prompt(tree: SessionTree, path: list[str]) -> int:
    """Return the place of the last prompt in a path, -1 if it has none. Raises `SessionError`."""
    after = ""  # the kind of the next entry that models see
    for at in reversed(range(len(path))):
        kind = tree.node(path[at]).kind
        found = tree.message(path[at]) if kind == "user" else None
        # A hidden message, such as the news of a command in the background, is no prompt; nor is a message of an
        # extension without an answer.
        if found is not None and not found.hidden and (after == "assistant" or not found.extension):
            return at
        after = after if kind == "custom" else kind
    return -1
