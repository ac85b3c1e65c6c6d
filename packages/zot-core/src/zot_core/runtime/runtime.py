"""`Runtime`: a coding agent in five lines.

```python
async with Runtime(model="anthropic/claude-sonnet-4-5", cwd=".") as rt:
    async for event in rt.prompt("what does this project do?"):
        if isinstance(event, TextDelta):
            print(event.delta, end="")
```
"""

import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, TypeVar, overload

from zot_core.agent import Agent, user_message
from zot_core.agent.loop import concluded
from zot_core.agent.run import Run
from zot_core.compaction.compactor import CompactionLimits, Compactor
from zot_core.confirm import Confirm, confirm_gate
from zot_core.errors import Busy, Closed
from zot_core.events import Notice, RunEnd
from zot_core.hooks import Hooks
from zot_core.limits import RunLimits, limit_runs
from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import Files, Shell
from zot_core.machine.shell import LocalShell
from zot_core.runtime import choices
from zot_core.runtime.answer import Follower, RunResult
from zot_core.runtime.answer import stream_text as stream_answer
from zot_core.runtime.state import State
from zot_core.runtime.workspace import Workspace
from zot_core.sessions.file import SessionFile, Stored
from zot_core.sessions.recorder import Recorder
from zot_core.sessions.store import new_session
from zot_core.skills import SKILL_TOOL, Skill
from zot_core.tools import BUILTIN_TOOLS, as_names
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_provider.client.http import Client
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock, Message
from zot_provider.model import Model
from zot_provider.registry import LIST_LIMIT, Ask, Listing, ModelRegistry, Which
from zot_provider.request import Reasoning
from zot_provider.router import RoutingClient
from zot_provider.usage import Usage

T = TypeVar("T")


class Runtime:
    """An agent with its tools, its conversation and, if wanted, its session file.

    Everything has a default except the model, which may also come from a key in the environment (`select`).
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
        cwd: str | os.PathLike[str] = ".",
        tools: Iterable[Tool] = (),
        builtin_tools: Iterable[str] | None = None,
        skills: Sequence[Skill] = (),
        system_prompt: str | None = None,
        append_system_prompt: str | Sequence[str] = (),
        reasoning: Reasoning = "off",
        messages: Iterable[Message] = (),
        session: "str | os.PathLike[str] | SessionFile | None" = None,
        resumed: Stored | None = None,
        confirm: Confirm | None = None,
        max_steps: int | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        deadline: float | None = None,
        auto_compact: float | CompactionLimits | None = 0.85,
        hooks: Hooks | None = None,
        files: Files | None = None,
        shell: Shell | None = None,
        env: dict[str, str] | None = None,
        deps: Any = None,
    ) -> None:
        """Nothing is contacted before the first prompt.

        `client` answers instead of a provider; `model` may then be a `Model` record, or any name. `models` are the
        providers and models there are, by default those of the catalogue. `builtin_tools` names the built-in tools to
        have, None for all; `skills` are offered to the model, which reads them with the tool `skill`.
        `append_system_prompt` is a text, or several. `session` is the path of a session file, which is continued if it
        exists, or an open one with what was `resumed` from it. `confirm` is asked before each tool call. The limits are
        those of `RunLimits`. `auto_compact` is the part of the context window that may be taken up before the
        conversation is compacted, None for no limit; `CompactionLimits` say more. `files` and `shell` are what tools
        reach of the world, `env` is added for their processes, and `deps` is any object of yours that your tools find
        in their `ToolContext`. `close` closes the client and the session, also those that were handed in.

        Raises `ConfigError` (unknown names, missing key, bad limits) and `SessionError`.
        """
        cwd = os.path.abspath(cwd)
        if not os.path.isdir(cwd):
            raise ConfigError(f"the working directory {cwd} does not exist")
        client, model = choices.choose(client, models, model, provider, api_key, base_url)
        limits = RunLimits(max_steps, max_cost, max_tokens, deadline)
        limits.check(model)
        compaction = auto_compact if isinstance(auto_compact, CompactionLimits) else CompactionLimits(auto_compact)
        compaction.check()
        choices.check_reasoning(reasoning)
        appended = [append_system_prompt] if isinstance(append_system_prompt, str) else append_system_prompt
        names = None if builtin_tools is None else as_names(builtin_tools)
        self._uses_skills = names is None or SKILL_TOOL in names
        self.workspace = Workspace(cwd, system_prompt, appended, list(skills) if self._uses_skills else [])
        tools = [*choices.pick_tools(names), *self.workspace.tools(), *choices.own_tools(tools)]
        # Last of what can fail: after an error nobody could unlock the file.
        if session is not None and not isinstance(session, SessionFile):
            session, resumed = choices.open_session(os.path.abspath(session), cwd, model)
        self.agent = Agent(
            client,
            model,
            tools=tools,
            context=ToolContext(cwd, files or LocalFiles(), shell or LocalShell(), env=dict(env or {}), deps=deps),
            system=self.workspace.system(),
            reasoning=reasoning,
            messages=[*(resumed.messages if resumed else ()), *messages],
            usage=resumed.usage if resumed else None,
            hooks=hooks,
            cache_key=session.meta.id if session else "",
        )
        self._tools = {tool.name: tool for tool in (*BUILTIN_TOOLS, *tools)}
        self._recorder = Recorder(self.agent.hooks, session) if session is not None else None
        if confirm is not None:
            self.agent.hooks.tool_run.add(confirm_gate(confirm))
        limit_runs(self.agent, limits)
        self._compactor = Compactor(self.agent, compaction)
        self._compactor.attach()
        self.agent.hooks.system_prompt.add(self._name_model)
        if isinstance(client, RoutingClient):
            client.on_retry = self._tell_retry
        self._closed = False

    @property
    def hooks(self) -> Hooks:
        """Where to watch, stop or change what the agent does."""
        return self.agent.hooks

    @property
    def cwd(self) -> str:
        """The working directory, an absolute path."""
        return self.workspace.cwd

    @property
    def skills(self) -> Sequence[Skill]:
        """What the model can look up with the tool `skill`."""
        return self.workspace.skills

    @property
    def session(self) -> SessionFile | None:
        """The session that is written; None if the conversation is not kept."""
        return self._recorder.session if self._recorder is not None else None

    @property
    def models(self) -> ModelRegistry | None:
        """The providers and models there are; None where a client was handed in that answers for any."""
        client = self.agent.client
        return client.registry if isinstance(client, RoutingClient) else None

    @property
    def messages(self) -> list[Message]:
        """The conversation so far; a copy."""
        return self.agent.transcript.messages

    @property
    def usage(self) -> Usage:
        """Tokens and cost of the session so far."""
        return self.agent.usage

    @property
    def cost(self) -> float:
        """US dollars of the session so far; 0 while no price is known."""
        return self.usage.cost_usd

    @property
    def busy(self) -> bool:
        """Whether a prompt is being answered; true until its `done`."""
        return self.agent.busy

    def prompt(self, text: str | Message, images: Iterable[ImageBlock] = ()) -> Run:
        """Answer `text`, or a message of the user's; iterate over what is returned for the events.

        Raises `Busy` while another prompt is being answered (one that was cancelled is waited for), `Closed` after
        `close`. Failures are events, not exceptions: `error`, then `done`.
        """
        self._check_open()
        return self.agent.start(user_message(text, images) if isinstance(text, str) else text)

    def compact(self, instructions: str = "") -> Run:
        """Put a summary in place of all but the last messages; `instructions` tell the model what matters.

        Goes on and is stopped like a prompt, ends with `compact_done` and `done`, and raises what `prompt` raises.
        Where there is nothing to compact, or it fails, there is an `error` before `done`, and all is as it was.
        """
        return self.begin(lambda: self.summarise(instructions))

    def begin(self, work: Callable[[], Coroutine[Any, Any, RunEnd]], waiting: Run | None = None) -> Run:
        """Begin a run of other work: see `Agent.begin`. Raises what `prompt` raises."""
        self._check_open()
        return self.agent.begin(work, waiting)

    async def summarise(self, instructions: str = "") -> RunEnd:
        """The work of `compact`, for `begin`."""

        async def work() -> None:
            await self._name_model("")
            await self._compactor.compact(instructions=instructions)

        return await concluded(self.agent, work())

    async def _name_model(self, _: str) -> None:
        """Where no model was named and none is the provider's default, the server's first one is taken."""
        client, model = self.agent.client, self.agent.model
        if not model.id and isinstance(client, RoutingClient):
            self.agent.model = await client.name_model(model)
            if self.session is not None:
                self.session.change(model=self.agent.model.id)

    def _tell_retry(self, why: str, delay: float) -> None:
        if delay >= 1:  # a person notices no shorter wait
            self.agent.emit(Notice("info", f"{why}; trying again in {delay:g} s"))

    @overload
    async def ask(self, text: str, images: Iterable[ImageBlock] = ()) -> RunResult: ...

    @overload
    async def ask(self, text: str, images: Iterable[ImageBlock] = (), *, returns: type[T]) -> T: ...

    @overload
    async def ask(self, text: str, images: Iterable[ImageBlock] = (), *, returns: Mapping[str, Any]) -> Any: ...

    async def ask(
        self, text: str, images: Iterable[ImageBlock] = (), *, returns: type[T] | Mapping[str, Any] | None = None
    ) -> RunResult | T | Any:
        """Answer `text`. `str()` of the result is the text of the last answer, as a person sees it.

        With `returns`, a pydantic model, a dataclass, `list[int]` or the like, the result is a value of that type
        instead; with a JSON Schema it is the JSON value. Raises `InvalidOutput` if the
        model gives none when asked twice.
        """
        if returns is not None:
            from zot_core.runtime.structured import ask_for  # noqa: PLC0415  a run without it does not pay for it

            return await ask_for(self, text, images, returns)
        run = self.prompt(text, images)
        return await Follower(self.hooks, run).result()

    async def stream_text(self, text: str, images: Iterable[ImageBlock] = ()) -> AsyncGenerator[str, None]:
        """Answer `text`: the text as it comes, piece by piece, as a person sees it. A line break parts two answers.

        Raises `RunFailed` at the end if the run failed or was stopped. Leaving the loop cancels the run.
        """
        run = self.prompt(text, images)
        async with aclosing(stream_answer(run, Follower(self.hooks, run))) as pieces:
            async for piece in pieces:
                yield piece

    def cancel(self) -> None:
        """Stop the running prompt, from any thread; what was said and done so far is kept. Harmless when idle."""
        self.agent.cancel()

    def steer(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Say something that reaches the model with its next call."""
        self.agent.steer(text, images)

    def follow_up(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Say something once the running prompt is answered."""
        self.agent.follow_up(text, images)

    @property
    def state(self) -> State:
        """What it is and does at the moment."""
        return State.of(self.agent, self.cwd, self.session.meta.id if self.session is not None else "")

    async def list_models(self, which: Which = "ready", *, ask: Ask = "unlisted", limit: float = LIST_LIMIT) -> Listing:
        """The models to choose from, and why servers that were asked gave none: see `ModelRegistry.listing`."""
        return await choices.models_to_choose(self.agent.client, self.agent.model, which, ask, limit)

    def set_model(self, model: str | Model, *, provider: str = "") -> None:
        """Continue with another model, of any provider there is a credential for; a name is understood as in
        `ModelRegistry.resolve`.

        This and the other changes are for an idle agent: they raise `Busy` and `Closed` as `prompt` does, besides
        `ConfigError` for what cannot be had, `MissingKey` without a credential, and `SessionError`. The hooks give the
        system prompt again.
        """
        self._check_idle()
        agent = self.agent
        agent.model, warning = choices.other_model(agent.client, agent.model, model, provider)
        if warning:
            agent.emit(Notice("warn", warning))
        if self.session is not None:
            self.session.change(model=agent.model.id, provider=agent.model.provider)
        agent.refresh()

    def set_reasoning(self, reasoning: Reasoning) -> None:
        """Have the model think this much from now on."""
        self._check_idle()
        choices.check_reasoning(reasoning)
        self.agent.reasoning = reasoning
        self.agent.refresh()

    def set_tools(self, names: Iterable[str]) -> None:
        """Have these tools from now on: built-in ones and those given at the beginning. Others, such as those of
        extensions, stay whether or not they are named."""
        self._check_idle()
        self.agent.tools = choices.chosen_tools(self._tools, self.agent.tools, names)
        self.agent.refresh()

    def set_messages(self, messages: Iterable[Message]) -> None:
        """Replace the conversation; usage is kept. The session file notes that it begins again, and gets the
        messages."""
        self._check_idle()
        if self.session is not None and len(self.agent.transcript):
            self.session.clear()
        self.agent.transcript.reset(())
        self.agent.inbox.take_all()
        for message in messages:
            self.agent.transcript.append(message)

    def clear(self) -> None:
        """Forget the conversation, in the session file too; usage is kept."""
        self.set_messages(())

    def new_session(self) -> None:
        """Start a conversation without messages and usage. The old one stays in its file; a new file lies beside it."""
        self._check_idle()
        old, model = self.session, self.agent.model
        if old is None:
            self._continue_with(None, None)
        else:
            meta = old.meta.replace(model=model.id, provider=model.provider, title="", other={})
            self._continue_with(new_session(os.path.dirname(old.path), meta, old.advice), None)

    def open_session(
        self, session: "str | os.PathLike[str] | SessionFile", resumed: Stored | None = None,
        workspace: Workspace | None = None,
    ) -> None:  # fmt: skip
        """Continue another session: its messages and usage replace the current ones. The current session is closed.

        `session` is the path of a session file, or an open one with what was `resumed` from it. The model stays as it
        is; `workspace` is the place to work in from now on, None to stay. Raises `SessionError`; then nothing has
        changed.
        """
        self._check_idle()
        if not isinstance(session, SessionFile):
            session, resumed = choices.open_session(os.path.abspath(session), self.cwd, self.agent.model)
        if workspace is not None:
            self.workspace = workspace if self._uses_skills else workspace.replace(skills=[])
            self.workspace.enter(self.agent, self._tools)
        self._continue_with(session, resumed)

    def _continue_with(self, session: SessionFile | None, resumed: Stored | None) -> None:
        agent, old = self.agent, self.session
        if session is not None:
            if self._recorder is None:
                self._recorder = Recorder(agent.hooks, session)
            self._recorder.session = session
            agent.cache_key = session.meta.id
        agent.start_over(resumed.messages if resumed else (), resumed.usage if resumed else Usage())
        if old is not None and old is not session:
            old.close()

    def _check_open(self) -> None:
        if self._closed:
            raise Closed("the runtime is closed")

    def _check_idle(self) -> None:
        self._check_open()
        if self.busy:
            raise Busy("the agent is busy")

    async def close(self) -> None:
        """Cancel what runs, wait for it, release files and connections. Closing twice is harmless."""
        self._closed = True
        self.cancel()
        if (current := self.agent.current) is not None:
            await current.finished()
        if self.session is not None:
            self.session.close()
        await self.agent.client.close()

    async def __aenter__(self) -> "Runtime":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
