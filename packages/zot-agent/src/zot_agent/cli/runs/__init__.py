"""`zot runs COMMAND`: the durable runs, by their names."""

from collections.abc import Callable
from typing import Annotated, TypeAlias

from zot_agent.cli.fleet import RunVerb, refuse_options
from zot_agent.cli.verb import VerbTable
from zot_agent.fleet.addresses import FleetPlaces
from zot_provider.errors import ConfigError

RunId: TypeAlias = Annotated[str, "ID: the name of a run, or its beginning"]
InFleet: TypeAlias = Annotated[bool, "--fleet: the runs of a fleet"]

run = VerbTable(
    "zot runs",
    "List, follow, cancel, answer and continue the runs that zot run has begun.",
    {
        "list": "zot_agent.cli.runs.listing:print_list",
        "show": "zot_agent.cli.runs.listing:print_run",
        "logs": "zot_agent.cli.runs.verbs:logs",
        "attach": "zot_agent.cli.runs.verbs:attach",
        "answer": "zot_agent.cli.runs.verbs:answer",
        "cancel": "zot_agent.cli.runs.verbs:cancel",
        "resume": "zot_agent.cli.runs.verbs:resume",
        "retry": "zot_agent.cli.runs.verbs:retry",
        "remove": "zot_agent.cli.runs.verbs:remove",
        "service": "zot_agent.cli.runs.service:print_service",
        "steer": "zot_agent.cli.runs.verbs:steer",
        "patch": "zot_agent.cli.runs.verbs:patch",
    },
    "exit codes: 0 done, 1 failed or interrupted, 2 usage or no such run, 3 waits for an answer, 4 stopped by a limit, "
    "5 refused, 130 stopped or cancelled.",
    stopped="no longer following; the run continues",
)


def carry_out(asked: RunVerb, here: Callable[[], int | None] | None, places: FleetPlaces, *, fleet: bool) -> int:
    """Carry a verb out on the fleet or `here`, and return the exit code. Raises `ConfigError`. `here` is None for what
    only a fleet does."""
    if fleet:
        from zot_agent.cli.runs.fleet import act  # noqa: PLC0415  an extra

        return act(asked, places)
    if here is None:
        raise ConfigError(f"zot runs {asked.verb} is for runs of a fleet; pass --fleet")
    refuse_options(places, "is for runs of a fleet; pass --fleet")
    return here() or 0
