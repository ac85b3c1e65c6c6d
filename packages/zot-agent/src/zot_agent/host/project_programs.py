"""What a project declares to be started beside its extensions: hooks, MCP servers, commands in prompt templates.

zot starts none of it yet. The question about the folder names it all the same, and its answer covers the files, so that
a later version starts nothing that the person has not seen.
"""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import FILE, read_json_object
from zot_core.templates import TemplateFile
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.record import Record

_HOOKS = (os.path.join(".zot", FILE), os.path.join(".claude", "settings.json"))
_SERVERS = (os.path.join(".zot", "mcp.json"), ".mcp.json")
_DEPTH = 6
"""How deep a hook is looked for in the object `hooks`; the forms that agents share have four levels."""
_TEMPLATE_BYTES = 64 << 10
_IN_TEMPLATE = re.compile(r"!`([^`\n]+)`")


class ProjectProgram(Record):
    """A program that the file `path` names, and `line`, what would be started, for a person."""

    path: str
    line: str


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
            found += [ProjectProgram(path, f"hook {event}, which runs: {each}") for each in _commands(hooks)]
    for path in _files(cwd, _SERVERS):
        for server, given in _objects(path, "mcpServers").items():
            found.append(ProjectProgram(path, f"MCP server {server}, which {_start(given)}"))
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


def _start(given: object) -> str:
    fields = given if isinstance(given, dict) else {}
    command, arguments, url = fields.get("command"), fields.get("args"), fields.get("url")
    if isinstance(command, str):
        words = [each for each in arguments if isinstance(each, str)] if isinstance(arguments, list) else []
        return f"starts: {' '.join([command, *map(shlex.quote, words)])}"
    return f"connects to {url}" if isinstance(url, str) else "starts nothing"
