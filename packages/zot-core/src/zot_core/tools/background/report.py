"""The report of a job for the model."""

from typing import Any

from zot_core.display import TextDisplay
from zot_core.result import ToolResult
from zot_core.tools.background.jobs import Job
from zot_core.tools.commands.contents import prints_contents
from zot_core.tools.text.ends import Ends
from zot_core.tools.text.truncate import TextLimits, tail_lines
from zot_provider.messages import TextBlock


def report(job: Job, limit: int) -> ToolResult:
    """Return what the model has not read yet of a job's output, at most `limit` bytes of both ends, and its state."""
    ends = Ends(TextLimits(bytes=limit), lambda: not prints_contents(job.command))
    ends.feed(job.unread().encode())
    shown = ends.shown()
    output = shown.data.decode("utf-8", "replace").rstrip()
    if shown.lines_truncated or shown.bytes_truncated or shown.like_folded:
        job.output.keep()
        output += f"\n... [the full output: {job.output.path}]" if job.output.path else ""
    return _state(job, f"{output}\n\n[{job.line}]" if output else f"[{job.line}; no new output]")


def stop_report(job: Job) -> ToolResult:
    """Return the state of a job that was stopped, and how much of its output the model has not read: it wanted the end,
    not the log."""
    job.announced = True
    unread = job.output.total - job.seen
    return _state(job, f"[{job.line}{f'; {unread:,} bytes of output not read' if unread else ''}]")


def news_of(job: Job) -> str:
    """Return what tells the model that a job has ended, with the last lines of what it has not read yet. If these are
    all of it, it has read all."""
    unread = job.output.since(job.seen).strip()
    if not unread:
        return f"[in the background, {job.line}; no new output]"
    limits = TextLimits(job.limits.news_lines, job.limits.news)
    last = tail_lines(unread.encode(), limits).decode()
    if last == unread:
        job.seen = job.output.total
        return f"[in the background, {job.line}; its output:]\n{last}"
    size = job.output.total - job.seen
    return f"[in the background, {job.line}; the end of its output:]\n{last}\n[{size:,} bytes; `job` has all of it]"


def _state(job: Job, text: str) -> ToolResult:
    return text_result(text, {"job": job.id, "state": job.state, "exit_code": job.exit_code})


def text_result(text: str, details: dict[str, Any] | None = None) -> ToolResult:
    """Return a text for the model, which a person sees as well."""
    return ToolResult([TextBlock(text)], details=details or {}, display=[TextDisplay(text)])
