"""`zot doctor`: checks keys, servers, folders and programs, and says what to do if something is missing."""

import asyncio
import os
import platform
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from zot_agent.cli.doctor_line import DoctorLine
from zot_agent.cli.ext.folder.names import installed
from zot_agent.cli.startup_checks import check_options
from zot_agent.cli.verb import Verb
from zot_agent.config.paths import current_directory, sessions_root, zot_home
from zot_agent.config.settings import FILE, SETTINGS, Settings, read_settings
from zot_agent.event_loop import run_in_loop
from zot_agent.host.build import MODELS_FILE, known_models, use_network
from zot_agent.host.extensions import ProjectChoice, open_providers
from zot_agent.host.options import HostOptions
from zot_agent.local.pick import server_candidates
from zot_agent.local.server import engine_installed
from zot_agent.local.weights import DEMO, find_weights
from zot_agent.update.installation import installation
from zot_agent.version import __version__
from zot_core.sandbox.sandbox import sandbox_problem
from zot_core.skills import find_skills
from zot_core.templates import PromptTemplates
from zot_provider.auth.personal import PersonalKeys
from zot_provider.catalog.known_providers import KnownProviders
from zot_provider.client.http import HttpClient
from zot_provider.errors import ConfigError, ConnectError, MissingKey, ResponseTimeout, ZotError
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.selection import select
from zot_provider.transport.url import location

T = TypeVar("T")

REACH_LIMIT = 5.0
"""Seconds for an endpoint to answer."""

_LISTED = 3
"""Providers that the short report lists also without a key."""


def _doctor(*, offline: bool = False, report: bool = False, all: bool = False) -> int:
    """Check keys, servers, folders, settings, programs, the terminal, extensions, skills and prompts.

    --offline: do not contact any server
    --report: print what belongs into an issue: versions and names, and no key, text or path
    --all: list all providers, also those without a key

    exit codes: 0 a model is usable and nothing is wrong, 1 otherwise, 2 usage
    """
    home = zot_home()
    cwd = current_directory()  # raises `ConfigError` if it was deleted
    choice = ProjectChoice(HostOptions(), read_settings(home), cwd)
    choice.find()
    settings = read_settings(home, choice.settings)
    settings_lines = _settings(settings)
    known, models_line = _load(os.path.join(home, MODELS_FILE), lambda: known_models(home), KnownProviders())
    if "no" not in (settings_lines[0].state, models_line.state):
        settings_lines = _start_problem(settings) or settings_lines
    use_network(settings)
    offline = offline or report or bool(settings.errors)  # they may be about the proxy
    models = run_in_loop(_models(known, offline=offline, every=all))
    warnings = [DoctorLine("--", MODELS_FILE, warning) for warning in known.warnings]
    rest = [
        *_zot_and_folders(),
        *settings_lines,
        models_line,
        *warnings,
        *_programs(),
        _sandbox(),
        _terminal(),
        _extensions(),
        *_hooks(settings, choice),
    ]
    rest += [*_skills(home), *_templates(home)]
    if report:
        sys.stdout.write(_report(settings, models, rest))
        return 0
    width = max(shutil.get_terminal_size().columns, 60) if sys.stdout.isatty() else 10_000
    for line in [*models, *rest]:
        sys.stdout.write(line.lines(width))
    usable = any(line.state == "ok" for line in models)
    if not usable:
        sys.stdout.write("\nno model is usable: set a key, start a local server, or run zot local setup\n")
    return 0 if usable and not any(line.state == "no" for line in rest) else 1


_SAFE = ("zot", "terminal", "sandbox")
"""Topics whose text has no name that a person has chosen, and no path."""

_COUNTED = ("skills", "prompts")
"""Topics whose first line is a number; the others, about what is left out, have paths."""


def _is_safe(line: DoctorLine) -> bool:
    return line.topic in _SAFE or (line.topic in _COUNTED and line.state == "ok")


def _report(settings: Settings, models: Sequence[DoctorLine], rest: Sequence[DoctorLine]) -> str:
    """Return the report for an issue: of most lines only whether they are well, names of settings without values, and
    of extensions."""
    found = installation()
    way = "a clone" if found.source else " ".join(found.command[:3]) or "another installer"
    public = {each.id for each in PROVIDERS} | {each.title.lower() for each in server_candidates(os.environ)}
    shown = [
        DoctorLine(line.state, line.topic if line.topic in public | {"demo model"} else "own provider", "")
        for line in models
        if line.state != "--"
    ]
    shown += [
        DoctorLine(line.state, line.topic, line.text if _is_safe(line) else "")
        for line in rest
        if line.topic in (*_SAFE, *_COUNTED) or line.state != "--"
    ]
    names = [name for name in SETTINGS if name in settings.values]
    more = [
        DoctorLine("ok", "updated with", os.path.basename(way)),
        DoctorLine("ok", "settings", ", ".join(names) or "none"),
        DoctorLine("ok", "extensions", ", ".join(each.name for each in installed().active()) or "none"),
    ]
    return "".join(line.lines(100) for line in [*shown, *more])


def _load(path: str, load: Callable[[], T], default: T) -> tuple[T, DoctorLine]:
    """Load a file of the user, and report whether it is valid."""
    try:
        exists = os.path.exists(path)
        text = "valid" if exists else "not there (optional)"
        return load(), DoctorLine("ok" if exists else "--", os.path.basename(path), text)
    except ZotError as error:
        return default, DoctorLine("no", os.path.basename(path), str(error))


def _settings(settings: Settings) -> list[DoctorLine]:
    """Report each problem of the settings."""
    if lines := [*settings.errors, *settings.problems]:
        return [DoctorLine("no", FILE, line) for line in lines]
    exists = os.path.exists(settings.layers[0].source)
    return [DoctorLine("ok", FILE, "valid") if exists else DoctorLine("--", FILE, "not there (optional)")]


def _start_problem(settings: Settings) -> list[DoctorLine]:
    """Report why no mode would start here, perhaps because of another file than that of the settings; nothing if one
    would, or only a key is missing."""
    try:
        run_in_loop(check_options(HostOptions()))
    except ZotError as error:
        own = str(error).startswith(settings.layers[0].source)
        return [DoctorLine("no", FILE if own else "start", str(error))]
    return []


async def _models(known: KnownProviders, *, offline: bool, every: bool) -> list[DoctorLine]:
    """Check keys and their endpoints, local servers, and the demo model."""
    keyed = [provider for provider in known.providers if not provider.keyless]
    keys = await asyncio.gather(*(_key(provider, known, offline=offline) for provider in keyed))
    if not every:
        keys = _shorten(keys, {provider.id for provider in known.providers if provider not in PROVIDERS})
    servers = [] if offline else await asyncio.gather(*(_server(*each) for each in _servers(known)))
    served = await _served(known, offline=offline)
    weights, engine = find_weights(DEMO), engine_installed()
    install = "run zot local setup" if engine else "install zot-agent[local], then run zot local setup"
    ready = bool(weights and engine)
    demo = DoctorLine("ok" if ready else "--", "demo model", weights if ready else f"not installed; {install}")
    return [*keys, *served, *servers, demo]


async def _served(known: KnownProviders, *, offline: bool) -> list[DoctorLine]:
    """Ask the extensions that serve models for them, unless there is no key."""
    registry = ModelRegistry(known, credentials=PersonalKeys(zot_home()))
    try:
        served = open_providers(registry)
    except ConfigError:  # another line says what is wrong
        return []
    if served is None:
        return []
    client = RoutingClient(registry)
    try:
        return [await _served_by(id, served.owner(id), client, offline=offline) for id in served.names]
    finally:
        await client.close()
        await served.close()


async def _served_by(id: str, extension: str, client: RoutingClient, *, offline: bool) -> DoctorLine:
    try:
        client.registry.credentials_of(id).check(client.registry.provider(id))
        if offline:
            return DoctorLine("ok", id, f"extension {extension} serves it; it was not started")
        async with asyncio.timeout(REACH_LIMIT):
            listed = await client.models(id)
    except MissingKey as error:
        return DoctorLine("--", id, str(error))
    except TimeoutError:
        return DoctorLine("no", id, f"extension {extension} gave no list within {REACH_LIMIT:g} s")
    except ZotError as error:
        return DoctorLine("no", id, str(error).removeprefix(f"{id}: "))
    return DoctorLine("ok", id, f"extension {extension} serves {_count_models(listed)}")


def _shorten(lines: list[DoctorLine], own: Collection[str]) -> list[DoctorLine]:
    """Return the lines of the first providers, of the user's `own`, and of those with a key; one line for the rest."""
    shown = [line for number, line in enumerate(lines) if number < _LISTED or line.state != "--" or line.topic in own]
    if rest := len(lines) - len(shown):
        shown.append(DoctorLine("--", "other keys", f"none for {rest} more providers; zot doctor --all lists them"))
    return shown


async def _key(provider: Provider, known: KnownProviders, *, offline: bool) -> DoctorLine:
    try:
        selection = select(provider.id, known=known)
        keys = PersonalKeys(zot_home())
        source = keys.source(provider)
        if not source:
            how = f"no key; set {' or '.join(provider.key_env)} to use it" if provider.key_env else "no account"
            return DoctorLine("--", provider.id, how)
        served = selection.provider.fill(os.environ, selection.base_url)
        client = HttpClient(served, credentials=keys, base_url=selection.base_url)
    except ZotError as error:
        return DoctorLine("no", provider.id, str(error))
    found = f"{source} is set" if source in provider.key_env else f"there is a key in {source}"
    where = location(selection.base_url or served.base_url or "")
    if offline or not provider.listed:
        await client.close()
        return DoctorLine("ok", provider.id, f"{found}; {where} was not contacted")
    listed = await _reach(client)
    if isinstance(listed, ZotError):
        return DoctorLine("no", provider.id, f"{found}, but {_without_provider(provider, listed)}")
    return DoctorLine("ok", provider.id, f"{found}; {where} lists {_count_models(listed)}")


def _without_provider(provider: Provider, error: ZotError) -> str:
    """Return the error message without the provider's name, which the line already begins with."""
    return str(error).removeprefix(f"{provider.id}: ")


def _count_models(listed: list[str]) -> str:
    return "1 model" if len(listed) == 1 else f"{len(listed)} models"


def _servers(known: KnownProviders) -> list[tuple[str, Provider, str]]:
    usual = [(each.title, each.provider, each.base_url) for each in server_candidates(os.environ)]
    ids = {provider.id for _, provider, _ in usual}
    own = [(provider.title, provider, provider.base_url) for provider in known.providers if provider.keyless]
    return usual + [(title, provider, url) for title, provider, url in own if url and provider.id not in ids]


async def _server(title: str, provider: Provider, base_url: str) -> DoctorLine:
    topic = title.lower()
    try:
        listed = await _reach(HttpClient(provider, base_url=base_url))
    except ZotError as error:
        return DoctorLine("no", topic, str(error))
    where = location(base_url)
    if isinstance(listed, ConnectError):
        return DoctorLine("--", topic, f"no server at {where}")
    if isinstance(listed, ZotError):
        return DoctorLine("--", topic, _without_provider(provider, listed))
    more = ", ..." if len(listed) > 3 else ""
    return DoctorLine("ok", topic, f"{where} serves {', '.join(listed[:3])}{more}")


async def _reach(client: HttpClient) -> list[str] | ZotError:
    """Return the models that an endpoint lists, or the error."""
    try:
        async with asyncio.timeout(REACH_LIMIT):
            return await client.models()
    except TimeoutError:
        return ResponseTimeout(f"the server did not answer within {REACH_LIMIT:g} s")
    except ZotError as error:
        return error
    finally:
        await client.close()


def _zot_and_folders() -> list[DoctorLine]:
    """Report the version of zot, and its folders."""
    home = zot_home()
    existing = home
    while not os.path.exists(existing) and os.path.dirname(existing) != existing:
        existing = os.path.dirname(existing)
    writable = os.path.isdir(existing) and os.access(existing, os.W_OK | os.X_OK)
    state = "exists" if os.path.isdir(home) else "will be created"
    return [
        DoctorLine("ok", "zot", f"{__version__}, {platform.python_implementation()} {platform.python_version()}, "
                f"{platform.system()} {platform.machine()}"),
        DoctorLine("ok" if writable else "no", "home", f"{home} ({state if writable else 'not writable'})"),
        DoctorLine("ok", "sessions", f"{sessions_root()} ({_count(sessions_root())} saved)"),
    ]  # fmt: skip


def _count(folder: str) -> int:
    return sum(name.endswith(".jsonl") for _, _, names in os.walk(folder) for name in names)


def _programs() -> list[DoctorLine]:
    """Report the optional programs that tools use."""
    uses = {"bash": "sh is used instead", "git": "zot works without it", "rg": "a slower search in Python is used"}
    return [
        DoctorLine("ok", name, path)
        if (path := shutil.which(name))
        else DoctorLine("--", name, f"not found; {fallback}")
        for name, fallback in uses.items()
    ]


def _sandbox() -> DoctorLine:
    problem = sandbox_problem([current_directory()])
    return DoctorLine("--" if problem else "ok", "sandbox", problem or "commands can be confined: --sandbox")


def _terminal() -> DoctorLine:
    if not sys.stdout.isatty():
        return DoctorLine("--", "terminal", "standard output is not a terminal")
    size = shutil.get_terminal_size()
    colour = os.environ.get("COLORTERM") or "256 colours or fewer"
    return DoctorLine("ok", "terminal", f"{os.environ.get('TERM', 'unknown')}, {size.columns}x{size.lines}, {colour}")


def _skills(home: str) -> list[DoctorLine]:
    """Report the skills of the person and of this directory, and the files that are left out."""
    skills = find_skills(os.getcwd(), home, os.path.expanduser("~"))
    return _found("skills", len(skills.found), skills.notes)


def _templates(home: str) -> list[DoctorLine]:
    """Report the prompt templates of the person and of this directory, and the files that are left out."""
    listing = PromptTemplates(os.getcwd(), home, os.path.expanduser("~")).listing()
    return _found("prompts", len(listing.found), listing.notes)


def _found(topic: str, count: int, notes: Sequence[str]) -> list[DoctorLine]:
    return [DoctorLine("ok", topic, f"{count} found"), *(DoctorLine("--", topic, note) for note in notes)]


def _extensions() -> DoctorLine:
    found = installed()
    names = [each.name for each in found.active()]
    names += [f"{each.name} (it waits: zot ext enable {each.name})" for each in found.found if each.waits]
    if not names:
        return DoctorLine("--", "extensions", "none; create one with zot ext new NAME")
    return DoctorLine("ok", "extensions", f"{', '.join(names)}; check them with zot ext doctor")


def _hooks(settings: Settings, choice: ProjectChoice) -> list[DoctorLine]:
    """Report the hook programs of the person, and of this directory if the person has allowed it; nothing without."""
    try:
        found = choice.hooks(settings)
    except ConfigError as error:
        return [DoctorLine("no", "hooks", str(error))]
    notes = [DoctorLine("--", "hooks", note) for note in found.notes]
    return [*(DoctorLine("ok", "hooks", f"{each.line} ({each.source})") for each in found.programs), *notes]


run = Verb("zot doctor", _doctor)
