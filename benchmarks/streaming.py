"""CPU of one text delta, from the socket to standard output, a session and an observer attached."""

import resource
import statistics
from collections.abc import Iterator

from environment import Environment, Figure
from model_server import ModelServer

DELTAS = 20_000


def measure(environment: Environment) -> Iterator[Figure]:
    """Microseconds of user and system time a delta: a run of 20,000 less a run of one, normalised."""
    for burst, arrival in ((True, "in bursts"), (False, "one write each")):
        one, many = ModelServer(1, burst=burst), ModelServer(DELTAS, burst=burst)
        for flag, budget in (("--stream", 20.0), ("--json", 32.0)):
            pairs = [_cpu(environment, flag, many) - _cpu(environment, flag, one) for _ in range(8)]
            cost = statistics.median(pairs[1:]) / (DELTAS - 1) * 1e6 * environment.scale
            yield Figure(f"zot {flag}, a text delta, {arrival}", cost, "µs CPU", budget)


def _cpu(environment: Environment, flag: str, server: ModelServer) -> float:
    """Seconds of CPU of one run."""
    ask = [environment.zot, flag, "hi", "--provider", "openai", "--model", "m", "--base-url", server.base_url]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = environment.run([*ask, "--cwd", str(environment.folder / "work")])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr.decode()
    assert b" word%d" % (server.deltas - 1) in done.stdout, "the deltas did not all come out"
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
