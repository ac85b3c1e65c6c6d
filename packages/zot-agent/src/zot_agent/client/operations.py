"""The operations as methods of the client; written by `scripts/generate_operations.py`."""

from collections.abc import Mapping, Sequence
from typing import Literal

from zot_agent.client.connection import RpcConnection
from zot_agent.operations.stored_answers import AddedSession, WrittenFile
from zot_ext.protocol.answers import (
    DiffInfo,
    ItemPage,
    MovedPlace,
    NewItem,
    OpenedPlace,
    SessionHits,
    SessionInfo,
    SessionItem,
    SessionPage,
    SessionPlace,
    SessionTitle,
    StoredSessionInfo,
    TreeInfo,
)


class OperationCommands(RpcConnection):
    """A method for each operation; raises what `RpcClient` raises."""

    async def session_append(self, custom_type: str, data: object) -> NewItem:
        """Store data of the extension as an entry, which models do not see.

        custom_type: What it is.
        data: Any JSON value.
        """
        answer: NewItem = await self.ask("session.append", custom_type=custom_type, data=data)
        return answer

    async def session_delete(self, session: str) -> None:
        """Delete a stored session with all its branches. Refused while a process has it open.

        session: The id of a session, or its beginning, or a path.
        """
        await self.ask("session.delete", session=session)

    async def session_diff(self) -> DiffInfo:
        """List the files that differ from what they were before the session."""
        answer: DiffInfo = await self.ask("session.diff")
        return answer

    async def session_entries(
        self,
        *,
        to: str = "",
        whole_tree: bool = False,
        kinds: Sequence[Literal["user", "assistant", "tool", "compaction", "branch_summary", "custom"]] = (),
        custom_type: str = "",
        content: bool = False,
        after: str = "",
        limit: int = 200,
    ) -> ItemPage:
        """List entries, from the first on.

        to: The branch that ends with this entry, not the current one.
        whole_tree: All branches, not only the current one.
        kinds: `user assistant tool compaction branch_summary custom`; all by default.
        custom_type: Only data of this extension with this type.
        content: Also return the blocks of each message, unless the message is too large.
        after: The id of the entry to begin after.
        limit: How many at most; 200 by default.
        """
        answer: ItemPage = await self.ask(
            "session.entries",
            to=to or None,
            whole_tree=whole_tree or None,
            kinds=list(kinds) or None,
            custom_type=custom_type or None,
            content=content or None,
            after=after or None,
            limit=None if limit == 200 else limit,
        )
        return answer

    async def session_entry(self, entry: str) -> SessionItem:
        """Read one entry whole.

        entry: The id of the entry.
        """
        answer: SessionItem = await self.ask("session.entry", entry=entry)
        return answer

    async def session_export(self, path: str, *, session: str = "") -> WrittenFile:
        """Write a session to a new file. Its suffix chooses the format: .zotsession, .html or .md. An existing file is
        never overwritten. It has everything that the model has read.

        path: The file, from the working directory.
        session: The id of a session, or its beginning, or a path; by default the conversation's.
        """
        answer: WrittenFile = await self.ask("session.export", path=path, session=session or None)
        return answer

    async def session_fork(self, entry: str = "", *, position: Literal["at", "before"] = "at") -> SessionPlace:
        """Copy the session and continue in it, a new session. The event `session_start` follows. Refused while busy.

        entry: The id of the last entry of the copy; all of them by default.
        position: `at` (the default): with the entry. `before`: without it, to ask something else in its place.
        """
        answer: SessionPlace = await self.ask(
            "session.fork", entry=entry or None, position=None if position == "at" else position
        )
        return answer

    async def session_import(self, path: str) -> AddedSession:
        """Import a .zotsession file as a session of the working directory. It gets a new id.

        path: The file, from the working directory.
        """
        answer: AddedSession = await self.ask("session.import", path=path)
        return answer

    async def session_info(self) -> SessionInfo:
        """Describe the session."""
        answer: SessionInfo = await self.ask("session.info")
        return answer

    async def session_label(self, entry: str, label: str) -> None:
        """Give an entry a label, one line of at most 200 characters.

        entry: The id of the entry.
        label: The label; empty to remove it.
        """
        await self.ask("session.label", entry=entry, label=label)

    async def session_list(
        self, *, scope: Literal["cwd", "all"] = "cwd", limit: int = 50, after: str = ""
    ) -> SessionPage:
        """List the stored sessions, last used first.

        scope: `cwd` (the default) for sessions of the folder of the conversation, `all` for every session.
        limit: How many at most; 50 by default.
        after: The `next` of the page before.
        """
        answer: SessionPage = await self.ask(
            "session.list",
            scope=None if scope == "cwd" else scope,
            limit=None if limit == 50 else limit,
            after=after or None,
        )
        return answer

    async def session_navigate(
        self,
        entry: str,
        *,
        position: Literal["at", "before"] = "at",
        restore: Literal["both", "conversation", "files"] = "conversation",
        force: bool = False,
        stop_jobs: bool = False,
        summarise: bool = False,
        instructions: str = "",
        label: str = "",
    ) -> MovedPlace:
        """Continue at another entry of the session. Nothing is lost: the entries after it stay in the tree. The event
        `session_tree` follows. Refused with files while a job runs, which could change them; `zot rpc` gives the
        code `jobs_running` then. Refused while busy.

        entry: The id of the entry.
        position: `at` (the default): after the entry. `before`: before it, to ask something else in its place.
        restore: What goes back: `conversation` (the default), `files` or `both`.
        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        summarise: First let the model write a summary of what is left behind, which becomes the next entry. `abort`
            stops that, and nothing has changed then.
        instructions: What that summary must keep.
        label: A label for the entry at which the conversation then continues, the summary if there is one.
        """
        answer: MovedPlace = await self.ask(
            "session.navigate",
            entry=entry,
            position=None if position == "at" else position,
            restore=None if restore == "conversation" else restore,
            force=force or None,
            stop_jobs=stop_jobs or None,
            summarise=summarise or None,
            instructions=instructions or None,
            label=label or None,
        )
        return answer

    async def session_new(self, *, parent: bool = False, messages: Sequence[Mapping[str, object]] = ()) -> SessionPlace:
        """Start a new session: no messages, no usage and, if sessions are stored, a new file. Refused while busy.

        parent: Store that it comes from this session.
        messages: Its first messages, which nobody answers: objects with `text`, `role` (`user` or `assistant`),
            `display_text`, `hidden`.
        """
        answer: SessionPlace = await self.ask("session.new", parent=parent or None, messages=list(messages) or None)
        return answer

    async def session_open(self, session: str, *, fork: bool = False) -> OpenedPlace:
        """Continue a stored session, in its folder and with its model. The event `session_start` follows. Refused,
        unless `fork`, while another process has the session open. Refused while busy.

        session: The id of a session, or its beginning, or a path.
        fork: Continue in a copy, a new session.
        """
        answer: OpenedPlace = await self.ask("session.open", session=session, fork=fork or None)
        return answer

    async def session_read(
        self,
        session: str,
        *,
        whole_tree: bool = False,
        kinds: Sequence[Literal["user", "assistant", "tool", "compaction", "branch_summary", "custom"]] = (),
        custom_type: str = "",
        content: bool = False,
        after: str = "",
        limit: int = 200,
    ) -> ItemPage:
        """List entries of a stored session, also another one, as `session.entries` does.

        session: The id of a stored session, its beginning, or its path.
        whole_tree: All branches, not only the current one.
        kinds: `user assistant tool compaction branch_summary custom`; all by default.
        custom_type: Only data of this extension with this type.
        content: Also return the blocks of each message, unless the message is too large.
        after: The id of the entry to begin after.
        limit: How many at most; 200 by default.
        """
        answer: ItemPage = await self.ask(
            "session.read",
            session=session,
            whole_tree=whole_tree or None,
            kinds=list(kinds) or None,
            custom_type=custom_type or None,
            content=content or None,
            after=after or None,
            limit=None if limit == 200 else limit,
        )
        return answer

    async def session_redo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Take back the last `session.undo`, if nothing was asked since. Refused as `session.navigate` is. Refused
        while busy.

        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        """
        answer: MovedPlace = await self.ask("session.redo", force=force or None, stop_jobs=stop_jobs or None)
        return answer

    async def session_rename(self, title: str, *, session: str = "") -> SessionTitle:
        """Give a session a title, one line of at most 200 characters; an empty one brings back the name made from the
        first prompt.

        title: The title.
        session: The id of a session, or its beginning; by default the conversation's, the only one for an extension.
        """
        answer: SessionTitle = await self.ask("session.rename", title=title, session=session or None)
        return answer

    async def session_search(self, query: str, *, scope: Literal["cwd", "all"] = "cwd", limit: int = 50) -> SessionHits:
        """Find the stored sessions that have all words in their title, prompts and answers, without regard to case.

        query: Words; text in double quotes must occur as it is.
        scope: As in `session.list`.
        limit: How many at most; 50 by default.
        """
        answer: SessionHits = await self.ask(
            "session.search", query=query, scope=None if scope == "cwd" else scope, limit=None if limit == 50 else limit
        )
        return answer

    async def session_show(self, session: str = "") -> StoredSessionInfo:
        """Say what a stored session is about: its last prompt and answer, its tokens and cost.

        session: The id of a session, or its beginning, or a path; by default the conversation's.
        """
        answer: StoredSessionInfo = await self.ask("session.show", session=session or None)
        return answer

    async def session_tree(self) -> TreeInfo:
        """List the entries of the session, of all its branches, in the order in which they were added."""
        answer: TreeInfo = await self.ask("session.tree")
        return answer

    async def session_undo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Go back to before the last prompt, whose text the answer has, with the files that tools changed since.
        Refused as `session.navigate` is. Refused while busy.

        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        """
        answer: MovedPlace = await self.ask("session.undo", force=force or None, stop_jobs=stop_jobs or None)
        return answer
