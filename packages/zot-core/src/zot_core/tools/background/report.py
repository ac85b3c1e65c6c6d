"""What the model reads of a job."""

from typing import Any

from zot_core.display import TextDisplay
from zot_core.result import ToolResult
from zot_core.tools.background.jobs import Job
from zot_provider.messages import TextBlock


def report(job: Job) -> ToolResult:
    """Return what the model has not read yet of a job's output, and its state."""
    output = job.unread().rstrip()
    text = f"{output}\n\n[{job.line}]" if output else f"[{job.line}; no new output]"
    return text_result(text, {"job": job.id, "state": job.state, "exit_code": job.exit_code})


def text_result(text: str, details: dict[str, Any] | None = None) -> ToolResult:
    """Return a text for the model, which a person sees as well."""
    return ToolResult([TextBlock(text)], details=details or {}, display=[TextDisplay(text)])
