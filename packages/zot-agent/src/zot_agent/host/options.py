"""`HostOptions`: what a user, or a program, asks of a host."""

import os
from typing import TYPE_CHECKING, Any

from zot_core.permission_mode import PermissionMode, SandboxMode
from zot_provider.errors import ConfigError
from zot_provider.record import Record, field
from zot_provider.request import Reasoning

if TYPE_CHECKING:
    from zot_ext.protocol.flags import FlagValue


class HostOptions(Record):
    """The options of a host. An empty value or None means that nothing was chosen; the flags of the same names explain
    each option. `coalesce_seconds` is that of the mode, `flags` are the values of flags of extensions, `mcp_files` name
    MCP servers besides the project's and the person's. `project` is the folder of which `cwd` is a worktree:
    what the person has answered about it holds. `run` is the task of the durable run in the session."""

    provider: str = ""
    model: str = ""
    api_key: str = ""
    base_url: str = ""
    system_prompt: str | None = None
    append_system_prompt: list[str] = field(default_factory=list)
    reasoning: Reasoning | None = None
    fallback_models: list[str] = field(default_factory=list)
    retries: int | None = None
    retry_wait: float | None = None
    retry_total: float | None = None
    wait: bool = False
    insecure: bool = False
    coalesce_seconds: float = 0.0
    no_context_files: bool = False
    max_steps: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    json_schema: dict[str, Any] | None = None
    cwd: str = "."
    tools: list[str] | None = None
    extensions: list[str] = field(default_factory=list)
    mcp_files: list[str] = field(default_factory=list)
    no_ext: bool = False
    no_ext_tools: bool = False
    no_project_ext: bool = False
    strict_extensions: bool = False
    trust: bool = False
    ext_trace: str = ""
    hold_text: bool = False
    flags: "dict[str, FlagValue]" = field(default_factory=dict)
    no_skills: bool = False
    ignore_settings: bool = False
    permission_mode: PermissionMode | None = None
    sandbox: SandboxMode | None = None
    add_dirs: list[str] = field(default_factory=list)
    continue_latest: bool = False
    resume: bool = False
    session: str = ""
    fork: bool = False
    project: str = ""
    no_session: bool = False
    run: str | None = None


def working_directory(cwd: str) -> str:
    """Return the absolute path of the directory to work in. Raises `ConfigError` if it does not exist."""
    try:
        path = os.path.abspath(os.path.expanduser(cwd))
    except FileNotFoundError:
        raise ConfigError("the current directory no longer exists; change to another one, or pass --cwd") from None
    if not os.path.isdir(path):
        raise ConfigError(f"--cwd {cwd!r} is not a directory")
    return path
