"""`AuditLog`: what tool calls were asked for, who allowed or refused them, and what came of them, as JSON lines.

A row `call` is on disk before its call runs, a row `result` follows when it has ended; a call that was refused has one
row. A row `command` is a command that the person ran. Nothing here fails a turn: what cannot be written is dropped, and
one note says so.
"""

import asyncio
import json
import os
from collections.abc import Iterable
from typing import Any

from zot_agent.config.log import Redactor, environment_secrets
from zot_core.aio import spawn
from zot_core.clock import timestamp
from zot_core.confirm import PermissionDecision
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ConversationEvent, ShellEnd
from zot_core.display import TerminalDisplay
from zot_core.errors import ToolError
from zot_core.events import Notice, ToolResultEvent
from zot_core.hooks import ToolRequest
from zot_core.tools.definition.builtin import BuiltinTool
from zot_core.tools.definition.tool import FunctionTool
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import TextBlock
from zot_provider.record import Record

FILE = "audit.jsonl"


class AuditLimits(Record):
    """Characters of a text and items of a list that a row keeps, bytes at which the file is rotated, files that are
    kept then, and the seconds that a call waits until its row is on disk."""

    characters: int = 2000
    items: int = 20
    file_bytes: int = 10 << 20
    files: int = 3
    seconds: float = 1.0


class AuditLog:
    """Records the tool calls of a conversation in `logs/audit.jsonl` of zot's home folder."""

    def __init__(
        self, home: str, conversation: Conversation, secrets: Iterable[str] = (), limits: AuditLimits | None = None
    ) -> None:
        """`secrets` are left out, beside what the log of `--debug` leaves out."""
        self.path = os.path.join(home, "logs", FILE)
        self._conversation, self._limits = conversation, limits or AuditLimits()
        self._redacted = Redactor([*secrets, *environment_secrets(os.environ)])
        self._decisions: dict[str, PermissionDecision] = {}
        self._written: dict[str, str] = {}  # files that running calls write
        self._rows: list[dict[str, Any]] = []
        self._writing: asyncio.Task[None] | None = None
        self._failed = False

    def attach(self) -> None:
        """Begin to record. The permissions of the conversation must be attached before."""
        self._conversation.permissions.decided.add(self._on_decision)
        self._conversation.runtime.hooks.tool_run.add(self._on_run)
        self._conversation.events.add(self._on_event, ToolResultEvent, ShellEnd)

    def _on_decision(self, decision: PermissionDecision) -> None:
        if decision.outside:  # a second run of a command, which is no call of the model
            self._add("call", outside=True, **_described(decision.call, decision))
        elif not decision.call.by:
            self._decisions[decision.call.id] = decision
        elif not decision.allowed:  # no event reports a call of an extension
            self._add("call", by=decision.call.by, **_described(decision.call, decision))

    async def _on_run(self, call: ToolRequest) -> None:
        """Record a call that may run, before it does."""
        decision = self._decisions.get(call.id) or PermissionDecision(call, allowed=True)
        tool, context = self._conversation.runtime.agent.tools.get(call.name), self._conversation.runtime.agent.context
        if isinstance(tool, FunctionTool | BuiltinTool) and not call.by:
            try:
                access = await tool.access(call.arguments, context)
            except (ToolError, OSError, ValueError):  # the tool will refuse the call in the same words
                access = None
            if access is not None and access.writes and access.path is not None:
                self._written[call.id] = access.path
        by = {"by": call.by} if call.by else {}
        self._add("call", **by, **_described(call, decision))
        if self._writing is not None:
            await asyncio.wait([self._writing], timeout=self._limits.seconds)

    def _on_event(self, event: ConversationEvent) -> None:
        if isinstance(event, ToolResultEvent):
            self._on_result(event)
        elif isinstance(event, ShellEnd):
            shown = event.result.display
            self._add(
                "command",
                asked_by="person",
                command=event.result.command.command,
                exit=shown.exit_code if shown is not None else None,
            )

    def _on_result(self, event: ToolResultEvent) -> None:
        decision, path = self._decisions.pop(event.id, None), self._written.pop(event.id, None)
        if decision is not None and not decision.allowed:
            self._add("call", **_described(decision.call, decision))
        elif event.fate in ("refused", "not_run"):
            reason = "\n".join(block.text for block in event.content if isinstance(block, TextBlock))
            by = {"answered_by": "guard" if event.fate == "refused" else "zot", "reason": reason}
            self._add("call", id=event.id, asked_by="model", tool=event.name, answer="deny", **by)
        else:
            ended = next((each for each in event.display if isinstance(each, TerminalDisplay)), None)
            exit = {"exit": ended.exit_code} if ended is not None else {}
            files = {"files": [path]} if path is not None and event.fate == "ran" and not event.is_error else {}
            self._add("result", id=event.id, tool=event.name, outcome=event.fate, error=event.is_error, **exit, **files)

    def _add(self, kind: str, **fields: Any) -> None:
        runtime = self._conversation.runtime
        session = runtime.session.meta.session_id if runtime.session is not None else ""
        mode = self._conversation.permissions.mode
        self._rows.append(
            {"time": timestamp(), "kind": kind, "session": session, "cwd": runtime.cwd, "mode": mode, **fields}
        )
        if self._writing is None:
            self._writing = spawn(self._write_all(), "audit")

    async def _write_all(self) -> None:
        try:
            while self._rows:
                rows, self._rows = self._rows, []
                try:
                    await asyncio.to_thread(self._write, rows)
                except OSError as error:
                    self._report(error.strerror or str(error))
        finally:
            self._writing = None

    def _report(self, why: str) -> None:
        if not self._failed:
            self._failed = True
            self._conversation.events.notify(Notice("warn", f"tool calls are not recorded in {self.path}: {why}"))

    def _write(self, rows: list[dict[str, Any]]) -> None:
        lines = [json.dumps(self._shortened(row), ensure_ascii=False) for row in rows]
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        make_private(os.path.dirname(self.path))
        descriptor = open_regular(self.path, os.O_WRONLY | os.O_APPEND, create=True)
        try:
            os.fchmod(descriptor, 0o600)
            size = os.fstat(descriptor).st_size
            while data:  # one write, unless the disk is full
                data = data[os.write(descriptor, data) :]
        finally:
            os.close(descriptor)
        if size >= self._limits.file_bytes:
            self._rotate()

    def _rotate(self) -> None:
        from filelock import FileLock, Timeout  # noqa: PLC0415  once for many rows

        try:
            with FileLock(f"{self.path}.lock", timeout=self._limits.seconds, mode=0o600):
                if os.stat(self.path).st_size < self._limits.file_bytes:
                    return  # another process has done it
                for number in range(self._limits.files - 1, 0, -1):
                    if os.path.exists(older := f"{self.path}.{number}"):
                        os.replace(older, f"{self.path}.{number + 1}")
                os.replace(self.path, f"{self.path}.1")
        except Timeout:
            return  # the next row tries again

    def _shortened(self, value: Any, depth: int = 6) -> Any:
        """Return `value` without secrets and without what is long or deep."""
        limits = self._limits
        if isinstance(value, str):
            # A secret that begins in what is kept is struck as a whole, if it is not longer than what is looked at.
            text = self._redacted(value[: 4 * limits.characters])
            cut = f"{text[: limits.characters]}… ({len(value)} characters)"
            return cut if len(value) > limits.characters else text
        if isinstance(value, dict | list) and not depth:
            return "…"
        if isinstance(value, dict):
            kept = list(value.items())[: limits.items]
            return {str(self._shortened(str(key))): self._shortened(each, depth - 1) for key, each in kept}
        if isinstance(value, list):
            more = [f"… ({len(value)} items)"] if len(value) > limits.items else []
            return [self._shortened(each, depth - 1) for each in value[: limits.items]] + more
        return value

    async def close(self) -> None:
        """Write what waits; give up after a while."""
        if self._writing is not None:
            await asyncio.wait([self._writing], timeout=self._limits.seconds)


def _described(call: ToolRequest, decision: PermissionDecision) -> dict[str, Any]:
    verdict, answer = decision.verdict, decision.answer
    fields: dict[str, Any] = {"id": call.id, "asked_by": "model", "tool": call.name, "arguments": call.arguments}
    fields["answer"] = "allow" if decision.allowed else "deny"
    if answer is not None and not answer.unanswered:
        fields |= {"answered_by": "person", "choice": answer.choice}
        fields |= {"message": answer.message} if answer.message else {}
        fields |= {"added": verdict.always} if answer.choice == "always" and verdict is not None else {}
    elif verdict is not None and verdict.action == "ask":
        fields["answered_by"] = "nobody"
    else:
        fields["answered_by"] = "rule" if verdict is not None and verdict.rule is not None else "mode"
    if verdict is not None:
        rule = {"rule": verdict.rule.text, "source": verdict.rule.source} if verdict.rule is not None else {}
        fields |= {**rule, **({"reason": verdict.reason} if verdict.reason else {})}
    return fields
