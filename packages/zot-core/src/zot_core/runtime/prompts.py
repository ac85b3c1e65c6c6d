"""`Prompts`: what can be asked of an agent, the part of `Runtime` that starts runs."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping
from contextlib import aclosing
from typing import Any, TypeVar, overload

from zot_core.agent import Agent, user_message
from zot_core.agent.loop import run_work
from zot_core.agent.run import Run
from zot_core.compaction.compactor import Compactor
from zot_core.errors import Busy, Closed
from zot_core.events import RunEnd
from zot_core.runtime.answer import AnswerCollector, RunResult
from zot_core.runtime.answer import stream_text as stream_answer
from zot_core.sessions.file import SessionFile
from zot_core.sessions.recorder import Recorder
from zot_provider.messages import ImageBlock, Message
from zot_provider.router import RoutingClient

T = TypeVar("T")


class Prompts:
    """Starts and stops the runs of an agent, one at a time, until it is closed."""

    agent: Agent
    compactor: Compactor
    _recorder: Recorder
    _closed = False

    @property
    def busy(self) -> bool:
        """Whether a prompt is being answered; true until its `done`."""
        return self.agent.busy

    def prompt(self, text: str | Message, images: Iterable[ImageBlock] = ()) -> Run:
        """Answer `text`, or a user message. Iterate over the returned run for its events, or await it.
        Raises `Busy` while another prompt is being answered, unless that was cancelled: then this one waits for its
        end. Raises `Closed` after `close`. Failures are events, not exceptions: `error`, then `done`.
        """
        self._check_open()
        return self.agent.start(user_message(text, images) if isinstance(text, str) else text)

    def compact(self, instructions: str = "") -> Run:
        """Replace all but the last messages with a summary; `instructions` say what the summary should keep.

        The run is awaited and stopped like a prompt, ends with `compact_done` and `done`, and raises what `prompt`
        raises. If there is nothing to compact, or it fails, an `error` precedes `done`, and nothing has changed.
        """
        return self.begin(lambda: self.summarise(instructions))

    def begin(self, work: Callable[[], Coroutine[Any, Any, RunEnd]], run: Run | None = None) -> Run:
        """Start a run of other work: see `Agent.begin`. Raises what `prompt` raises."""
        self._check_open()
        return self.agent.begin(work, run)

    async def summarise(self, instructions: str = "") -> RunEnd:
        """Do the work of `compact`; to be passed to `begin`."""

        async def work() -> None:
            await self.name_model()
            await self.compactor.compact(instructions=instructions)

        return await run_work(self.agent, work())

    @overload
    async def ask(self, text: str, images: Iterable[ImageBlock] = ()) -> RunResult: ...

    @overload
    async def ask(self, text: str, images: Iterable[ImageBlock] = (), *, returns: type[T]) -> T: ...

    @overload
    async def ask(self, text: str, images: Iterable[ImageBlock] = (), *, returns: Mapping[str, Any]) -> Any: ...

    async def ask(
        self, text: str, images: Iterable[ImageBlock] = (), *, returns: type[T] | Mapping[str, Any] | None = None
    ) -> RunResult | T | Any:
        """Answer `text`. `str()` of the result is the text of the last answer, as the user sees it.

        If `returns` is a type (a pydantic model, a dataclass, `list[int]` or the like), return a value of that type; if
        it is a JSON Schema, return the JSON value.

        Raises `RunFailed` if the run failed or was stopped, and `InvalidOutput` if the model gives no such value in two
        attempts. Cancelling the caller cancels the run and waits for its end.
        """
        if returns is not None:
            from zot_core.runtime.structured_answers import ask_for  # noqa: PLC0415  a run without it does not pay for it

            return await ask_for(self.agent, text, returns, lambda prompt: self.ask(prompt, images))
        run = self.prompt(text, images)
        return await AnswerCollector(self.agent.hooks, run).result()

    async def stream_text(self, text: str, images: Iterable[ImageBlock] = ()) -> AsyncGenerator[str, None]:
        """Answer `text` and yield the answer as it arrives and the user sees it, with a line break between two turns.
        Raises `RunFailed` at the end if the run failed or was stopped. Leaving the loop cancels the run.
        """
        run = self.prompt(text, images)
        async with aclosing(stream_answer(run, AnswerCollector(self.agent.hooks, run))) as pieces:
            async for piece in pieces:
                yield piece

    def cancel(self) -> None:
        """Stop the current prompt, from any thread; the messages so far are kept. Does nothing when idle."""
        self.agent.cancel()

    def steer(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Add a user message to the current run, before its next model call."""
        self.agent.steer(text, images)

    def follow_up(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Add a user message to the current run, once its prompt is answered."""
        self.agent.follow_up(text, images)

    @property
    def session(self) -> SessionFile | None:
        """The session file being written; None if the conversation is not saved."""
        session = self._recorder.session
        return session if isinstance(session, SessionFile) else None

    async def name_model(self) -> None:
        """Use the first model of the server, if none was named and the provider has no default. Raises what the client
        raises."""
        client, model = self.agent.client, self.agent.model
        if not model.id and isinstance(client, RoutingClient):
            self.agent.model = await client.name_model(model)
            if self.session is not None:
                self.session.change(model=self.agent.model.id)

    def _check_open(self) -> None:
        if self._closed:
            raise Closed("the runtime is closed")

    def _check_idle(self) -> None:
        self._check_open()
        if not self.agent.changeable:
            raise Busy("the agent is busy")
