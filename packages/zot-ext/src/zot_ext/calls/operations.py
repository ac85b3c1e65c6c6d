"""The operations as calls of the SDK; written by `scripts/generate_operations.py`."""

from __future__ import annotations

from zot_ext.calls.caller import Calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from zot_ext.protocol.agent_answers import (
        AgentList,
        ChangedAgent,
        ChangedJob,
        ContextInfo,
        JobList,
        KnownCommands,
        KnownSkills,
        KnownTools,
        MessagesInfo,
        StateInfo,
        SystemText,
    )
    from zot_ext.protocol.answers import (
        DiffInfo,
        ModelList,
        ModelState,
        MovedPlace,
        NameList,
        OpenedPlace,
        SessionHits,
        SessionInfo,
        SessionItem,
        SessionPlace,
        SessionTitle,
        StoredSessionInfo,
        TreeInfo,
    )


class AgentsOperations(Calls):
    """The calls of `ext.agents` that only pass on fields."""

    def list(self) -> AgentList:
        """List the sub-agents of the session, oldest first."""
        answer: AgentList = self._call("agents.list")
        return answer

    def messages(self, agent: str) -> MessagesInfo:
        """Return the conversation of a sub-agent, as `prompts.messages` does.

        agent: The id of the agent.
        """
        answer: MessagesInfo = self._call("agents.messages", agent=agent)
        return answer

    def steer(self, agent: str, message: str) -> None:
        """Add a user message to the conversation of a sub-agent, before its next model call.

        agent: The id of the agent.
        message: The message.
        """
        self._call("agents.steer", agent=agent, message=message)

    def stop(self, agent: str) -> ChangedAgent:
        """Stop a sub-agent and its own. The event `subagent_stop` comes before the response.

        agent: The id of the agent.
        """
        answer: ChangedAgent = self._call("agents.stop", agent=agent)
        return answer


class ControlOperations(Calls):
    """The calls of `ext.control` that only pass on fields."""

    def abort(self) -> None:
        """Stop the running prompt or compaction, which ends with its `done`; queued ones then run. Harmless when
        idle."""
        self._call("control.abort")

    def commands(self) -> KnownCommands:
        """List the slash commands of prompt templates, skills and extensions. A client waits until all extensions
        have registered theirs; an extension gets what is known so far."""
        answer: KnownCommands = self._call("control.commands")
        return answer

    def context(self) -> ContextInfo:
        """Say what fills the context window: the parts of the next request in order."""
        answer: ContextInfo = self._call("control.context")
        return answer

    def shutdown(self) -> None:
        """End zot, once nothing runs and waits and the request is answered."""
        self._call("control.shutdown")

    def skills(self) -> KnownSkills:
        """List the skills."""
        answer: KnownSkills = self._call("control.skills")
        return answer

    def state(self) -> StateInfo:
        """Return the state of the agent."""
        answer: StateInfo = self._call("control.state")
        return answer

    def system_prompt(self) -> SystemText:
        """Read the system prompt."""
        answer: SystemText = self._call("control.system_prompt")
        return answer

    def wait_idle(self) -> None:
        """Answer when nothing runs and waits."""
        self._call("control.wait_idle")


class JobsOperations(Calls):
    """The calls of `ext.jobs` that only pass on fields."""

    def list(self) -> JobList:
        """List the commands that run in the background of the session, and the latest that have ended."""
        answer: JobList = self._call("jobs.list")
        return answer

    def stop(self, job: str) -> ChangedJob:
        """Stop a command in the background with everything that it started. The event `job_end` comes before the
        response.

        job: The id of the job.
        """
        answer: ChangedJob = self._call("jobs.stop", job=job)
        return answer


class ModelOperations(Calls):
    """The calls of `ext.model` that only pass on fields."""

    def get(self) -> ModelState:
        """Describe the model."""
        answer: ModelState = self._call("model.get")
        return answer

    def list(self, *, scope: Literal["current", "ready", "all", "favourites"] = "current") -> ModelList:
        """List models.

        scope: `current` (the default): models of the provider in use. `ready`: models of providers with a key and
            of local servers, the current provider's first; servers whose lists are old are asked. `favourites`:
            the person's favourites that can be used, in their order. `all`: all that are known without a request
            to a server.
        """
        answer: ModelList = self._call("model.list", scope=None if scope == "current" else scope)
        return answer

    def reasoning(
        self, reasoning: Literal["off", "minimum", "low", "medium", "high", "xhigh", "max", "maximum"]
    ) -> ModelState:
        """Set how much the model thinks. Refused while busy.

        reasoning: `off`, `minimum`, `low`, `medium`, `high`, `xhigh` or `max`; the nearest that the model has is
            used.
        """
        answer: ModelState = self._call("model.reasoning", reasoning=reasoning)
        return answer

    def set(self, model: str, *, provider: str = "") -> ModelState:
        """Continue with another model, of any provider with a key. Refused while busy, and without a key: the error
        names the variable to set.

        model: A model's id, the beginning of one, or PROVIDER/ID; a reasoning level may follow, as for `--model`.
        provider: The provider, if it is not part of `model`.
        """
        answer: ModelState = self._call("model.set", model=model, provider=provider or None)
        return answer


class PromptsOperations(Calls):
    """The calls of `ext.prompts` that only pass on fields."""

    def messages(self) -> MessagesInfo:
        """Return the whole conversation with the model's own words. Clients get the entries of extensions too, which
        may be [drawn](rpc.md#what-extensions-draw)."""
        answer: MessagesInfo = self._call("prompts.messages")
        return answer


class SessionOperations(Calls):
    """The calls of `ext.session` that only pass on fields."""

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
        """Continue at another entry of the session. Nothing is lost: the entries after it stay in the tree. The
        event `session_tree` follows. Refused with files while a job runs, which could change them: the code
        is `jobs_running` then. Refused while busy.

        entry: The id of the entry.
        position: `at` (the default): after the entry. `before`: before it, to ask something else in its place.
        restore: What goes back: `conversation` (the default), `files` or `both`.
        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        summarise: First let the model write a summary of what is left behind, which becomes the next entry.
            `abort` stops that, and nothing has changed then.
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
        """Give a session a title, one line of at most 200 characters; an empty one brings back the name made from
        the first prompt.

        title: The title.
        session: The id of a session, or its beginning; by default the conversation's, the only one for an
            extension.
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


class ToolsOperations(Calls):
    """The calls of `ext.tools` that only pass on fields."""

    def active(self) -> NameList:
        """Name the tools that the model may call."""
        answer: NameList = self._call("tools.active")
        return answer

    def list(self) -> KnownTools:
        """List the tools of the agent."""
        answer: KnownTools = self._call("tools.list")
        return answer

    def set_active(self, names: Sequence[str]) -> NameList:
        """Take all other tools from the model, from its next request on, until the extension ends. Tools that are
        registered later are active. What another extension has taken away stays away.

        names: Names of tools.
        """
        answer: NameList = self._call("tools.set_active", names=list(names))
        return answer
