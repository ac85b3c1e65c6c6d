"""From exec to the version, and to the end of the first request's body; memory of a one-shot run."""

import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from environment import Environment, Figure
from model_server import ModelServer

PEAK = "import resource,subprocess,sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); " \
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"  # fmt: skip


def measure(environment: Environment) -> Iterator[Figure]:
    """The figures, as multiples of `python -I -c pass` in the same environment where they are times."""
    server = ModelServer(1)
    ask = [environment.zot, "-p", "hi", "--provider", "openai", "--model", "m", "--base-url", server.base_url]
    ask += ["--cwd", str(environment.folder / "work")]

    def first_request() -> float:
        begin = time.monotonic()
        done = environment.run(ask)
        assert done.stdout, done.stderr.decode()
        return server.complete_at[-1] - begin

    bare, version, request = [], [], []
    for _ in range(21):  # in turn, so that a slow moment of the machine hits all three
        bare.append(environment.timed([environment.python, "-I", "-c", "pass"]))
        version.append(environment.timed([environment.zot, "--version"]))
        request.append(first_request())
    base = statistics.median(bare[1:])
    body = json.loads(server.bodies[-1])
    sessions = list(Path(environment.variables["ZOT_HOME"]).rglob("*.jsonl"))
    assert {"read", "write", "edit", "bash"} <= {tool["function"]["name"] for tool in body["tools"]}, "tools missing"
    assert len(sessions) >= len(request), "session files missing"
    yield Figure("python -I -c pass", base * 1000, "ms")
    yield Figure("zot --version", statistics.median(version[1:]) / base, "x pass", 1.3)
    yield Figure(
        "zot -p, exec to the end of the first request body", statistics.median(request[1:]) / base, "x pass", 18
    )
    peak = environment.run([environment.python, "-c", PEAK, *ask]).stdout
    yield Figure("zot -p, peak memory", int(peak) / 1024, "MB", 60)
