"""Rules about the frames of tools: their options, progress, details, and calls of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.from_extension import RegisterTool, ToolResult
from zot_ext.protocol.groups.tools import CallTool, CallToolCancel, ShowProgress, UnregisterTool
from zot_ext.testing.conformance.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zot_ext.testing.conformance.findings import CheckFinding
    from zot_ext.testing.conformance.session import CheckSession, OutputLine

MODES = ("", "sequential", "parallel")
EXPOSURES = ("", "direct", "deferred", "model-only", "codemode")
TOOL_GROUPS: dict[type, str] = {
    UnregisterTool: "tools2",
    ShowProgress: "tools2",
    CallTool: "call_tool",
    CallToolCancel: "call_tool",
}


def judge_tools(session: CheckSession) -> Iterator[CheckFinding]:
    """Yield findings about the frames of tools, in order."""
    asked = {request.id for request in session.requests if request.reply is ToolResult}
    names: set[str] = set()
    ids = {""}
    for line in session.lines:
        frame = line.frame
        if TOOL_GROUPS.get(type(frame), "tools2") not in session.ack.capabilities:
            continue
        if isinstance(frame, RegisterTool):
            names.add(frame.name)
            yield from _options(frame, line)
        elif isinstance(frame, UnregisterTool):
            if frame.name not in names:
                yield finding("not-registered", f"the tool {frame.name!r} is taken back and is not there", line.raw)
            names.discard(frame.name)
        elif isinstance(frame, ShowProgress) and frame.id not in asked:
            yield finding("unknown-id", f"{frame.type} with the id {frame.id!r}, which was never asked", line.raw)
        elif isinstance(frame, CallTool):
            if frame.id in ids:
                yield finding("bad-call-id", f"the id {frame.id!r} is empty, or was used before", line.raw)
            ids.add(frame.id)
        elif isinstance(frame, ToolResult) and frame.details is not None:
            size, largest = len(frame.details.text.encode("utf-8", "replace")), DEFAULT_LIMITS.details_bytes
            if size > largest:
                yield finding("large-details", f"details of {size} bytes; hosts drop more than {largest}", line.raw)


def _options(frame: RegisterTool, line: OutputLine) -> Iterator[CheckFinding]:
    longest = round(DEFAULT_LIMITS.longest_tool_seconds * 1000)
    wrong = ""
    if frame.execution_mode not in MODES:
        wrong = f"execution_mode must be {' or '.join(MODES[1:])}, not {frame.execution_mode!r}"
    elif frame.exposure not in EXPOSURES:
        wrong = f"exposure must be one of {', '.join(EXPOSURES[1:])}, not {frame.exposure!r}"
    elif not 0 <= frame.timeout_ms <= longest:
        wrong = f"timeout_ms must be 0 to {longest}, not {frame.timeout_ms}"
    if wrong:
        yield finding("bad-tool-options", f"tool {frame.name!r}: {wrong}", line.raw)
