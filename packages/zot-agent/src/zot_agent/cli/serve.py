"""`zot serve`: many sessions in one process, over WebSocket and HTTP."""

import asyncio
import os
import secrets
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from zot_agent.cli.args import parse
from zot_agent.cli.parser import Parser
from zot_agent.cli.service import check_options, missing_extra
from zot_agent.host.build import working_directory
from zot_agent.host.options import Options
from zot_agent.modes.output import print_error
from zot_agent.serve.address import Address, parse_address
from zot_agent.serve.limits import ServeLimits
from zot_provider.errors import ConfigError, ZotError

TOKEN = "ZOT_SERVE_TOKEN"
"""The variable with the token that clients must bring; unset or empty for one that is made up."""

DEFAULT_ADDRESS = "127.0.0.1:8370"

_SHORTEST = 16
"""Characters of a token that somebody has chosen."""


def build_parser() -> Parser:
    """The parser of what `zot serve` has beside the flags of `zot`."""
    parser = Parser(
        prog="zot serve",
        usage="zot serve [options] [options of zot]",
        allow_abbrev=False,
        description="Serve agents over WebSocket and HTTP, and a page to talk to them. Needs the extra: "
        "uv tool install 'zot-agent[serve]'.",
        epilog=f"The flags of zot (zot --help) count for sessions that do not ask for something else. The token that "
        f"clients must bring is ${TOKEN}, or is made up and printed. exit codes: 1 the address cannot be had, 2 usage, "
        f"130 Ctrl+C, 143 terminated, 129 hung up",
    )
    parser.add_argument(
        "--listen",
        default=DEFAULT_ADDRESS,
        metavar="ADDRESS",
        help=f"HOST:PORT, port 0 for any, or unix:PATH; {DEFAULT_ADDRESS} without it",
    )
    parser.add_argument(
        "--root", dest="roots", default=[], action="append", metavar="DIR",
        help="sessions may work in DIR and below; repeatable; the working directory without it",
    )  # fmt: skip
    limits = ServeLimits()
    parser.add_argument("--allow-remote", action="store_true", help="listen on an address that others can reach")
    parser.add_argument(
        "--host", dest="names", default=[], action="append", metavar="NAME", help="a name of this machine; repeatable"
    )
    parser.add_argument(
        "--max-sessions", type=int, default=limits.sessions, metavar="N", help=f"open at a time; {limits.sessions}"
    )
    parser.add_argument(
        "--idle", type=float, default=limits.idle_seconds, metavar="SECONDS",
        help=f"close sessions that nobody has used for so long, 0 for never; {limits.idle_seconds:g}",
    )  # fmt: skip
    return parser


def run(arguments: Sequence[str]) -> int:
    """Do what `arguments` (after `serve`) ask for; the exit code."""
    try:
        asked, rest = build_parser().parse_known_args(list(arguments))
        address = parse_address(asked.listen)
        if not (address.local or asked.allow_remote):
            raise ConfigError(f"{asked.listen} can be reached by others: --allow-remote if that is meant")
        if asked.max_sessions < 1:
            raise ConfigError(f"--max-sessions must be greater than 0, got {asked.max_sessions}")
        if not asked.idle >= 0:
            raise ConfigError(f"--idle must be a number of seconds, 0 for never, got {asked.idle:g}")
        _require_extra()
        from zot_agent.serve.server import ServeConfig, serve  # noqa: PLC0415  not without the extra

        token = _token()
        limits = ServeLimits(sessions=asked.max_sessions, idle_seconds=asked.idle)
        limits.streams = max(limits.streams, 2 * limits.sessions)
        service = ServeConfig(
            address,
            token or secrets.token_urlsafe(32),
            _defaults(rest),
            roots=asked.roots,
            names=asked.names,
            limits=limits,
        )
        return asyncio.run(serve(service, lambda found: _tell(found, "" if token else service.token)))
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    except ZotError as error:
        print_error(str(error))
        return error.exit_code


def _require_extra() -> None:
    if find_spec("hypercorn") is None or find_spec("starlette") is None:
        raise missing_extra("serve")


def _token() -> str:
    """The token that was given; tools must not find it."""
    token = os.environ.pop(TOKEN, "")
    if token and len(token) < _SHORTEST:
        raise ConfigError(f"{TOKEN} must have at least {_SHORTEST} characters; without it one is made up")
    if not (token.isascii() and token.isprintable() and token == token.strip()):  # no header could bring it
        raise ConfigError(
            f"{TOKEN} must be letters, digits and signs of ASCII, without blanks at its ends; without it one is made up"
        )
    return token


def _defaults(rest: Sequence[str]) -> Options:
    options = parse(rest, "see zot serve --help")
    if options.prompt or options.images:
        raise ConfigError("zot serve takes no prompt: its clients say what to do")
    refused = {
        "--session": options.session,
        "--continue": options.continue_latest,
        "--json-schema": options.json_schema is not None,
        "--list-models": options.list_models is not None,
        "--no-yolo": options.no_yolo,
        "--stats": options.stats,
        "--version": options.version,
        f"--{options.mode}": options.mode,
    }
    for flag, given in refused.items():
        if given:
            raise ConfigError(f"zot serve has no {flag}; see zot serve --help")
    if (options.api_key or options.base_url) and not options.provider:
        raise ConfigError("--api-key and --base-url need --provider, so that no other provider's server gets the key")
    options = options.replace(cwd=working_directory(options.cwd))
    asyncio.run(check_options(options))
    return options


def _tell(address: Address, made_up: str) -> None:
    """Where it is, and the token unless the person has chosen it. A browser does not send what follows the #."""
    lines = [f"listening on {address}"]
    if made_up:
        lines.append(f"token: {made_up}")
        if not address.path:
            lines.append(f"page: {address}/#token={made_up}")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
