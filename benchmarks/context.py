"""What a model reads: characters of the input of thirteen tasks, by source, and how much of it a cache can have.

The answers are recorded, the tools are real: ten tasks of `make eval`, one of each kind, in Python; a command that
prints 50 KB; a file of 30 KB that is written; thirty steps. The input of a task is the sum over its requests.

`python benchmarks/context.py` prints the table of docs/eval.md. `--zot COMMIT` measures another state of this
repository too, and `--pi MODULES` pi, with `node_modules` that have it; both get the same answers.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from environment import ROOT, Environment, Figure
from seen import Piece, seen

from zot_provider.testing import Call, ScriptedServer, Turn

sys.path.append(str(Path(__file__).parent / "eval"))

from tasks import Task, own_tasks

WIRES = {
    "anthropic": "anthropic-messages",
    "amazon-bedrock": "bedrock-converse",
    "openai": "openai-chat",
    "openai-responses": "openai-responses",
    "google": "gemini",
}
"""The provider of each wire that is measured, by its name."""

BEFORE = 1_873_890
"""Characters of the input of all tasks at bf7a832d, before results and the fixed part got shorter."""

Program = Callable[[ScriptedServer, Path, str, str], Sequence[str]]
"""The command that gives a prompt, with a provider, to an agent in a folder."""


@dataclass
class Work:
    """A task of the table: what is asked, which files are there, and the answers."""

    name: str
    prompt: str
    turns: list[list[Call]]
    files: dict[str, str] = field(default_factory=dict)


def works() -> list[Work]:
    """Return the thirteen tasks."""
    row = "{i:04} INFO worker {i % 7}: request {i * 7919 % 10007} done in {i % 97} ms"
    log = f"for i in range(900): print(f'{row}')"
    text = "".join(f"# line {number}\nvalue_{number} = {number * 7919 % 10007}\n" for number in range(1000))
    steps = [
        _read(f"part{number % 5}.py") if number % 2 else _bash(f"wc -l part{number % 5}.py") for number in range(30)
    ]
    parts = {f"part{number}.py": text[:2000] for number in range(5)}
    write = Call("write", {"path": "data.py", "content": text})
    look = [_bash("tail -2 data.py"), _bash("ls"), _read("data.py", 1, 5)]
    return [
        *(_recorded(task) for task in own_tasks() if task.id.startswith("python-")),
        Work("50 KB log", "Which worker is slow?", [[_bash(f'python3 -c "{log}"')], *[look[1:2]] * 3]),
        Work("30 KB write", "Write data.py.", [[write], *([each] for each in look)]),
        Work("30 steps", "Read the parts.", [[each] for each in steps], parts),
    ]  # fmt: skip


def _recorded(task: Task) -> Work:
    """The answers of a model that looks, changes what is to be changed, and runs the tests."""
    known = [name for name in task.files if name.endswith((".py", ".md"))]
    looks = [_bash("ls; cat run.sh test.sh"), *map(_read, known)]
    edits = [
        Call("edit", {"path": each.path, "edits": [{"oldText": each.old, "newText": each.new}]})
        if each.old
        else Call("write", {"path": each.path, "content": each.new})
        for each in task.solution
    ]
    tests = [_bash("sh test.sh"), _bash("git diff 2>/dev/null | head -50; sh run.sh mean 4 6")]
    turns = [looks[:1], looks[1:], *([each] for each in edits), tests]
    return Work(task.id.removeprefix("python-"), task.prompt, turns, task.files)


def _bash(command: str) -> Call:
    return Call("bash", {"command": command})


def _read(path: str, offset: int = 0, limit: int = 0) -> Call:
    return Call("read", {"path": path} | ({"offset": offset, "limit": limit} if limit else {}))


def requests(program: Program, work: Work, provider: str, env: dict[str, str]) -> list[list[Piece]]:
    """Let an agent work, and return what the model has seen of each request."""
    with (
        ScriptedServer([*(Turn("I look.", calls=calls) for calls in work.turns), "Done."]) as server,
        tempfile.TemporaryDirectory(prefix="zot-context-") as place,
    ):
        folder = Path(place) / "project"
        folder.mkdir()
        for name, text in work.files.items():
            (folder / name).write_text(text)
        command = program(server, folder, provider, work.prompt)
        done = subprocess.run(command, cwd=folder, env=env | {"HOME": place, "ZOT_HOME": f"{place}/home"},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)  # fmt: skip
        bodies = [request.body for request in server.requests if isinstance(request.body, dict)]
    assert len(bodies) == len(work.turns) + 1, f"{work.name}: {len(bodies)} requests\n{done.stderr.decode()}"
    return [seen(body) for body in bodies]


def by_source(sent: Sequence[Sequence[Piece]]) -> Counter[str]:
    """Return the characters of these requests by source; `fixed` is the system prompt and the tools."""
    count: Counter[str] = Counter()
    for pieces in sent:
        for piece in pieces:
            count["fixed" if piece.source in ("system", "tools") else piece.source] += len(piece.text)
    return count


# What a cache can have of a request, by each provider's rules; four characters are a token.


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


# The agents.


def zot_program(*words: str) -> Program:
    """Return how a zot is asked."""

    def program(server: ScriptedServer, folder: Path, provider: str, prompt: str) -> Sequence[str]:
        model = "scripted" if provider != "amazon-bedrock" else "claude-scripted"  # only Claude has cache points there
        flags = ["--provider", provider, "--model", model, "--base-url", server.base_url(WIRES[provider])]
        return [*words, "-p", *flags, "--cwd", str(folder), prompt]

    return program


def pi_program(modules: Path) -> Program:
    """Return how the pi in these `node_modules` is asked."""

    def program(server: ScriptedServer, folder: Path, provider: str, prompt: str) -> Sequence[str]:
        agent = folder.parent / ".pi" / "agent"
        agent.mkdir(parents=True)
        url = server.base_url("openai-chat")
        model = {"id": "scripted", "contextWindow": 200_000, "maxTokens": 8192}
        known = {
            "providers": {"bench": {"baseUrl": url, "api": "openai-completions", "apiKey": "x", "models": [model]}}
        }
        (agent / "models.json").write_text(json.dumps(known))
        cli = modules / "@earendil-works" / "pi-coding-agent" / "dist" / "bundle" / "cli.js"
        return ["node", str(cli), "-p", "--provider", "bench", "--model", "scripted", prompt]

    return program


def _environment() -> dict[str, str]:
    keys = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK")
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "ZOT_PERMISSION_MODE": "yolo"} | dict.fromkeys(keys, "key")


def measure(environment: Environment) -> Iterator[Figure]:
    """Characters, and shares of caches."""
    program = zot_program(environment.zot)
    tasks = [requests(program, work, "openai", _environment()) for work in works()]
    total: Counter[str] = sum(map(by_source, tasks), Counter())
    count = sum(total.values())
    yield Figure("input of thirteen tasks", count / 1000, "K characters", BEFORE * 0.7 / 1000)
    for source, characters in total.most_common():
        yield Figure(f"  of that {source}", characters / 1000, "K characters", note=f"{characters / count:.0%}")
    for provider in WIRES:
        sent = (
            tasks if provider == "openai" else [requests(program, each, provider, _environment()) for each in works()]
        )
        yield Figure(f"a cache can have of it, {WIRES[provider]}", share(sent, provider) * 100, "%")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What a model reads, in characters.")
    parser.add_argument("--zot", metavar="COMMIT", action="append", default=[], help="another state of this repository")
    parser.add_argument("--pi", metavar="MODULES", help="node_modules that have pi")
    options = parser.parse_args()
    columns: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory(prefix="zot-context-") as place:
        for commit in options.zot:
            tree = Path(place) / commit
            subprocess.run(["git", "worktree", "add", "--detach", "--quiet", tree, commit], cwd=ROOT, check=True)
            try:
                columns[commit] = _column(zot_program(sys.executable, "-m", "zot_agent"), _sources(tree))
            finally:
                subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)
        columns["zot"] = _column(zot_program(sys.executable, "-m", "zot_agent"), _sources(ROOT))
        if options.pi:
            columns["pi"] = _column(pi_program(Path(options.pi).resolve()), {})
    names = [each.name for each in works()]
    print(f"| task | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for number, name in enumerate(names):
        print(f"| {name} | {' | '.join(f'{column[number]:,}' for column in columns.values())} |")
    print(f"| all | {' | '.join(f'{sum(column):,}' for column in columns.values())} |")


def _column(program: Program, more: dict[str, str]) -> list[int]:
    return [sum(by_source(requests(program, each, "openai", _environment() | more)).values()) for each in works()]


def _sources(tree: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(map(str, sorted((tree / "packages").glob("*/src"))))}


if __name__ == "__main__":
    main()
