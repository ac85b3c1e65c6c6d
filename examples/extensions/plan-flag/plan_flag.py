#!/usr/bin/env python3
"""`zot --plan`: the model reads and plans, and changes nothing."""

from zot_ext import AgentStartDecision, AgentStartRequest, Blocked, Extension, ToolCallRequest, block

READS = ("read", "grep", "glob", "ls", "skill", "todo")

ext = Extension("plan-flag", "1.0.0")
ext.flag("plan-steps", default=7)


@ext.flag("plan")
def announce(planning: object) -> None:
    if planning:
        ext.notify(f"plan mode: at most {ext.flags['plan-steps']} steps, and no changes")


@ext.command("planning", "say whether zot was started with --plan")
def planning(_: str) -> str:
    return "on" if ext.flags["plan"] else "off"


@ext.intercept("before_agent_start")
def instruct(request: AgentStartRequest) -> AgentStartDecision | None:
    if not ext.flags["plan"]:
        return None
    steps = ext.flags["plan-steps"]
    return AgentStartDecision(
        f"{request.system_prompt}\n\nChange nothing. Answer with a plan of at most {steps} steps."
    )


@ext.intercept("tool_call", on_error="block")
def refuse(call: ToolCallRequest) -> Blocked | None:
    return block("in plan mode nothing is changed") if ext.flags["plan"] and call.name not in READS else None


ext.run()
