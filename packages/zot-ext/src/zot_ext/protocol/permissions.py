"""`ExtensionPermissions`: the field `permissions` of a manifest, which says all that an extension may do."""

from __future__ import annotations

from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.events import BUS
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Choice: TypeAlias = bool | tuple[str, ...]

ENTRIES, LENGTH = 100, 500
"""The most entries of one permission, and characters of one entry: a person has to read them."""


_OF_TOOLS = ("tool_call", "tool_result")
"""Events that are allowed by the names of tools."""

_CONTENT = (
    "tool_call",
    "assistant_message",
    "user_prompt_submit",
    "message_end",
    "message_update",
    "tool_progress",
    "tool_result",
    "tool_confirmation_requested",
    "permission_decision",
    "turn_complete",
    "queue_update",
    "session_compact",
    "subagent_start",
)
"""Events with content of the conversation."""


class ExtensionPermissions(Record):
    """The permissions of an extension; everything else is refused. `true` permits all, a list its entries.

    In names of commands, tools and calls a `*` at the end stands for any text.
    """

    commands: bool | tuple[str, ...] = ()
    """The slash commands that it may add, without their slashes."""
    tools: bool | tuple[str, ...] = ()
    """The tools that it may add."""
    intercept: bool | tuple[str, ...] = ()
    """The tools whose calls and results it may refuse and change, and the other events that it may: `turn_start`,
    `input`, `context`, ..."""
    conversation: bool = False
    """Whether it may read what you and the model write, and the calls of tools."""
    submit: bool = False
    """Whether it may send prompts in your name."""
    calls: bool | tuple[str, ...] = ()
    """The methods that it may call: `ui.*`, `kv.*`, ... To read entries, other sessions, the system prompt and what is
    being typed, to draw what is not its own, and to go back, also needs `conversation`; `messages.*` and `session.new`
    also need `submit`."""
    restore: bool = False
    """Whether it may take back, and bring back, what zot changed in files, and stop commands in the background:
    `session.undo`, `session.redo`, and `session.navigate` with files; they need `calls` and `conversation` too."""
    tool_ops: bool = False
    """Whether zot's own tools may use the files and the shell that it offers: it sees all that they read, write and
    run, and may change it."""
    read: bool | tuple[str, ...] = ()
    """Files and folders with all that is in them that it may read, besides its own folder and the system's: absolute,
    below `~`, or relative to the project, which is `.`."""
    write: bool | tuple[str, ...] = ()
    """Files and folders that it may read, make, change and remove, besides its own folder."""
    network: bool | tuple[str, ...] = ()
    """The hosts that it may connect to: `api.example.com`, or `*.example.com` for all hosts below."""
    exec: bool | tuple[str, ...] = ()
    """Whether it may start programs, which may do no more than it may itself. A list are the commands that zot runs for
    it (`exec.run`), as patterns of rules: `git status*`; it starts none itself then."""


EVERYTHING = ExtensionPermissions(**dict.fromkeys(ExtensionPermissions.__fields__, True))
"""The permissions of an extension whose manifest has no `permissions`."""


def granted(name: str, choice: Choice) -> bool:
    """Whether a permission covers a name."""
    if isinstance(choice, bool):
        return choice
    return any(name.startswith(each[:-1]) if each.endswith("*") else name == each for each in choice)


def may_observe(permissions: ExtensionPermissions, event: str) -> bool:
    """Whether the extension may be sent an event. Messages of others reach an extension that may send some."""
    if event.startswith(BUS):
        return granted("bus.emit", permissions.calls)
    return permissions.conversation or event not in _CONTENT


def may_intercept(permissions: ExtensionPermissions, event: str, tool: str = "") -> bool:
    """Whether the extension may be asked about an event: for `tool_call` and `tool_result` about calls of `tool`, or of
    any tool."""
    allowed = permissions.intercept
    if isinstance(allowed, bool):
        return allowed
    if event not in _OF_TOOLS:
        return event in allowed
    if tool:
        return granted(tool, allowed)
    return any(map(is_tool, allowed))


def is_tool(entry: str) -> bool:
    """Whether an entry of `intercept` is the name of a tool; others are events."""
    from zot_ext.protocol.events.interceptable import INTERCEPTABLE  # noqa: PLC0415 - few extensions have permissions

    return entry not in INTERCEPTABLE or entry in _OF_TOOLS


def may_call(permissions: ExtensionPermissions, method: str) -> bool:
    """Whether the extension may call a method of the host."""
    from zot_ext.protocol.calls import METHODS  # noqa: PLC0415 - few extensions have permissions

    needs = METHODS[method].needs if method in METHODS else ()  # others are calls of tools
    if not all(getattr(permissions, need) for need in needs):
        return False
    return method.startswith("exec.") or granted(method, permissions.calls)


def call_problem(permissions: ExtensionPermissions, method: str) -> str:
    """Say that the extension may not call a method; empty if it may, or if there is none of this name, as `refusal`
    says."""
    from zot_ext.protocol.calls import METHODS  # noqa: PLC0415 - few extensions have permissions

    if method not in METHODS or may_call(permissions, method):
        return ""
    return f"the call {method!r} is refused: the permissions of its manifest do not have it"


def must_confine(permissions: ExtensionPermissions) -> bool:
    """Whether the system must keep the process to the permissions, because they do not allow everything."""
    system = (permissions.read, permissions.write, permissions.network, permissions.exec)
    return not all(each is True for each in system)


def check_permissions(permissions: ExtensionPermissions) -> None:
    """Raise `FrameError` for an entry that says nothing, or nothing that can be kept to."""
    for field in permissions.__fields__:
        entries = getattr(permissions, field)
        if isinstance(entries, bool):
            continue
        where = f"permissions.{field}"
        if len(entries) > ENTRIES:
            raise FrameError(f"has {len(entries)} entries; at most {ENTRIES}", field=where)
        for index, entry in enumerate(entries):
            if problem := _problem(field, entry):
                raise FrameError(f"{problem}: {entry[:80]!r}", field=f"{where}[{index}]")


def _problem(field: str, entry: str) -> str:
    """Return what is wrong with an entry; empty if nothing is."""
    if not entry.strip() or not entry.isprintable() or len(entry) > LENGTH:
        return f"must be 1 to {LENGTH} characters that can be read"
    if field in ("read", "write"):
        path = entry.removesuffix("/**")
        if "*" in path or "?" in path:
            return "must be a path; it includes what is below it, and * may not be in it"
        if path.startswith("~") and path != "~" and not path.startswith("~/"):
            return "must begin with ~/ to be below the home folder"
    elif field == "network":
        host = entry.removeprefix("*.")
        if not host.isascii() or not host.replace("-", "a").replace(".", "a").replace(":", "a").isalnum():
            return "must be a host, or *. and a host"
    elif field == "calls" and (problem := _problem_of_call(entry)):
        return problem
    elif field != "exec" and "*" in entry[:-1]:
        return "may have a * only at its end"
    return ""


def _problem_of_call(method: str) -> str:
    """Say what is wrong with a method that extensions may not call, that has another name now, or that is nearly one
    that there is; empty for others, which a later zot may have."""
    from zot_ext.protocol.calls import METHODS, RENAMED, refusal  # noqa: PLC0415 - few extensions have permissions

    if method in METHODS or (method.endswith("*") and any(name.startswith(method[:-1]) for name in METHODS)):
        return ""
    if method.endswith("*"):
        method = next((name for name in RENAMED if name.startswith(method[:-1])), method)
    if refusal(method)[0] == "denied":
        return "is nothing that extensions may do"
    if method in RENAMED:
        return f"is called {RENAMED[method]} now"
    from zot_ext.near_names import nearest  # noqa: PLC0415 - only for a mistake

    words = {f"{name.partition('.')[0]}.*" for name in METHODS} if method.endswith("*") else METHODS
    near = nearest(method, words, 0.85)
    return f"is no call; did you mean {near!r}?" if near else ""
