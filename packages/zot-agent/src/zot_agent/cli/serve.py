"""`zot serve`: many sessions in one process, over WebSocket and HTTP."""

import os
import secrets
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from zot_agent.cli.args import parse
from zot_agent.cli.startup_checks import check_options, missing_extra
from zot_agent.cli.verb import Verb
from zot_agent.event_loop import run_in_loop
from zot_agent.fleet.addresses import FleetPlaces, find_places
from zot_agent.fleet.extra import run_and_leave
from zot_agent.host.options import HostOptions, working_directory
from zot_agent.serve.address import Address, parse_address
from zot_agent.serve.limits import ServeLimits
from zot_provider.errors import ConfigError

TOKEN = "ZOT_SERVE_TOKEN"
"""The environment variable with the token that clients must send; a random token is used if it is unset or empty."""

DEFAULT_ADDRESS = "127.0.0.1:8370"

_MIN_TOKEN = 16
"""The fewest characters of a token that a person chooses."""


def _serve(
    *options: str, listen: str = DEFAULT_ADDRESS, port: int | None = None, root: Sequence[str] = (),
    allow_remote: bool = False, host: Sequence[str] = (), max_sessions: int = ServeLimits().sessions,
    idle: float = ServeLimits().idle_seconds, fleet: bool = False, places: FleetPlaces,
) -> int:  # fmt: skip
    """Serve agents over WebSocket and HTTP, with a chat page. Needs the extra: uv tool install 'zot-agent[serve]'.

    --listen ADDRESS: HOST:PORT (port 0: any free port) or unix:PATH (default: %(default)s)
    --port PORT: the same as --listen 127.0.0.1:PORT
    --root DIR: allow sessions to work in DIR and below (repeatable; default: the working directory)
    --allow-remote: allow an address that other machines can reach
    --host NAME: a host name by which clients reach this machine (repeatable)
    --max-sessions N: number of sessions open at the same time (default: %(default)s)
    --idle SECONDS: close sessions that were not used for so long, 0 for never (default: %(default)g)
    --fleet: show the runs of a fleet too, on other machines, to all clients

    The options of zot (see zot --help) are the defaults of all sessions. Clients must send the token in
    $ZOT_SERVE_TOKEN; if it is unset, a random token is printed. exit codes: 1 the address is not available, 2 usage,
    129 terminal closed, 130 Ctrl+C, 143 terminated
    """
    if port is not None:
        listen = f"127.0.0.1:{port}"
    address = parse_address(listen)
    if not (address.local or allow_remote):
        raise ConfigError(f"other machines can reach {listen}; pass --allow-remote to allow that")
    if max_sessions < 1:
        raise ConfigError(f"--max-sessions must be greater than 0, got {max_sessions}")
    if not idle >= 0:
        raise ConfigError(f"--idle must be a number of seconds (0 for never), got {idle:g}")
    _require_extra()
    from zot_agent.serve.server import ServeConfig, serve  # noqa: PLC0415  imports the extra

    token = _token()
    limits = ServeLimits(sessions=max_sessions, idle_seconds=idle)
    more = max(0, 2 * limits.sessions - limits.streams)
    limits.streams, limits.connections = limits.streams + more, limits.connections + more
    service = ServeConfig(
        address,
        token or secrets.token_urlsafe(32),
        _defaults(options),
        roots=root,
        names=host,
        limits=limits,
        fleet=find_places(places) if fleet else None,
    )
    work = serve(service, lambda bound: _print_address(bound, "" if token else service.token))
    if service.fleet is not None:
        run_and_leave(work)
    return run_in_loop(work)


def _require_extra() -> None:
    if not all(map(find_spec, ("starlette", "uvicorn", "wsproto"))):
        raise missing_extra("serve")


def _token() -> str:
    """Remove the token from the environment, where tools would find it, and return it; empty if it is not set."""
    token = os.environ.pop(TOKEN, "")
    if token and len(token) < _MIN_TOKEN:
        raise ConfigError(f"{TOKEN} must have at least {_MIN_TOKEN} characters; unset it for a random token")
    if not (token.isascii() and token.isprintable() and token == token.strip()):  # a header could not carry it
        raise ConfigError(f"{TOKEN} must be printable ASCII without spaces at its ends; unset it for a random token")
    return token


def _defaults(rest: Sequence[str]) -> HostOptions:
    line = parse(rest, "see zot serve --help", of_command=run.build_parser())
    options = line.options
    if line.prompt or line.images:
        raise ConfigError("zot serve takes no prompt; its clients send prompts")
    refused = ("--session", "--continue", "--fork", "--json-schema", "--list-models", "--stats", "--version", "--mode")
    if flag := line.first_of(*refused):
        raise ConfigError(f"zot serve has no {flag}; see zot serve --help")
    if (options.api_key or options.base_url) and not options.provider:
        raise ConfigError("--api-key and --base-url need --provider, so that another provider does not get the key")
    options = options.replace(cwd=working_directory(options.cwd))
    run_in_loop(check_options(options))
    return options


def _print_address(address: Address, random_token: str) -> None:
    """Print the address, and a random token if one is used. A browser does not send the part after the #."""
    lines = [f"listening on {address}"]
    if random_token:
        lines.append(f"token: {random_token}")
        if not address.path:
            lines.append(f"page: {address}/#token={random_token}")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


run = Verb("zot serve", _serve)
