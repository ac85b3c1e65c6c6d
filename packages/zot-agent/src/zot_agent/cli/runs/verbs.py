"""The verbs of `zot runs` that follow and change a run."""

from typing import Literal

from zot_agent.cli.args import check_numbers
from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.fleet import RunVerb, refuse_options
from zot_agent.cli.runs import InFleet, RunId, carry_out, drive
from zot_agent.event_loop import run_in_loop
from zot_agent.fleet.addresses import FleetPlaces
from zot_agent.runs import control
from zot_agent.runs.options import changed_options
from zot_agent.runs.store import RunStore
from zot_provider.errors import ConfigError
from zot_provider.record import Record


class ContinuedWork(Record):
    """The work, on this machine.

    --detach: work in its own process
    --max-steps N: another limit on model calls
    --max-cost USD: another limit on US dollars
    --max-tokens N: another limit on tokens
    --retries N: repeat a failed model call N times at most
    --retry-wait S: seconds of the longest wait for a repetition
    --retry-total S: seconds of all waits of a call together
    --wait: nobody is waiting: wait as long as servers ask
    """

    detach: bool = False
    max_steps: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    retries: int | None = None
    retry_wait: float | None = None
    retry_total: float | None = None
    wait: bool = False


def logs(id: RunId, *, follow: bool = False, fleet: InFleet = False, places: FleetPlaces) -> int:
    """Print what a run has done so far.

    -f, --follow: follow it to its end, as attach does
    """
    asked = RunVerb("logs", id, follow=follow)
    return carry_out(asked, lambda: drive.follow(RunStore().find(id), on_end=follow), places, fleet=fleet)


def attach(id: RunId, *, fleet: InFleet = False, places: FleetPlaces) -> int:
    """Follow a run to its end; Ctrl+C leaves it running."""
    return carry_out(RunVerb("attach", id), lambda: drive.follow(RunStore().find(id)), places, fleet=fleet)


def answer(
    id: RunId, answer: Literal["yes", "always", "no"], *, message: str = "", fleet: InFleet = False, places: FleetPlaces
) -> int:
    """Answer the question of a run, which then continues.

    yes|always|no: always: keep the rule that allows it
    --message TEXT: with no: the reason, for the model
    """

    def give() -> None:
        control.continue_detached(control.give_answer(RunStore(), id, answer, message))

    return carry_out(RunVerb("answer", id, answer=answer, message=message), give, places, fleet=fleet)


def cancel(id: RunId, *, fleet: InFleet = False, places: FleetPlaces) -> int:
    """End a run for good."""
    return carry_out(RunVerb("cancel", id), lambda: control.cancel(RunStore(), id), places, fleet=fleet)


def resume(id: RunId = "", *, all: bool = False, jobs: int = 16, retry: bool = False, work: ContinuedWork) -> int:
    """Continue a run that was interrupted or stopped, or all interrupted ones.

    --all: all interrupted runs, in this process
    --jobs N: with --all: runs at a time (default: %(default)s)
    --retry: also a run that has failed
    """
    if all:
        if id or jobs < 1:
            raise ConfigError("--all takes no ID, and --jobs is at least 1")
        from zot_agent.cli.runs.all import resume_all  # noqa: PLC0415  rarely wanted

        return resume_all(jobs)
    if not id:
        raise ConfigError("name the run to continue, or pass --all")
    return _continue(id, work, retry=retry)


def retry(id: RunId, *, work: ContinuedWork, fleet: InFleet = False, places: FleetPlaces) -> int:
    """Continue a run that has failed."""
    if fleet:
        refuse_options(work, "is for runs on this machine, and not for runs of a fleet")
    return carry_out(RunVerb("retry", id), lambda: _continue(id, work, retry=True), places, fleet=fleet)


def _continue(id: str, work: ContinuedWork, *, retry: bool) -> int:
    changed, runs = changed_options(work), RunStore()
    check_numbers(changed)
    found = runs.find(id)
    control.check_continuable(found, retry=retry)
    control.change_options(found, changed)
    if work.detach:
        control.continue_detached(found)
        return 0
    return run_in_loop(drive.drive(runs.find(found.id)))


def remove(id: RunId, *, fleet: InFleet = False, places: FleetPlaces) -> int:
    """Remove a run that is over, and its session or its rows and files."""

    def here() -> None:
        print_line(f"removed {RunStore().remove(id)}")

    return carry_out(RunVerb("remove", id), here, places, fleet=fleet)


def steer(id: RunId, text: str, *, fleet: InFleet = False, places: FleetPlaces) -> int:
    """Send a message to a run of a fleet, for its next model call.

    TEXT: the message
    """
    return carry_out(RunVerb("steer", id, text=text), None, places, fleet=fleet)


def patch(id: RunId, *, fleet: InFleet = False, places: FleetPlaces) -> int:
    """Print what a run of a fleet has changed in its repository."""
    return carry_out(RunVerb("patch", id), None, places, fleet=fleet)
