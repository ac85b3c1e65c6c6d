"""What a model reads: characters of the input of thirteen tasks, by source, and how much of it a cache can have.

The answers are recorded, the tools are real: ten tasks of `make eval`, one of each kind, in Python; a command that
prints 50 KB; a file of 30 KB that is written; thirty steps. The input of a task is the sum over its requests.

`python benchmarks/context.py` prints the table of docs/eval.md. `--zot COMMIT` measures another state of this
repository too, and `--modules FOLDER` the pi and the codex in these `node_modules`. All get the same answers; codex,
which has no such tools, does the same with its own.
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
from difflib import unified_diff
from pathlib import Path
from typing import Any

from caches import share
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

PI = 411_643
"""Characters of the input of the tasks of `make eval` alone, with pi 1.6.0."""

Program = Callable[[ScriptedServer, Path, str, str], Sequence[str]]
"""The command that gives a prompt, with a provider, to an agent in a folder."""

Turns = list[list[Call]]
"""The calls of each answer of a model."""


@dataclass
class Work:
    """A task of the table: what is asked, which files are there, and the answers."""

    name: str
    prompt: str
    turns: Turns
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


def requests(agent: "Agent", work: Work, provider: str) -> list[list[Piece]]:
    """Let an agent work, and return what the model has seen of each request."""
    with (
        ScriptedServer([*(Turn("I look.", calls=calls) for calls in agent.turns(work)), "Done."]) as server,
        tempfile.TemporaryDirectory(prefix="zot-context-") as place,
    ):
        folder = Path(place) / "project"
        folder.mkdir()
        for name, text in work.files.items():
            (folder / name).write_text(text)
        command = agent.program(server, folder, provider, work.prompt)
        own = {"HOME": place, "ZOT_HOME": f"{place}/home", "CODEX_HOME": f"{place}/.codex"}
        done = subprocess.run(command, cwd=folder, env=_environment() | agent.environment | own,
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


# The agents.


@dataclass
class Agent:
    """How an agent is asked, and what the answers are with its own tools."""

    program: Program
    provider: str = "openai"
    turns: Callable[[Work], Turns] = lambda work: work.turns
    environment: dict[str, str] = field(default_factory=dict)


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
        return [_node(modules), str(cli), "-p", "--provider", "bench", "--model", "scripted", prompt]

    return program


def _node(modules: Path) -> str:
    own = modules / ".bin" / "node"
    return str(own) if own.exists() else "node"


def codex_program(modules: Path) -> Program:
    """Return how the codex in these `node_modules` is asked, with the newest model that has tools in its requests; of
    those after it, code for its tools is asked."""

    def program(server: ScriptedServer, folder: Path, provider: str, prompt: str) -> Sequence[str]:
        home = folder.parent / ".codex"
        home.mkdir()
        url = server.base_url("openai-responses")
        (home / "config.toml").write_text(
            f"""model = "gpt-5.5"\nmodel_provider = "bench"\n[model_providers.bench]\nname = "bench"
base_url = "{url}"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n"""
        )
        cli = modules / "@openai" / "codex" / "bin" / "codex.js"
        flags = ["--skip-git-repo-check", "--sandbox", "danger-full-access"]
        return [_node(modules), str(cli), "exec", *flags, prompt]

    return program


def codex_turns(work: Work) -> Turns:
    """The same reads, edits and commands with the tools of codex: `exec_command` and `apply_patch`."""
    files = dict(work.files)
    return [[_of_codex(call, files) for call in turn] for turn in work.turns]


def _of_codex(call: Call, files: dict[str, str]) -> Call:
    args: dict[str, Any] = call.args if isinstance(call.args, dict) else {}
    path = args.get("path", "")
    if call.name == "bash":
        return Call("exec_command", {"cmd": args["command"]})
    if call.name == "read":
        first, count = args.get("offset"), args.get("limit")
        return Call("exec_command", {"cmd": f"sed -n {first},{first + count - 1}p {path}" if count else f"cat {path}"})
    old = files.get(path, "")
    new = args["content"] if call.name == "write" else old
    for each in args.get("edits", ()):
        new = new.replace(each["oldText"], each["newText"], 1)
    files[path] = new
    if not old:
        rows = [f"*** Add File: {path}", *(f"+{line}" for line in new.splitlines())]
    else:
        changes = [row for row in unified_diff(old.splitlines(), new.splitlines(), n=3, lineterm="")][2:]
        rows = [f"*** Update File: {path}", *("@@" if row.startswith("@@") else row for row in changes)]
    return Call("apply_patch", "\n".join(["*** Begin Patch", *rows, "*** End Patch"]), free_text=True)


def _environment() -> dict[str, str]:
    keys = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK")
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "ZOT_PERMISSION_MODE": "yolo"} | dict.fromkeys(keys, "key")


def measure(environment: Environment) -> Iterator[Figure]:
    """Characters, and shares of caches."""
    agent = Agent(zot_program(environment.zot))
    tasks = [requests(agent, work, "openai") for work in works()]
    total: Counter[str] = sum(map(by_source, tasks), Counter())
    count = sum(total.values())
    yield Figure("input of thirteen tasks", count / 1000, "K characters", BEFORE * 0.6 / 1000)
    ten = sum(sum(by_source(task).values()) for task in tasks[:-3])
    yield Figure(
        "  of that the tasks of make eval", ten / 1000, "K characters", PI / 1000, note="budget: what pi reads"
    )
    for source, characters in total.most_common():
        yield Figure(f"  of that {source}", characters / 1000, "K characters", note=f"{characters / count:.0%}")
    for provider in WIRES:
        sent = tasks if provider == "openai" else [requests(agent, each, provider) for each in works()]
        yield Figure(f"a cache can have of it, {WIRES[provider]}", share(sent, provider) * 100, "%")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What a model reads, in characters.")
    parser.add_argument("--zot", metavar="COMMIT", action="append", default=[], help="another state of this repository")
    parser.add_argument("--modules", metavar="FOLDER", type=Path, help="node_modules that have pi and codex")
    options = parser.parse_args()
    columns: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory(prefix="zot-context-") as place:
        for commit in options.zot:
            tree = Path(place) / commit
            subprocess.run(["git", "worktree", "add", "--detach", "--quiet", tree, commit], cwd=ROOT, check=True)
            try:
                columns[commit] = _column(zot_of(tree))
            finally:
                subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)
        columns["zot"] = _column(zot_of(ROOT))
        if options.modules:
            modules = options.modules.resolve()
            columns["pi"] = _column(Agent(pi_program(modules)))
            columns["codex"] = _column(Agent(codex_program(modules), "openai-responses", codex_turns))
    names = [each.name for each in works()]
    print(f"| task | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for number, name in enumerate(names):
        print(f"| {name} | {' | '.join(f'{column[number]:,}' for column in columns.values())} |")
    print(f"| all | {' | '.join(f'{sum(column):,}' for column in columns.values())} |")


def _column(agent: Agent) -> list[int]:
    return [sum(by_source(requests(agent, each, agent.provider)).values()) for each in works()]


def zot_of(tree: Path) -> Agent:
    sources = os.pathsep.join(map(str, sorted((tree / "packages").glob("*/src"))))
    return Agent(zot_program(sys.executable, "-m", "zot_agent"), environment={"PYTHONPATH": sources})


if __name__ == "__main__":
    main()
