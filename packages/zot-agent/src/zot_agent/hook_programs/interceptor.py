"""`HookInterceptor`: a hook program in the place of an extension that observes and intercepts."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from zot_agent.extensions.calls.intercept_options import InterceptOptions
from zot_agent.extensions.requests import ExtensionEnded
from zot_agent.extensions.trace import Direction, Trace
from zot_agent.hook_programs.program import DEFAULT_LIMITS, HookProgram, HookProgramLimits
from zot_agent.hook_programs.run import REFUSED, HookExit, HookFailed, HookPlace, run_program
from zot_core.aio import finish, spawn
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CAPABILITIES, EventInterceptResponse
from zot_ext.protocol.from_host import Event, EventIntercept


class Dialect(Protocol):
    """The input and output of a program."""

    async def question(self, frame: Event | EventIntercept, place: HookPlace, /) -> bytes | None:
        """Return the standard input for a frame; None if the program does not run for it. Raises `FrameError`."""

    async def answer(self, frame: EventIntercept, ended: HookExit, place: HookPlace, /) -> EventInterceptResponse:
        """Return what an end of the program means. Raises `HookFailed` for an exit code that means nothing, and
        `FrameError` if the answer is not valid."""


class HookInterceptor:
    """Runs `program` for each frame. `place` says where, `report` shows a line to the person.

    A program that is only notified runs for one event at a time, in their order.
    """

    def __init__(
        self,
        program: HookProgram,
        dialect: Dialect,
        place: Callable[[], HookPlace],
        report: Callable[[str], None],
        *,
        limits: HookProgramLimits = DEFAULT_LIMITS,
        trace: Trace | None = None,
    ) -> None:
        self.program, self.name = program, f"hook {program.line}"
        blocks = program.blocks_on_failure
        self.intercept_options = {program.event: InterceptOptions(blocks, blocks)}
        self.granted = CAPABILITIES
        self.log = self.unanswered = report
        self._dialect, self._place, self._limits, self._trace = dialect, place, limits, trace
        self._waiting: deque[Event] = deque()
        self._dropped = 0
        self._worker: asyncio.Task[None] | None = None

    async def request(
        self, frame: EventIntercept, reply: type[EventInterceptResponse], seconds: float
    ) -> EventInterceptResponse:
        """Run the program and return its answer; its own time limit counts. Raises `ExtensionEnded` if it fails, and
        `FrameError` if the frame cannot be encoded or the answer is invalid."""
        place = self._place()
        given = await self._dialect.question(frame, place)
        if given is None:
            return EventInterceptResponse(frame.id)
        try:
            return await self._dialect.answer(frame, await self._run(given, place), place)
        except HookFailed as error:
            raise ExtensionEnded(f"{self.name} {error}") from None

    def send(self, frame: Event, *, droppable: bool = False) -> None:
        """Run the program for an event, after those for earlier ones."""
        if len(self._waiting) >= self._limits.waiting:
            self._dropped += 1
            return
        self._waiting.append(frame)
        if self._worker is None:
            self._worker = spawn(self._work(), self.name)

    async def _work(self) -> None:
        try:
            while self._waiting:
                await self._notice(self._waiting[0])
                self._waiting.popleft()
                if self._dropped:
                    self.log(f"{self.name} is slow: {self._dropped} events were dropped")
                    self._dropped = 0
        finally:
            self._worker = None

    async def _notice(self, frame: Event) -> None:
        place = self._place()
        try:
            given = await self._dialect.question(frame, place)
            ended = None if given is None else await self._run(given, place)
            if ended is not None:
                ended.check()
        except (HookFailed, FrameError) as error:
            self.log(f"{self.name} {error}")
        else:
            if ended is not None and ended.code == REFUSED:
                self.log(f"{self.name}: {ended.reason}")

    async def _run(self, given: bytes, place: HookPlace) -> HookExit:
        self._note("out", given)
        ended = await run_program(self.program, given, place, self._limits)
        self._note("in", ended.output)
        return ended

    def _note(self, direction: Direction, text: bytes) -> None:
        if self._trace is not None:
            self._trace.add(self.name, direction, text)

    async def close(self, deadline: float) -> None:
        """Wait for the events that were sent, until `deadline` (a time of the loop's clock); then end the program."""
        worker = self._worker
        if worker is not None:
            left = max(deadline - asyncio.get_running_loop().time(), 0.0)
            await asyncio.wait([worker], timeout=left)
            worker.cancel()
            await finish(worker)
