"""`Runtime`: a coding agent in five lines.

```python
async with Runtime(model="anthropic/claude-sonnet-4-5", cwd=".") as rt:
    async for event in rt.prompt("what does this project do?"):
        if isinstance(event, TextDelta):
            print(event.delta, end="")
```
"""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from zot_core.agent import Agent
from zot_core.agent.fit_images import fit_images
from zot_core.agent.refused_images import RefusedImages
from zot_core.agent.refused_tools import RefusedTools
from zot_core.agent.sent_history import SentHistory
from zot_core.agent.stuck import StuckCalls
from zot_core.compaction.compactor import CompactionLimits, Compactor
from zot_core.confirm import Confirm, Permissions, confirm_gate
from zot_core.events import Notice
from zot_core.hooks import Hooks, ToolRequest
from zot_core.limits import RunLimits, limit_runs
from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import Files, Shell
from zot_core.machine.shell import LocalShell
from zot_core.prompt import PromptPart
from zot_core.prompt.as_sent import PromptAsSent
from zot_core.runtime import resolve
from zot_core.runtime.jobs import attach_jobs
from zot_core.runtime.prompts import Prompts
from zot_core.runtime.state import RuntimeState
from zot_core.runtime.workspace import Workspace
from zot_core.sessions.file import SessionFile, StoredSession
from zot_core.sessions.recorder import Recorder
from zot_core.sessions.totals import RunCounter, SessionTotals
from zot_core.skills import SKILL_TOOL, Skill
from zot_core.templates import PromptTemplates
from zot_core.tools import AGENT_TOOL, BUILTIN_TOOLS, as_names
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_provider.client.http import Client
from zot_provider.client.retry import RetryPolicy
from zot_provider.messages import Message
from zot_provider.model import Model
from zot_provider.registry import LIST_LIMIT, Ask, Listing, ModelRegistry, Which
from zot_provider.request import Reasoning
from zot_provider.router import RoutingClient
from zot_provider.usage import Usage

if TYPE_CHECKING:
    from zot_core.checkpoints.watch import Checkpoints
    from zot_core.runtime.restoring import RestoringBranches
    from zot_core.runtime.subagents.definitions import AgentDefinition
    from zot_core.runtime.subagents.subagents import Subagents


class Runtime(Prompts):
    """An agent with its tools, its history and an optional session file.

    Every option has a default except the model, which may also follow from an API key in the environment (`select`).
    """

    def __init__(
        self,
        model: str | Model = "",
        *,
        provider: str = "",
        api_key: str = "",
        base_url: str = "",
        client: Client | None = None,
        models: ModelRegistry | None = None,
        retries: RetryPolicy | None = None,
        cwd: str | os.PathLike[str] = ".",
        tools: Iterable[Tool] = (),
        builtin_tools: Iterable[str] | None = None,
        skills: Sequence[Skill] = (),
        templates: PromptTemplates | None = None,
        agents: "Sequence[AgentDefinition] | None" = None,
        system_prompt: str | None = None,
        append_system_prompt: str | Sequence[str | PromptPart] = (),
        reasoning: Reasoning | None = None,
        messages: Iterable[Message] = (),
        session: "str | os.PathLike[str] | SessionFile | None" = None,
        resumed: StoredSession | None = None,
        run: str | None = None,
        confirm: Confirm | None = None,
        max_steps: int | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        deadline: float | None = None,
        max_same_failures: int | None = 10,
        auto_compact: float | CompactionLimits | None = 0.85,
        hooks: Hooks | None = None,
        files: Files | None = None,
        shell: Shell | None = None,
        env: dict[str, str] | None = None,
        deps: Any = None,
        checkpoints: "Callable[[Agent], Checkpoints] | None" = None,
        worktrees: str = "",
    ) -> None:
        """Create a runtime; nothing is contacted before the first prompt.

        `client` answers instead of a provider; `model` may then be a `Model` record, or any name. `models` is the
        registry of providers and models, by default the catalogue. `retries` says how failed model calls are repeated.
        `reasoning` is by default the level at the end of `model` (`sonnet:high`), else "off". `builtin_tools` names the
        built-in tools to enable, None for all (some are offered only if they are named); `skills` are offered to the
        model, which reads them with the tool `skill`. `templates` are slash commands of a `Conversation`. The
        model may start `agents`, and the built-in ones, with the tool `agent`; None: it may not.
        `session` is the path of a session file, which is continued if it exists, or an open session file with the
        contents `resumed` from it. `run` is the task of a run that survives the process, as `durable`; it needs a
        session of its own. `confirm` is called before every tool call. `RunLimits` explains the limits;
        after `max_same_failures` of one call in the same way, a person is asked, or the run stops.
        `auto_compact` is the fraction of the context window at which the conversation is compacted, None for never;
        pass `CompactionLimits` for more control. `files` and `shell` are the tools' access to the machine, `env` is
        added to the environment of their processes, and `deps` is any object that your tools find in their
        `ToolContext`. `checkpoints` makes what saves the files that the agent changes: `partial(Checkpoints, FOLDER)`.
        `worktrees` is the folder for the worktrees of sub-agents, by default one in the git directory.
        `close` closes what was passed in. Raises `ConfigError` and `SessionError`.
        """
        cwd = resolve.working_directory(cwd)
        client, model, level = resolve.client_and_model(client, models, model, provider, api_key, base_url, retries)
        limits = RunLimits(max_steps, max_cost, max_tokens, deadline)
        limits.check(model)
        compaction = resolve.compaction_limits(auto_compact)
        resolve.check_reasoning(reasoning := reasoning or level or "off")
        appended = [append_system_prompt] if isinstance(append_system_prompt, str) else append_system_prompt
        names = None if builtin_tools is None else as_names(builtin_tools)
        self._workspace_tools = [each for each in resolve.WORKSPACE_TOOLS if names is None or each in names]
        self.workspace = self._chosen(Workspace(cwd, system_prompt, appended, skills, templates, agents))
        tools = [*resolve.builtin_tools_named(names), *self.workspace.tools(), *resolve.check_tools(tools)]
        # The last step that can fail: after an error nothing would unlock the file.
        if session is not None and not isinstance(session, SessionFile):
            session, resumed = resolve.open_session(os.path.abspath(session), cwd, model)
        self.agent = Agent(
            client,
            model,
            tools=tools,
            context=ToolContext(
                cwd,
                files or LocalFiles(),
                shell or LocalShell(),
                env=dict(env or {}),
                agents=lambda: self.agents,
                deps=deps,
            ),
            system=self.workspace.system(),
            reasoning=reasoning,
            messages=[*(resumed.messages if resumed else ()), *messages],
            usage=resumed.usage if resumed else None,
            hooks=hooks,
            cache_key=session.meta.session_id if session else "",
            as_sent=lambda block: self.sent.current(block),
        )
        self.agent.history.counted = resumed.counted if resumed else (0, 0)
        self.agent.tools.named = names or ()
        self._tools = {tool.name: tool for tool in (*BUILTIN_TOOLS, *tools)}
        self._left_out: set[str] = set()
        # The messages as the model gets them.
        self.sent = sent = SentHistory(self.agent, lambda: self._recorder.session)
        RefusedImages(self.agent, sent).attach()  # before answers are stored, and before compaction because of an image
        self._recorder = Recorder(self.agent.hooks, self.agent.tools, session, self.agent.history.messages)
        if confirm is not None:
            self.agent.hooks.tool_run.add(confirm_gate(confirm))
        self.budget = limit_runs(self.agent, limits)
        if max_same_failures is not None:
            StuckCalls(self.agent, max_same_failures, self._ask_about).attach()
        self.compaction_limits = compaction
        self.compactor = Compactor(self.agent, compaction, sent)
        self.compactor.attach()
        RefusedTools(self.agent).attach()
        sent.attach()
        fit_images(self.agent)
        attach_jobs(self.agent)
        PromptAsSent(self.agent, lambda: self._recorder.session, lambda: self.workspace).attach()
        self.agent.hooks.system_prompt.add(lambda _: self.name_model())
        self.permissions = Permissions()
        self.worktrees = worktrees
        self.checkpoints = None if checkpoints is None else checkpoints(self.agent)
        if self.checkpoints is not None:
            self.checkpoints.attach()
        self.durable = resolve.durable_run(self.agent, self.session, run, self.budget, self.begin)

    def judge_with(self, permissions: Permissions) -> None:
        """Judge the calls of the agent and of its sub-agents with these permissions, and ask a person with them."""
        permissions.attach(self.agent)
        self.permissions = permissions

    async def _ask_about(self, call: ToolRequest, reason: str) -> bool:
        permissions = self.agents.top().permissions if "agents" in self.__dict__ else self.permissions
        return await permissions.ask_about(call, reason)

    @cached_property
    def branches(self) -> "RestoringBranches":
        """The entries of the session, and going back to them."""
        from zot_core.runtime.restoring import RestoringBranches  # noqa: PLC0415  not before the first request

        return RestoringBranches(self.agent, self._recorder, self._check_idle, self.name_model, self.checkpoints)

    @cached_property
    def agents(self) -> "Subagents":
        """The sub-agents: `await rt.agents.run("Which tests are slow?")`."""
        from zot_core.runtime.subagents.subagents import Subagents  # noqa: PLC0415  many runs have none

        return Subagents(self, Runtime)

    @property
    def hooks(self) -> Hooks:
        """The hook points at which to observe, stop or change what the agent does."""
        return self.agent.hooks

    @property
    def cwd(self) -> str:
        """The working directory, an absolute path."""
        return self.workspace.cwd

    @property
    def skills(self) -> Sequence[Skill]:
        """The skills that the model can read with the tool `skill`."""
        return self.workspace.skills

    @property
    def models(self) -> ModelRegistry | None:
        """The registry of providers and models; None if a client was passed in."""
        client = self.agent.client
        return client.registry if isinstance(client, RoutingClient) else None

    @property
    def messages(self) -> list[Message]:
        """The history so far; a copy."""
        return self.agent.history.messages

    @property
    def usage(self) -> Usage:
        """Tokens and cost of the session so far."""
        return self.agent.usage

    @property
    def counter(self) -> RunCounter:
        """The counter of the current run, or of the last one."""
        return self._recorder.counter

    @property
    def totals(self) -> SessionTotals:
        """The totals of the runs of the session, as far as they are known."""
        return self._recorder.session.totals

    @property
    def cost(self) -> float | None:
        """US dollars of the session so far; None if the price of the current model is unknown."""
        return None if self.agent.model.price is None else self.usage.cost_usd or 0.0

    @property
    def state(self) -> RuntimeState:
        return RuntimeState.of(self.agent, self.cwd, self.session.meta.session_id if self.session is not None else "")

    async def list_models(self, which: Which = "ready", *, ask: Ask = "unlisted", limit: float = LIST_LIMIT) -> Listing:
        """List the available models, and the errors of servers that gave no list: see `ModelRegistry.listing`."""
        return await resolve.list_models(self.agent.client, self.agent.model, which, ask, limit)

    def set_model(self, model: str | Model, *, provider: str = "") -> None:
        """Continue with another model of any provider with a credential; names are resolved by `ModelRegistry.resolve`.
        A name may end with a reasoning level (`sonnet:high`). This and the following changes require an idle agent:
        they raise `Busy` and `Closed` as `prompt` does, `ConfigError` for unknown names, `MissingKey` without a
        credential, and `SessionError`. The hooks of `system_prompt` are called again.
        """
        self._check_idle()
        agent = self.agent
        agent.model, unknown, level = resolve.other_model(agent.client, agent.model, model, provider)
        agent.reasoning = level or agent.reasoning
        if unknown:
            agent.emit(Notice("warn", f"{unknown}; it is used anyway"))
        if self.session is not None:
            self.session.change(model=agent.model.id, provider=agent.model.provider)
        agent.refresh()

    def set_reasoning(self, reasoning: Reasoning) -> None:
        self._check_idle()
        resolve.check_reasoning(reasoning)
        self.agent.reasoning = reasoning
        self.agent.refresh()

    def set_tools(self, names: Iterable[str]) -> None:
        """Select tools by name: built-in ones and the ones passed to the constructor. Tools of extensions stay."""
        self._check_idle()
        chosen = as_names(names)
        self.agent.tools.become(resolve.select_tools(self._tools, self.agent.tools, chosen))
        self.agent.tools.named = chosen
        self._left_out = {*resolve.WORKSPACE_TOOLS} - {*chosen}
        self.agent.refresh()

    def set_messages(self, messages: Iterable[Message]) -> None:
        """Replace the history, in the session file too; usage is kept."""
        self._check_idle()
        if len(self.agent.history):
            self._recorder.session.clear()
        self.agent.start_over((), self.agent.usage)
        for message in messages:
            self.agent.history.append(message)

    def clear(self) -> None:
        """Clear the history; usage is kept."""
        self.set_messages(())

    def new_session(self, *, linked: bool = False) -> None:
        """Start a conversation without messages and usage, in a new file beside the old one: see `Branches`."""
        self._check_idle()
        self.branches.start_new(linked=linked)
        self._end_session()

    def open_session(
        self, session: "str | os.PathLike[str] | SessionFile", resumed: StoredSession | None = None,
        workspace: Workspace | None = None,
    ) -> None:  # fmt: skip
        """Continue another session: its messages and usage replace the current ones. The current session is closed.

        `session` is the path of a session file, or an open session file with the contents `resumed` from it. The model
        is kept; `workspace` is the new one, None to keep the current one. After `SessionError` nothing has changed.
        """
        self._check_idle()
        if not isinstance(session, SessionFile):
            session, resumed = resolve.open_session(os.path.abspath(session), self.cwd, self.agent.model)
        if workspace is not None:
            self.set_workspace(workspace)
        self.branches.enter(session, resumed)
        self._end_session()

    def _end_session(self) -> None:
        """End what belonged to the session before."""
        self.agent.context.jobs.end_session()
        if "agents" in self.__dict__:
            self.agents.end_session()

    def set_workspace(self, workspace: Workspace, *, in_run: bool = False) -> None:
        """Change the working directory, the instructions and the skills; with `in_run` before a model call, too."""
        (self._check_open if in_run else self._check_idle)()
        self.workspace = self._chosen(workspace)
        self.workspace.apply_to(self.agent, self._tools, self._left_out)

    def _chosen(self, workspace: Workspace) -> Workspace:
        """Return the workspace without what the model has no tool for."""
        skills = workspace.skills if SKILL_TOOL in self._workspace_tools else []
        return workspace.replace(
            skills=skills, agents=workspace.agents if AGENT_TOOL in self._workspace_tools else None
        )

    async def close(self) -> None:
        """Stop the run, all sub-agents and all jobs, wait for their ends, release files and connections. May be called
        twice."""
        await self.release()
        await self.agent.client.close()

    async def release(self) -> None:
        """Do what `close` does, but leave the client open, which may be shared."""
        self._closed = True
        self.cancel()
        if (current := self.agent.current) is not None:
            await current.finished()
        if "agents" in self.__dict__:
            await self.agents.close()
        if self.checkpoints is not None:
            await self.checkpoints.close()
        await self.agent.context.jobs.close()
        if self.session is not None:
            self.session.close()

    async def __aenter__(self) -> "Runtime":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
