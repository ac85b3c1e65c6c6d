"""`zot mcp add NAME ...`: writes a server into a file, and installs what zot needs to use it."""

import os
import shutil
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from zot_agent.cli.ext.folder.packages import set_up
from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.cli.mcp.servers import change, chosen_file, extension
from zot_agent.cli.parser import Parser
from zot_agent.cli.verb import Verb
from zot_agent.mcp.config import read_server
from zot_agent.mcp.forms import KINDS, read_block
from zot_agent.mcp.server_files import ConfigProblem, read_file
from zot_provider.errors import ConfigError
from zot_provider.record import Record, field


class AddVerb(Verb):
    """The verb with its own usage, behind which a command may follow without `--`."""

    def build_parser(self) -> Parser:
        parser = super().build_parser()
        parser.usage = (
            "zot mcp add NAME URL [options]\n       zot mcp add NAME [options] -- COMMAND [ARGUMENT ...]\n"
            "       zot mcp add [NAME] BLOCK [options]"
        )
        return parser

    def run(self, arguments: Sequence[str]) -> int:
        valued = {flag for each in self.build_parser()._actions if each.nargs is None for flag in each.option_strings}
        words, names, skip = list(arguments), 0, False
        for at, word in enumerate(words):
            if word == "--":
                break
            if skip or word.startswith("-"):
                skip = not skip and word in valued
                continue
            names += 1
            if names == 2 and "://" not in word and not _is_block(word) and _is_command(word):
                words.insert(at, "--")
                break
        return super().run(words)


class NewServer(Record):
    """A server that is no block.

    --url URL: the address; the same as after the name
    -e, --env NAME=VALUE: a variable of the command
    -H, --header NAME:VALUE: a header for the URL
    --bearer-token-env-var NAME: the variable with a token for the URL
    -t, --transport KIND: stdio, http, or sse for old servers
    """

    url: str = ""
    env: list[str] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    bearer_token_env_var: str = ""
    transport: Annotated[str, {"choices": KINDS}] = ""


def _add(
    name: str = "", what: str = "", *rest: str, server: NewServer, json: str | None = None,
    scope: Literal["user", "project", "local", "global"] | None = None, project: bool = False, replace: bool = False,
) -> int:  # fmt: skip
    """Add an MCP server, and what zot needs to use it. It is a URL, a command that zot starts, or a block as READMEs
    have it, which may have several: the JSON of Claude Code, Cursor, VS Code, Gemini CLI, Windsurf, Cline, Zed or
    OpenCode, or the TOML of Codex.

    NAME: for its tools, mcp__NAME__TOOL
    URL|BLOCK: an address, or a block
    --json BLOCK: the block; the same as after the name
    -s, --scope PLACE: user, for all projects (the default), or project: .mcp.json here
    --project: the same as --scope project
    --replace: replace a server of this name

    ${NAME} in a value stays in the file and is read from the environment when the server starts.
    """
    end = rest.index("--") if "--" in rest else len(rest)
    more, command = rest[:end], rest[end + 1 :]
    if more and not (what or more[0].startswith("-")):  # it was behind an option
        what, more = more[0], more[1:]
    if more:
        raise ConfigError(f"unrecognized arguments: {' '.join(more)}; see zot mcp add --help")
    if json is None and _is_block(what or name):
        json, name = what or name, name if what else ""
    if json is not None:
        servers, notes = _from_block(name, json)
    elif not name:
        raise ConfigError("expected a name, and a URL or -- COMMAND; see zot mcp add --help")
    else:
        servers, notes = {name: _server(server, what or server.url, command)}, ()
    path = chosen_file(project=project or scope == "project")
    _check(path, servers, replace=replace)
    for each, written in servers.items():
        change(path, each, written)
        print_line(f"added {inline(each)} to {path}")
    for note in notes:
        print_line(inline(note))
    set_up(extension())
    print_line(f"try it with: zot mcp doctor {inline(next(iter(servers)))}")
    return 0


add = AddVerb("zot mcp add", _add)


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


def _server(asked: NewServer, url: str, command: Sequence[str]) -> dict[str, Any]:
    if bool(command) == bool(url):
        raise ConfigError("expected either a URL or -- COMMAND; see zot mcp add --help")
    kind = KINDS.get(asked.transport, "")
    if command:
        if asked.header:
            raise ConfigError("--header is for a URL")
        if kind not in ("", "stdio"):
            raise ConfigError(f"--transport {asked.transport} is for a URL")
        found: dict[str, Any] = {"command": command[0], "args": [*command[1:]]}
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
