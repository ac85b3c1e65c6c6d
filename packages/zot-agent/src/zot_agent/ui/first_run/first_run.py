"""What a person is told who has no key yet: which variables hold one, which servers answer, how to get the demo model.

A key may also be pasted, for this run alone. Its form is checked here; only the provider knows whether it works.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence

from zot_agent.local.pick import PROBE_LIMIT, ServerCandidate, demo_pick, pick_model, server_candidates
from zot_agent.local.server import engine_installed
from zot_agent.local.weights import DEMO
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, field, record
from zot_tui.text.sanitize import sanitize_line


@record
class Variables(Record):
    """Environment variables that may hold a key, the preferred one first, and the titles of the providers that read
    them."""

    names: tuple[str, ...]
    titles: list[str]


@record
class Server(Record):
    """A local server that answers, with the first of its models, and the provider it is asked as."""

    provider: str
    title: str
    base_url: str
    model: str


@record
class Way(Record):
    """A way to begin: what to type in a shell, and what that is for."""

    typed: str
    text: str


@record
class FirstRun(Record):
    """What there is to begin with. `demo_ready`: the demo model can be used at once; `demo` is how it is begun with, or
    what gets it."""

    variables: list[Variables] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    demo: Way = field(default_factory=lambda: _demo(ready=False))
    demo_ready: bool = False

    def ways(self) -> list[list[Way]]:
        """The same for a person, in groups: keys, local servers, of which there may be none, the demo model."""
        return [
            [Way(f"export {each.names[0]}=...", " or ".join(each.titles)) for each in self.variables],
            [
                Way(sanitize_line(f"zot --base-url {each.base_url}"), sanitize_line(f"{each.title}, {each.model}"))
                for each in self.servers
            ],
            [self.demo],
        ]


async def first_run(
    environ: Mapping[str, str],
    providers: Sequence[Provider] = PROVIDERS,
    candidates: Sequence[ServerCandidate] | None = None,
    limit: float = PROBE_LIMIT,
) -> FirstRun:
    """Look around: each local server gets `limit` seconds, all of them at once. Contacts this machine alone."""
    grouped: dict[tuple[str, ...], Variables] = {}
    for provider in providers:
        if provider.key_env:
            grouped.setdefault(provider.key_env, Variables(provider.key_env, [])).titles.append(provider.title)
    asked = server_candidates(environ) if candidates is None else candidates
    picks = await asyncio.gather(*(pick_model({}, [place], limit) for place in asked))
    found = [
        Server(place.provider.id, place.title, pick.base_url, pick.model)
        for place, pick in zip(asked, picks, strict=True)
        if pick.kind == "server"
    ]
    ready = demo_pick("").ready
    return FirstRun([*grouped.values()], found, _demo(ready=ready), ready)


def _demo(*, ready: bool) -> Way:
    if ready:
        return Way("zot --provider local", "the demo model; it proves the plumbing, not the quality")
    needed = "no key" if engine_installed() else "zot-agent[local]"
    return Way("zot local setup", f"the demo model, {DEMO.megabytes} MB; needs {needed}")


SHORTEST_KEY = 16
LONGEST_KEY = 4096

_ASSIGNMENT = re.compile(r"(?:export\s+|set\s+|\$env:)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.DOTALL)


@record
class KeyGuess(Record):
    """A key that was pasted, and the providers that it seems to belong to: none if nothing tells.

    `problem` says in one line why it is no key; `key` is then empty. The key is in no text of ours.
    """

    key: str = ""
    providers: list[Provider] = field(default_factory=list)
    problem: str = ""

    def __repr__(self) -> str:
        return f"KeyGuess(providers={[provider.id for provider in self.providers]!r}, problem={self.problem!r})"


def key_kind(text: str, providers: Sequence[Provider] = PROVIDERS) -> KeyGuess:
    """Judge what was pasted: a key, or a line of a shell or a file that sets one (`export NAME=key`).

    A variable's name tells the providers that read it, else the longest of their prefixes that the key begins
    with does.
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
        return KeyGuess(key, [provider for provider in providers if name in provider.key_env])
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
        return "a key has no spaces and no line breaks; copy it again"
    if not (key.isascii() and key.isprintable()):
        return "it holds unusual characters; copy the key again"
    if "://" in key:
        return "that is an address, not a key; pass an address with --base-url"
    if len(key) < SHORTEST_KEY:
        return f"a key has at least {SHORTEST_KEY} characters; copy all of it"
    return f"a key has at most {LONGEST_KEY} characters" if len(key) > LONGEST_KEY else ""
