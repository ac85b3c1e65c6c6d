"""`zot worker`: takes runs from a queue of a fleet."""

import asyncio
import logging
import os
from collections.abc import Sequence

from zot_agent.cli.fleet import add_places
from zot_agent.cli.parser import Parser, subcommand
from zot_agent.fleet.addresses import FleetPlaces, find_places
from zot_agent.fleet.extra import needs_extra, run_and_leave
from zot_provider.errors import ConfigError

_FOLDER = "~/zot-fleet"


def build_parser() -> Parser:
    parser = Parser(
        prog="zot worker",
        description="Take runs from a queue of Temporal and drive each in its own process, in a sandbox. Any "
        "number of workers on any number of machines may do so. Keys come from this worker's variables or from zot "
        "auth. Needs the extra: uv tool install 'zot-agent[fleet]'.",
        epilog="exit codes: 1 Temporal or the store does not answer at the start, 2 usage, 130 Ctrl+C, 143 terminated; "
        "the runs that it has are then continued by other workers",
    )
    add_places(parser)
    parser.add_argument(
        "--namespace", default="default", metavar="NAME", help="Temporal's namespace (default: default)"
    )
    parser.add_argument("--concurrency", type=int, default=4, metavar="N", help="runs at a time (default: 4)")
    parser.add_argument(
        "--per-minute", type=float, default=0.0, metavar="N",
        help="all workers of the queue begin at most N runs a minute (default: any number)",
    )  # fmt: skip
    parser.add_argument(
        "--folder", default=_FOLDER, metavar="DIR",
        help=f"the files of runs, at the same path on all machines (default: {_FOLDER})",
    )  # fmt: skip
    parser.add_argument(
        "--sandbox", default="on", choices=("off", "on", "strict"), help="that of runs that name none (default: on)"
    )
    parser.add_argument("--metrics", default="", metavar="HOST:PORT", help="serve /metrics for Prometheus there")
    return parser


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot worker` with `arguments` (those after `worker`) and return the exit code."""
    given = build_parser().parse_args(list(arguments))
    places = find_places(given.address, given.queue, given.store)
    if given.concurrency < 1:
        raise ConfigError("--concurrency is at least 1")
    if not given.per_minute >= 0:
        raise ConfigError("--per-minute is at least 0")
    folder = os.path.abspath(os.path.expanduser(given.folder))
    with needs_extra():
        from zot_agent.fleet.worker import WorkerOptions  # noqa: PLC0415  an extra

    options = WorkerOptions(places.queue, places.store, folder, given.concurrency, given.sandbox, given.per_minute)
    run_and_leave(_work(places, given.namespace, given.metrics, options))


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
