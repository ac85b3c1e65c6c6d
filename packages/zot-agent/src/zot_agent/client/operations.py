"""The operations as methods of the client; written by `scripts/generate_operations.py`."""
# Longer than 400 lines: it has a method for each operation.

from collections.abc import Mapping, Sequence
from typing import Literal

from zot_agent.client.screen import ScreenCommands
from zot_agent.operations.answers import (
    AddedSession,
    ChangedRun,
    ChangedSetting,
    CommandAction,
    ModeInfo,
    RunList,
    SettingList,
    WrittenFile,
)
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
    ReloadInfo,
    StateInfo,
    SystemText,
)
from zot_ext.protocol.answers import (
    DiffInfo,
    ItemPage,
    ModelList,
    ModelState,
    MovedPlace,
    NameList,
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


class OperationCommands(ScreenCommands):
    """Raises what `RpcClient` raises. The fields are described in docs/generated/rpc.md."""

    async def agents_list(self) -> AgentList:
        """List the sub-agents of the session, oldest first."""
        answer: AgentList = await self.request("agents.list")
        return answer

    async def agents_messages(self, agent: str) -> MessagesInfo:
        """Return the conversation of a sub-agent, as `prompts.messages` does."""
        answer: MessagesInfo = await self.request("agents.messages", agent=agent)
        return answer

    async def agents_steer(self, agent: str, message: str) -> None:
        """Add a user message to the conversation of a sub-agent, before its next model call."""
        await self.request("agents.steer", agent=agent, message=message)

    async def agents_stop(self, agent: str) -> ChangedAgent:
        """Stop a sub-agent and its own. The event `subagent_stop` comes before the response."""
        answer: ChangedAgent = await self.request("agents.stop", agent=agent)
        return answer

    async def control_abort(self) -> None:
        """Stop the running prompt or compaction, which ends with its `done`; queued ones then run. Harmless when
        idle."""
        await self.request("control.abort")

    async def control_clear(self) -> None:
        """Delete all messages of the conversation. Refused while busy."""
        await self.request("control.clear")

    async def control_commands(self) -> KnownCommands:
        """List the slash commands of prompt templates, skills and extensions. A client waits until all extensions
        have registered theirs; an extension gets what is known so far."""
        answer: KnownCommands = await self.request("control.commands")
        return answer

    async def control_context(self) -> ContextInfo:
        """Say what fills the context window: the parts of the next request in order."""
        answer: ContextInfo = await self.request("control.context")
        return answer

    async def control_reload(self) -> ReloadInfo:
        """Stop all extensions, read their manifests again and start them. Allowed while busy. An extension gets no
        answer: it is restarted too, once its command is answered, and what failed becomes notices."""
        answer: ReloadInfo = await self.request("control.reload")
        return answer

    async def control_run(self, name: str, *, args: str = "") -> CommandAction:
        """Run a slash command of a prompt template, a skill or an extension. Its output comes as `ext_*` events
        before the response. A prompt that it submits is started, or queued, like any other."""
        answer: CommandAction = await self.request("control.run", name=name, args=args or None)
        return answer

    async def control_shutdown(self) -> None:
        """End zot, once nothing runs and waits and the request is answered."""
        await self.request("control.shutdown")

    async def control_skills(self) -> KnownSkills:
        """List the skills."""
        answer: KnownSkills = await self.request("control.skills")
        return answer

    async def control_state(self) -> StateInfo:
        """Return the state of the agent."""
        answer: StateInfo = await self.request("control.state")
        return answer

    async def control_system_prompt(self) -> SystemText:
        """Read the system prompt."""
        answer: SystemText = await self.request("control.system_prompt")
        return answer

    async def control_wait_idle(self) -> None:
        """Answer when nothing runs and waits."""
        await self.request("control.wait_idle")

    async def jobs_list(self) -> JobList:
        """List the commands that run in the background of the session, and the latest that have ended."""
        answer: JobList = await self.request("jobs.list")
        return answer

    async def jobs_stop(self, job: str) -> ChangedJob:
        """Stop a command in the background with everything that it started. The event `job_end` comes before the
        response."""
        answer: ChangedJob = await self.request("jobs.stop", job=job)
        return answer

    async def model_get(self) -> ModelState:
        """Describe the model."""
        answer: ModelState = await self.request("model.get")
        return answer

    async def model_list(self, *, scope: Literal["current", "ready", "all", "favourites"] = "current") -> ModelList:
        """List models."""
        answer: ModelList = await self.request("model.list", scope=None if scope == "current" else scope)
        return answer

    async def model_reasoning(
        self, reasoning: Literal["off", "minimum", "low", "medium", "high", "xhigh", "max", "maximum"]
    ) -> ModelState:
        """Set how much the model thinks. Refused while busy."""
        answer: ModelState = await self.request("model.reasoning", reasoning=reasoning)
        return answer

    async def model_set(self, model: str, *, provider: str = "") -> ModelState:
        """Continue with another model, of any provider with a key. Refused while busy, and without a key: the error
        names the variable to set."""
        answer: ModelState = await self.request("model.set", model=model, provider=provider or None)
        return answer

    async def permissions_answer(
        self, request: str, answer: Literal["yes", "always", "no"], *, message: str = ""
    ) -> None:
        """Answer an event `permission_request`: the tool call runs or is refused. The first answer counts."""
        await self.request("permissions.answer", request=request, answer=answer, message=message or None)

    async def permissions_mode(self, mode: Literal["ask", "accept-edits", "plan", "yolo"]) -> ModeInfo:
        """Set what becomes of tool calls that no rule names, from the next call on."""
        answer: ModeInfo = await self.request("permissions.mode", mode=mode)
        return answer

    async def prompts_follow_up(self, message: str) -> None:
        """Add a message to the running prompt; the model reads it when it would otherwise stop."""
        await self.request("prompts.follow_up", message=message)

    async def prompts_messages(self) -> MessagesInfo:
        """Return the whole conversation with the model's own words. Clients get the entries of extensions too, which
        may be [drawn](rpc.md#what-extensions-draw)."""
        answer: MessagesInfo = await self.request("prompts.messages")
        return answer

    async def prompts_steer(self, message: str) -> None:
        """Add a message to the running prompt; the model reads it with its next call."""
        await self.request("prompts.steer", message=message)

    async def runs_answer(self, run: str, answer: Literal["yes", "always", "no"], *, message: str = "") -> ChangedRun:
        """Answer the question of a run. The run then continues in its own process."""
        answered: ChangedRun = await self.request("runs.answer", run=run, answer=answer, message=message or None)
        return answered

    async def runs_list(self) -> RunList:
        """List the durable runs (`zot run`), last changed first."""
        answer: RunList = await self.request("runs.list")
        return answer

    async def session_append(self, custom_type: str, data: object) -> NewItem:
        """Store data of the extension as an entry, which models do not see."""
        answer: NewItem = await self.request("session.append", custom_type=custom_type, data=data)
        return answer

    async def session_delete(self, session: str) -> None:
        """Delete a stored session with all its branches. Refused while a process has it open."""
        await self.request("session.delete", session=session)

    async def session_diff(self) -> DiffInfo:
        """List the files that differ from what they were before the session."""
        answer: DiffInfo = await self.request("session.diff")
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
        """List entries, from the first on."""
        answer: ItemPage = await self.request(
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
        """Read one entry whole."""
        answer: SessionItem = await self.request("session.entry", entry=entry)
        return answer

    async def session_export(self, path: str, *, session: str = "") -> WrittenFile:
        """Write a session to a new file. Its suffix chooses the format: .zotsession, .html or .md. An existing file
        is never overwritten. It has everything that the model has read."""
        answer: WrittenFile = await self.request("session.export", path=path, session=session or None)
        return answer

    async def session_fork(self, entry: str = "", *, position: Literal["at", "before"] = "at") -> SessionPlace:
        """Copy the session and continue in it, a new session. The event `session_start` follows. Refused while busy."""
        answer: SessionPlace = await self.request(
            "session.fork", entry=entry or None, position=None if position == "at" else position
        )
        return answer

    async def session_import(self, path: str) -> AddedSession:
        """Import a .zotsession file as a session of the working directory. It gets a new id."""
        answer: AddedSession = await self.request("session.import", path=path)
        return answer

    async def session_info(self) -> SessionInfo:
        """Describe the session."""
        answer: SessionInfo = await self.request("session.info")
        return answer

    async def session_label(self, entry: str, label: str) -> None:
        """Give an entry a label, one line of at most 200 characters."""
        await self.request("session.label", entry=entry, label=label)

    async def session_list(
        self, *, scope: Literal["cwd", "all"] = "cwd", limit: int = 50, after: str = ""
    ) -> SessionPage:
        """List the stored sessions, last used first."""
        answer: SessionPage = await self.request(
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
        """Continue at another entry of the session. Nothing is lost: the entries after it stay in the tree. The
        event `session_tree` follows. Refused with files while a job runs, which could change them: the code
        is `jobs_running` then. Refused while busy."""
        answer: MovedPlace = await self.request(
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
        """Start a new session: no messages, no usage and, if sessions are stored, a new file. Refused while busy."""
        answer: SessionPlace = await self.request("session.new", parent=parent or None, messages=list(messages) or None)
        return answer

    async def session_open(self, session: str, *, fork: bool = False) -> OpenedPlace:
        """Continue a stored session, in its folder and with its model. The event `session_start` follows. Refused,
        unless `fork`, while another process has the session open. Refused while busy."""
        answer: OpenedPlace = await self.request("session.open", session=session, fork=fork or None)
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
        """List entries of a stored session, also another one, as `session.entries` does."""
        answer: ItemPage = await self.request(
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
        while busy."""
        answer: MovedPlace = await self.request("session.redo", force=force or None, stop_jobs=stop_jobs or None)
        return answer

    async def session_rename(self, title: str, *, session: str = "") -> SessionTitle:
        """Give a session a title, one line of at most 200 characters; an empty one brings back the name made from
        the first prompt."""
        answer: SessionTitle = await self.request("session.rename", title=title, session=session or None)
        return answer

    async def session_search(self, query: str, *, scope: Literal["cwd", "all"] = "cwd", limit: int = 50) -> SessionHits:
        """Find the stored sessions that have all words in their title, prompts and answers, without regard to case."""
        answer: SessionHits = await self.request(
            "session.search", query=query, scope=None if scope == "cwd" else scope, limit=None if limit == 50 else limit
        )
        return answer

    async def session_show(self, session: str = "") -> StoredSessionInfo:
        """Say what a stored session is about: its last prompt and answer, its tokens and cost."""
        answer: StoredSessionInfo = await self.request("session.show", session=session or None)
        return answer

    async def session_tree(self) -> TreeInfo:
        """List the entries of the session, of all its branches, in the order in which they were added."""
        answer: TreeInfo = await self.request("session.tree")
        return answer

    async def session_undo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Go back to before the last prompt, whose text the answer has, with the files that tools changed since.
        Refused as `session.navigate` is. Refused while busy."""
        answer: MovedPlace = await self.request("session.undo", force=force or None, stop_jobs=stop_jobs or None)
        return answer

    async def settings_list(self) -> SettingList:
        """List all settings with their values in this conversation. A password in an address is left out."""
        answer: SettingList = await self.request("settings.list")
        return answer

    async def settings_set(self, key: str, value: object = None) -> ChangedSetting:
        """Store a setting in the `config.json` of the user, as `zot config set` does. If `at_once`, the conversation
        follows; otherwise the value counts from the next start. A setting that is not `changeable` is
        refused."""
        answer: ChangedSetting = await self.request("settings.set", key=key, value=value)
        return answer

    async def tools_active(self) -> NameList:
        """Name the tools that the model may call."""
        answer: NameList = await self.request("tools.active")
        return answer

    async def tools_list(self) -> KnownTools:
        """List the tools of the agent."""
        answer: KnownTools = await self.request("tools.list")
        return answer

    async def tools_set(self, tools: Sequence[str]) -> NameList:
        """Set the built-in tools of the model; tools of extensions stay. The answer names all that it may call.
        Refused while busy."""
        answer: NameList = await self.request("tools.set", tools=list(tools))
        return answer

    async def tools_set_active(self, names: Sequence[str]) -> NameList:
        """Take all other tools from the model, from its next request on, until the extension ends. Tools that are
        registered later are active. What another extension has taken away stays away."""
        answer: NameList = await self.request("tools.set_active", names=list(names))
        return answer
