"""`HostOptions`: what a user, or a program, asks of a host."""

from typing import Any

from zot_core.permission_mode import PermissionMode, SandboxMode
from zot_provider.record import Record, field
from zot_provider.request import Reasoning


class HostOptions(Record):
    """The options of a host. An empty value or None means that nothing was chosen; the flags of the same names explain
    each option. `coalesce_seconds` is that of the mode."""

    provider: str = ""
    model: str = ""
    api_key: str = ""
    base_url: str = ""
    system_prompt: str | None = None
    append_system_prompt: list[str] = field(default_factory=list)
    reasoning: Reasoning | None = None
    fallback_models: list[str] = field(default_factory=list)
    insecure: bool = False
    coalesce_seconds: float = 0.0
    no_context_files: bool = False
    max_steps: int | None = None
    json_schema: dict[str, Any] | None = None
    cwd: str = "."
    tools: list[str] | None = None
    extensions: list[str] = field(default_factory=list)
    no_ext: bool = False
    no_ext_tools: bool = False
    no_project_ext: bool = False
    trust: bool = False
    ext_trace: str = ""
    hold_text: bool = False
    no_skills: bool = False
    permission_mode: PermissionMode | None = None
    sandbox: SandboxMode | None = None
    add_dirs: list[str] = field(default_factory=list)
    continue_latest: bool = False
    resume: bool = False
    session: str = ""
    fork: bool = False
    no_session: bool = False
