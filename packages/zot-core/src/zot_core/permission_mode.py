"""`PermissionMode`: what becomes of a tool call that no rule names, and `SandboxMode`: how what runs is confined."""

from typing import Literal, TypeAlias, get_args

PermissionMode: TypeAlias = Literal["ask", "accept-edits", "plan", "yolo"]

MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
"""All modes, in the order in which a key goes through them."""

MODE_HELP: dict[PermissionMode, str] = {
    "ask": "asks before a call that writes, runs something, or reads outside the working directory",
    "accept-edits": "as ask, but files of the working directory are written without a question",
    "plan": "reads only; nothing is written, and only commands that a rule allows run",
    "yolo": "runs every call that no rule denies or asks about",
}

SandboxMode: TypeAlias = Literal["off", "on", "strict"]
"""`strict` is `on` without the offer to run outside and without anything less than the whole sandbox."""
