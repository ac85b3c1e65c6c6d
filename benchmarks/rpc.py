"""`zot rpc`: what a pipe adds to a text delta, how soon a command is answered while text streams, the start, and what
reading the fields of a command costs."""

import json
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from environment import Environment, Figure
from model_server import ModelServer

DELTAS, PACED, RATE, PINGS = 20_000, 2000, 1000, 1000

IN_PROCESS = """
import asyncio, sys
from zot_core import Runtime, TextDelta

async def main():
    count = 0
    async with Runtime("m", provider="openai", base_url=sys.argv[1]) as runtime:
        async for event in runtime.prompt("hi"):
            count += type(event) is TextDelta
    print(count)

asyncio.run(main())
"""
"""The same agent without a pipe: a program that looks at every event."""

FIELDS = """if True:
    import time
    from zot_agent.operations.registry import all_operations
    from zot_ext.protocol.fields import FieldReader

    def example(kind):
        if kind.each is not None:
            return list(kind.each.choices) or [example(kind.each)]
        usual = {"boolean": True, "integer": kind.schema.get("minimum", 1), "array": [], "object": {}, "": 1}
        found = kind.choices[0] if kind.choices else usual.get(kind.type, "some text")
        return {name: example(part) for name, part in kind.parts.items()} or found

    def seconds(operation):
        given = {each.name: example(each.kind) for each in operation.fields}
        for each in (each.only for each in operation.fields if each.only):  # so that none is refused
            given[each.other] = "both" if "both" in each.values else each.values[0]
        reader, times = FieldReader(operation.name, operation.fields), []
        for _ in range(20):
            start = time.process_time()
            for _ in range(500):
                reader.read(given)
            times.append(time.process_time() - start)
        return min(times) / 500

    print(*max((seconds(each), name) for name, each in all_operations().items()))
"""
"""All fields of each operation, read by what each call is read by: the slowest."""


class PacedServer(ModelServer):
    """Sends `RATE` deltas a second."""

    def __init__(self, deltas: int) -> None:
        super().__init__(deltas, burst=False)
        self._writes = _Paced(self._writes)  # type: ignore[assignment]  # it is iterated over, no more


class _Paced:
    def __init__(self, writes: Sequence[bytes]) -> None:
        self._all = writes

    def __iter__(self) -> Iterator[bytes]:
        begin = time.monotonic()
        for number, write in enumerate(self._all):
            time.sleep(max(0.0, begin + number / RATE - time.monotonic()))
            yield write


def measure(environment: Environment) -> Iterator[Figure]:
    """CPU of the two processes less their runs of one delta; wall times of `ping` and of the start."""
    one = ModelServer(1, burst=False)
    for many, runs, name in (
        (ModelServer(DELTAS, burst=False), 7, "as fast as can be"),
        (PacedServer(PACED), 3, f"{RATE} a second"),
    ):
        pairs = environment.samples(lambda: _deltas(environment, one, many), runs)  # noqa: B023  called at once
        added = statistics.median(rpc - alone for rpc, alone in pairs)
        note = f"in process {statistics.median(alone for _, alone in pairs):.1f}"
        yield Figure(f"zot rpc, added to a text delta, {name}", added, "µs CPU", 60, note)
    pings = sorted(_pings(environment))
    yield Figure(f"ping while {RATE} deltas a second stream, p50", _ms(environment, pings, 50), "ms", 0.3)
    yield Figure(f"ping while {RATE} deltas a second stream, p99", _ms(environment, pings, 99), "ms")
    ratio, hello = _start(environment, one)
    note = f"over zot -p, exec to the first request; {hello * 1000:.0f} ms"
    yield Figure("zot rpc, exec to the answer of hello", ratio, "x", 1.2, note)
    slowest, name = environment.run([environment.python, "-c", FIELDS]).stdout.decode().split()
    yield Figure(
        "the fields of a command, all given, the slowest", float(slowest) * 1e6 * environment.scale, "µs CPU", 2, name
    )


def _deltas(environment: Environment, one: ModelServer, many: ModelServer) -> tuple[float, float]:
    """CPU of a delta through `zot rpc`, and in process."""

    def cost(cpu: Callable[[Environment, ModelServer], float]) -> float:
        return (cpu(environment, many) - cpu(environment, one)) / (many.deltas - 1) * 1e6 * environment.scale

    return cost(_cpu_of_rpc), cost(_cpu_in_process)


def _ms(environment: Environment, samples: Sequence[float], percent: int) -> float:
    return samples[len(samples) * percent // 100] * 1000 * environment.scale


@contextmanager
def _rpc(environment: Environment, server: ModelServer) -> Iterator["subprocess.Popen[bytes]"]:
    command = [environment.zot, "rpc", "--provider", "openai", "--model", "m", "--base-url", server.base_url]
    with subprocess.Popen(
        [*command, "--cwd", str(environment.folder / "work")],
        env=environment.variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        yield process
    assert process.returncode == 0


def _cpu_of_rpc(environment: Environment, server: ModelServer) -> float:
    """Seconds of CPU of `zot rpc` for one prompt; those of its client are not counted."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with _rpc(environment, server) as process:
        output, _ = process.communicate(b'{"type":"prompt","message":"hi"}\n')
    assert output.count(b'"text_delta"') == server.deltas, "the deltas did not all come out"
    return _spent(before)


def _cpu_in_process(environment: Environment, server: ModelServer) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = environment.run([environment.python, "-c", IN_PROCESS, server.base_url])
    assert done.stdout.strip() == b"%d" % server.deltas, done.stderr.decode()
    return _spent(before)


def _spent(before: resource.struct_rusage) -> float:
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _pings(environment: Environment) -> list[float]:
    """Seconds from a `ping` to its answer, a few milliseconds after one another, while an answer streams."""
    server = PacedServer(PINGS * 6)
    times = []
    with _rpc(environment, server) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"type":"prompt","message":"hi"}\n')
        process.stdin.flush()

        def read_up_to(start: bytes) -> bytes:
            while not (line := process.stdout.readline()).startswith(start):  # type: ignore[union-attr]  # it is a pipe
                assert line, "the answer was over too early"
            return line

        for _ in range(PINGS):
            read_up_to(b'{"type":"text_delta"')
            read_up_to(b'{"type":"text_delta"')
            begin = time.perf_counter()
            process.stdin.write(b'{"id":"p","type":"ping"}\n')
            process.stdin.flush()
            answer = read_up_to(b'{"type":"response","id":"p"')
            times.append(time.perf_counter() - begin)
        assert json.loads(answer)["data"] == {"pong": True}
        process.stdin.close()
        process.stdout.read()
    return times[100:]


def _start(environment: Environment, server: ModelServer) -> tuple[float, float]:
    """The time to the answer of hello over that to the first request of `zot -p`, and the former in seconds."""
    ask = [environment.zot, "-p", "hi", "--provider", "openai", "--model", "m", "--base-url", server.base_url]
    ask += ["--cwd", str(environment.folder / "work")]

    def first_request() -> float:
        begin = time.monotonic()
        assert environment.run(ask).stdout
        return server.complete_at[-1] - begin

    def hello() -> float:
        begin = time.monotonic()
        with _rpc(environment, server) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b'{"type":"hello"}\n')
            process.stdin.flush()
            assert b"protocol_version" in process.stdout.readline()
            return time.monotonic() - begin

    pairs = [(hello(), first_request()) for _ in range(21)][1:]
    rpc, asked = (statistics.median(each) for each in zip(*pairs, strict=True))
    return rpc / asked, rpc
