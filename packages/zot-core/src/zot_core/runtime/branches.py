"""`Branches`: the entries of a runtime's session, and going back to them, with the files or without."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from zot_core.agent import Agent
from zot_core.errors import Busy, FilesEdited, SessionError
from zot_core.sessions import branch
from zot_core.sessions.file import SessionFile, StoredSession
from zot_core.sessions.memory import MemorySession, UnknownEntry
from zot_core.sessions.recorder import Recorder
from zot_core.sessions.rows import CustomEntry, Label
from zot_core.sessions.store import new_session
from zot_core.sessions.tree import SessionTree
from zot_provider.messages import Message, new_entry_id
from zot_provider.record import Record, field, record
from zot_provider.usage import Usage

if TYPE_CHECKING:
    from zot_core.checkpoints.compare import FileDiff
    from zot_core.checkpoints.restore import FileHistory, Restoration, RestorePlan
    from zot_core.checkpoints.watch import Checkpoints

Restore: TypeAlias = Literal["both", "conversation", "files"]
"""What going back changes."""


@record
class Moved(Record):
    """A change of the entry at which the conversation continues. `message` is that of the entry, None for an entry
    without one. `restored` are the paths of the files that were restored, `problems` are lines about files that could
    not be."""

    message: Message | None = None
    restored: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@record
class _Undone(Record):
    """An undo that can be taken back: the last entry before it and after it, and the files that it restored."""

    old: str
    new: str
    files: "list[Restoration]"


class Branches:
    """Reads the entries of a session, of all its branches, and changes the entry at which the conversation continues.

    Nothing is lost by going back: the entries after it stay in the tree. The changes require an idle agent: they raise
    `Busy`, `Closed`, `UnknownEntry` and `SessionError`, and nothing has changed then.
    """

    def __init__(
        self,
        agent: Agent,
        recorder: Recorder,
        check_idle: Callable[[], None],
        checkpoints: "Checkpoints | None" = None,
    ) -> None:
        """Without `checkpoints` no file is restored."""
        self._agent, self._recorder, self._check_idle = agent, recorder, check_idle
        self._checkpoints = checkpoints
        self._undone: list[_Undone] = []
        self._moving = False

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuse other changes of the entry while the block makes one."""
        self._check_idle()
        if self._moving:
            raise Busy("another change of the conversation is not done yet; try again")
        self._moving = True
        try:
            yield
        finally:
            self._moving = False

    async def tree(self) -> SessionTree:
        """Return the entries of the session. Reads files, in a thread."""
        session = self._recorder.session
        if isinstance(session, MemorySession):
            return session.tree
        return await asyncio.to_thread(branch.read_family, session)

    async def go_to(
        self, entry: str, *, before: bool = False, restore: Restore = "conversation", force: bool = False
    ) -> Moved:
        """Continue after this entry, or with `before` after the one before it, to ask something else. The model, the
        tools and the usage stay.

        `restore` says what goes back: the conversation, the files to what they were there, or both. Raises
        `FilesEdited`, and changes nothing, if a file has other contents than the agent left, unless `force` is set.
        """
        with self._alone():
            if restore == "conversation":
                return Moved(await self._go_to(entry, before=before))
            tree, plan = await self._way(entry, before=before)
            move = (entry, before) if restore == "both" else None
            return (await self._restore(tree, plan, move, force=force))[0]

    async def files_to_restore(self, entry: str, *, before: bool = False) -> list[str]:
        """Return the paths of the files that `go_to` would restore."""
        if self._checkpoints is None:
            return []
        tree, make_plan = await self._way(entry, before=before)
        async with self._checkpoints.ready() as make_history:
            plan = await asyncio.to_thread(make_plan, await make_history(tree))
        return [each.path for each in plan.files]

    async def _way(self, entry: str, *, before: bool) -> "tuple[SessionTree, Callable[[FileHistory], RestorePlan]]":
        """Return the tree, and what plans the changes of files between the current entry and another one."""
        tree = await self.tree()
        if entry not in tree.entries:
            raise UnknownEntry(f"the session has no entry {entry!r}")
        target = tree.entries[entry].parent if before else entry
        old, new = tree.path(), tree.path(target) if target else []
        kept = set(old).intersection(new)
        left, entered = [id for id in reversed(old) if id not in kept], [id for id in new if id not in kept]
        return tree, lambda history: history.plan(left, entered)

    async def undo(self, *, force: bool = False) -> Moved:
        """Go back to before the last prompt, with the files. Raises what `go_to` raises."""
        with self._alone():
            tree = await self.tree()
            path = tree.path()
            at = next((at for at in reversed(range(len(path))) if tree.entries[path[at]].kind == "user"), -1)
            if at < 0:
                raise SessionError("there is no prompt to undo")
            moved, files = await self._restore(
                tree, lambda history: history.plan(reversed(path[at:]), ()), (path[at], True), force=force
            )
            self._undone.append(_Undone(path[-1], tree.entries[path[at]].parent, files))
            return moved

    async def redo(self, *, force: bool = False) -> Moved:
        """Take back the last undo, if nothing was asked since. Raises what `go_to` raises."""
        with self._alone():
            tree = await self.tree()
            if not self._undone or self._undone[-1].new != tree.current:
                raise SessionError("there is nothing to redo")
            undone = self._undone[-1]

            def plan(history: "FileHistory") -> "RestorePlan":
                found = history.plan((), ())
                for each in undone.files:
                    history.add(found, each.path, each.now, {each.target})
                return found

            moved, _ = await self._restore(tree, plan, (undone.old, False), force=force)
            self._undone.pop()
            return moved

    async def diff(self) -> "list[FileDiff]":
        """Return the files that differ from what they were before the session, by path. Changes of all its branches
        count, and what the person changed in these files since."""
        from zot_core.checkpoints.compare import compare  # noqa: PLC0415  not before the first request

        if self._checkpoints is None:
            return []
        tree = await self.tree()
        async with self._checkpoints.ready() as make_history:
            history = await make_history(tree)
        return await compare(history)

    async def _restore(
        self,
        tree: SessionTree,
        make_plan: "Callable[[FileHistory], RestorePlan]",
        move: tuple[str, bool] | None,
        *,
        force: bool,
    ) -> "tuple[Moved, list[Restoration]]":
        """Carry out a plan, after the conversation has moved to an entry, or before it."""
        checkpoints = self._checkpoints
        if checkpoints is None:
            if move is None:
                raise SessionError("no files are saved here")
            return Moved(await self._go_to(move[0], before=move[1])), []
        async with checkpoints.ready() as make_history:
            history = await make_history(tree)
            plan = await asyncio.to_thread(make_plan, history)
            if plan.edited and not force:
                raise FilesEdited(plan.edited)
            message = None if move is None else await self._go_to(move[0], before=move[1])
            done = await asyncio.to_thread(history.restore, plan)
        return Moved(message, [each.path for each in done], plan.problems), done

    async def _go_to(self, entry: str, *, before: bool) -> Message | None:
        session, usage = self._recorder.session, self._agent.usage
        if isinstance(session, MemorySession):
            messages = session.go_to(entry, before=before)
            self._agent.start_over(messages, usage)
            return session.tree.message(entry)
        tree = await self._tree(session, entry)
        found = await asyncio.to_thread(branch.find_branch, session, tree, entry, before=before)
        message = await asyncio.to_thread(tree.message, entry)
        if found.path == session.path and not found.copied:  # a branch without a file reserves no name
            return message
        if found.path:
            opened, stored = await self._open(found, session)
        else:
            opened = branch.empty_branch(session)
            stored = StoredSession(opened.meta)
        self._recorder.session = opened
        self._agent.start_over(stored.messages, usage)
        if stored.usage != usage:  # of all branches
            opened.usage(Usage(), usage)
        await asyncio.to_thread(branch.leave_branch, session)
        return message

    async def fork(self, entry: str = "", *, before: bool = False) -> None:
        """Copy the conversation up to this entry, by default all of it, or with `before` up to the one before it, into
        a session of its own, and continue there. The session is left as it is."""
        with self._alone():
            await self._fork(entry, before=before)

    async def _fork(self, entry: str, *, before: bool) -> None:
        session = self._recorder.session
        if isinstance(session, MemorySession):
            messages = session.go_to(entry, before=before) if entry else self._agent.history.messages
            self.enter(None, None)
            for message in messages:
                self._agent.history.append(message)
            return
        tree = await self._tree(session, entry)
        entry = entry or tree.current
        path = ""
        if entry:
            path = await asyncio.to_thread(branch.copy_entry, session, tree, entry, before=before, fork=True)
        if path:
            self.enter(*await self._open(branch.Found(path, copied=True), session))
        else:
            self.start_new()

    async def _tree(self, session: SessionFile, entry: str) -> SessionTree:
        tree = await asyncio.to_thread(branch.read_family, session)
        if entry and entry not in tree.entries:
            raise UnknownEntry(f"the session has no entry {entry!r}")
        return tree

    async def _open(self, found: branch.Found, session: SessionFile) -> tuple[SessionFile, StoredSession]:
        """Open a file, unless something has begun meanwhile."""
        model = self._agent.model
        opened, stored = await asyncio.to_thread(branch.open_branch, found, model=model.id, provider=model.provider)
        try:
            self._check_idle()
            if self._recorder.session is not session:
                raise Busy("another session was opened meanwhile")
        except Exception:
            branch.discard(opened)
            raise
        return opened, stored

    def label(self, entry: str, text: str) -> None:
        """Give an entry a label, or remove it with an empty text."""
        self._recorder.session.label(Label(entry, text, new_entry_id()))

    def add(self, extension: str, custom_type: str, data: Any) -> str:
        """Store data of an extension, any JSON value, after the current entry, and return the id of its entry.

        Models do not see it."""
        entry = CustomEntry(extension, custom_type, data, new_entry_id())
        self._recorder.session.custom(entry)
        return entry.id

    def start_new(self) -> None:
        """Continue with a new session, in the same folder as the old one, or in memory."""
        old, model = self._recorder.session, self._agent.model
        if isinstance(old, MemorySession):
            self.enter(None, None)
        else:
            meta = old.meta.replace(model=model.id, provider=model.provider, title="", other={})
            self.enter(new_session(os.path.dirname(old.path), meta, old.advice), None)

    def enter(self, session: SessionFile | None, stored: StoredSession | None) -> None:
        """Continue with another session, None for one in memory, and close the old one."""
        old = self._recorder.session
        self._recorder.session = session or MemorySession()
        if session is not None:
            self._agent.cache_key = session.meta.session_id
        self._agent.start_over(stored.messages if stored else (), stored.usage if stored else Usage())
        if old is not session:
            old.close()
