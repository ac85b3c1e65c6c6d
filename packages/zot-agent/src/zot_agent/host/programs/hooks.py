"""The hook programs of a host: which there are, and where they run.

The person's own settings come first, then a project that the person has allowed. Without hooks only this module is
imported.
"""

import asyncio
import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from zot_agent.config.settings import INSIDE, Settings
from zot_core.conversation.events import Notify
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.extensions.trace import Trace
    from zot_agent.hook_programs.program import HookProgram
    from zot_agent.hook_programs.programs import HookPrograms
    from zot_agent.host.sandbox import SandboxSwitch
    from zot_core.conversation.driver import Conversation
    from zot_core.hooks import ToolRequest
    from zot_core.permissions.rule import Rule

_STOP_SECONDS = 1.0


class FoundHooks(Record):
    """The hook programs of a host, and lines for the person about hooks that zot does not run."""

    programs: "Sequence[HookProgram]" = ()
    notes: Sequence[str] = ()


def find_hooks(settings: Settings, project: str, claude: Sequence[str]) -> FoundHooks:
    """Return the hook programs of `settings`, of which `project` is the file of the project, and of settings of Claude
    Code. Raises `ConfigError`."""
    if INSIDE in os.environ or not (claude or settings.hooks):
        return FoundHooks()
    from zot_agent.hook_programs.read import programs_of_settings  # noqa: PLC0415  few people have hooks

    own = programs_of_settings(settings, project=project)
    if not claude:
        return FoundHooks(own)
    from zot_agent.hook_programs.claude.settings import claude_programs  # noqa: PLC0415  few projects have them

    theirs, notes = claude_programs(claude)
    return FoundHooks([*own, *theirs], notes)


def open_hooks(
    found: FoundHooks,
    conversation: "Conversation",
    sandbox: "SandboxSwitch | None",
    removed_env: Collection[str],
    trace: "Trace | None",
) -> "HookPrograms | None":
    """Return the hook programs that were found, for a conversation; None without any. `removed_env` are variables that
    they do not get."""
    if not found.programs:
        return None
    from zot_agent.hook_programs.programs import HookPrograms  # noqa: PLC0415  few people have hooks
    from zot_agent.hook_programs.run import HookPlace  # noqa: PLC0415

    def place() -> HookPlace:
        runtime = conversation.runtime
        return HookPlace(
            runtime.cwd,
            runtime.agent.context.env,
            removed_env,
            None if sandbox is None else sandbox.sandbox,
            conversation.permissions.mode,
            any(each.role == "assistant" for each in runtime.messages),
            conversation.permissions.ask_about,
            stop,
            about,
        )

    async def about(rules: "Sequence[Rule]", call: "ToolRequest") -> bool:
        from zot_core.permissions.judge import Judge  # noqa: PLC0415  few hooks have rules

        runtime = conversation.runtime
        children = (each.runtime for each in runtime.agents.all if each.id == call.agent_id) if call.agent_id else ()
        cwd = next((each.agent.context.cwd for each in children if each is not None), "")
        verdict = await Judge(rules, "yolo", reads=False).judge(call.replace(cwd=cwd), runtime.agent)
        return verdict.action != "allow"

    async def stop() -> None:
        conversation.interrupt()
        await asyncio.sleep(_STOP_SECONDS)  # who waits for the program is cancelled meanwhile

    def report(line: str) -> None:
        conversation.events.notify(Notify("hooks", "warn", line))

    def tools() -> Iterable[str]:
        from zot_core.tools import BUILTIN_TOOLS  # noqa: PLC0415  few people have hooks

        return [*conversation.runtime.agent.tools, *(each.name for each in BUILTIN_TOOLS)]

    return HookPrograms(found.programs, place, report, tools=tools, trace=trace)
