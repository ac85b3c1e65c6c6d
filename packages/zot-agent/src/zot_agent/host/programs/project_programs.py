"""Programs that a project declares beside its extensions: hooks, MCP servers, commands in prompt templates.

zot starts hooks and MCP servers. The question about the folder names all of it, and its answer covers the files, so
that a later version starts nothing that the person has not seen.
"""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from zot_agent.config.mcp_files import project_files
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import FILE
from zot_agent.mcp.forms import ordinary
from zot_core.templates import TemplateFile
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.json_file import read_json_object
from zot_provider.record import Record, field

_CLAUDE = (os.path.join(".claude", "settings.json"), os.path.join(".claude", "settings.local.json"))
_HOOKS = (os.path.join(".zot", FILE), *_CLAUDE)
_SCRIPTS = (os.path.join(".zot", "hooks"), os.path.join(".claude", "hooks"))
"""Where agents keep the programs of hooks."""
_DEPTH = 6
"""How deep a hook is looked for in the object `hooks`; the forms that agents share have four levels."""
_TEMPLATE_BYTES = 64 << 10
_SCRIPT_FILES = 1000
_IN_TEMPLATE = re.compile(r"!`([^`\n]+)`")


class ProjectProgram(Record):
    """A program that the file `path` names, and `line`, what is started, for a person; `files` belong to the project
    that it consists of, as far as they are known. Without `used` zot does not start it yet."""

    path: str
    line: str
    files: list[str] = field(default_factory=list)
    used: bool = False


def claude_settings(cwd: str) -> list[str]:
    """Return the files of settings of Claude Code in the project, the stronger one last, if one of them has hooks,
    holds something back, or cannot be read and may do so: the other one may turn hooks off."""
    from zot_agent.hook_programs.claude.rules import claude_layers  # noqa: PLC0415  few projects have such settings

    paths = [path for path in _files(cwd, _CLAUDE) if os.path.lexists(path)]
    said = any(not each.empty or each.problems for each in claude_layers(paths))
    return paths if said or any(read_json_object(path).get("hooks") for path in paths) else []


def project_programs(cwd: str, templates: Iterable[TemplateFile] = ()) -> list[ProjectProgram]:
    """Return what the files of the project in `cwd` declare, and its `templates`; a file that cannot be read declares
    nothing."""
    found = [
        ProjectProgram(each.path, f"prompt template /{each.name}, which runs: {command}")
        for each in templates
        for command in _IN_TEMPLATE.findall(_text(each.path))
    ]
    for path in _files(cwd, _HOOKS):
        for event, hooks in _objects(path, "hooks").items():
            used = path.endswith(FILE) or _runs(event)
            for each in _commands(hooks):
                found.append(ProjectProgram(path, f"hook {event}, which runs: {each}", _scripts(each, cwd), used))
    for path in project_files(cwd, zot_home()):
        for server, given in _objects(path, "mcpServers").items():
            found.append(ProjectProgram(path, f"MCP server {server}, which {_start(given)}", used=True))
    return found


def _files(cwd: str, names: Iterable[str]) -> list[str]:
    """Return the paths of those files that are not the person's own, which they are where `cwd` is the home folder."""
    own = {os.path.realpath(each) for each in (zot_home(), os.path.expanduser("~/.claude"))}
    paths = [os.path.join(cwd, name) for name in names]
    return [path for path in paths if os.path.realpath(os.path.dirname(path)) not in own]


def _text(path: str) -> str:
    try:
        return read_start(path, _TEMPLATE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _objects(path: str, key: str) -> Mapping[str, Any]:
    try:
        value = read_json_object(path).get(key)
    except ConfigError:
        return {}
    return value if isinstance(value, dict) else {}


def _commands(value: object, depth: int = _DEPTH) -> Iterator[str]:
    """Yield what `value` runs: texts, and what is at the keys `command` and `url`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _commands(each, depth - 1)
    elif isinstance(value, dict) and depth:
        for key, each in value.items():
            if not isinstance(each, str) or key in ("command", "url"):
                yield from _commands(each, depth - 1)


def _runs(event: str) -> bool:
    """Whether zot has an event of Claude Code."""
    from zot_agent.hook_programs.claude.events import CLAUDE_EVENTS  # noqa: PLC0415  few projects have such hooks
    from zot_agent.hook_programs.events import KNOWN  # noqa: PLC0415

    return event in CLAUDE_EVENTS and CLAUDE_EVENTS[event].event in KNOWN


def _scripts(command: str, cwd: str) -> list[str]:
    """Return the files of the project in `cwd` that `command` names, and those where programs of hooks are kept."""
    text = re.sub(r"\$\{?CLAUDE_PROJECT_DIR\}?", ".", command)
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    inside = os.path.join(os.path.realpath(cwd), "")
    named = [os.path.realpath(os.path.join(cwd, word)) for word in words]
    kept = [
        os.path.join(folder, name)
        for place in _SCRIPTS
        for folder, _, names in os.walk(os.path.join(cwd, place))
        for name in sorted(names)
    ]
    return [*(path for path in named if path.startswith(inside) and os.path.isfile(path)), *kept[:_SCRIPT_FILES]]


def _start(given: object) -> str:
    fields = ordinary(given)[0] if isinstance(given, dict) else {}
    command, arguments, url = fields.get("command"), fields.get("args"), fields.get("url")
    if isinstance(command, str):
        words = [each for each in arguments if isinstance(each, str)] if isinstance(arguments, list) else []
        return f"starts: {' '.join([command, *map(shlex.quote, words)])}"
    return f"connects to {url}" if isinstance(url, str) else "starts nothing"
