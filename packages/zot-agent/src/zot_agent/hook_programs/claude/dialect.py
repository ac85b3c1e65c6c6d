"""`ClaudeDialect`: what a hook of Claude Code reads and answers."""

import json
from collections.abc import Callable
from typing import Any

from zot_agent.extensions.hooks.answer_content import misspelt_block
from zot_agent.hook_programs.answer import answer_text, make_answer
from zot_agent.hook_programs.claude.events import CLAUDE_EVENTS, GUARDS, Answer, Frame, blocks
from zot_agent.hook_programs.claude.tools import own_arguments
from zot_agent.hook_programs.program import HookProgram
from zot_agent.hook_programs.run import REFUSED, HookExit, HookPlace
from zot_core.hooks import ToolRequest
from zot_core.permission_mode import PermissionMode
from zot_ext.protocol.codec import encode
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.from_host import Event, EventIntercept
from zot_provider.json_text import describe

_MODES: dict[PermissionMode, str] = {
    "ask": "default",
    "accept-edits": "acceptEdits",
    "plan": "plan",
    "yolo": "bypassPermissions",
}


_DECISIONS = (None, "", "allow", "approve", "block", "defer", "deny")
"""Beside `ask`, which is about a tool."""
_OUTPUT, _SPECIFIC = ("decision", "hookSpecificOutput"), ("permissionDecision", "permissionDecisionReason")
"""The members of an answer, and of its specific part, that are about a refusal."""
_NO_PROGRAM = (126, 127)
"""The exit codes of a shell that cannot run a program, or does not find it."""


class ClaudeDialect:
    """The dialect of a hook in settings of Claude Code. `frame_bytes` is the longest question, `report` shows a line to
    the person."""

    def __init__(self, program: HookProgram, frame_bytes: int, report: Callable[[str], None]) -> None:
        self._program, self._row = program, CLAUDE_EVENTS[program.claude]
        self._frame_bytes, self._report = frame_bytes, report
        self._guards = program.claude in GUARDS
        self._session: str | None = None

    async def question(self, frame: Event | EventIntercept, place: HookPlace) -> bytes | None:
        """Return the input that Claude Code would write; see `Dialect`."""
        row, members = self._row, _members(frame, self._frame_bytes)
        session = members.get("session_id") or place.env.get("ZOT_SESSION_ID", "")
        if row.once:
            if session == self._session:
                return None
            again, self._session = self._session is not None, session
            members["source"] = "resume" if place.begun else "clear" if again else "startup"
        if not row.applies(members) or not any(map(self._program.matches, row.subjects(members) or ("",))):
            return None
        if self._program.rules and not await place.about(self._program.rules, _call(members)):
            return None
        given = {
            "session_id": session,
            "transcript_path": place.env.get("ZOT_SESSION_FILE", ""),
            "cwd": place.cwd,
            "permission_mode": _MODES[place.mode],
            "hook_event_name": row.name,
            **row.members(members, place.cwd),
        }
        return json.dumps(given).encode() + b"\n"

    async def answer(self, frame: EventIntercept, ended: HookExit, place: HookPlace) -> EventInterceptResponse:
        """Return what Claude Code would do, in terms of zot."""
        members = _members(frame, self._frame_bytes)
        if ended.code in _NO_PROGRAM and self._guards:
            return make_answer(frame, self._refused(members, f"hook {self._program.line} is not there: {ended.reason}"))
        ended.check()
        if ended.code == REFUSED:
            return make_answer(frame, self._refused(members, ended.reason))
        text = ended.output.decode("utf-8-sig", "replace").strip()
        output = _object(text if self._row.plain else answer_text(ended.output))
        if output is None and self._guards and text.startswith("{"):
            return make_answer(frame, self._refused(members, f"hook {self._program.line} answers what is no JSON"))
        if output is None:
            return make_answer(frame, self._context(members, text) if self._row.plain else {})
        return make_answer(frame, await self._of_output(members, output, place))

    async def _of_output(self, members: Frame, output: Frame, place: HookPlace) -> Answer:
        specific = output.get("hookSpecificOutput")
        more: Frame = specific if isinstance(specific, dict) else {}
        if said := _text(output.get("systemMessage")):
            self._report(said)
        if output.get("continue") not in (None, True):
            why = _text(output.get("stopReason")) or f"stopped by the hook {self._program.line}"
            self._report(why)
            await place.stop()
            return self._refused(members, why) if blocks(self._row) else {}
        decision = more.get("permissionDecision") or output.get("decision")
        wrong = misspelt_block(output, _OUTPUT) or misspelt_block(more, _SPECIFIC)
        if self._guards and wrong:
            return self._refused(members, f"hook {self._program.line} answers {wrong!r}, which has no meaning there")
        asks = decision == "ask" and "tool_id" in members
        if self._guards and not asks and decision not in _DECISIONS:
            return self._refused(
                members, f"hook {self._program.line} decides {describe(decision)}, which is no decision"
            )
        reason = _text(more.get("permissionDecisionReason")) or _text(output.get("reason"))
        if decision in ("deny", "block"):
            return self._refused(members, reason)
        if asks:
            call = _call(members)
            if not await place.ask(call, reason or f"the hook {self._program.line} asks"):
                return self._refused(members, f"the user did not allow this call of {call.name}")
        updated = more.get("updatedInput")
        changed = {"modified_args": own_arguments(members["tool_name"], updated)} if isinstance(updated, dict) else {}
        return changed | self._context(members, _text(more.get("additionalContext")))

    def _refused(self, members: Frame, reason: str) -> Answer:
        if self._row.refused is None:
            self._report(f"hook {self._program.line}: {reason}")
            return {}
        return self._row.refused(members, reason)

    def _context(self, members: Frame, text: str) -> Answer:
        return self._row.context(members, text) if text and self._row.context is not None else {}


def _call(members: Frame) -> ToolRequest:
    agent = members.get("agent_id", "")
    return ToolRequest(members["tool_id"], members["tool_name"], members.get("tool_args", {}), agent_id=agent)


def _members(frame: Event | EventIntercept, limit: int) -> dict[str, Any]:
    members: dict[str, Any] = json.loads(encode(frame, limit=limit))
    return members


def _object(text: str) -> Frame | None:
    """Return the object in a text; None for any other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
