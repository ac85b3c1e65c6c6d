"""`zot mcp add NAME ...`: writes a server into a file, and installs what zot needs to use it."""

import json
from collections.abc import Sequence
from typing import Any

from zot_agent.cli.ext.folder.packages import set_up
from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.cli.mcp.servers import change, chosen_file, extension
from zot_agent.cli.parser import Parser
from zot_agent.mcp.config import KEY, ConfigProblem, read_file, read_server
from zot_provider.errors import ConfigError


def run(arguments: Sequence[str]) -> int:
    """Add one server; return 0."""
    given, command = list(arguments), None
    if "--" in given:
        at = given.index("--")
        given, command = given[:at], given[at + 1 :]
    parser = Parser(
        prog="zot mcp add",
        usage="zot mcp add NAME URL [options]\n       zot mcp add NAME [options] -- COMMAND [ARGUMENT ...]\n"
        "       zot mcp add NAME --json OBJECT",
        description="Add an MCP server: a URL (streamable HTTP), or a command that zot starts.",
        epilog="${NAME} in a value stays in the file and is read from the environment when the server starts.",
    )
    parser.add_argument("name", metavar="NAME", help="what its tools are called after: mcp__NAME__TOOL")
    parser.add_argument("url", metavar="URL", nargs="?", default="", help="begins with http:// or https://")
    parser.add_argument(
        "-e", "--env", action="append", default=[], metavar="NAME=VALUE", help="a variable of the command"
    )
    parser.add_argument(
        "-H", "--header", action="append", default=[], metavar="NAME: VALUE", help="a header for the URL"
    )
    parser.add_argument("--json", metavar="OBJECT", help="the server as the README of its author writes it")
    parser.add_argument("--project", action="store_true", help="write .mcp.json in this directory")
    parser.add_argument("--replace", action="store_true", help="replace a server of this name")
    asked = parser.parse_args(given)
    server = _from_json(asked.name, asked.json) if asked.json is not None else _server(asked, command)
    path = chosen_file(project=asked.project)
    try:
        read_server(asked.name, server, path, _AnyVariable())
        known = read_file(path)
    except ConfigProblem as error:
        raise ConfigError(str(error)) from error
    if asked.name in known and not asked.replace:
        raise ConfigError(f"{path} has a server {asked.name!r} already; --replace replaces it")
    change(path, asked.name, server)
    print_line(f"added {inline(asked.name)} to {path}")
    set_up(extension())
    print_line(f"try it with: zot mcp doctor {inline(asked.name)}")
    return 0


def _server(asked: Any, command: list[str] | None) -> dict[str, Any]:
    if bool(command) == bool(asked.url):
        raise ConfigError("expected either a URL or -- COMMAND; see zot mcp add --help")
    if command:
        if asked.header:
            raise ConfigError("--header is for a URL")
        found: dict[str, Any] = {"command": command[0], "args": command[1:]}
        return found | ({"env": dict(_pair(each, "=", "--env") for each in asked.env)} if asked.env else {})
    if asked.env:
        raise ConfigError("--env is for a command")
    headers = dict(_pair(each, ":", "--header") for each in asked.header)
    return {"type": "http", "url": asked.url} | ({"headers": headers} if headers else {})


def _pair(text: str, separator: str, flag: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not found or not name.strip():
        raise ConfigError(f"{flag} {text!r} is not NAME{separator}VALUE")
    return name.strip(), value.strip() if separator == ":" else value


def _from_json(name: str, text: str) -> dict[str, Any]:
    """Read a server, alone or as a part of a whole file. Raises `ConfigError`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"--json: {error}") from None
    if isinstance(value, dict) and isinstance(value.get(KEY), dict):
        value = value[KEY].get(name)
    if not isinstance(value, dict):
        raise ConfigError(f"--json: expected an object with a command or a url, or one with {KEY}.{name}")
    return value


class _AnyVariable(dict[str, str]):
    """Variables of which every one is set: they are looked up when the server starts."""

    def get(self, name: str, default: Any = None) -> Any:
        return "https://set-later"
