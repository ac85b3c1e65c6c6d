"""The programs of `examples/sdk`, each run as its reader runs it: a process, a folder, a key in the environment."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
from forked import start
from waiting import PATIENCE
from zot_forks import FORKED

from zot_provider.testing import Call, Received, ScriptedServer, Turn
from zot_provider.usage import Usage

SDK = Path(__file__).parents[2] / "examples" / "sdk"
PROVIDERS = {"anthropic": ("ANTHROPIC", "anthropic-messages"), "openai": ("OPENAI", "openai-chat")}

# With one of the providers: a new Python needs most of its time to load what all examples use.
FORK = """
import gc, os, runpy, sys, warnings
warnings.simplefilter("error")
del sys.argv[0]
sys.path[0] = os.path.dirname(sys.argv[0])
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    gc.collect()
"""


class Example:
    """Runs examples in a folder of their own, against a scripted model of one provider."""

    def __init__(self, folder: Path, server: ScriptedServer, provider: str) -> None:
        self.folder, self.server = folder, server
        self._python = [sys.executable, "-W", "error"] if provider == "anthropic" else [*FORKED, FORK]
        prefix, wire = PROVIDERS[provider]
        self.env = os.environ | {f"{prefix}_API_KEY": "key", f"{prefix}_BASE_URL": server.base_url(wire)}

    def run(self, name: str, *arguments: str, code: int = 0) -> str:
        """What it prints; its exit code must be `code`."""
        return self.finish([*self._python, str(SDK / name), *arguments], code)

    def finish(self, command: list[str], code: int = 0) -> str:
        """The same, of any command."""
        with start(
            command, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            out, errors = (each.decode() for each in process.communicate(timeout=PATIENCE))
        assert process.returncode == code, f"{out}\n{errors}"
        assert "Traceback" not in errors, errors
        return out + errors

    def sent(self, request: int) -> str:
        """All that the model was sent with a request."""
        return str(self.server.requests[request].body)


@pytest.fixture(params=list(PROVIDERS))
def example(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Example]:
    with ScriptedServer() as server:
        yield Example(tmp_path, server, request.param)


def test_every_example_is_run_here() -> None:
    here = Path(__file__).read_text("utf-8")
    assert [path.name for path in SDK.glob("*.py") if f'"{path.name}"' not in here] == []


def test_every_example_says_how_to_run_it() -> None:
    paths = list(SDK.glob("*.py"))
    assert paths != []
    for path in paths:
        assert re.search(rf"^uv run (\S+ )*examples/sdk/{path.name}", path.read_text("utf-8"), re.M), path.name


def test_every_example_stands_in_the_list() -> None:
    listed = re.findall(r"\]\(sdk/(\w+\.py)\)", (SDK.parent / "README.md").read_text("utf-8"))
    assert sorted(listed) == sorted(path.name for path in SDK.glob("*.py"))


def test_ask(example: Example) -> None:
    (example.folder / "README.md").write_text("# weather\n")
    example.server.add(Turn(calls=[Call("read", {"path": "README.md"})]), "It is about the weather.\x1b[2J")
    assert example.run("ask.py", "what", "is", "it?") == "It is about the weather.\n10 tokens written\n"
    assert "what is it?" in example.sent(0)
    assert "# weather" in example.sent(1)


def test_ask_without_a_key_is_told_in_one_line(example: Example) -> None:
    example.env = {name: value for name, value in example.env.items() if not name.endswith("_KEY")}
    assert example.run("ask.py", code=1).startswith("ask: no API key found: set ANTHROPIC_API_KEY")


def test_own_tool(example: Example) -> None:
    titles = [Call("copies", {"title": title}) for title in ("Dune", "Emma by Jane Austen")]
    example.server.add(Turn(calls=titles), Turn(calls=[Call("copies", {"title": "Emma"})]), "Three of one, no other.")
    assert example.run("own_tool.py") == "Three of one, no other.\n"
    assert "How many copies of a book" in example.sent(0)
    assert "the title alone" in example.sent(0)
    assert "the books are Dune, Emma" in example.sent(1)


def test_stream_events(example: Example) -> None:
    (example.folder / "a.txt").write_text("a\n")
    calls = [Call("ls"), Call("read", {"path": "b.txt"})]
    example.server.add(Turn("I will look.", calls=calls), "a.txt is the longest.")
    assert example.run("stream_events.py").splitlines() == [
        "I will look.",
        "> ls {}",
        '> read {"path": "b.txt"}',
        "> done",
        "> failed",
        "a.txt is the longest.",
        "completed: 20 tokens read, 10 written",
    ]


def test_stream_events_of_a_run_that_fails(example: Example) -> None:
    shown = example.run("stream_events.py")
    assert "error: 0 tokens" in shown
    assert "error: " in shown.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("budgets.py", ["x"]),
        ("budgets.py", ["x", "soon"]),
        ("policy.py", ["x"]),
        ("resume.py", ["x"]),
        ("structured.py", []),
        ("compaction.py", []),
    ],
)
def test_wrong_arguments_are_told_in_a_line_of_usage(example: Example, name: str, arguments: list[str]) -> None:
    shown = example.run(name, *arguments, code=1)
    assert shown.startswith(f"usage: {name} ")
    assert shown.count("\n") == 1
    assert example.server.requests == []


def test_tracing_without_its_library_says_how_to_get_it(example: Example, tmp_path: Path) -> None:
    absent = tmp_path / "absent" / "opentelemetry.py"
    absent.parent.mkdir()
    absent.write_text("raise ModuleNotFoundError\n")
    example.env |= {"PYTHONPATH": str(absent.parent)}
    shown = example.run("tracing.py", code=1)
    assert shown == "tracing: needs opentelemetry-sdk: uv run --with opentelemetry-sdk examples/sdk/tracing.py\n"


def test_resume(example: Example) -> None:
    example.server.add("Hello Ada.", "You are Ada.")
    assert example.run("resume.py", "talk.jsonl", "I am Ada.") == "Hello Ada.\n"
    shown = example.run("resume.py", "talk.jsonl", "Who am I?")
    assert re.fullmatch(r"\(2 messages so far, \$0\.000\d+\)\nYou are Ada\.\n", shown)
    assert "I am Ada." in example.sent(1)


def test_compaction(example: Example) -> None:
    (example.folder / "a.txt").write_text("a\n")
    calls = Turn(calls=[Call("ls"), Call("read", {"path": "a.txt"})])
    notes = "## Goal\n\nTo know a.txt.\x1b[2J"
    example.server.add(calls, "a.txt is the longest.", "And the shortest.", "No other.", notes)
    shown = example.run("compaction.py", "talk.jsonl", "what is here?", "which is the shortest?", "any other?")
    assert re.fullmatch(
        r"a\.txt is the longest\.\nAnd the shortest\.\nNo other\.\n"
        r"8 messages, about \d+ tokens\n5 messages, about \d+ tokens\n## Goal\n\nTo know a\.txt\.\n",
        shown,
    )
    assert "keep every file name" in example.sent(4)
    example.server.add("It was a.txt.", "## Goal")
    assert example.run("compaction.py", "talk.jsonl", "which?").startswith("It was a.txt.\n7 messages")
    assert "To know a.txt." in example.sent(5)
    assert "a.txt is the longest." not in example.sent(5)


def test_compaction_of_a_short_conversation(example: Example) -> None:
    example.server.add("Nothing.")
    shown = example.run("compaction.py", "talk.jsonl", "what is here?")
    assert shown == "Nothing.\nnothing to compact: keep-tail covers the whole transcript\n"


@pytest.mark.parametrize("example", ["openai"], indirect=True)  # it asks neither
def test_fake_model(example: Example) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--noconftest"]
    assert "2 passed" in example.finish([sys.executable, "-m", "pytest", *options, str(SDK / "fake_model.py")])
    assert example.server.requests == []


def test_structured(example: Example) -> None:
    (example.folder / "a.txt").write_text("Speling.\n")
    example.server.add(
        Turn(calls=[Call("read", {"path": "a.txt"})]),
        '{"verdict": "so so", "mistakes": []}',
        '{"verdict": "fair", "mistakes": ["Speling has two l.", "It is short."]}',
    )
    assert example.run("structured.py", "a.txt") == "fair\n- Speling has two l.\n- It is short.\n"
    assert "verdict: Input should be 'good', 'fair' or 'poor'" in example.sent(2)


def test_structured_where_the_model_cannot(example: Example) -> None:
    example.server.add("It is good.", "Really.")
    shown = example.run("structured.py", "a.txt", code=1)
    assert shown == "structured: the model gave no valid Review in two attempts: it is not JSON\n"


def test_policy(example: Example) -> None:
    (example.folder / "elsewhere").mkdir()
    (example.folder / "drafts").mkdir()
    (example.folder / "drafts" / "link").symlink_to("../elsewhere")
    outside = ["../a.txt", f"{example.folder}/b.txt", f"@{example.folder}/c.txt", "link/d.txt", "../drafts-too/e.txt"]
    example.server.add(
        Turn(calls=[Call("bash", {"command": "sudo true"}), Call("bash", {"command": "date"})]),
        Turn(calls=[Call("write", {"path": path, "content": "x"}) for path in outside]),
        Turn(calls=[Call("write", {"path": "haiku.txt", "content": "an old pond\n"})]),
        "There it is.",
    )
    assert example.run("policy.py", "drafts", "write a haiku into haiku.txt") == "There it is.\n"
    assert "this command is not allowed here; allowed commands: date, git status" in example.sent(1)
    assert "\\n\\n[exit 0]" in example.sent(1)
    assert example.sent(2).count("was not written: only what is below") == len(outside)
    written = sorted(str(path.relative_to(example.folder)) for path in example.folder.rglob("*.txt"))
    assert written == ["drafts/haiku.txt"]


@pytest.mark.parametrize(
    ("turn", "limit", "why"),
    [
        (Turn(usage=Usage(input=1, output=1)), "max_steps", r"max steps \(10\) exceeded"),
        (Turn(usage=Usage(input=150_000, output=1)), "max_.+", "max .+ exceeded"),
        (Turn(usage=Usage(input=1, output=30_000)), "max_cost", r"max cost \(\$0.05\) exceeded"),
        (Turn(usage=Usage(input=1, output=1), delay=0.2), "deadline", "the deadline has passed"),
    ],
    ids=["steps", "tokens", "cost", "deadline"],
)
def test_budgets(example: Example, turn: Turn, limit: str, why: str) -> None:
    example.server.add(*[turn.replace(calls=[Call("ls")])] * 11)
    seconds = "1" if limit == "deadline" else "60"
    shown = example.run("budgets.py", "find a bug", seconds)
    assert re.fullmatch(rf"out of budget \({limit}\): {why}.*\n\d+ messages, \$\d\.\d{{4}}\n", shown)


def test_budgets_that_suffice(example: Example) -> None:
    example.server.add("Done.")
    assert re.fullmatch(r"Done\.\n2 messages, \$0\.0\d+\n", example.run("budgets.py", "find a bug", "60"))


def test_budgets_of_a_run_that_fails(example: Example) -> None:
    example.server.add(Turn(error=RuntimeError("overloaded")))
    assert "failed (error): " in example.run("budgets.py", "find a bug", "60")


@pytest.mark.needs("uv")
def test_tracing(example: Example, installer_environment: dict[str, str]) -> None:
    example.server.add(Turn(calls=[Call("ls"), Call("read", {"path": "nowhere"})]), "It is empty.")
    example.env = installer_environment | example.env
    command = ["uv", "run", "--quiet", "--project", str(SDK), "--with", "opentelemetry-sdk", str(SDK / "tracing.py")]
    lines = example.finish(command).splitlines()
    assert [line.partition(" {")[0].partition("/")[0].split(" ")[0] for line in lines[:5]] == [
        "chat",
        "execute_tool",
        "execute_tool",
        "chat",
        "invoke_agent",
    ]
    assert lines[0].endswith("'gen_ai.usage.output_tokens': 5, 'gen_ai.response.finish_reasons': ('tool_use',)}")
    assert "'gen_ai.usage.input_tokens': 10" in lines[3]
    assert lines[5:] == ["It is empty."]


def test_many_agents(example: Example) -> None:
    def answer(request: Received) -> Turn:
        number = re.search(r"name of asteroid (\d+)\?", str(request.body))
        assert number
        return Turn(error=RuntimeError("no idea")) if number[1] == "13" else Turn(f"asteroid-{number[1]}")

    example.server.add(*[answer] * 110)  # the one that fails is asked again
    lines = example.run("many_agents.py").splitlines()
    assert len(lines) == 100
    for number, line in enumerate(lines, 1):
        assert line.startswith("13 failed: ") if number == 13 else line == f"{number} asteroid-{number}", line


def test_blocking(example: Example) -> None:
    example.server.add("A tiny weather service.", '["README.md", "src/a.py", "src/b.py"]')
    assert example.run("blocking.py") == "A tiny weather service.\nREADME.md\nsrc/a.py\nsrc/b.py\n"


def test_blocking_is_stopped_by_ctrl_c(example: Example) -> None:
    example.server.add(Turn("x" * 10_000, chunk=1, delay=0.05))
    process = subprocess.Popen(
        [sys.executable, str(SDK / "blocking.py")],
        cwd=example.folder, env=example.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"x"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT
    assert told.strip().endswith(b"KeyboardInterrupt")
    example.server.wait_idle()
    assert example.server.requests[0].closed_early


def test_irc_like(example: Example) -> None:
    skill = example.folder / ".agents" / "skills" / "rhyme"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: rhyme\ndescription: Rhymes.\n---\nAnswer in rhyme.\n")
    example.server.add("It is a chat room.", Turn("One word " * 2_000, delay=0.2, chunk=1), "and no other.")
    command = [sys.executable, "-W", "error", str(SDK / "irc_like.py"), "0"]
    process = subprocess.Popen(command, cwd=example.folder, env=example.env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().split()[-1])
        with (
            socket.create_connection(("127.0.0.1", port), PATIENCE) as first,
            socket.create_connection(("127.0.0.1", port), PATIENCE) as second,
        ):
            ann, bob = first.makefile("rw"), second.makefile("rw")

            def say(who: TextIO, line: str) -> None:
                who.write(f"{line}\n")
                who.flush()

            def until(who: TextIO, text: str) -> list[str]:
                seen: list[str] = []
                while not seen or text not in seen[-1]:
                    seen.append(who.readline())
                    assert seen[-1], seen
                return seen

            until(ann, "guest2 is here")
            say(ann, "zot: what is this?")
            assert until(bob, "It is a chat room.")[-2:] == [
                "<guest1> zot: what is this?\n",
                "<zot> It is a chat room.\n",
            ]
            until(ann, "It is a chat room.")
            say(bob, "zot, hurry")
            until(ann, "zot is not at work")
            say(ann, "!model nobody/knows-it")
            assert "unknown provider" in until(bob, "nobody")[-1] + bob.readline()
            say(ann, "zot: /skill:rhyme about chat")
            say(bob, "zot: and then?")
            until(ann, "1 waiting")
            example.server.wait_for(2, PATIENCE)
            say(bob, "!stop")
            until(ann, "zot stopped: aborted")
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        process.stdout.close()
    assert "Answer in rhyme." in example.sent(1)
    assert len(example.server.requests) == 2


def test_a_supervisor_divides_the_work_and_sums_up(example: Example) -> None:
    found = ["What lacks tests? In a.py.", "What lacks docs? In b.py."]

    def answer(request: Received) -> Turn:
        text = str(request.body)
        if "Sum up" in text:
            return Turn("Both lack a little.")
        if "Divide this" in text:
            return Turn(json.dumps(["What lacks tests?", "What lacks docs?"]))
        return Turn(next(each for each in found if each.partition("?")[0] in text))

    example.server.add(*[answer] * 4)
    printed = example.run("supervisor.py", "What is missing?")
    assert "Both lack a little." in printed
    assert "2 agents, 60 tokens" in printed
    assert all(each in example.sent(3) for each in ("In a.py.", "In b.py."))
