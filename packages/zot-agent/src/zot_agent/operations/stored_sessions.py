"""`StoredSessions`: the stored sessions as other programs see them, over `zot rpc` and `zot serve`."""

import asyncio
import os
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, TypeVar, cast

from zot_agent.config.paths import sessions_root
from zot_agent.operations.fields import OperationFailed
from zot_agent.version import __version__
from zot_core.aio import in_thread
from zot_core.errors import SessionError, SessionNotFound, UnusableFile
from zot_core.sessions import listing
from zot_core.sessions.listing import SessionEntry, entry_fields
from zot_core.sessions.preview import read_preview
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.sessions.tree import SessionTree
    from zot_ext.protocol.answers import SessionHits, SessionPage, StoredSessionInfo

T = TypeVar("T")


class StoredLimits(Record):
    """`seconds`: how long reading them may take."""

    seconds: float = 50.0


class StoredSessions:
    """Lists, finds, exports and imports stored sessions, one at a time, in a thread.

    With `allowed`, which says whether a client may see a path without links, sessions of other directories, and files
    outside the store, do not exist. Methods raise `ConfigError`, `SessionError`, and `OperationFailed` for a file that
    the client may not name, and after too long.
    """

    def __init__(
        self,
        allowed: Callable[[str], bool] | None = None,
        limits: StoredLimits | None = None,
        *,
        outside: bool = True,
    ) -> None:
        """Without `outside`, a session cannot be named by the path of a file outside the store."""
        self._allowed, self._limits = allowed, limits or StoredLimits()
        self._outside = outside and allowed is None
        self._reading = asyncio.Lock()

    @property
    def store(self) -> SessionStore:
        """The sessions of the person, whose folder a test or a variable may change."""
        return SessionStore(sessions_root())

    async def list(self, cwd: str | None, limit: int, after: str = "") -> "SessionPage":
        """Return a page of the sessions of the directory `cwd`, or of all for None, last used first. `next` continues
        the list; it is empty at the end."""
        found = await self.in_turn(lambda _: listing.list_sessions(self.store, cwd, limit + 1, after))
        page = found[:limit]
        return {
            "sessions": [cast("StoredSessionInfo", entry_fields(each)) for each in page if self._sees(each)],
            "next": page[-1].place if len(found) > limit else "",
        }

    async def search(self, text: str, cwd: str | None, limit: int) -> "SessionHits":
        """Return the sessions that have all words of `text`, each with an `excerpt`: see `search_sessions`."""
        from zot_core.sessions.search import query_words, search_sessions  # noqa: PLC0415  rarely used

        words = query_words(text)
        if not words:
            raise ConfigError("the query has no words")
        hits = await self.in_turn(lambda check: search_sessions(self.store, words, cwd, limit, check))
        seen = [hit for hit in hits if self._sees(hit.entry)]
        found = [{**entry_fields(hit.entry), "excerpt": hit.excerpt, "role": hit.role} for hit in seen]
        return {"sessions": cast("list[StoredSessionInfo]", found)}

    async def show(self, name: str, cwd: str) -> "StoredSessionInfo":
        """Return what a session is about."""
        return await self.in_turn(lambda _: session_fields(self.find(name, cwd)))

    async def read(self, name: str, cwd: str, read: Callable[["SessionTree"], T]) -> T:
        """Return what `read`, which is called in a thread, makes of the entries of a session."""

        def work(_: object) -> T:
            from zot_core.sessions.branch import family_files, first_meta  # noqa: PLC0415  rarely used
            from zot_core.sessions.tree import read_tree  # noqa: PLC0415  as above

            path = self.find(name, cwd).path
            meta = first_meta(path)
            if meta is None:
                raise UnusableFile(f"{path} is not a session file, or cannot be read")
            return read(read_tree(family_files(path, meta), path))

        return await self.in_turn(work)

    async def export(self, name: str, cwd: str, target: str) -> str:
        """Write a session to a new file, whose suffix chooses the format, and return its path."""
        from zot_agent.export.formats import export_session  # noqa: PLC0415  rarely used

        path = self._file(target, cwd)
        return await self.in_turn(lambda _: export_session(self.find(name, cwd).path, path))

    async def add(self, path: str, cwd: str) -> "StoredSessionInfo":
        """Add the session in a file to the sessions of the directory `cwd`, and return its fields."""
        file = self._file(path, cwd)
        return await self.in_turn(lambda _: add_session(self.store, file, cwd))

    async def export_open(self, name: str, cwd: str, suffix: str) -> tuple[str, IO[bytes]]:
        """Write a session to a file without a name, open at its beginning, and return it with a name for it."""
        from zot_agent.export.formats import file_name, write_session  # noqa: PLC0415  rarely used

        def work(_: object) -> tuple[str, IO[bytes]]:
            from tempfile import TemporaryFile  # noqa: PLC0415  as above

            entry, file = self.find(name, cwd), TemporaryFile()  # noqa: SIM115  the caller closes it
            try:
                write_session(entry, suffix, file)
                file.seek(0)
            except OSError as error:
                file.close()
                raise SessionError(f"cannot export the session: {error.strerror}") from error
            return file_name(entry, suffix), file

        return await self.in_turn(work)

    async def add_content(self, content: bytes, cwd: str) -> "StoredSessionInfo":
        """Add the session in the content of a `.zotsession` file: see `add`."""

        def work(_: object) -> "StoredSessionInfo":
            from tempfile import TemporaryDirectory  # noqa: PLC0415  rarely used

            with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                path = os.path.join(folder, "session")
                try:
                    with open(path, "xb") as file:
                        file.write(content)
                    return add_session(self.store, path, cwd)
                except OSError as error:
                    raise SessionError(f"cannot import the session: {error.strerror}") from error
                except UnusableFile as error:
                    raise UnusableFile(str(error).replace(path, "the file")) from None
                except SessionError as error:
                    raise SessionError(str(error).replace(path, "the file")) from None

        return await self.in_turn(work)

    async def rename(self, name: str, cwd: str, title: str) -> str:
        """Give a session that no process has open another title, and return that as one line."""
        return await self.in_turn(lambda _: listing.rename(self.store, self.find(name, cwd).path, title))

    async def delete(self, name: str, cwd: str) -> None:
        """Delete a session that no process has open, with all its branches."""
        await self.in_turn(lambda _: listing.delete(self.store, self.find(name, cwd).path))

    async def in_turn(self, work: Callable[[Callable[[], None]], T]) -> T:
        """Do what reads sessions in a thread, when nothing else does, within the limit of time. Its argument raises
        once nobody waits any more."""
        try:
            async with asyncio.timeout(self._limits.seconds), self._reading:
                return await in_thread(work)
        except TimeoutError:
            late = f"reading the sessions took more than {self._limits.seconds:g} s"
            raise OperationFailed("timeout", late) from None

    def find(self, name: str, cwd: str) -> SessionEntry:
        """Return the session `name`: see `SessionStore.find`. This reads files: call it in a thread."""
        missing = SessionNotFound.named(name)
        try:
            path = self.store.find(name, cwd)
        except SessionNotFound:
            if self._allowed is None and (self._outside or os.path.sep not in name):
                raise
            raise missing from None  # the error would name other sessions, or tell a file from no file
        inside = os.path.join(os.path.realpath(self.store.root), "")
        if not self._outside and not os.path.realpath(path).startswith(inside):
            raise missing
        entry = listing.read_entry(path, hidden=True)
        if self._allowed is not None and (entry is None or not self._sees(entry)):
            raise missing
        if entry is None:
            raise UnusableFile(f"{path} is not a session file, or cannot be read")
        return entry

    def sees(self, cwd: str) -> bool:
        """Return whether the client may know of what happens in a directory."""
        return self._allowed is None or self._allowed(os.path.realpath(cwd))

    def _sees(self, entry: SessionEntry) -> bool:
        return self.sees(entry.cwd)

    def _file(self, path: str, cwd: str) -> str:
        """Return the path of a file that a client names, from `cwd`."""
        if not path.strip() or "\0" in path:
            raise ConfigError("path must name a file")
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            raise ConfigError("path is not Unicode text") from None
        path = os.path.join(cwd, os.path.expanduser(path))
        if self._allowed is not None and not self._allowed(os.path.realpath(path)):
            raise OperationFailed("denied", f"{path} is outside the directories that are served")
        return path


def session_fields(entry: SessionEntry) -> "StoredSessionInfo":
    """Return the fields of a session with its last prompt and answer and its tokens. This reads a file."""
    preview = read_preview(entry.path)
    usage = preview.usage
    said = {"last_prompt": preview.prompt, "last_answer": preview.answer}
    fields = {**entry_fields(entry), **said, "tokens": usage.counts, "cost_usd": usage.shown_cost}
    return cast("StoredSessionInfo", fields)


def add_session(store: SessionStore, path: str, cwd: str) -> "StoredSessionInfo":
    """Add the session in the file at `path` to the sessions of the directory `cwd`, and return its fields. Raises
    `SessionError`."""
    from zot_agent.export.formats import session_entry  # noqa: PLC0415  rarely used
    from zot_core.sessions.exchange.portable import import_session  # noqa: PLC0415  as above

    return cast("StoredSessionInfo", entry_fields(session_entry(import_session(store, path, cwd, __version__))))
