"""`follow`: what an event of the conversation means for the state of a member."""

from typing import Any

from zot_agent.swarm.limits import SwarmLimits
from zot_agent.swarm.member import Member, MemberState
from zot_core.conversation.events import ConversationEvent, PermissionRequest, PermissionResolved
from zot_core.display import main_argument
from zot_core.events import (
    AssistantMessage,
    AutoRetryStart,
    Done,
    ErrorEvent,
    RunEnd,
    ToolCall,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)

_ENDS: dict[RunEnd, MemberState] = {"completed": "done", "aborted": "stopped"}


def follow(member: Member, event: ConversationEvent, limits: SwarmLimits) -> bool:
    """Change the state of `member` as `event` says; return whether it did."""
    match event:
        case UserMessage():
            member.state, member.error = "working", ""
        case PermissionRequest():
            member.state, member.question = "asking", _question(event, limits)
        case PermissionResolved(request):
            if member.question is not None and member.question["request"] == request:
                member.state, member.question = "working", None
        case TurnEnd(_, error) if error:
            member.error = error
        case ErrorEvent(message):
            member.error = message
        case Done(reason):
            member.state = _ENDS.get(reason, "failed")
            member.error = (member.error or reason) if member.state == "failed" else ""
        case _:
            return _follow_work(member, event, limits)
    return True


def _follow_work(member: Member, event: ConversationEvent, limits: SwarmLimits) -> bool:
    match event:
        case TurnStart():
            member.state, member.steps = "working", member.steps + 1
        case AssistantMessage(message) if text := message.text.strip():
            member.answer = text[: limits.answer]
            member.line = text.rpartition("\n")[2][: limits.line]
        case ToolCall(_, tool, arguments):
            member.line = f"{tool}: {main_argument(arguments)}".partition("\n")[0][: limits.line]
        case UsageEvent(_, cumulative):
            member.tokens, member.cost_usd = cumulative.context, cumulative.shown_cost
        case AutoRetryStart():
            member.line = event.line[: limits.line]
        case _:
            return False
    return True


def _question(event: PermissionRequest, limits: SwarmLimits) -> dict[str, Any]:
    shown = {name: str(value)[: limits.answer] for name, value in event.args.items()}
    return {
        "request": event.request,
        "tool": event.name,
        "args": shown,
        "reason": event.reason,
        "rules": event.rules,
        "agent": event.agent_id,
    }
