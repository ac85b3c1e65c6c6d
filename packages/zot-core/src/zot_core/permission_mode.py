"""`PermissionMode`: what becomes of a tool call that no rule names, and `SandboxMode`: how what runs is confined."""

from typing import Literal, TypeAlias, get_args

PermissionMode: TypeAlias = Literal["ask", "accept-edits", "plan", "yolo"]
"""How a call is treated that no rule names: see `MODE_HELP`."""

MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
"""All modes, in the order in which a key goes through them."""

MODE_HELP: dict[PermissionMode, str] = {
    "ask": "asks before it writes, runs what does more than read, or reads elsewhere",
    "accept-edits": "as ask, but writes files of the working directory without a question",
    "plan": "only reads; a command runs if it only reads or a rule allows it",
    "yolo": "runs every call that no rule denies or asks about",
}

SandboxMode: TypeAlias = Literal["off", "on", "strict"]
"""`strict` is `on` without the offer to run outside and without anything less than the whole sandbox."""

SANDBOX_MODES: tuple[SandboxMode, ...] = get_args(SandboxMode)

SandboxState: TypeAlias = Literal["off", "on", "strict", "lesser"]
"""The name for a person: `lesser` is `on` with the little that a system without namespaces can do."""

_BY_CARE: tuple[PermissionMode, ...] = ("plan", "ask", "accept-edits", "yolo")


def more_careful(mode: PermissionMode, other: object) -> PermissionMode:
    """Return the mode of the two under which less runs; `other` may be anything that a file says."""
    return next(each for each in _BY_CARE if each in (mode, other))
