"""The table of the events that extensions can observe: what each comes from, and how its frame is made.

Their names, groups and members are also in `zot_ext.protocol.events.observable`, for authors.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from zot_agent.extensions.hooks import transitions
from zot_core.confirm import PermissionDecision, PermissionQuestion
from zot_core.conversation.events import SessionTreeMove
from zot_core.event_json import usage_fields
from zot_core.events import (
    AssistantMessage,
    AssistantStart,
    AutoRetryEnd,
    AutoRetryStart,
    CompactDone,
    CompactStart,
    Done,
    SubagentStart,
    SubagentStop,
    ToolCall,
    ToolResultEvent,
    ToolStart,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)
from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.raw import RawObject
from zot_provider.messages import Block, ImageBlock, Message, TextBlock, ToolResultBlock
from zot_provider.record import Record


def shown_message(message: Message, bytes: int = DEFAULT_LIMITS.observation_bytes) -> dict[str, Any]:
    """Return a message with at most about `bytes` of text; `truncated` says that some is left out."""
    content, truncated = shown_blocks(message.content, bytes)
    value = {"id": message.id, "role": message.role, "content": content, "time": message.time}
    if message.custom_type:
        value["custom_type"] = message.custom_type
    return value | {"truncated": True} if truncated else value


def shown_blocks(
    blocks: Iterable[Block],
    bytes: int = DEFAULT_LIMITS.observation_bytes,
    count: int = DEFAULT_LIMITS.observation_blocks,
) -> tuple[list[dict[str, Any]], bool]:
    """Return blocks with at most about `bytes` of text, and whether some is left out."""
    from zot_core.event_json import encode_block  # noqa: PLC0415  few extensions observe messages

    found: list[dict[str, Any]] = []
    left, cut = bytes, False
    for block in blocks:
        if len(found) == count or left <= 0:
            return found, True
        if isinstance(block, ToolResultBlock):
            inner, shortened = shown_blocks(block.content, left, count)
            value = {"type": "tool_result", "call_id": block.call_id, "is_error": block.is_error, "content": inner}
            left -= sum(len(each.get("text", "")) for each in inner)
            found.append(value | _details(block.details, left))
            cut = cut or shortened
            continue
        if isinstance(block, TextBlock) and len(block.text) > left:
            block, cut = TextBlock(block.text[:left]), True
        text = encode_block(block)
        if not text:
            continue
        left -= len(text)
        found.append(json.loads(text))
    return found, cut


EVENTS2 = "events2"
"""The group of the events beyond the ones of every host."""


class ObservedEvent(Record):
    """A row of the table. A value of the class `source` is sent to the observers of `name`, in the group `group`;
    `members` returns the members of the frame, or None if this one is not sent."""

    name: str
    source: type
    members: Callable[[Any], dict[str, Any] | None]
    group: str = ""


def _arguments(text: str) -> dict[str, Any]:
    try:
        return {"tool_args": RawObject(text or "{}")}
    except FrameError:
        return {"tool_args_raw": text}


def _tool(event: ToolCall | ToolStart | ToolResultEvent) -> dict[str, Any]:
    return {"tool_id": event.id, "tool_name": event.name}


def _assistant_message(event: AssistantMessage) -> dict[str, Any] | None:
    return {"text": event.message.text} if event.message.text else None


def _prompt(event: UserMessage) -> dict[str, Any]:
    images = sum(isinstance(block, ImageBlock) for block in event.message.content)
    return {"text": event.message.shown_text[: DEFAULT_LIMITS.observation_bytes], "image_count": images}


def _details(details: dict[str, Any] | None, most: int) -> dict[str, Any]:
    """Return the member `details` of a result; nothing for details that a frame cannot hold, or above `most` bytes."""
    try:
        raw = RawObject.from_value(details) if details else None
    except FrameError:
        return {}
    return {"details": details} if raw is not None and len(raw.text) <= most else {}


def _result(event: ToolResultEvent) -> dict[str, Any]:
    content, truncated = shown_blocks(event.content)
    details = _details(event.details, DEFAULT_LIMITS.observation_bytes)
    ran = "failed" if event.is_error else "completed"
    return {
        **_tool(event),
        **({} if event.arguments is None else _arguments(event.arguments)),
        "status": {"ran": ran, "refused": "blocked", "stopped": "cancelled"}.get(event.fate, "failed"),
        "executed": event.fate == "ran",
        "result": {
            "content": content,
            "is_error": event.is_error,
            **details,
            **({"truncated": True} if truncated else {}),
        },
    }


def _turn(turn: transitions.TurnComplete) -> dict[str, Any]:
    results = [shown_message(each, DEFAULT_LIMITS.observation_bytes // 8) for each in turn.results]
    answer = None if turn.answer is None else shown_message(turn.answer)
    return {"step": turn.step, "message": answer, "tool_results": results}


def _decision(decision: PermissionDecision) -> dict[str, Any]:
    answer, verdict = decision.answer, decision.verdict
    cancelled = answer is not None and answer.unanswered
    return {
        "tool_id": decision.call.id,
        "tool_name": decision.call.name,
        "decision": "approved" if decision.allowed else "cancelled" if cancelled else "denied",
        "source": "user" if answer is not None else "yolo" if verdict is None else "policy",
        "stage": "tool_execution" if decision.outside else "pre_execution",
        "reason": "" if verdict is None else verdict.reason,
    }


def _answer(answer: transitions.ProviderAnswer) -> dict[str, Any]:
    headers = {name: value for name, value in answer.headers.items() if "cookie" not in name}
    return {"provider": answer.provider, "model": answer.model, "status": answer.status, "headers": headers}


def _retry(event: AutoRetryStart) -> dict[str, Any]:
    numbers = {name: getattr(event, name) for name in ("attempt", "max_attempts", "delay_ms")}
    return numbers | {"reason": event.error_message}


def _compacted(event: CompactDone) -> dict[str, Any]:
    numbers = {name: getattr(event, name) for name in ("kept", "tokens_before", "tokens_after")}
    return {"summary": event.summary[: DEFAULT_LIMITS.observation_bytes], **numbers}


def _agent(event: SubagentStart | SubagentStop) -> dict[str, Any]:
    return {"agent_id": event.agent_id, "agent_run_id": event.agent_id, "name": event.name}


def _agent_start(event: SubagentStart) -> dict[str, Any]:
    task = event.task[: DEFAULT_LIMITS.observation_bytes // 8]
    return _agent(event) | {"task": task, "model": event.model, "parent": event.parent}


def _agent_stop(event: SubagentStop) -> dict[str, Any]:
    facts = {"steps": event.steps, "tokens": event.tokens, "branch": event.branch}
    return _agent(event) | {"status": event.end, "error": event.error, **facts}


def _model(changed: transitions.ModelChanged) -> dict[str, Any]:
    (provider, model), (before_provider, before) = changed.model, changed.before
    return {"provider": provider, "model": model, "previous_provider": before_provider, "previous_model": before}


def _new(name: str, source: type, members: Callable[[Any], dict[str, Any] | None] = lambda event: {}) -> ObservedEvent:
    return ObservedEvent(name, source, members, EVENTS2)


OBSERVED: tuple[ObservedEvent, ...] = (
    ObservedEvent("turn_start", TurnStart, lambda event: {"step": event.step}),
    ObservedEvent("turn_end", TurnEnd, lambda event: {"stop": event.stop, "error": event.error}),
    ObservedEvent("tool_call", ToolCall, lambda event: _tool(event) | _arguments(event.arguments)),
    ObservedEvent("assistant_message", AssistantMessage, _assistant_message),
    _new("agent_start", transitions.RunBegun),
    _new("agent_end", Done, lambda event: {"reason": event.reason}),
    _new("agent_settled", transitions.Settled),
    _new("usage", UsageEvent, lambda event: usage_fields(event.usage)),
    _new("user_prompt_submit", UserMessage, _prompt),
    _new("message_start", AssistantStart, lambda event: {"role": "assistant"}),
    _new("message_end", Message, lambda message: {"message": shown_message(message)}),
    _new("entry_appended", Message, lambda message: {"entry": message.id, "kind": message.role}),
    _new("tool_execution_start", ToolStart, _tool),
    _new(
        "tool_execution_end", transitions.ToolEnded, lambda end: _tool(end.result) | {"is_error": end.result.is_error}
    ),
    _new("tool_result", ToolResultEvent, _result),
    _new("turn_complete", transitions.TurnComplete, _turn),
    _new(
        "tool_confirmation_requested",
        PermissionQuestion,
        lambda asked: {"tool_id": asked.call.id, "tool_name": asked.call.name, "tool_preview": asked.reason},
    ),
    _new("permission_decision", PermissionDecision, _decision),
    _new("subagent_start", SubagentStart, _agent_start),
    _new("subagent_stop", SubagentStop, _agent_stop),
    _new("model_select", transitions.ModelChanged, _model),
    _new(
        "thinking_level_select",
        transitions.LevelChanged,
        lambda changed: {"level": changed.level, "previous_level": changed.before},
    ),
    _new("tools_changed", transitions.ToolsChanged, lambda changed: {"tools": changed.names}),
    _new(
        "queue_update",
        transitions.QueueChanged,
        lambda queue: {"waiting": queue.waiting, "unread": queue.unread, "busy": queue.busy},
    ),
    _new("auto_retry_start", AutoRetryStart, _retry),
    _new(
        "auto_retry_end",
        AutoRetryEnd,
        lambda event: {"success": event.success, "attempt": event.attempt, "final_error": event.final_error},
    ),
    _new("after_provider_response", transitions.ProviderAnswer, _answer),
    _new(
        "pre_compact",
        CompactStart,
        lambda event: {
            "reason": event.reason,
            "message_count": event.message_count,
            "token_estimate": event.tokens_before,
        },
    ),
    _new(
        "post_compact", transitions.CompactionEnded, lambda end: {"status": "completed" if end.completed else "failed"}
    ),
    _new("session_compact", CompactDone, _compacted),
    _new("session_tree", SessionTreeMove, lambda event: {"session_id": event.session_id, "entry": event.entry}),
    _new("session_info_changed", transitions.TitleChanged, lambda changed: {"title": changed.title}),
)
"""All events that are sent because of something that happens in the conversation, with `agent_start` before what else
the same source is."""

BY_SOURCE: dict[type, tuple[ObservedEvent, ...]] = {
    source: tuple(row for row in OBSERVED if row.source is source) for source in {row.source for row in OBSERVED}
}
"""The rows for each class of sources."""
