"""`Runtime`: a coding agent in five lines.

```python
async with Runtime(model="anthropic/claude-sonnet-4-5", cwd=".") as rt:
    async for event in rt.prompt("what does this project do?"):
        if isinstance(event, TextDelta):
            print(event.delta, end="")
```
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar, overload

from zot_core.agent import Agent, user_message
from zot_core.agent.loop import conclude, failed
from zot_core.aio import alive, cancel_soon, finish, spawn
from zot_core.compaction.compactor import CompactionLimits, Compactor
from zot_core.confirm import Confirm, confirm_gate
from zot_core.errors import Busy, Closed
from zot_core.events import AssistantMessage, ErrorEvent, Notice, RunEnd, TurnEnd, TurnStart
from zot_core.hooks import Hooks
from zot_core.limits import RunLimits, limit_runs
from zot_core.prompt import system_prompt as build_system_prompt
from zot_core.run import Run as Run
from zot_core.sessions.file import SessionFile, Stored
from zot_core.setup import check_reasoning, choose, open_session, own_tools
from zot_core.setup import pick_tools as pick_tools
from zot_core.skills import SKILL_TOOL, Skill, skill_tool, skills_section
from zot_core.state import Recording, State, chosen_tools, clear_session, models_of, named_model, without_cleared
from zot_core.tools import BUILTIN_TOOLS
from zot_core.tools.base import Tool
from zot_core.tools.context import Files, Shell, ToolContext
from zot_core.tools.files import LocalFiles
from zot_core.tools.names import several
from zot_core.tools.shell import LocalShell
from zot_provider.client import Client, HttpClient
from zot_provider.errors import ConfigError, ZotError
from zot_provider.messages import ImageBlock, Message
from zot_provider.model import Model
from zot_provider.request import Reasoning
from zot_provider.usage import Usage

T = TypeVar("T")
_Start: TypeAlias = Callable[[], "tuple[asyncio.Task[RunEnd], Callable[[], None]]"]
"""Begins some work: its task, which never raises and has told `done` at its end, and what cancels it."""


class Unanswered(ZotError):
    """`Runtime.ask` got no answer: the run failed or was stopped. `end` says how it ended, `str()` why."""

    def __init__(self, text: str, end: RunEnd, exit_code: int = 1) -> None:
        super().__init__(text)
        self.end = end
        self.exit_code = exit_code


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
    ) -> None:
        """Nothing is contacted before the first prompt.

        `client` answers instead of a vendor; `model` may then be a `Model` record, or any name. `builtin_tools` names
        the built-in tools to have, None for all; `skills` are told to the model, which reads them with the tool
        `skill`. `append_system_prompt` is a text, or several. `session` is the path of a session file, gone on with if
        it exists, or an open one with what was `resumed` from it. `confirm` is asked before each tool call. The limits
        are those of `RunLimits`. `auto_compact` is the part of the context window that may be taken up before the
        conversation is compacted, None for no limit; `CompactionLimits` say more. `files` and `shell` are what tools
        reach of the world, `env` is added for their processes. `close` closes the client and the session, also those
        that were handed in.

        Raises `ConfigError` (unknown names, missing key, bad limits) and `SessionError`.
        """
        self.cwd = os.path.abspath(cwd)
        if not os.path.isdir(self.cwd):
            raise ConfigError(f"the working directory {self.cwd} does not exist")
        client, model = choose(client, model, provider, api_key, base_url)
        limits = RunLimits(max_steps, max_cost, max_tokens, deadline)
        limits.check(model)
        compaction = auto_compact if isinstance(auto_compact, CompactionLimits) else CompactionLimits(auto_compact)
        compaction.check()
        check_reasoning(reasoning)
        appended = [append_system_prompt] if isinstance(append_system_prompt, str) else append_system_prompt
        names = None if builtin_tools is None else several(builtin_tools)
        if names is not None and SKILL_TOOL not in names:
            skills = ()
        self.skills = list(skills)
        """What the model can look up with the tool `skill`."""
        tools = [*pick_tools(names), *([skill_tool(skills)] if skills else ()), *own_tools(tools)]
        # Last of what can fail: whoever catches an error would be left with a locked file.
        if session is not None and not isinstance(session, SessionFile):
            session, resumed = open_session(os.path.abspath(session), self.cwd, model)
        self.session = session
        self.agent = Agent(
            client,
            model,
            tools=tools,
            context=ToolContext(self.cwd, files or LocalFiles(), shell or LocalShell(), env=env or {}),
            system=build_system_prompt(self.cwd, replace=system_prompt, append=[*appended, skills_section(skills)]),
            reasoning=reasoning,
            messages=[*(without_cleared(resumed.messages) if resumed else ()), *messages],
            usage=resumed.usage if resumed else None,
            hooks=hooks,
            cache_key=session.meta.id if session else "",
        )
        self._tools = {tool.name: tool for tool in (*BUILTIN_TOOLS, *tools)}
        self._recording = Recording(self.agent.hooks, session) if session is not None else None
        if confirm is not None:
            self.agent.hooks.tool_run.add(confirm_gate(confirm))
        limit_runs(self.agent, limits)
        self._compactor = Compactor(self.agent, compaction)
        self._compactor.attach()
        self.agent.hooks.before_run.add(self._name_model)
        if isinstance(client, HttpClient):
            client.on_retry = self._tell_retry
        self._run: Run | None = None
        self._closed = False

    @property
    def hooks(self) -> Hooks:
        """Where to watch, stop or change what the agent does."""
        return self.agent.hooks

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
        return self.agent.usage.cost_usd

    @property
    def busy(self) -> bool:
        """Whether a prompt is being answered; true until its `done`."""
        return self._run is not None and self._run.end is None and alive(self._run.task)

    def prompt(self, text: str, images: Iterable[ImageBlock] = (), meta: Mapping[str, str] | None = None) -> Run:
        """Answer `text`; iterate over what is returned for the events. `meta` is kept with the message: see `Message`.

        Raises `Busy` while another prompt is being answered (one that was abandoned is waited for), `Closed` after
        `close`. Failures are events, not exceptions: `error`, then `done`.
        """
        message = user_message(text, images, meta)
        return self._begin(lambda: (self.agent.start(message), self.agent.cancel), "prompt")

    def compact(self, instructions: str = "") -> Run:
        """Put a summary in place of all but the last messages; `instructions` tell the model what matters.

        Goes on and is stopped like a prompt, ends with `compact_done` and `done`, and raises what `prompt` raises.
        Where there is nothing to compact, or it fails, there is an `error` before `done`, and all is as it was.
        """

        def start() -> tuple[asyncio.Task[RunEnd], Callable[[], None]]:
            task = spawn(self._compact(instructions), "compaction")
            return task, lambda: cancel_soon(task)

        return self._begin(start, "compact")

    def _begin(self, start: _Start, name: str) -> Run:
        if self._closed:
            raise Closed("the runtime is closed")
        previous = self._run
        if previous is not None and self.busy and not previous.cancelled:
            raise Busy("the agent is busy with another prompt; wait for it, or cancel it")
        run = Run()
        run.task = spawn(self._follow(previous, run, start), name)
        run.task.add_done_callback(run.wake)
        self._run = run
        return run

    async def _follow(self, previous: Run | None, run: Run, start: _Start) -> RunEnd:
        """Never raises, and tells `done` exactly once: what goes wrong is told as events."""
        stopped = previous is not None and await finish(previous.task)
        remove = self.agent.hooks.event.add(run.put)
        end: RunEnd = "aborted"
        try:
            if not stopped:
                task, cancel = start()
                await finish(task, cancel)
                end = task.result()
        except asyncio.CancelledError:  # before the agent had begun
            conclude(self.agent, end)
        except Exception as error:  # noqa: BLE001  the top of a run, as in the loop
            end = conclude(self.agent, "error", failed(error))
        else:
            if stopped:
                conclude(self.agent, end)
        remove()
        return end

    async def _compact(self, instructions: str) -> RunEnd:
        end: RunEnd = "completed"
        failure: ErrorEvent | None = None
        try:
            await self._name_model("")
            await self._compactor.compact(instructions=instructions)
        except asyncio.CancelledError:
            end = "aborted"
        except Exception as error:  # noqa: BLE001  the top of a run, as in the loop
            end, failure = "error", failed(error)
        return conclude(self.agent, end, failure)

    async def _name_model(self, _: str) -> None:
        """Where no model was named and none is the vendor's default, the server's first one is taken."""
        client = self.agent.client
        if not self.agent.model.id and isinstance(client, HttpClient):
            self.agent.model = self.agent.model.replace(id=(await client.models())[0])
            if self.session is not None:
                self.session.change(model=self.agent.model.id)

    def _tell_retry(self, why: str, delay: float) -> None:
        if delay >= 1:  # a person notices no shorter wait
            self.agent.emit(Notice("info", f"{why}; trying again in {delay:g} s"))

    @overload
    async def ask(self, text: str, images: Iterable[ImageBlock] = ()) -> str: ...

    @overload
    async def ask(self, text: str, images: Iterable[ImageBlock] = (), *, returns: type[T]) -> T: ...

    async def ask(self, text: str, images: Iterable[ImageBlock] = (), *, returns: type[T] | None = None) -> str | T:
        """Answer `text`; the text of the last answer, as a person is to see it, empty if a hook hides it.

        With `returns`, a pydantic model, a dataclass, `list[int]` or the like, it is a value of that type: see
        `zot_core.structured`, whose `InvalidAnswer` is raised if the model gives none when asked twice.

        Raises `Unanswered` if the run failed or was stopped. Cancelling the caller cancels the run and waits for its
        end.
        """
        if returns is not None:
            from zot_core.structured import ask_for  # noqa: PLC0415  a run without it does not pay for it

            return await ask_for(self, text, images, returns)
        answer, reason, code = "", "", 1
        run = self.prompt(text, images)
        try:
            async for event in run:
                if isinstance(event, ErrorEvent):
                    reason, code = event.message, event.exit_code
                elif isinstance(event, TurnStart):
                    answer = ""
                elif isinstance(event, AssistantMessage):
                    answer = event.message.text
                elif isinstance(event, TurnEnd):
                    reason = event.error
        except asyncio.CancelledError:
            run.cancel()
            await finish(run.task)
            raise
        end = run.end or "aborted"
        if end != "completed":
            raise Unanswered(reason or f"the prompt was not answered: {end}", end, code)
        return answer

    def cancel(self) -> None:
        """Stop the prompt at hand, from any thread; what was said and done so far is kept. Harmless when idle."""
        if self._run is not None:
            self._run.cancel()

    def steer(self, text: str) -> None:
        """Say something that reaches the model with its next call."""
        self.agent.steer(text)

    def follow_up(self, text: str) -> None:
        """Say something once the prompt at hand is answered."""
        self.agent.follow_up(text)

    @property
    def state(self) -> State:
        """What it is and does at the moment."""
        agent, model = self.agent, self.agent.model
        identity = self.session.meta.id if self.session is not None else ""
        return State(
            model.vendor, model.id, self.cwd, len(agent.transcript), self.busy, agent.usage, agent.reasoning, identity,
            len(agent.inbox),
        )  # fmt: skip

    async def list_models(self) -> list[Model]:
        """The models known for the current vendor. Raises `ProviderError` where its server is asked in vain."""
        return await models_of(self.agent.client, self.agent.model)

    def set_model(self, model: str | Model) -> None:
        """Go on with another model of the same vendor, named as for `state.named_model`.

        This and the other changes are for an idle agent: they raise `Busy` and `Closed` as `prompt` does, besides
        `ConfigError` for what cannot be had and `SessionError`. The hooks give the system prompt anew.
        """
        self._check_idle()
        agent = self.agent
        agent.model = named_model(agent.client, agent.model, model) if isinstance(model, str) else model
        if self.session is not None:
            self.session.change(model=agent.model.id, provider=agent.model.vendor)
        agent.refresh()

    def set_reasoning(self, reasoning: Reasoning) -> None:
        """Have the model think this much from now on."""
        self._check_idle()
        check_reasoning(reasoning)
        self.agent.reasoning = reasoning
        self.agent.refresh()

    def set_tools(self, names: Iterable[str]) -> None:
        """Have these tools from now on: built-in ones and those given at the beginning. Others, such as those of
        extensions, stay whether or not they are named."""
        self._check_idle()
        self.agent.tools = chosen_tools(self._tools, self.agent.tools, names)
        self.agent.refresh()

    def set_messages(self, messages: Iterable[Message]) -> None:
        """Put another conversation in the place of this one; usage is kept. The session file is told that it began
        anew, and gets the messages."""
        self._check_idle()
        if self.session is not None and len(self.agent.transcript):
            clear_session(self.session)
        self.agent.transcript.reset(())
        self.agent.inbox.take_all()
        for message in messages:
            self.agent.transcript.append(message)

    def clear(self) -> None:
        """Forget the conversation, in the session file too; usage is kept."""
        self.set_messages(())

    def new_session(self) -> None:
        """Begin anew, with no usage; what there was stays in its file, and a new one lies beside it."""
        self._check_idle()
        agent = self.agent
        if self._recording is not None:
            self.session = self._recording.begin_anew(agent.model)
            agent.cache_key = self.session.meta.id
        agent.transcript.reset(())
        agent.inbox.take_all()
        agent.usage = Usage()
        agent.refresh()

    def _check_idle(self) -> None:
        if self._closed:
            raise Closed("the runtime is closed")
        if self.busy:
            raise Busy("the agent is busy")

    async def close(self) -> None:
        """Cancel what runs, wait for it, release files and connections. Closing twice is harmless."""
        self._closed = True
        if self._run is not None and alive(self._run.task):
            self._run.cancel()
            await asyncio.wait([self._run.task])
        if self.session is not None:
            self.session.close()
        await self.agent.client.close()

    async def __aenter__(self) -> "Runtime":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
