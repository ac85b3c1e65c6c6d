"""`inherit`: a sub-agent may do at most what the agent that asks may do.

Its calls pass the hooks of that agent too: permissions, guards of extensions, confirmation. It uses that agent's files,
shell and sandbox as they are at the time of each call, and its model calls count for that agent's limits.
"""

from collections.abc import Callable, Mapping, Sequence

from zot_core.agent import Agent
from zot_core.confirm import PermissionDecision, Permissions
from zot_core.hooks import Refusal, ToolOutcome, ToolRequest
from zot_core.permission_mode import PermissionMode, more_careful


def inherit(child: Agent, parent: Agent, agent_id: str) -> None:
    """Let the calls of `child` pass the hooks of `parent`, with the `agent_id` of the sub-agent."""

    def of_child(call: ToolRequest) -> ToolRequest:
        return call if call.agent_id else call.replace(agent_id=agent_id, cwd=child.context.cwd)

    async def arguments(call: ToolRequest) -> ToolRequest:
        return await parent.hooks.tool_call.apply(of_child(call))

    async def run(call: ToolRequest) -> Refusal | None:
        if call.name not in parent.tools.active:
            return Refusal(f"the agent that gave the task has no tool {call.name} any more")
        follow()
        refusal = await parent.hooks.tool_run.ask(of_child(call))
        follow()  # the sandbox may have been turned on meanwhile
        return refusal

    def follow() -> None:
        now = parent.context
        context = child.context.replace(
            files=now.files, shell=now.shell, cwd=now.cwd if now.home else child.place.here.cwd, home=now.home,
            temporary=now.temporary, walls=now.walls, network=now.network, env=now.env,
        )  # fmt: skip
        moved = child.place.machine is not parent.place.machine
        child.place.inherit(context, parent.place.machine)
        if moved:
            child.refresh()

    async def result(outcome: ToolOutcome) -> ToolOutcome:
        return await parent.hooks.tool_result.apply(outcome.replace(call=of_child(outcome.call)))

    child.hooks.tool_call.add(arguments)
    child.hooks.tool_run.add(run)
    child.hooks.tool_result.add(result)
    child.hooks.compacted.add(
        lambda done: parent.hooks.compacted.notify(done.replace(agent_id=done.agent_id or agent_id))
    )
    child.hooks.assistant_message.add(
        parent.hooks.assistant_message.apply, lambda: parent.hooks.assistant_message.applies
    )


def be_limited(child: Agent, patterns: Mapping[str, Sequence[str]]) -> None:
    """Let a call of a tool that is in `patterns` run only if one of its rules covers all of it."""
    from zot_core.permissions.judge import Judge  # noqa: PLC0415  few agents have such tools
    from zot_core.permissions.rule import parse_rule  # noqa: PLC0415  see above

    judges = {
        tool: Judge([parse_rule("allow", each) for each in rules], "ask", reads=False)
        for tool, rules in patterns.items()
    }

    async def gate(call: ToolRequest) -> Refusal | None:
        judge = judges.get(call.name)
        if judge is None:
            return None
        verdict = await judge.judge(call, child)
        if verdict.action == "allow" and verdict.rule is not None:
            return None
        return Refusal(f"this agent may use {call.name} only as in {', '.join(patterns[call.name])}: {verdict.reason}")

    child.hooks.tool_run.add(gate)


def be_careful(child: Agent, permissions: Permissions, mode: PermissionMode, agent_id: str) -> Callable[[], None]:
    """Let the calls of `child`, the sub-agent `agent_id`, run in `mode`, if that is more careful than the mode of
    `permissions` at the time. The returned function ends that."""
    own, asked = Permissions(mode), set[tuple[str, str]]()

    def note(decision: PermissionDecision) -> None:
        if decision.answer is not None and decision.call.agent_id:
            asked.add((decision.call.agent_id, decision.call.id))

    async def gate(call: ToolRequest) -> Refusal | None:
        key = call.agent_id or agent_id, call.id
        answered = key in asked
        asked.discard(key)
        if more_careful(mode, permissions.mode) == permissions.mode or (answered and mode != "plan"):
            return None  # its mode is as careful, or a person has just answered
        own.follow(permissions)
        own.ask_with(permissions.ask)
        return await own.check(call, child)

    child.hooks.tool_run.add(gate)
    return permissions.decided.add(note)
