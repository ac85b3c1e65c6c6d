"""What a cache can have of requests, by each provider's rules; four characters are a token.

`python benchmarks/caches.py` prints the table of docs/eval.md: the share that can be read of the input of the tasks of
`context.py`, of four answers with twelve calls each, with and without the mark at the end of the request before, and of
the request for a summary, in the conversation and by itself.
"""

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from environment import ROOT
from seen import Piece, seen

from zot_core import Runtime
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedServer, Turn
from zot_provider.usage import Usage


def readable_by_marks(before: list[list[Piece]], pieces: list[Piece]) -> int:
    """Claude and Bedrock: an entry ends at a mark of an earlier request, and is found at a mark or at one of the 20
    blocks before it. At least 1,024 tokens (docs of Anthropic and Amazon, "Prompt caching")."""
    entries = {_key(each, end) for each in before for end in _marked(each)}
    places = {place for end in _marked(pieces) for place in range(max(end - 20, 0), end + 1)}
    found = (place for place in sorted(places, reverse=True) if _key(pieces, place) in entries)
    return _at_least(1024, _size(pieces[: next(found, -1) + 1]))


def readable_by_prefix(least: int, step: int) -> Callable[[list[list[Piece]], list[Piece]], int]:
    """OpenAI and Gemini: what an earlier request began with, from `least` tokens on in steps of `step`."""

    def readable(before: list[list[Piece]], pieces: list[Piece]) -> int:
        if not before:
            return 0
        shared = 0
        for one, other in zip(before[-1], pieces, strict=False):
            if one.text != other.text:
                break
            shared += len(one.text)
        return _at_least(least, shared // (4 * step) * 4 * step)

    return readable


READABLE = {
    "anthropic": readable_by_marks,
    "amazon-bedrock": readable_by_marks,
    "openai": readable_by_prefix(1024, 128),
    "openai-responses": readable_by_prefix(1024, 128),
    "google": readable_by_prefix(4096, 1),
}


def share(tasks: Sequence[list[list[Piece]]], provider: str) -> float:
    """Return how much of the input of these tasks the cache of a provider can have."""
    readable = total = 0
    for sent in tasks:
        for number, pieces in enumerate(sent):
            readable += READABLE[provider](sent[:number], pieces)
            total += _size(pieces)
    return readable / total


def _at_least(tokens: int, characters: int) -> int:
    return characters if characters >= 4 * tokens else 0


def _size(pieces: Sequence[Piece]) -> int:
    return sum(len(piece.text) for piece in pieces)


def _marked(pieces: Sequence[Piece]) -> list[int]:
    return [number for number, piece in enumerate(pieces) if piece.marked]


def _key(pieces: Sequence[Piece], end: int) -> int:
    return hash(tuple(piece.text for piece in pieces[: end + 1]))


def main() -> None:
    """Print the table."""
    from context import WIRES, Work, requests, works, zot_of

    agent, names = zot_of(ROOT), [f"{number}.py" for number in range(48)]
    texts = {name: f"value_of_{name[:-3]} = 1\n" * 40 for name in names}
    calls = [[Call("read", {"path": name}) for name in names[start::4]] for start in range(4)]
    twelve = Work("12 calls", "Read all.", calls, texts)
    print("| wire | thirteen tasks | 12 calls at once | without the fourth mark | a summary | by itself |")
    print(f"|---|{'---:|' * 5}")
    for provider, wire in WIRES.items():
        parallel = [requests(agent, twelve, provider)]
        marked = any(piece.marked for piece in parallel[0][-1])
        asked = [asyncio.run(_summary(provider, wire, in_place=each)) for each in (True, False)]
        cells = [
            f"{share([requests(agent, each, provider) for each in works()], provider):.0%}",
            f"{share(parallel, provider):.0%}",
            f"{share([[_with_three(each) for each in parallel[0]]], provider):.0%}" if marked else "",
            *(f"{part:.0%} of {size:,}" for part, size in asked),
        ]
        print(f"| `{wire}` | {' | '.join(cells)} |", flush=True)


def _with_three(pieces: Sequence[Piece]) -> list[Piece]:
    """A request without the last mark but one."""
    marked = [number for number, piece in enumerate(pieces) if piece.marked]
    return [replace(piece, marked=piece.marked and number != marked[-2]) for number, piece in enumerate(pieces)]


async def _summary(provider: str, wire: str, *, in_place: bool) -> tuple[float, int]:
    """The share that a cache can have of the request for the summary of five turns with a file each, and its size. A
    server that says nothing about a cache is not asked in the conversation."""
    usage = Usage(10, 5, 5000, 100) if in_place else Usage(10, 5)
    with tempfile.TemporaryDirectory(prefix="zot-caches-") as folder, ScriptedServer() as server:
        model = Model("claude-scripted" if provider == "amazon-bedrock" else "scripted", provider)
        at = server.base_url(wire)
        async with Runtime(model, base_url=at, api_key="x", cwd=folder, auto_compact=None) as runtime:
            for number in range(5):
                (Path(folder) / f"{number}.py").write_text(f"value_{number} = 1\n" * 300)
                call = Call("read", {"path": f"{number}.py"})
                server.add(Turn("I look.", calls=[call], usage=usage), Turn("It is read.", usage=usage))
                await runtime.ask("Read the next file.")
            server.add("## Goal\n\nnotes")
            await runtime.compact()
        *before, last = [seen(request.body) for request in server.requests]
    return READABLE[provider](before, last) / _size(last), _size(last)


if __name__ == "__main__":
    main()
