"""`Branches`: the entries of a runtime's session, and going back to them."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from zot_core.agent import Agent
from zot_core.errors import Busy, SessionError
from zot_core.sessions import branch
from zot_core.sessions.file import SessionFile, StoredSession
from zot_core.sessions.memory import MemorySession
from zot_core.sessions.recorder import Recorder
from zot_core.sessions.rows import CustomEntry, Label
from zot_core.sessions.store import new_session
from zot_core.sessions.tree import SessionTree, UnknownEntry
from zot_provider.messages import Message, new_entry_id
from zot_provider.usage import Usage


class Branches:
    """Reads the entries of a session, of all its branches, and changes the entry at which the conversation continues.

    Nothing is lost by going back: the entries after it stay in the tree. The changes require an idle agent: they raise
    `Busy`, `Closed`, `UnknownEntry` and `SessionError`, and nothing has changed then.
    """

    def __init__(
        self, agent: Agent, recorder: Recorder, check_idle: Callable[[], None],
        name_model: Callable[[], Awaitable[None]],
    ) -> None:  # fmt: skip
        """`name_model` asks the server for the name of a model that has none yet."""
        self._agent, self._recorder, self._check_idle = agent, recorder, check_idle
        self._name_model = name_model

    async def tree(self) -> SessionTree:
        """Return the entries of the session. Reads files, in a thread."""
        session = self._recorder.session
        if isinstance(session, MemorySession):
            return session.tree
        return await asyncio.to_thread(branch.read_family, session)

    async def go_to(self, entry: str, *, before: bool = False, summary: Message | None = None) -> Message | None:
        """Continue after this entry, or with `before` after the one before it, to ask something else. Return the
        message of the entry, None for an entry without one. The model, the tools and the usage stay. `summary`, of what
        is left behind, becomes the next entry."""
        self._check_idle()
        session, usage = self._recorder.session, self._agent.usage
        added = [] if summary is None else [summary]
        if isinstance(session, MemorySession):
            messages = session.go_to(entry, before=before)
            if summary is not None:
                session.add_summary(summary)
            self._agent.start_over([*messages, *added], usage)
            return session.tree.message(entry)
        tree = await asyncio.to_thread(self._read_tree, session, entry)
        found = await asyncio.to_thread(branch.find_branch, session, tree, entry, before=before)
        message = await asyncio.to_thread(tree.message, entry)
        if found.path == session.path and not found.copied:  # a branch without a file reserves no name
            return message
        opened, stored = await self._open(found, session)
        try:
            if summary is not None:
                opened.add_summary(summary)
            if stored.usage != usage:  # of all branches
                opened.usage(Usage(), usage)
        except SessionError:
            branch.discard(opened, hide=not found.copied)
            raise
        self._recorder.session = opened
        self._agent.start_over([*stored.messages, *added], usage)
        self._agent.history.counted = stored.counted
        await asyncio.to_thread(branch.leave_branch, session)
        return message

    async def summary(self, entry: str, *, before: bool = False, instructions: str = "") -> Message | None:
        """Ask the model for a summary of what `go_to` with the same arguments leaves behind; None if that is nothing.
        `instructions` say what it must keep.

        Raises what `go_to` and the client raise, and `CompactionError` for an empty summary."""
        from zot_core.compaction.branch import branch_summary  # noqa: PLC0415  few branches are summarised

        tree = await self.tree()
        node = tree.node(entry)
        last = node.parent if before else entry
        stays = set(tree.path(last)) if last else set()
        left = [message for message in self._agent.history.messages if message.id not in stays]
        if not left:
            return None
        await self._name_model()
        return await branch_summary(self._agent, left, instructions)

    async def fork(self, entry: str = "", *, before: bool = False) -> None:
        """Copy the conversation up to this entry, by default all of it, or with `before` up to the one before it, into
        a new session, and continue there. The old session does not change."""
        self._check_idle()
        session = self._recorder.session
        if isinstance(session, MemorySession):
            if entry or len(self._agent.history):
                copy = session.fork(entry, before=before)
                self._recorder.session = copy
                self._agent.start_over(copy.messages(), Usage())
            else:
                self.start_new()
            return
        path = await asyncio.to_thread(self._copy, session, entry, before=before)
        if path:
            opened, stored = await self._open(branch.Found(path, copied=True), session)
            opened.is_copy = False  # no other file of the new session has its entries
            self.enter(opened, stored)
        else:
            self.start_new()

    def _copy(self, session: SessionFile, entry: str, *, before: bool) -> str:
        """Copy the conversation as `fork` does, and return the path of the copy, empty if there is nothing to copy."""
        if not entry and not len(self._agent.history):
            return ""
        if session.written:
            with suppress(UnknownEntry):  # nearly always the conversation itself has the entry
                return branch.copy_branch(session.path, session.meta, entry, before=before, fork=True)
        return branch.copy_entry(session, self._read_tree(session, entry), entry, before=before, fork=True)

    def _read_tree(self, session: SessionFile, entry: str) -> SessionTree:
        tree = branch.read_family(session)
        tree.node(entry)  # raises `UnknownEntry`
        return tree

    async def _open(self, found: branch.Found, session: SessionFile) -> tuple[SessionFile, StoredSession]:
        """Open a file, unless something has begun meanwhile."""
        model = self._agent.model
        if found.path:
            opened, stored = await asyncio.to_thread(branch.open_branch, found, model=model.id, provider=model.provider)
        else:
            opened = branch.empty_branch(session)
            stored = StoredSession(opened.meta)
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
        self._agent.hooks.entry.notify(entry)
        return entry.id

    async def with_data(self) -> list[str | CustomEntry]:
        """Return the ids of the messages of the conversation and, between them, the data of extensions, in order.
        Reads files, in a thread, unless `data_without_file` has it."""
        found = self.data_without_file()
        return await asyncio.to_thread(_with_data, await self.tree()) if found is None else found

    def data_without_file(self) -> list[str | CustomEntry] | None:
        """Return what `with_data` does, or None if a file must be read for it."""
        session = self._recorder.session
        if isinstance(session, MemorySession):
            return _with_data(session.tree)
        return None if os.path.exists(session.path) else []

    def start_new(self, *, linked: bool = False) -> None:
        """Continue with a new session, in the same folder as the old one, or in memory. A `linked` file names the old
        one as its `parent`."""
        old, model = self._recorder.session, self._agent.model
        if isinstance(old, MemorySession):
            self.enter(None, None)
        else:
            links = {"parent": old.meta.id} if linked else {}
            meta = old.meta.replace(model=model.id, provider=model.provider, title="", other=links)
            self.enter(new_session(os.path.dirname(old.path), meta, old.advice), None)

    def enter(self, session: SessionFile | None, stored: StoredSession | None) -> None:
        """Continue with another session, None for one in memory, and close the old one."""
        old = self._recorder.session
        self._recorder.session = session or MemorySession()
        if session is not None:
            self._agent.cache_key = session.meta.session_id
        self._agent.start_over(stored.messages if stored else (), stored.usage if stored else Usage())
        self._agent.history.counted = stored.counted if stored else (0, 0)
        if old is not session:
            old.close()


def _with_data(tree: SessionTree) -> list[str | CustomEntry]:
    path = tree.path() if tree.current else []
    found = ((id, tree.custom(id) if tree.kind(tree.number(id)) == "custom" else None) for id in path)
    return [custom or id for id, custom in found]
