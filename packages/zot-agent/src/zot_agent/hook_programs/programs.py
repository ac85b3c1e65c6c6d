"""`HookPrograms`: all hook programs of a host."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

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
        tools: Callable[[], Iterable[str]] = tuple,
        limits: HookProgramLimits = DEFAULT_LIMITS,
        trace: Trace | None = None,
    ) -> None:
        """`place` says where they run, `report` shows a line to the person, `tools` returns the names of all tools."""
        self.programs = list(programs)
        self._report, self._tools = report, tools
        self._unchecked = [each for each in self.programs if each.match]
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
        if tool and self._unchecked:
            self._check_matches()
        return [each for each in self._all if each.program.event == event and each.program.answers]

    def _check_matches(self) -> None:
        """Say which programs name tools that there are not, once: others may have been misspelt, too."""
        known = [*self._tools()]
        checked, self._unchecked = self._unchecked, []
        for each in checked:
            for name in each.of_no_tool(known):
                self._report(f"{each.source}: hooks.{each.event}: match {name!r:.60} names no tool that there is now")

    async def close(self) -> None:
        """End them; an observer has a moment to finish."""
        deadline = asyncio.get_running_loop().time() + self._limits.close_seconds
        for task in [spawn(each.close(deadline), f"close {each.name}") for each in self._all]:
            await finish(task)
