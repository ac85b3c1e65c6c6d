"""Ways to start without a key: key variables, local servers, the demo model; and checks of a pasted key.

The form of a pasted key is checked here; only the provider knows whether it works.
"""

import asyncio
import re
from collections.abc import Callable, Sequence

from zot_agent.local.pick import ServerCandidate, demo_pick, server_models
from zot_agent.local.server import engine_installed
from zot_agent.local.weights import DEMO
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, field
from zot_tui.text.sanitize import sanitize_line

SERVER_LIMIT = 3.0
"""Seconds for a local server to list its models."""

_SHOWN = 2
"""Variables of keys that are listed; there are dozens of providers."""


class Variables(Record):
    """Environment variables for a key, the preferred one first, and the titles of the providers that read them."""

    names: tuple[str, ...]
    titles: list[str]


class Server(Record):
    """A local server that answers: its provider, title, address and first model."""

    provider: str
    title: str
    base_url: str
    model: str


class StartOption(Record):
    """A way to start: what to type in a shell, and a description."""

    typed: str
    text: str


class FirstRun(Record):
    """The ways to start. `demo` starts the demo model if `demo_ready`, else installs it.

    `searching`: whether more local servers may be found.
    """

    variables: list[Variables] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    demo: StartOption = field(default_factory=lambda: _demo(ready=False))
    demo_ready: bool = False
    searching: bool = False

    def options(self) -> list[list[StartOption]]:
        """Return three groups for display: keys, local servers (may be empty), the demo model."""
        keys = [
            StartOption(f"export {each.names[0]}=...", " or ".join(each.titles)) for each in self.variables[:_SHOWN]
        ]
        if (others := len(self.variables) - _SHOWN) > 0:
            keys.append(StartOption("zot doctor --all", f"lists the variables of {others} more providers"))
        return [
            keys,
            [
                StartOption(
                    sanitize_line(f"zot --base-url {each.base_url}"), sanitize_line(f"{each.title}, {each.model}")
                )
                for each in self.servers
            ],
            [self.demo],
        ]


def start_options(providers: Sequence[Provider] = PROVIDERS) -> FirstRun:
    """Return the ways to start, without local servers."""
    grouped: dict[tuple[str, ...], Variables] = {}
    for provider in providers:
        if provider.key_env and not provider.keyless:
            grouped.setdefault(provider.key_env, Variables(provider.key_env, [])).titles.append(provider.title)
    ready = demo_pick("").ready
    return FirstRun([*grouped.values()], [], _demo(ready=ready), ready)


async def find_servers(
    found: FirstRun, candidates: Sequence[ServerCandidate], changed: Callable[[], object], limit: float = SERVER_LIMIT
) -> None:
    """Ask all candidates at once, `limit` seconds each, and add the servers that answer to `found`, in the order of
    the candidates; call `changed` after every one and at the end. Contacts this machine only."""
    answers: dict[int, Server] = {}

    async def ask(place: int, candidate: ServerCandidate) -> None:
        models = await server_models(candidate, limit)
        if models:
            answers[place] = Server(candidate.provider.id, candidate.title, candidate.base_url, models[0])
            found.servers = [answers[each] for each in sorted(answers)]
            changed()

    found.searching = True
    await asyncio.gather(*(ask(place, candidate) for place, candidate in enumerate(candidates)))
    found.searching = False
    changed()


def _demo(*, ready: bool) -> StartOption:
    if ready:
        return StartOption("zot --provider local", "the demo model, to try zot out; its answers are poor")
    needed = "no key" if engine_installed() else "zot-agent[local]"
    return StartOption("zot local setup", f"the demo model, {DEMO.megabytes} MB; needs {needed}")


SHORTEST_KEY = 16
LONGEST_KEY = 4096

_ASSIGNMENT = re.compile(r"(?:export\s+|set\s+|\$env:)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.DOTALL)


class KeyGuess(Record):
    """A pasted key and the providers it seems to be for; no providers if its form does not say.

    `problem` says in one line why the text is not a key; `key` is then empty. The key is not part of the `repr`.
    """

    key: str = ""
    providers: list[Provider] = field(default_factory=list)
    problem: str = ""

    def __repr__(self) -> str:
        return f"KeyGuess(providers={[provider.id for provider in self.providers]!r}, problem={self.problem!r})"


def guess_key(text: str, providers: Sequence[Provider] = PROVIDERS) -> KeyGuess:
    """Read a pasted key, or a line of a shell or file that sets one (`export NAME=key`).

    The providers that read the variable and share no key; otherwise the providers with the longest matching key prefix.
    """
    key, name = text.strip(), ""
    assigned = _ASSIGNMENT.fullmatch(key)
    if assigned and any(assigned[1] in provider.key_env for provider in providers):
        name, key = assigned[1], assigned[2].strip()
    if len(key) > 1 and key[0] == key[-1] and key[0] in "'\"":
        key = key[1:-1].strip()
    if problem := _problem(key):
        return KeyGuess(problem=problem)
    if name:
        return KeyGuess(key, [each for each in providers if name in each.key_env and not each.key_of])
    fitting = {
        provider.id: max((len(each) for each in provider.key_prefixes if key.startswith(each)), default=0)
        for provider in providers
    }
    longest = max(fitting.values(), default=0)
    return KeyGuess(key, [provider for provider in providers if longest and fitting[provider.id] == longest])


def _problem(key: str) -> str:
    if not key:
        return "nothing was pasted"
    if any(character.isspace() for character in key):
        return "a key has no spaces or line breaks; copy it again"
    if not (key.isascii() and key.isprintable()):
        return "the key has unusual characters; copy it again"
    if "://" in key:
        return "that is an address, not a key; pass an address with --base-url"
    if len(key) < SHORTEST_KEY:
        return f"a key has at least {SHORTEST_KEY} characters; copy all of it"
    return f"a key has at most {LONGEST_KEY} characters" if len(key) > LONGEST_KEY else ""
