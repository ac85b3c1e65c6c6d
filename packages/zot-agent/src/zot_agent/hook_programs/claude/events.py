"""The events of Claude Code that zot has: the event or intercept that each is, its input, and what an answer means."""

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from zot_agent.hook_programs.claude.tools import claude_input, claude_names
from zot_provider.record import Record

Frame: TypeAlias = Mapping[str, Any]
"""The members of a frame of extensions."""

Answer: TypeAlias = dict[str, Any]
"""The members of an answer to it."""


class ClaudeEvent(Record):
    """An event of Claude Code, which is zot's `event`.

    `subjects` are the texts that a matcher is compared with, `members` the input besides what all events have; `cwd` is
    the project. `applies`: the program runs for this frame. `refused` is the answer for a reason, `context` that for a
    text that the model shall read; without them nothing comes of either. `plain`: output that is no JSON is such a
    text. `once`: it runs once for each session, whose `source` its frame then has.
    """

    name: str
    event: str
    members: Callable[[Frame, str], dict[str, Any]]
    subjects: Callable[[Frame], tuple[str, ...]] = lambda frame: ()
    applies: Callable[[Frame], bool] = lambda frame: True
    refused: Callable[[Frame, str], Answer] | None = None
    context: Callable[[Frame, str], Answer] | None = None
    plain: bool = False
    once: bool = False


def blocks(event: ClaudeEvent) -> bool:
    """Whether an answer can keep what it is about from happening."""
    return event.refused is _block


def is_about_calls(event: ClaudeEvent) -> bool:
    """Whether each frame of it is about a call of a tool, which rules can be about."""
    return event.subjects is _tools


def _tools(frame: Frame) -> tuple[str, ...]:
    return claude_names(frame["tool_name"])


def _call(frame: Frame, cwd: str) -> dict[str, Any]:
    tool, arguments = frame["tool_name"], frame.get("tool_args", {})
    path = arguments.get("path")
    path = os.path.normpath(os.path.join(cwd, os.path.expanduser(path))) if isinstance(path, str) else ""
    return {
        "tool_name": claude_names(tool)[0],
        "tool_input": claude_input(tool, arguments, path),
        "tool_use_id": frame["tool_id"],
    }


def _text(frame: Frame) -> str:
    return "\n".join(each.get("text", "") for each in frame.get("content", []) if each.get("type") == "text")


def _result(frame: Frame, cwd: str) -> dict[str, Any]:
    call, text = _call(frame, cwd), _text(frame)
    path = call["tool_input"].get("file_path")
    return call | {"tool_response": {"success": True, "output": text} | ({"filePath": path} if path else {})}


def _failure(frame: Frame, cwd: str) -> dict[str, Any]:
    return _call(frame, cwd) | {"error": _text(frame), "is_interrupt": False}


def _block(_: Frame, reason: str) -> Answer:
    return {"block": True, "reason": reason}


def _add_to_result(frame: Frame, text: str) -> Answer:
    return {"content": [*frame.get("content", []), {"type": "text", "text": text}]}


def _add_to_prompt(frame: Frame, text: str) -> Answer:
    return {"text": f"{frame['text']}\n\n{text}"}


def _hidden_message(_: Frame, text: str) -> Answer:
    return {"message": {"content": text, "display": False}}


def _trigger(frame: Frame) -> str:
    return "manual" if frame.get("reason") == "manual" else "auto"


_ENDS = {"quit": "prompt_input_exit", "new": "clear", "resume": "resume"}


def _end(frame: Frame) -> str:
    return _ENDS.get(frame.get("detail", ""), "other")


def _permission(frame: Frame, _: str) -> dict[str, Any]:
    name = claude_names(frame["tool_name"])[0]
    return {"message": f"zot needs your permission to use {name}", "notification_type": "permission_prompt"}


def _started(frame: Frame, _: str) -> dict[str, Any]:
    return {"agent_id": frame.get("agent_id", ""), "agent_type": frame.get("name", "")}


CLAUDE_EVENTS: Mapping[str, ClaudeEvent] = {
    row.name: row
    for row in (
        ClaudeEvent("PreToolUse", "tool_call", _call, _tools, refused=_block),
        ClaudeEvent(
            "PostToolUse",
            "tool_result",
            _result,
            _tools,
            lambda frame: not frame.get("is_error"),
            refused=_add_to_result,
            context=_add_to_result,
        ),
        ClaudeEvent(
            "PostToolUseFailure",
            "tool_result",
            _failure,
            _tools,
            lambda frame: bool(frame.get("is_error")),
            refused=_add_to_result,
            context=_add_to_result,
        ),
        ClaudeEvent(
            "UserPromptSubmit",
            "input",
            lambda frame, _: {"prompt": frame["text"]},
            refused=_block,
            context=_add_to_prompt,
            plain=True,
        ),
        ClaudeEvent(
            "SessionStart",
            "before_agent_start",
            lambda frame, _: {"source": frame["source"], "model": frame.get("model", "")},
            lambda frame: (frame["source"],),
            context=_hidden_message,
            plain=True,
            once=True,
        ),
        ClaudeEvent(
            "SessionEnd", "session_end", lambda frame, _: {"reason": _end(frame)}, lambda frame: (_end(frame),)
        ),
        ClaudeEvent(
            "PreCompact",
            "session_before_compact",
            lambda frame, _: {"trigger": _trigger(frame), "custom_instructions": frame.get("instructions", "")},
            lambda frame: (_trigger(frame),),
            refused=_block,
        ),
        ClaudeEvent(
            "PostCompact",
            "session_compact",
            lambda frame, _: {"trigger": "auto", "compact_summary": frame.get("summary", "")},
        ),
        ClaudeEvent("Notification", "tool_confirmation_requested", _permission, lambda frame: ("permission_prompt",)),
        ClaudeEvent(
            "Stop",
            "before_stop",
            lambda frame, _: {
                "stop_hook_active": frame.get("continued", 0) > 0,
                "last_assistant_message": frame.get("text", ""),
            },
            refused=_block,
        ),
        ClaudeEvent("SubagentStart", "subagent_start", _started, lambda frame: (frame.get("name", ""),)),
        ClaudeEvent(
            "SubagentStop",
            "subagent_stop",
            lambda frame, cwd: _started(frame, cwd) | {"stop_hook_active": False},
            lambda frame: (frame.get("name", ""),),
        ),
    )
}
"""The events by their names there."""

GUARDS = ("PreToolUse", "UserPromptSubmit")
"""Those at which a hook can refuse something; a failure at `Stop` or `PreCompact` must not hold up a run."""
