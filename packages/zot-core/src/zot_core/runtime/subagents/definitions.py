"""`AgentDefinition`: a Markdown file with the instructions of one kind of sub-agent, and `find_agents`.

The front matter has `description`, `tools`, `model`, `permissions` and `worktree`; the form of Claude Code's
files is read, too. The file's name without `.md` is the name of the agent, unless the field `name` says otherwise.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from shutil import which
from typing import TypeVar

from zot_core.permission_mode import PermissionMode
from zot_core.printable import printable_line
from zot_core.skills.discover import limit_notes, visible_entries
from zot_core.skills.front_matter import FrontMatterError, not_tools, read_fields, read_tools, split, text_of
from zot_core.skills.held_back import check_held_back
from zot_core.tools import AGENT_TOOL, BUILTIN_TOOLS
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.near_names import folded
from zot_provider.record import Record, field

T = TypeVar("T")

BUILTIN = os.path.join(os.path.dirname(__file__), "builtin")

FILE_LIMIT = 64 * 1024
"""Maximum bytes of a definition."""

NUMBER_LIMIT = 100
"""Maximum number of definitions."""

DESCRIPTION_LIMIT = 250
"""Characters of a description that models read."""

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SUFFIX = ".md"
_CAREFUL: tuple[PermissionMode, ...] = ("plan", "ask")
"""The modes that a definition can ask for; all others are at most what the agent that asks may do."""
_MODES: Mapping[str, PermissionMode] = {"default": "ask", "manual": "ask", "dontAsk": "ask"}
"""Modes of Claude Code that are more careful than others."""
_SWITCH = {"true": True, "false": False}
_OTHER_MODES = ("accept-edits", "yolo", "acceptEdits", "auto", "bypassPermissions")
"""Modes that allow more; a definition cannot ask for it."""
_STEPS = ("maxTurns", "max_turns", "maxSteps", "steps")
"""Names of the number of model calls, of zot, Claude Code, Gemini CLI and OpenCode."""
_READ_ONLY = ("readonly", "readOnly")
_OFF: Mapping[str, bool] = {"disable": True, "disabled": True, "disable-model-invocation": True, "enabled": False}
"""Names of switches, and the value with which an agent is not offered."""
_NARROWING = (
    "disallowedTools", "permissionMode", "permissions", "tools", "isolation", "worktree", "sandbox", *_STEPS,
    *_READ_ONLY, *_OFF,
)  # fmt: skip
"""The fields by which an agent may do less."""
_OTHERS = (
    "name", "description", "model", "mcpServers", "hooks", "skills", "initialPrompt", "memory", "effort", "background",
    "color", "maxTokens", "max_tokens",
)  # fmt: skip
"""The other fields of zot and of other agents."""
_WORDS = {
    "allowedtools": "tools", "toolkit": "tools", "toolset": "tools", "toolsets": "tools",
    "deniedtools": "disallowedTools",
    "mode": "permissions", "perm": "permissions", "perms": "permissions",
}  # fmt: skip
"""Names of other programs for those."""
_EXCEPT = ("but", "except", "no", "not", "without")
_ALL = ("*", "all", "any", "everything")
_NO_SANDBOX = ("off", "false", "inherit")
_KINDS = ("subagent", "all", "primary")
"""Values of the field `mode` of OpenCode, which says where an agent is offered."""


class NotUnderstood(FrontMatterError):
    """A field by which an agent may do less has a name or a value that is not understood."""


class AgentDefinition(Record):
    """A kind of sub-agent. `source` is "project", "user", "builtin" or "program".

    `tools` are the names of its tools, None for the tools of the agent that asks; names of other programs' tools are
    read, too. Calls of a tool that is only there as `TOOL(PATTERN)`, as in rules, run if such a pattern covers them.
    `model` is empty or `inherit` for that of the agent that asks. `permissions` is the mode of its calls, which counts
    if it is more careful than that of the agent that asks; None for that mode. `instructions` are its system prompt, in
    place of zot's own words. With `worktree` it works in a git worktree. `without` are tools that it does not get,
    `steps` is the most model calls, 0 for the usual limit.
    """

    name: str
    description: str
    instructions: str = ""
    tools: Sequence[str] | None = None
    model: str = ""
    permissions: PermissionMode | None = None
    path: str = ""
    source: str = "program"
    worktree: bool = False
    without: Sequence[str] = ()
    steps: int = 0

    @property
    def line(self) -> str:
        """The description for models."""
        return f"`{self.name}`: {self.description[:DESCRIPTION_LIMIT]}"


class AgentDefinitions(Record):
    """The definitions found, the first of each name. `notes` tell the user which files were left out, one line each,
    and so do `errors`, about files whose agents may do less, but how is not understood."""

    found: list[AgentDefinition] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def agent_places(cwd: str, home: str = "", user_home: str = "", *, project: bool = True) -> list[tuple[str, str]]:
    """Return the folders of definitions and their sources, the first of which counts: the user's, the ones of the
    project in `cwd` unless `project` is false."""
    folders = [home, os.path.join(user_home, ".claude") if user_home else ""]
    places = [(os.path.join(folder, "agents"), "user") for folder in folders if folder]
    own = [(os.path.join(cwd, name, "agents"), "project") for name in (".zot", ".claude")]
    return [*places, *own] if project else places


def find_agents(places: Iterable[tuple[str, str]]) -> AgentDefinitions:
    """Read the definitions in these folders, which need not exist; the first of a name wins. A built-in one can be
    replaced by the user, not by a project."""
    listing = AgentDefinitions()
    first: dict[str, AgentDefinition] = {}
    seen: set[str] = set()
    for place, source in places:
        real = os.path.realpath(place)
        if real in seen:
            continue
        seen.add(real)
        for entry in visible_entries(place, listing.notes):
            if not entry.name.endswith(_SUFFIX):
                continue
            if len(first) == NUMBER_LIMIT:
                listing.notes.append(f"there are more than {NUMBER_LIMIT} agents; the rest is left out")
                return listing
            definition = _try_read(entry.path, source, listing)
            if definition is None:
                continue
            known = first.get(definition.name)
            if known is not None or (source == "project" and definition.name in builtin_agents()):
                owner = "zot's own" if known is None else known.path
                listing.notes.append(f"{entry.path}: the name {definition.name} belongs to {owner}; it is left out")
                continue
            first[definition.name] = definition
            listing.found.append(definition)
    limit_notes(listing.notes, "agents or folders of agents")
    return listing


def project_agents(cwd: str, home: str = "", user_home: str = "") -> AgentDefinitions:
    """Find the definitions that the project in `cwd` brings, without those in folders of the user."""
    own = {os.path.realpath(place) for place, _ in agent_places(cwd, home, user_home, project=False)}
    places = [each for each in agent_places(cwd) if os.path.realpath(each[0]) not in own]
    return find_agents(places)


def _try_read(path: str, source: str, listing: AgentDefinitions) -> AgentDefinition | None:
    notes = listing.notes
    try:
        return read_agent(path, source)
    except NotUnderstood as error:
        listing.errors.append(f"{path}: {error}")
    except FrontMatterError as error:
        notes.append(f"{path}:{error.line}: {error}; it is left out")
    except OSError as error:
        notes.append(f"{path} cannot be read ({error.strerror}); it is left out")
    return None


def read_agent(path: str, source: str) -> AgentDefinition:
    """Read the definition in the regular file `path`. Raises `FrontMatterError` with the number of the wrong line, and
    OSError."""
    data = read_start(path, FILE_LIMIT + 1)
    if len(data) > FILE_LIMIT:
        raise FrontMatterError(f"it is longer than {FILE_LIMIT // 1024} KiB")
    parts = split(text_of(data))
    fields = {} if parts.front is None else read_fields(parts.front)
    name = _text(fields, "name") or os.path.basename(path).removesuffix(_SUFFIX)
    if not _NAME.fullmatch(name):
        raise FrontMatterError(f"the name {name[:80]!r} must be 1 to 64 letters, digits, hyphens, dots or underscores")
    description = printable_line(_text(fields, "description"))
    if not description:
        raise FrontMatterError("a description is missing: it tells the model when to use the agent")
    _check_names(fields, parts.front or "")
    _check_offered(fields)
    model = printable_line(_text(fields, "model"))
    worktree = _choice(fields, "worktree", _SWITCH)
    isolation = _choice(fields, "isolation", {"worktree": True})
    return AgentDefinition(
        name, description, parts.body.strip(), _tools(fields, "tools"), "" if model == "inherit" else model,
        _mode(fields), path, source, bool(worktree or isolation), _without(fields), _steps(fields),
    )  # fmt: skip


def _mode(fields: dict[str, object]) -> PermissionMode | None:
    choices: dict[str, PermissionMode | None] = {**dict.fromkeys(_OTHER_MODES), "plan": "plan", "ask": "ask", **_MODES}
    names = [name for name in ("permissions", "permissionMode") if name in fields]
    modes = [_choice(fields, name, choices) for name in names]
    modes += ["plan" for name in _READ_ONLY if _choice(fields, name, _SWITCH)]
    return next((each for each in _CAREFUL if each in modes), None)


def _choice(fields: dict[str, object], name: str, choices: Mapping[str, T | None]) -> T | None:
    if name not in fields:
        return None
    value = fields[name]
    text = value.strip() if isinstance(value, str) else ""
    found = next((each for each in choices if each.casefold() == text.casefold()), "")
    if not found:
        raise NotUnderstood(f"{name}: expected one of {', '.join(choices)}, got {str(value)!r:.40}")
    return choices[found]


def _tools(fields: dict[str, object], name: str) -> Sequence[str] | None:
    """Return names of tools, None if the field is not there. A list without any is none of them."""
    value = fields.get(name)
    tools = read_tools(value)
    if (name in fields and not tools and value != []) or not_tools(value):
        raise NotUnderstood(f"{name}: expected names of tools, got {str(value)!r:.40}; [] for none")
    if except_ := next((each for each in tools if each.casefold() in _EXCEPT), ""):
        raise NotUnderstood(f"{name}: {except_!r} is no tool; name in disallowedTools what it does not get")
    if any("(" in each for each in tools):
        from zot_core.permissions.rule import parse_rule  # noqa: PLC0415  few files have patterns

        try:
            for each in tools:
                parse_rule("allow", each)
        except ConfigError as error:
            raise NotUnderstood(f"{name}: {error}") from None
    return tools if name in fields else None


def _steps(fields: dict[str, object]) -> int:
    """Return the most model calls, 0 if no field says it."""
    given = [(name, str(fields[name])) for name in _STEPS if name in fields]
    for name, text in given:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
            raise NotUnderstood(f"{name}: expected a number of model calls, got {text!r:.40}")
    return min((int(text) for _, text in given), default=0)


def _check_offered(fields: dict[str, object]) -> None:
    """Raise `FrontMatterError` for an agent that its file turns off, and `NotUnderstood` for a sandbox of its
    own."""
    for name, off in _OFF.items():
        if _choice(fields, name, _SWITCH) is off:
            raise FrontMatterError(f"its field {name} turns it off")
    if "sandbox" in fields and _text(fields, "sandbox").casefold() not in _NO_SANDBOX:
        raise NotUnderstood("sandbox: an agent has the sandbox of the agent that asks; turn it on in the settings")


def _without(fields: dict[str, object]) -> Sequence[str]:
    """Return the names of the tools that the agent does not get."""
    tools = _tools(fields, "disallowedTools") or ()
    if tools:
        from zot_core.permissions.unmatchable import near_tool  # noqa: PLC0415  few files name such tools

        elsewhere = {other for tool in BUILTIN_TOOLS for other in tool.other_names}
        for each in tools:
            name = each.partition("(")[0].strip(" []'\"")
            if name.casefold() in (*elsewhere, *(tool.name for tool in BUILTIN_TOOLS)):
                continue
            if name.casefold() in _ALL:
                raise NotUnderstood(f"disallowedTools: {each!r:.40} is no tool; write tools: [] for none")
            if ".*" in name or not re.fullmatch(r"[\w.:*-]+", name):
                raise NotUnderstood(f"disallowedTools: {each!r:.40} is no name of a tool, in which * is any text")
            if near := near_tool(name, (AGENT_TOOL,)) or ("bash" if name.islower() and which(name) else ""):
                raise NotUnderstood(f"disallowedTools: there is no tool {each!r:.40}; did you mean {near}?")
    return tools


def _check_names(fields: dict[str, object], front: str) -> None:
    """Raise `NotUnderstood` for a field that resembles those by which the agent may do less, or that is there twice."""
    written = re.findall(r"^([A-Za-z_-]+)[ \t]*:", front, re.MULTILINE)
    if twice := next((each for each in _NARROWING if written.count(each) > 1), ""):
        raise NotUnderstood(f"the field {twice} is there twice")
    if _text(fields, "mode") in _KINDS:
        fields = {name: value for name, value in fields.items() if name != "mode"}
    for name in fields:
        if meant := _WORDS.get(folded(name), ""):
            raise NotUnderstood(f"there is no field {name!r:.40}; did you mean {meant}?")
    try:
        check_held_back(fields, (*_NARROWING, *_OTHERS), narrowing=_NARROWING, limits=True)
    except FrontMatterError as error:
        raise NotUnderstood(str(error)) from None


def _text(fields: dict[str, object], name: str) -> str:
    value = fields.get(name, "")
    return value.strip() if isinstance(value, str) else ""


@cache
def builtin_agents() -> Sequence[str]:
    """Return the names of the definitions that zot brings, sorted."""
    return sorted(name.removesuffix(_SUFFIX) for name in os.listdir(BUILTIN) if name.endswith(_SUFFIX))


def builtin_agent(name: str) -> AgentDefinition | None:
    """Return a definition that zot brings; None if there is none of that name."""
    return read_agent(os.path.join(BUILTIN, name + _SUFFIX), "builtin") if name in builtin_agents() else None
