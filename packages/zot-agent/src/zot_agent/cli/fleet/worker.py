"""`zot worker`: takes runs from a queue of a fleet."""

import asyncio
import logging
import os

from zot_agent.cli.verb import Verb
from zot_agent.fleet.addresses import FleetPlaces, find_places
from zot_agent.fleet.extra import needs_extra, run_and_leave
from zot_core.permission_mode import SandboxMode
from zot_provider.errors import ConfigError


def _worker(
    *, places: FleetPlaces, namespace: str = "default", concurrency: int = 4, per_minute: float = 0.0,
    folder: str = "~/zot-fleet", sandbox: SandboxMode = "on", metrics: str = "",
) -> int:  # fmt: skip
    """Take runs from a queue of Temporal and drive each in its own process, in a sandbox. Any number of workers on any
    number of machines may do so. Keys come from this worker's variables or from zot auth. Needs the extra: uv tool
    install 'zot-agent[fleet]'.

    --namespace NAME: Temporal's namespace (default: %(default)s)
    --concurrency N: runs at a time (default: %(default)s)
    --per-minute N: all workers of the queue begin at most N runs a minute (default: any number)
    --folder DIR: the files of runs, at the same path on all machines (default: %(default)s)
    --sandbox MODE: that of runs that name none: %(choices)s (default: %(default)s)
    --metrics HOST:PORT: serve /metrics for Prometheus there

    exit codes: 1 Temporal or the store does not answer at the start, 2 usage, 130 Ctrl+C, 143 terminated; the runs that
    it has are then continued by other workers
    """
    places = find_places(places)
    if concurrency < 1:
        raise ConfigError("--concurrency is at least 1")
    if not per_minute >= 0:
        raise ConfigError("--per-minute is at least 0")
    with needs_extra():
        from zot_agent.fleet.worker import WorkerOptions  # noqa: PLC0415  an extra

    folder = os.path.abspath(os.path.expanduser(folder))
    options = WorkerOptions(places.queue, places.store, folder, concurrency, sandbox, per_minute)
    run_and_leave(_work(places, namespace, metrics, options))


async def _work(places: FleetPlaces, namespace: str, metrics: str, options: "object") -> int:
    from zot_agent.cli.ext.terminal import print_line  # noqa: PLC0415  an extra
    from zot_agent.fleet.engine.client import connect  # noqa: PLC0415  an extra
    from zot_agent.fleet.metrics import FleetMetrics, open_runtime  # noqa: PLC0415  an extra
    from zot_agent.fleet.store.open import open_store  # noqa: PLC0415  an extra
    from zot_agent.fleet.worker import FleetWorker, WorkerOptions  # noqa: PLC0415  an extra
    from zot_agent.signals import on_end_signals  # noqa: PLC0415  an extra

    assert isinstance(options, WorkerOptions)
    received: list[int] = []
    ended = asyncio.Event()

    def stop(number: int) -> None:
        received.append(number)
        ended.set()

    on_end_signals(stop)
    store = open_store(places.store)
    try:
        await asyncio.to_thread(store.names)  # a store that does not answer is reported before a run is taken
    finally:
        await asyncio.to_thread(store.close)
    logging.getLogger("temporalio").setLevel(logging.CRITICAL)  # each attempt that ends is a line of the worker's own
    runtime = open_runtime(metrics)
    client = await connect(places.address, namespace, runtime=runtime)
    worker = FleetWorker(client, options, print_line, metrics=FleetMetrics(runtime))
    print_line(f"worker {worker.name} takes runs of the queue {places.queue}, {options.concurrency} at a time")
    await worker.work(ended.wait())
    return 128 + received[0] if received else 0


run = Verb("zot worker", _worker)
