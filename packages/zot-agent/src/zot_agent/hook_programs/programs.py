"""`HookPrograms`: all hook programs of a host."""

import asyncio
from collections.abc import Callable, Sequence

from zot_agent.extensions.trace import Trace
from zot_agent.hook_programs.answer import FrameDialect
from zot_agent.hook_programs.interceptor import Dialect, HookInterceptor
from zot_agent.hook_programs.program import DEFAULT_LIMITS, HookProgram, HookProgramLimits
from zot_agent.hook_programs.run import HookPlace
from zot_core.aio import finish, spawn


class HookPrograms:
    """The programs, asked and notified in their order."""

    def __init__(
        self,
        programs: Sequence[HookProgram],
        place: Callable[[], HookPlace],
        report: Callable[[str], None],
        *,
        limits: HookProgramLimits = DEFAULT_LIMITS,
        trace: Trace | None = None,
    ) -> None:
        """`place` says where they run, `report` shows a line to the person."""
        self.programs = list(programs)
        self._limits = limits

        def dialect(program: HookProgram) -> Dialect:
            if not program.claude:
                return FrameDialect(program, limits.frame_bytes)
            from zot_agent.hook_programs.claude.dialect import ClaudeDialect  # noqa: PLC0415  few projects have them

            return ClaudeDialect(program, limits.frame_bytes, report)

        self._all = [
            HookInterceptor(each, dialect(each), place, report, limits=limits, trace=trace) for each in programs
        ]

    def observers(self, event: str) -> list[HookInterceptor]:
        return [each for each in self._all if each.program.event == event and not each.program.answers]

    def interceptors(self, event: str, tool: str = "") -> list[HookInterceptor]:
        return [each for each in self._all if each.program.event == event and each.program.answers]

    async def close(self) -> None:
        """End them; an observer has a moment to finish."""
        deadline = asyncio.get_running_loop().time() + self._limits.close_seconds
        for task in [spawn(each.close(deadline), f"close {each.name}") for each in self._all]:
            await finish(task)
