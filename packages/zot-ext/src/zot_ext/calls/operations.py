"""The operations as calls of the SDK; written by `scripts/generate_operations.py`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from zot_ext.protocol.answers import (
        DiffInfo,
        MovedPlace,
        OpenedPlace,
        SessionHits,
        SessionInfo,
        SessionItem,
        SessionPlace,
        SessionTitle,
        StoredSessionInfo,
        TreeInfo,
    )


class SessionOperations:
    """The calls of `ext.session` that only pass on fields."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def diff(self) -> DiffInfo:
        """List the files that differ from what they were before the session."""
        answer: DiffInfo = self._call("session.diff")
        return answer

    def entry(self, entry: str) -> SessionItem:
        """Read one entry whole.

        entry: The id of the entry.
        """
        answer: SessionItem = self._call("session.entry", entry=entry)
        return answer

    def fork(self, entry: str = "", *, position: Literal["at", "before"] = "at") -> SessionPlace:
        """Copy the session and continue in it, a new session. The event `session_start` follows. Refused while busy.

        entry: The id of the last entry of the copy; all of them by default.
        position: `at` (the default): with the entry. `before`: without it, to ask something else in its place.
        """
        answer: SessionPlace = self._call(
            "session.fork", entry=entry or None, position=None if position == "at" else position
        )
        return answer

    def info(self) -> SessionInfo:
        """Describe the session."""
        answer: SessionInfo = self._call("session.info")
        return answer

    def label(self, entry: str, label: str) -> None:
        """Give an entry a label, one line of at most 200 characters.

        entry: The id of the entry.
        label: The label; empty to remove it.
        """
        self._call("session.label", entry=entry, label=label)

    def navigate(
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
        answer: MovedPlace = self._call(
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

    def open(self, session: str, *, fork: bool = False) -> OpenedPlace:
        """Continue a stored session, in its folder and with its model. The event `session_start` follows. Refused,
        unless `fork`, while another process has the session open. Refused while busy.

        session: The id of a session, or its beginning, or a path.
        fork: Continue in a copy, a new session.
        """
        answer: OpenedPlace = self._call("session.open", session=session, fork=fork or None)
        return answer

    def redo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Take back the last `session.undo`, if nothing was asked since. Refused as `session.navigate` is. Refused
        while busy.

        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        """
        answer: MovedPlace = self._call("session.redo", force=force or None, stop_jobs=stop_jobs or None)
        return answer

    def rename(self, title: str, *, session: str = "") -> SessionTitle:
        """Give a session a title, one line of at most 200 characters; an empty one brings back the name made from the
        first prompt.

        title: The title.
        session: The id of a session, or its beginning; by default the conversation's, the only one for an extension.
        """
        answer: SessionTitle = self._call("session.rename", title=title, session=session or None)
        return answer

    def search(self, query: str, *, scope: Literal["cwd", "all"] = "cwd", limit: int = 50) -> SessionHits:
        """Find the stored sessions that have all words in their title, prompts and answers, without regard to case.

        query: Words; text in double quotes must occur as it is.
        scope: As in `session.list`.
        limit: How many at most; 50 by default.
        """
        answer: SessionHits = self._call(
            "session.search", query=query, scope=None if scope == "cwd" else scope, limit=None if limit == 50 else limit
        )
        return answer

    def show(self, session: str = "") -> StoredSessionInfo:
        """Say what a stored session is about: its last prompt and answer, its tokens and cost.

        session: The id of a session, or its beginning, or a path; by default the conversation's.
        """
        answer: StoredSessionInfo = self._call("session.show", session=session or None)
        return answer

    def tree(self) -> TreeInfo:
        """List the entries of the session, of all its branches, in the order in which they were added."""
        answer: TreeInfo = self._call("session.tree")
        return answer

    def undo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Go back to before the last prompt, whose text the answer has, with the files that tools changed since.
        Refused as `session.navigate` is. Refused while busy.

        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        """
        answer: MovedPlace = self._call("session.undo", force=force or None, stop_jobs=stop_jobs or None)
        return answer
