"""Steps of a run: a model call and a shell command each, with a session; and what a long history adds to a step."""

import statistics
from collections.abc import Iterator
from pathlib import Path

from environment import Environment, Figure
from tool_server import ToolServer

FEW, MANY = 50, 500
WINDOW = 10
"""Steps on either side of the one a figure is for; the median of them counts."""


def measure(environment: Environment) -> Iterator[Figure]:
    """Milliseconds of wall time a step, normalised."""
    few = ToolServer("bash", lambda _: {"command": "true"}, FEW)
    whole = statistics.median(environment.samples(lambda: _run(environment, few), 5)) / FEW
    yield Figure(f"a run of {FEW} steps of `true`, start-up included", _ms(environment, whole), "ms a step", 6)
    many = ToolServer("bash", lambda _: {"command": "true"}, MANY)
    _run(environment, many)
    times, sizes = zip(*many.arrivals, strict=True)
    early, late = _step(times, 10), _step(times, MANY)
    growth = sizes[MANY] - sizes[10]
    # The same number of bytes in the first message: what is left of the growth is the price of many messages.
    padded = ToolServer("bash", lambda _: {"command": "true"}, 2 * WINDOW)
    _run(environment, padded, "x" * growth)
    padding = _step([time for time, _ in padded.arrivals], 10)
    yield Figure("step 10", _ms(environment, early), "ms", 6)
    yield Figure(f"step 10, body as large as at step {MANY}", _ms(environment, padding), "ms")
    yield Figure(f"step {MANY}", _ms(environment, late), "ms", note=f"a body of {sizes[MANY] / 1024:.0f} KiB")
    yield Figure(f"step {MANY} over step 10, at equal body size", late / padding, "x", 1.5)


def _ms(environment: Environment, seconds: float) -> float:
    return seconds * 1000 * environment.scale


def _step(times: "list[float] | tuple[float, ...]", number: int) -> float:
    """Seconds between two requests around the step with this number."""
    near = times[max(number - WINDOW, 1) : number + WINDOW + 1]
    return statistics.median(after - before for before, after in zip(near[:-1], near[1:], strict=True))


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
