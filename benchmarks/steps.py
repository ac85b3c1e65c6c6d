"""Steps of a run: a model call and a shell command each, with a session; and what a long history adds to a step."""

import statistics
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from environment import Environment, Figure
from tool_server import ToolServer

BARE = """
import http.client, json, subprocess, sys
from urllib.parse import urlsplit

connection, messages = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc), []
while True:
    body = json.dumps({"messages": messages}, separators=(",", ":"))
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    if b"tool_calls" not in connection.getresponse().read():
        break
    subprocess.run(["bash", "-c", "true"], stdin=subprocess.DEVNULL, capture_output=True)
    messages += [{"role": "assistant", "tool_calls": []}, {"role": "tool", "content": "done"}]
"""
"""The requests and the commands of a run, and nothing else."""

FEW, MANY = 50, 500
WINDOW = 10
"""Steps on either side of the one a figure is for; the median of them counts."""


def measure(environment: Environment) -> Iterator[Figure]:
    """Milliseconds of wall time a step, normalised."""
    none, few, many = (ToolServer("bash", lambda _: {"command": "true"}, steps) for steps in (0, FEW, MANY))
    pairs = environment.samples(
        lambda: (_run(environment, few), _run(environment, none), _bare(environment, few), _bare(environment, none)), 7
    )
    step = statistics.median(run - answer for run, answer, _, _ in pairs) / FEW
    bare = statistics.median(run - answer for _, _, run, answer in pairs) / FEW
    whole = statistics.median(run for run, _, _, _ in pairs) / FEW
    yield Figure(f"{FEW} steps of `true`: a run less one of a single answer", _ms(environment, step), "ms a step", 6)
    yield Figure(
        "the same over its requests and commands alone", step / bare, "x", 1.9, f"{_ms(environment, bare):.2f} ms"
    )
    yield Figure(f"{FEW} steps of `true`: a run with its start-up", _ms(environment, whole), "ms a step")
    _run(environment, many)
    sizes = [size for _, size in many.arrivals]
    late = _step([_times(many)], MANY)
    early = _step([_short(environment, "go") for _ in range(3)], 10)
    # The same number of bytes in the first message: what is left of the growth is the price of many messages.
    padded = _step([_short(environment, "x" * (sizes[MANY] - sizes[10])) for _ in range(3)], 10)
    yield Figure("step 10", _ms(environment, early), "ms", 6)
    yield Figure(f"step 10, body as large as at step {MANY}", _ms(environment, padded), "ms")
    yield Figure(f"step {MANY}", _ms(environment, late), "ms", note=f"a body of {sizes[MANY] / 1024:.0f} KiB")
    yield Figure(f"step {MANY} over step 10, at equal body size", late / padded, "x", 1.5)


def _short(environment: Environment, prompt: str) -> list[float]:
    """When the requests of a run came that goes just beyond step 10."""
    server = ToolServer("bash", lambda _: {"command": "true"}, 10 + WINDOW)
    _run(environment, server, prompt)
    return _times(server)


def _times(server: ToolServer) -> list[float]:
    return [time for time, _ in server.arrivals]


def _ms(environment: Environment, seconds: float) -> float:
    return seconds * 1000 * environment.scale


def _step(runs: list[list[float]], number: int) -> float:
    """Seconds between two requests around the step with this number. The first two are left out: a tool's first call
    has more to do."""
    near = [times[max(number - WINDOW, 2) : number + WINDOW + 1] for times in runs]
    return statistics.median(after - before for times in near for before, after in pairwise(times))


def _bare(environment: Environment, server: ToolServer) -> float:
    """Seconds of the same requests and commands by a program that does nothing else."""
    server.arrivals.clear()
    done, seconds = environment.timed_run([environment.python, "-c", BARE, server.base_url])
    assert done.returncode == 0, done.stderr.decode()
    return seconds


def _run(environment: Environment, server: ToolServer, prompt: str = "go") -> float:
    """Seconds of a whole run, whose session then is looked at and removed."""
    folder = environment.folder / "work"
    (folder / "prompt.txt").write_text(prompt)
    command = [environment.zot, "--json", "--provider", "openai", "--model", "m", "--base-url", server.base_url]
    command += ["--cwd", str(folder), "--prompt-file", str(folder / "prompt.txt")]
    before = set(Path(environment.variables["ZOT_HOME"]).rglob("*.jsonl"))
    server.arrivals.clear()
    done, seconds = environment.timed_run(command)
    assert done.returncode == 0, done.stderr.decode()
    (session,) = set(Path(environment.variables["ZOT_HOME"]).rglob("*.jsonl")) - before
    steps = len(server.arrivals) - 1
    assert done.stdout.count(b"[exit 0]") == steps, "a command failed"
    assert session.read_bytes().count(b"[exit 0]") == steps, "a result is not in the session"
    session.unlink()
    return seconds
