"""`zot mcp add NAME ...`: writes a server into a file, and installs what zot needs to use it."""

import os
import shutil
from collections.abc import Sequence
from typing import Any

from zot_agent.cli.ext.folder.packages import set_up
from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.cli.mcp.servers import change, chosen_file, extension
from zot_agent.cli.parser import Parser
from zot_agent.mcp.config import read_server
from zot_agent.mcp.forms import KINDS, read_block
from zot_agent.mcp.server_files import ConfigProblem, read_file
from zot_provider.errors import ConfigError


def run(arguments: Sequence[str]) -> int:
    """Add servers; return 0."""
    given, command = _split(list(arguments))
    parser = Parser(
        prog="zot mcp add",
        usage="zot mcp add NAME URL [options]\n       zot mcp add NAME [options] -- COMMAND [ARGUMENT ...]\n"
        "       zot mcp add [NAME] BLOCK [options]",
        description="Add an MCP server: a URL, a command that zot starts, or a block as READMEs have it, which may "
        "have several: the JSON of Claude Code, Cursor, VS Code, Gemini CLI, Windsurf, Cline, Zed or OpenCode, or the "
        "TOML of Codex.",
        epilog="${NAME} in a value stays in the file and is read from the environment when the server starts.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="for its tools, mcp__NAME__TOOL")
    parser.add_argument("what", metavar="URL|BLOCK", nargs="?", default="", help="an address, or a block")
    parser.add_argument("--url", default="", help="the address; the same as after the name")
    parser.add_argument(
        "-e", "--env", action="append", default=[], metavar="NAME=VALUE", help="a variable of the command"
    )
    parser.add_argument(
        "-H", "--header", action="append", default=[], metavar="NAME: VALUE", help="a header for the URL"
    )
    parser.add_argument(
        "--bearer-token-env-var", default="", metavar="NAME", help="the variable with a token for the URL"
    )
    parser.add_argument("-t", "--transport", choices=KINDS, metavar="KIND", help="stdio, http, or sse for old servers")
    parser.add_argument("--json", metavar="BLOCK", help="the block; the same as after the name")
    parser.add_argument(
        "-s", "--scope", choices=SCOPES, help="user, for all projects (the default), or project: .mcp.json here"
    )
    parser.add_argument("--project", action="store_true", help="the same as --scope project")
    parser.add_argument("--replace", action="store_true", help="replace a server of this name")
    asked = parser.parse_intermixed_args(given)
    if asked.json is None and _is_block(asked.what or asked.name):
        asked.json = asked.what or asked.name
        asked.name = asked.name if asked.what else ""
    if asked.json is not None:
        servers, notes = _from_block(asked.name, asked.json)
    elif not asked.name:
        raise ConfigError("expected a name, and a URL or -- COMMAND; see zot mcp add --help")
    else:
        servers, notes = {asked.name: _server(asked, command)}, ()
    path = chosen_file(project=asked.project or asked.scope == "project")
    _check(path, servers, replace=asked.replace)
    for name, server in servers.items():
        change(path, name, server)
        print_line(f"added {inline(name)} to {path}")
    for note in notes:
        print_line(inline(note))
    set_up(extension())
    print_line(f"try it with: zot mcp doctor {inline(next(iter(servers)))}")
    return 0


SCOPES = ("user", "project", "local", "global")
"""The names that other agents have for a place; `local` is the person's own for one project there, and here for all."""
_VALUED = frozenset(
    ("-e", "--env", "-H", "--header", "-t", "--transport", "-s", "--scope", "--json", "--url", "--bearer-token-env-var")
)


def _split(words: list[str]) -> tuple[list[str], list[str] | None]:
    """Return the words for the parser, and the command: what follows `--`, or a second name that is no URL."""
    if "--" in words:
        at = words.index("--")
        return words[:at], words[at + 1 :]
    names, skip = 0, False
    for at, word in enumerate(words):
        if skip or word.startswith("-"):
            skip = not skip and word in _VALUED
            continue
        names += 1
        if names == 2 and "://" not in word and not _is_block(word) and _is_command(word):
            return words[:at], words[at:]
    return words, None


def _is_command(word: str) -> bool:
    return os.sep in word or shutil.which(word) is not None


def _is_block(text: str) -> bool:
    return text.lstrip().startswith(("{", "[", '"', "//", "```")) and any(each in text for each in ":=")


def _check(path: str, servers: dict[str, dict[str, Any]], *, replace: bool) -> None:
    """Raise `ConfigError` if one of the servers cannot be written."""
    try:
        for name, server in servers.items():
            read_server(name, server, path, _AnyVariable())
        known = read_file(path)
    except ConfigProblem as error:
        raise ConfigError(str(error)) from error
    for name in servers:
        if name in known and not replace:
            raise ConfigError(f"{path} has a server {name!r} already; --replace replaces it")


def _server(asked: Any, command: list[str] | None) -> dict[str, Any]:
    url = asked.what or asked.url
    if bool(command) == bool(url):
        raise ConfigError("expected either a URL or -- COMMAND; see zot mcp add --help")
    kind = KINDS.get(asked.transport or "", "")
    if command:
        if asked.header:
            raise ConfigError("--header is for a URL")
        if kind not in ("", "stdio"):
            raise ConfigError(f"--transport {asked.transport} is for a URL")
        found: dict[str, Any] = {"command": command[0], "args": command[1:]}
        return found | ({"env": dict(_pair(each, "=", "--env") for each in asked.env)} if asked.env else {})
    if asked.env:
        raise ConfigError("--env is for a command")
    if kind == "stdio":
        raise ConfigError("--transport stdio is for a command")
    headers = dict(_pair(each, ":", "--header") for each in asked.header)
    if asked.bearer_token_env_var:
        headers["Authorization"] = f"Bearer ${{{asked.bearer_token_env_var}}}"
    return {"type": kind or "http", "url": url} | ({"headers": headers} if headers else {})


def _pair(text: str, separator: str, flag: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not found or not name.strip():
        raise ConfigError(f"{flag} {text!r} is not NAME{separator}VALUE")
    return name.strip(), value.strip() if separator == ":" else value


def _from_block(name: str, text: str) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Return the servers of a block by their names; with `name` one of them. Raises `ConfigError`."""
    try:
        block = read_block(text)
    except ValueError as error:
        raise ConfigError(f"the block cannot be read: {error}") from None
    servers = block.servers
    if name and len(servers) == 1:
        servers = {name: next(iter(servers.values()))}
    elif name and name in servers:
        servers = {name: servers[name]}
    elif name:
        raise ConfigError(f"the block has no server {name!r}, only {', '.join(servers)}")
    if "" in servers:
        raise ConfigError("the block does not name its server: zot mcp add NAME BLOCK")
    return servers, block.notes


class _AnyVariable(dict[str, str]):
    """Variables of which every one is set: they are looked up when the server starts."""

    def get(self, name: str, default: Any = None) -> Any:
        return "https://set-later"
