"""`zot doctor`: what zot finds on this machine, a line each, and what to do where something is missing."""

import asyncio
import os
import platform
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import TypeVar

from zot_agent.cli.parser import Parser
from zot_agent.config.paths import current_directory, sessions_root, zot_home
from zot_agent.config.settings import FILE, Settings, load_settings
from zot_agent.host.build import MODELS_FILE, choose_model, known_models, use_proxy
from zot_agent.host.options import Options
from zot_agent.local.pick import places
from zot_agent.local.server import engine_installed
from zot_agent.local.weights import DEMO, find_weights
from zot_agent.modes.output import print_error
from zot_agent.version import __version__
from zot_provider.catalog.user import KnownProviders
from zot_provider.client.http import HttpClient
from zot_provider.errors import ConnectError, MissingKey, ResponseTimeout, ZotError
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, record
from zot_provider.registry import ModelRegistry
from zot_provider.selection import select
from zot_provider.transport.http import location
from zot_tui.text.sanitize import sanitize_line

T = TypeVar("T")

REACH_LIMIT = 5.0
"""Seconds an endpoint gets to answer."""


@record
class Finding(Record):
    """One line: "ok", "--" for what is not there and need not be, or "no" for what is wrong."""

    state: str
    topic: str
    text: str

    def lines(self, width: int) -> str:
        """The line, folded to `width` columns where there is a word's end; what servers said is made safe."""
        text = " ".join(sanitize_line(self.text).split())
        head, rest = f"{self.state:<4}{sanitize_line(self.topic):<18}", " " * 22
        folded = textwrap.wrap(
            text, width, initial_indent=head, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
        )
        return "\n".join(folded or [head]) + "\n"


def run(arguments: Sequence[str]) -> int:
    """Look around and say what was found; 0 if a model can be asked and sessions can be kept, else 1."""
    parser = Parser(
        prog="zot doctor",
        description="Say what zot finds: keys, endpoints, tools, terminal, paths.",
        epilog="exit codes: 0 a model can be asked, sessions can be kept and your files can be used, 1 not, 2 usage",
    )
    parser.add_argument("--offline", action="store_true", help="do not contact any endpoint")
    try:
        offline = parser.parse_args(list(arguments)).offline
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    except ZotError as error:
        print_error(str(error))
        return error.exit_code
    home = zot_home()
    current_directory()  # what is found depends on it
    settings, set_well = _file(os.path.join(home, FILE), lambda: load_settings(home), Settings())
    known, known_well = _file(os.path.join(home, MODELS_FILE), lambda: known_models(home), KnownProviders())
    if set_well.state == "ok" and known_well.state != "no":
        set_well = _usable(settings, known) or set_well
    use_proxy(settings)
    models = asyncio.run(_models(known, offline=offline))
    rest = [*_place(), set_well, known_well, *_programs(), _terminal(), _extensions()]
    width = max(shutil.get_terminal_size().columns, 60) if sys.stdout.isatty() else 10_000
    for finding in [*models, *rest]:
        sys.stdout.write(finding.lines(width))
    usable = any(finding.state == "ok" for finding in models)
    if not usable:
        sys.stdout.write("\nno model can be asked: set a key, start a local server, or run zot local setup\n")
    return 0 if usable and all(finding.state != "no" for finding in rest) else 1


def _file(path: str, load: Callable[[], T], default: T) -> tuple[T, Finding]:
    """What the user wrote, and whether it can be understood."""
    try:
        there = "can be read" if os.path.exists(path) else "not there, and need not be"
        return load(), Finding("ok" if os.path.exists(path) else "--", os.path.basename(path), there)
    except ZotError as error:
        return default, Finding("no", os.path.basename(path), str(error))


def _usable(settings: Settings, known: KnownProviders) -> Finding | None:
    """What is wrong with the model that the settings name; None if zot can begin with it, or waits for a key alone."""
    try:
        choose_model(Options(), settings, ModelRegistry(known), None)
    except MissingKey:
        pass
    except ZotError as error:
        return Finding("no", FILE, str(error))
    return None


async def _models(known: KnownProviders, *, offline: bool) -> list[Finding]:
    """Keys and whether their endpoints answer, local servers, the demo model."""
    keyed = [provider for provider in known.providers if provider.key_env]
    keys = await asyncio.gather(*(_key(provider, known, offline=offline) for provider in keyed))
    servers = [] if offline else await asyncio.gather(*(_server(*each) for each in _servers(known)))
    weights, engine = find_weights(DEMO), engine_installed()
    missing = "zot local setup" if engine else "the extra zot-agent[local], then zot local setup"
    demo = (
        Finding("ok", "demo model", weights) if weights and engine else Finding("--", "demo model", f"needs {missing}")
    )
    return [*keys, *servers, demo]


async def _key(provider: Provider, known: KnownProviders, *, offline: bool) -> Finding:
    try:
        selection = select(provider.id, known=known)
        name = next((name for name in provider.key_env if os.environ.get(name, "").strip()), "")
        if not name:
            return Finding("--", provider.id, f"no key; {' or '.join(provider.key_env)} would hold it")
        client = HttpClient(selection.provider, key=selection.key, base_url=selection.base_url)
    except ZotError as error:
        return Finding("no", provider.id, str(error))
    where = location(selection.base_url or provider.base_url or "")
    if offline:
        await client.close()
        return Finding("ok", provider.id, f"{name} is set; {where} was not asked")
    listed = await _reach(client)
    if isinstance(listed, ZotError):
        return Finding("no", provider.id, f"{name} is set, but {_without(provider, listed)}")
    return Finding("ok", provider.id, f"{name} is set; {where} lists {_models_of(listed)}")


def _without(provider: Provider, error: ZotError) -> str:
    """What went wrong, without the provider's name, which stands in front of the line."""
    return str(error).removeprefix(f"{provider.id}: ")


def _models_of(listed: list[str]) -> str:
    return "1 model" if len(listed) == 1 else f"{len(listed)} models"


def _servers(known: KnownProviders) -> list[tuple[str, Provider, str]]:
    usual = [(place.title, place.provider, place.base_url) for place in places(os.environ)]
    asked = {provider.id for _, provider, _ in usual}
    own = [(provider.title, provider, provider.base_url) for provider in known.providers if not provider.key_env]
    return usual + [(title, provider, url) for title, provider, url in own if url and provider.id not in asked]


async def _server(title: str, provider: Provider, base_url: str) -> Finding:
    topic = title.lower()
    try:
        listed = await _reach(HttpClient(provider, base_url=base_url))
    except ZotError as error:
        return Finding("no", topic, str(error))
    where = location(base_url)
    if isinstance(listed, ConnectError):
        return Finding("--", topic, f"nothing answers at {where}")
    if isinstance(listed, ZotError):
        return Finding("--", topic, _without(provider, listed))
    more = ", ..." if len(listed) > 3 else ""
    return Finding("ok", topic, f"{where} serves {', '.join(listed[:3])}{more}")


async def _reach(client: HttpClient) -> list[str] | ZotError:
    """The models an endpoint lists, or why it does not."""
    try:
        async with asyncio.timeout(REACH_LIMIT):
            return await client.models()
    except TimeoutError:
        return ResponseTimeout(f"it did not answer within {REACH_LIMIT:g} s")
    except ZotError as error:
        return error
    finally:
        await client.close()


def _place() -> list[Finding]:
    """The program and its folders."""
    home = zot_home()
    above = home
    while not os.path.exists(above) and os.path.dirname(above) != above:
        above = os.path.dirname(above)
    writable = os.path.isdir(above) and os.access(above, os.W_OK | os.X_OK)
    state = "there" if os.path.isdir(home) else "not there yet"
    return [
        Finding("ok", "zot", f"{__version__}, {platform.python_implementation()} {platform.python_version()}, "
                f"{platform.system()} {platform.machine()}"),
        Finding("ok" if writable else "no", "home", f"{home} ({state}{'' if writable else ', cannot be written'})"),
        Finding("ok", "sessions", f"{sessions_root()} ({_count(sessions_root())} kept)"),
    ]  # fmt: skip


def _count(folder: str) -> int:
    return sum(name.endswith(".jsonl") for _, _, names in os.walk(folder) for name in names)


def _programs() -> list[Finding]:
    """Programs the tools use; each has something to fall back on."""
    uses = {"bash": "sh is used instead", "git": "zot works without it", "rg": "slower searching in Python is used"}
    return [
        Finding("ok", name, path) if (path := shutil.which(name)) else Finding("--", name, f"not found; {instead}")
        for name, instead in uses.items()
    ]


def _terminal() -> Finding:
    if not sys.stdout.isatty():
        return Finding("--", "terminal", "standard output is no terminal")
    size = shutil.get_terminal_size()
    colour = os.environ.get("COLORTERM") or "256 colours or fewer"
    return Finding("ok", "terminal", f"{os.environ.get('TERM', 'unknown')}, {size.columns}x{size.lines}, {colour}")


def _extensions() -> Finding:
    from zot_agent.cli.ext.folder.names import installed  # noqa: PLC0415  it needs this module

    names = [found.name for found in installed().active()]
    if not names:
        return Finding("--", "extensions", "none; zot ext new NAME begins one")
    return Finding("ok", "extensions", f"{', '.join(names)}; zot ext doctor examines them")
