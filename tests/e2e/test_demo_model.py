"""The one test with a real model: the demo as a user runs it, from the download of the weights to the streamed answer.

It needs nothing but uv and, the first time, the network: the extra is installed into an environment of uv's own, the
weights go to `.cache/` in the repository and stay there.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
LONG = 5 * PATIENCE
"""Seconds for downloads, and for a model that computes all the time, where other work keeps the processor busy."""

Run = Callable[..., str]


@pytest.fixture(scope="module")
def program(uv: str, libgomp: str, installer_environment: dict[str, str]) -> Run:
    """Runs Python with the extra `local` in a folder: what it prints. It succeeds, with nothing on standard error."""
    environment = {
        "PATH": os.environ["PATH"], **installer_environment, "ZOT_HOME": str(ROOT / ".cache" / "zot"),
        "LANG": "C.UTF-8", "COLUMNS": "100", "LINES": "40",
    }  # fmt: skip
    command = [sys.executable]
    if find_spec("xllamacpp") is None:
        project = ["--project", str(ROOT), "--package", "zot-agent", "--extra", "local"]
        command = [uv, "run", "--quiet", "--isolated", "--no-default-groups", *project, "python"]

    def run(arguments: list[str], cwd: Path) -> str:
        done = subprocess.run(
            [*command, *arguments], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=LONG, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    return run


@pytest.fixture(scope="module")
def demo(program: Run) -> Run:
    """Runs `zot` in the same way, with the weights of the demo model."""

    def run(arguments: list[str], cwd: Path) -> str:
        return program(["-m", "zot_agent", *arguments], cwd)

    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    (cache / ".gitignore").write_text("*\n")
    run(["local", "setup"], ROOT)
    return run


def test_the_demo_shows_what_is_in_the_file_and_another_file_gives_another_output(demo: Run, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    assert demo(["demo", "--demo-model", "--probe"], tmp_path) == "demo:ready\n"
    for text in ("# Heron\n\nHeron is a web server that serves static files.\n", "# Kiosk\n\nKiosk prints tickets.\n"):
        readme.write_text(text)
        printed = demo(["demo", "--demo-model"], tmp_path)
        head, call, rest = printed.partition("\n* read ")
        assert "demo model: proves the plumbing, not the quality" in head
        assert call, printed
        arguments, *shown = rest.splitlines()
        assert json.loads(arguments) == {"path": "README.md"}
        assert [line[2:] for line in shown[: len(text.splitlines())]] == text.splitlines()
        answer, _, counts = "\n".join(shown[len(text.splitlines()) :]).strip().rpartition("\n")
        assert answer.strip()
        assert re.fullmatch(r"\[[1-9]\d* tokens in, [1-9]\d* out, [\d.]+ s\]", counts)


def test_its_events_are_those_of_any_model(demo: Run, tmp_path: Path) -> None:
    (tmp_path / "invoice-7.txt").write_text("12 apples\n")
    printed = demo(["--provider", "local", "--json", "--no-session", "What files are here?"], tmp_path)
    seen = [json.loads(line) for line in printed.splitlines()]
    (call,) = [event for event in seen if event["type"] == "tool_call"]
    (result,) = [event for event in seen if event["type"] == "tool_result"]
    assert (call["name"], call["args"]) == ("read", {"path": "."})
    assert "invoice-7.txt" in json.dumps(result["content"])
    kinds = [event["type"] for event in seen]
    assert kinds.count("text_delta") > 1  # it is streamed
    assert kinds.count("usage") >= 2
    assert kinds[-1] == "done"
    assert "error" not in kinds


SWITCHING = """
import asyncio, sys
from zot_agent.local.client import LocalClient
from zot_agent.local.pick import local_provider
from zot_provider import Model, ModelRegistry, RoutingClient, complete

async def main(path):
    registry = ModelRegistry()
    registry.add(local_provider(), open=LocalClient)
    client = RoutingClient(registry)
    for id in ("", path, ""):
        print(bool((await complete(Model(id, local_provider().id), "Hello", client=client)).text))
    first, second = (complete(Model(id, local_provider().id), "Hello", client=client) for id in (path, ""))
    print(all(answer.text for answer in await asyncio.gather(first, second)))
    await client.close()

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.usefixtures("demo")
def test_another_model_file_is_loaded_when_it_is_asked(program: Run, tmp_path: Path) -> None:
    (found,) = (ROOT / ".cache" / "zot").rglob("*.gguf")
    assert program(["-c", SWITCHING, str(found)], tmp_path).split() == ["True"] * 4
