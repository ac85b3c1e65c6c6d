"""The operations as calls of the SDK; written by `scripts/generate_operations.py`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from zot_ext.calls.caller import Calls
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
    FoundText,
    ModelList,
    ModelState,
    MovedPlace,
    NameList,
    OpenedPlace,
    RunTotalsList,
    SessionHits,
    SessionInfo,
    SessionItem,
    SessionPlace,
    SessionTitle,
    StoredSessionInfo,
    TreeInfo,
)

def given_fields(
    operation: str, signature: Sequence[str], values: Sequence[object], fields: Mapping[str, object]
) -> dict[str, Any]: ...

class AgentsOperations(Calls):
    """The calls of `ext.agents` that only pass on fields."""

    def list(self) -> AgentList:
        """List the sub-agents of the session, oldest first."""

    def messages(self, agent: str) -> MessagesInfo:
        """Return the conversation of a sub-agent, as `prompts.messages` does.

        agent: The id of the agent.
        """

    def steer(self, agent: str, message: str) -> None:
        """Add a user message to the conversation of a sub-agent, before its next model call.

        agent: The id of the agent.
        message: The message.
        """

    def stop(self, agent: str) -> ChangedAgent:
        """Stop a sub-agent and its own. The event `subagent_stop` comes before the response.

        agent: The id of the agent.
        """

class ControlOperations(Calls):
    """The calls of `ext.control` that only pass on fields."""

    def abort(self) -> None:
        """Stop the running prompt or compaction, which ends with its `done`; queued ones then run. Harmless when
        idle."""

    def commands(self) -> KnownCommands:
        """List the slash commands of prompt templates, skills and extensions. A client waits until all extensions
        have registered theirs; an extension gets what is known so far."""

    def context(self) -> ContextInfo:
        """Say what fills the context window: the parts of the next request in order."""

    def shutdown(self) -> None:
        """End zot, once nothing runs and waits and the request is answered."""

    def skills(self) -> KnownSkills:
        """List the skills."""

    def state(self) -> StateInfo:
        """Return the state of the agent."""

    def system_prompt(self) -> SystemText:
        """Read the system prompt."""

    def wait_idle(self) -> None:
        """Answer when nothing runs and waits. It may take as long as a model or a person does."""

class JobsOperations(Calls):
    """The calls of `ext.jobs` that only pass on fields."""

    def list(self) -> JobList:
        """List the commands that run in the background of the session, and the latest that have ended."""

    def stop(self, job: str) -> ChangedJob:
        """Stop a command in the background with everything that it started. The event `job_end` comes before the
        response.

        job: The id of the job.
        """

class ModelOperations(Calls):
    """The calls of `ext.model` that only pass on fields."""

    def get(self) -> ModelState:
        """Describe the model."""

    def list(self, *, scope: Literal["current", "ready", "all", "favourites"] = "current") -> ModelList:
        """List models.

        scope: `current` (the default): models of the provider in use. `ready`: models of providers with a key and
            of local servers, the current provider's first; servers whose lists are old are asked. `favourites`:
            the person's favourites that can be used, in their order. `all`: all that are known without a request
            to a server.
        """

    def reasoning(
        self, reasoning: Literal["off", "minimum", "low", "medium", "high", "xhigh", "max", "maximum"]
    ) -> ModelState:
        """Set how much the model thinks. Refused while busy.

        reasoning: `off`, `minimum`, `low`, `medium`, `high`, `xhigh` or `max`; the nearest that the model has is
            used.
        """

    def set(self, model: str, *, provider: str = "") -> ModelState:
        """Continue with another model, of any provider with a key. Refused while busy, and without a key: the error
        names the variable to set.

        model: A model's id, the beginning of one, or PROVIDER/ID; a reasoning level may follow, as for `--model`.
        provider: The provider, if it is not part of `model`.
        """

class PromptsOperations(Calls):
    """The calls of `ext.prompts` that only pass on fields."""

    def messages(self) -> MessagesInfo:
        """Return the whole conversation with the model's own words. Clients get the entries of extensions too, which
        may be [drawn](rpc.md#what-extensions-draw)."""

class SessionOperations(Calls):
    """The calls of `ext.session` that only pass on fields."""

    def diff(self) -> DiffInfo:
        """List the files that differ from what they were before the session."""

    def entry(self, entry: str) -> SessionItem:
        """Read one entry whole.

        entry: The id of the entry.
        """

    def find(self, text: str, *, before: str = "", limit: int = 200) -> FoundText:
        """Find a text in the conversation: in what a person sees of its messages, with calls and their results, the
        newest first. Any white space in it matches any other. Its case counts if it has an upper-case letter.

        text: The text.
        before: Only what is before this message, an id: that of the last place of the page before.
        limit: How many places at most; 200 by default.
        """

    def fork(self, entry: str = "", *, position: Literal["at", "before"] = "at") -> SessionPlace:
        """Copy the session and continue in it, a new session. The event `session_start` follows. Refused while busy.
        It may take as long as a model or a person does.

        entry: The id of the last entry of the copy; all of them by default.
        position: `at` (the default): with the entry. `before`: without it, to ask something else in its place.
        """

    def info(self) -> SessionInfo:
        """Describe the session."""

    def label(self, entry: str, label: str) -> None:
        """Give an entry a label, one line of at most 200 characters.

        entry: The id of the entry.
        label: The label; empty to remove it.
        """

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
        is `jobs_running` then. Refused while busy. It may take as long as a model or a person does.

        entry: The id of the entry.
        position: `at` (the default): after the entry. `before`: before it, to ask something else in its place.
        restore: What goes back: `conversation` (the default), `files` or `both`.
        force: Overwrite files that have changed since. Only if `restore` is `files` or `both`.
        stop_jobs: First stop the commands in the background. Only if `restore` is `files` or `both`.
        summarise: First let the model write a summary of what is left behind, which becomes the next entry.
            `abort` stops that, and nothing has changed then. Only if `restore` is `conversation` or `both`.
        instructions: What that summary must keep. Only if `summarise` is `true`.
        label: A label for the entry at which the conversation then continues, the summary if there is one. Only
            if `restore` is `conversation` or `both`.
        """

    def open(self, session: str, *, fork: bool = False) -> OpenedPlace:
        """Continue a stored session, in its folder and with its model. The event `session_start` follows. Refused,
        unless `fork`, while another process has the session open. Refused while busy. It may take as long as
        a model or a person does.

        session: The id of a session, or its beginning, or a path.
        fork: Continue in a copy, a new session.
        """

    def redo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Take back the last `session.undo`, if nothing was asked since. Refused as `session.navigate` is. Refused
        while busy. It may take as long as a model or a person does.

        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        """

    def rename(self, title: str, *, session: str = "") -> SessionTitle:
        """Give a session a title, one line of at most 200 characters; an empty one brings back the name made from
        the first prompt.

        title: The title.
        session: The id of a session, or its beginning; by default the conversation's, the only one for an
            extension.
        """

    def search(self, query: str, *, scope: Literal["cwd", "all"] = "cwd", limit: int = 50) -> SessionHits:
        """Find the stored sessions that have all words in their title, prompts and answers, without regard to case.

        query: Words; text in double quotes must occur as it is.
        scope: As in `session.list`.
        limit: How many at most; 50 by default.
        """

    def show(self, session: str = "") -> StoredSessionInfo:
        """Say what a stored session is about: its last prompt and answer, its tokens and cost.

        session: The id of a session, or its beginning, or a path; by default the conversation's.
        """

    def totals(self, *, limit: int = 200) -> RunTotalsList:
        """Say what the last runs of the conversation took and changed: those with calls, and the long ones.

        limit: How many runs at most; 200 by default.
        """

    def tree(self) -> TreeInfo:
        """List the entries of the session, of all its branches, in the order in which they were added."""

    def undo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Go back to before the last prompt, whose text the answer has, with the files that tools changed since.
        Refused as `session.navigate` is. Refused while busy. It may take as long as a model or a person does.

        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        """

class ToolsOperations(Calls):
    """The calls of `ext.tools` that only pass on fields."""

    def active(self) -> NameList:
        """Name the tools that the model may call."""

    def list(self) -> KnownTools:
        """List the tools of the agent."""

    def set_active(self, names: Sequence[str]) -> NameList:
        """Take all other tools from the model, from its next request on, until the extension ends. Tools that are
        registered later are active. What another extension has taken away stays away.

        names: Names of tools.
        """

class OperationGroups:
    """What an extension has besides `Groups`."""

    @property
    def agents(self) -> AgentsOperations: ...
    @property
    def jobs(self) -> JobsOperations: ...
    @property
    def prompts(self) -> PromptsOperations: ...
