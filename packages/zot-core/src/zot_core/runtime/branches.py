"""`Branches`: the entries of a runtime's session, and going back to them."""

import asyncio
import os
from collections.abc import Callable
from typing import Any

from zot_core.agent import Agent
from zot_core.errors import Busy, SessionError
from zot_core.sessions import branch
from zot_core.sessions.file import SessionFile, StoredSession
from zot_core.sessions.memory import MemorySession, UnknownEntry
from zot_core.sessions.recorder import Recorder
from zot_core.sessions.rows import CustomEntry, Label
from zot_core.sessions.store import new_session
from zot_core.sessions.tree import SessionTree
from zot_provider.messages import Message, new_entry_id
from zot_provider.usage import Usage


class Branches:
    """Reads the entries of a session, of all its branches, and changes the entry at which the conversation continues.

    Nothing is lost by going back: the entries after it stay in the tree. The changes require an idle agent: they raise
    `Busy`, `Closed`, `UnknownEntry` and `SessionError`, and nothing has changed then.
    """

    def __init__(self, agent: Agent, recorder: Recorder, check_idle: Callable[[], None]) -> None:
        self._agent, self._recorder, self._check_idle = agent, recorder, check_idle

    async def tree(self) -> SessionTree:
        """Return the entries of the session. Reads files, in a thread."""
        session = self._recorder.session
        if isinstance(session, MemorySession):
            return session.tree
        return await asyncio.to_thread(branch.read_family, session)

    async def go_to(self, entry: str, *, before: bool = False) -> Message | None:
        """Continue after this entry, or with `before` after the one before it, to ask something else. Return the
        message of the entry, None for an entry without one. The model, the tools and the usage stay."""
        self._check_idle()
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
        opened, stored = await self._open(found, session)
        if stored.usage != usage:  # of all branches
            try:
                opened.usage(Usage(), usage)
            except SessionError:
                branch.discard(opened)
                raise
        self._recorder.session = opened
        self._agent.start_over(stored.messages, usage)
        await asyncio.to_thread(branch.leave_branch, session)
        return message

    async def fork(self, entry: str = "", *, before: bool = False) -> None:
        """Copy the conversation up to this entry, by default all of it, or with `before` up to the one before it, into
        a new session, and continue there. The old session does not change."""
        self._check_idle()
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
