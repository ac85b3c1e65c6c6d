"""`zot runs COMMAND`: the durable runs, by their names."""

import sys
from collections.abc import Sequence

from zot_agent.cli.args import add_retries, check_numbers
from zot_agent.cli.fleet import PLACES, add_places, refuse_flags
from zot_agent.cli.parser import Parser, subcommand
from zot_agent.event_loop import run_in_loop
from zot_provider.errors import ConfigError

_ONE_MACHINE = {
    "--detach": "detach", "--max-steps": "max_steps", "--max-cost": "max_cost", "--max-tokens": "max_tokens",
    "--retries": "retries", "--retry-wait": "retry_wait", "--retry-total": "retry_total", "--wait": "wait",
}  # fmt: skip
_ID = "the name of a run, or its beginning"


def build_parser() -> Parser:
    parser = Parser(
        prog="zot runs",
        description="List, follow, cancel, answer and continue the runs that zot run has begun.",
        epilog="exit codes: 0 done, 1 failed or interrupted, 2 usage or no such run, 3 waits for an answer, 4 stopped "
        "by a limit, 5 refused, 130 stopped or cancelled",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    listing = verbs.add_parser("list", help="list the runs, last changed first")
    show = verbs.add_parser("show", help="show what a run is about, its state and its question")
    logs = verbs.add_parser("logs", help="print what a run has done so far")
    attach = verbs.add_parser("attach", help="follow a run to its end; Ctrl+C leaves it running")
    answer = verbs.add_parser("answer", help="answer the question of a run, which then continues")
    cancel = verbs.add_parser("cancel", help="end a run for good")
    resume = verbs.add_parser("resume", help="continue a run that was interrupted or stopped, or all interrupted ones")
    retry = verbs.add_parser("retry", help="continue a run that has failed")
    remove = verbs.add_parser("remove", help="remove a run that is over, and its session or its rows and files")
    service = verbs.add_parser(
        "service", help="write a service of systemd or launchd that continues runs after a restart"
    )
    steer = verbs.add_parser("steer", help="send a message to a run of a fleet, for its next model call")
    patch = verbs.add_parser("patch", help="print what a run of a fleet has changed in its repository")
    for each in (show, logs, attach, answer, cancel, retry, remove, steer, patch):
        each.add_argument("id", metavar="ID", help=_ID)
    for each in (listing, show):
        each.add_argument("--json", action="store_true", help="print one JSON object")
    for each in (listing, show, logs, attach, answer, cancel, retry, remove, steer, patch):
        each.add_argument("--fleet", action="store_true", help="the runs of a fleet")
        add_places(each)
    steer.add_argument("text", metavar="TEXT", help="the message")
    logs.add_argument("-f", "--follow", action="store_true", help="follow it to its end, as attach does")
    answer.add_argument("answer", choices=("yes", "always", "no"), help="always: keep the rule that allows it")
    answer.add_argument("--message", default="", metavar="TEXT", help="with no: the reason, for the model")
    resume.add_argument("id", nargs="?", default="", metavar="ID", help=_ID)
    resume.add_argument("--all", action="store_true", help="all interrupted runs, in this process")
    resume.add_argument("--jobs", type=int, default=16, metavar="N", help="with --all: runs at a time (default: 16)")
    resume.add_argument("--retry", action="store_true", help="also a run that has failed")
    for each in (resume, retry):
        each.add_argument("--detach", action="store_true", help="work in its own process")
        each.add_argument("--max-steps", type=int, metavar="N", help="another limit on model calls")
        each.add_argument("--max-cost", type=float, metavar="USD", help="another limit on US dollars")
        each.add_argument("--max-tokens", type=int, metavar="N", help="another limit on tokens")
        add_retries(each)
    parser.set_defaults(fleet=False)
    service.add_argument("--print", action="store_true", help="print the file and write nothing")
    return parser


@subcommand("no longer following; the run continues")
def run(arguments: Sequence[str]) -> int:
    """Run `zot runs` with `arguments` (those after `runs`) and return the exit code."""
    given = build_parser().parse_args(list(arguments) or ["--help"])
    if given.fleet:
        refuse_flags(given, _ONE_MACHINE, "is for runs on this machine, and not for runs of a fleet")
        from zot_agent.cli.runs.fleet import act  # noqa: PLC0415  an extra

        return act(given)
    if given.verb in ("steer", "patch"):
        raise ConfigError(f"zot runs {given.verb} is for runs of a fleet; pass --fleet")
    refuse_flags(given, PLACES, "is for runs of a fleet; pass --fleet")
    if given.verb in ("list", "show"):
        from zot_agent.cli.runs.listing import print_list, print_run  # noqa: PLC0415  one verb needs one module

        return print_list(as_json=given.json) if given.verb == "list" else print_run(given.id, as_json=given.json)
    if given.verb == "service":
        return _service(write=not given.print)
    from zot_agent.cli.runs.drive import follow  # noqa: PLC0415  as above
    from zot_agent.runs import control  # noqa: PLC0415  as above
    from zot_agent.runs.options import changed_options  # noqa: PLC0415  as above
    from zot_agent.runs.store import RunStore  # noqa: PLC0415  as above

    runs = RunStore()
    if given.verb in ("logs", "attach"):
        return follow(runs.find(given.id), on_end=given.verb == "attach" or given.follow)
    if given.verb == "cancel":
        control.cancel(runs, given.id)
        return 0
    if given.verb == "remove":
        from zot_agent.cli.ext.terminal import print_line  # noqa: PLC0415  as above

        print_line(f"removed {runs.remove(given.id)}")
        return 0
    if given.verb == "answer":
        control.continue_detached(control.give_answer(runs, given.id, given.answer, given.message))
        return 0
    if given.verb == "resume" and given.all:
        return _resume_all(given.id, given.jobs)
    if not given.id:
        raise ConfigError("name the run to continue, or pass --all")
    check_numbers(vars(given))
    found = runs.find(given.id)
    control.check_continuable(found, retry=given.verb == "retry" or given.retry)
    control.change_options(found, changed_options(given))
    if given.detach:
        control.continue_detached(found)
        return 0
    from zot_agent.cli.runs.drive import drive  # noqa: PLC0415  as above

    return run_in_loop(drive(runs.find(found.id)))


def _resume_all(id: str, jobs: int) -> int:
    if id or jobs < 1:
        raise ConfigError("--all takes no ID, and --jobs is at least 1")
    from zot_agent.cli.runs.all import resume_all  # noqa: PLC0415  one verb needs one module

    return resume_all(jobs)


def _service(*, write: bool) -> int:
    from zot_agent.cli.ext.terminal import print_line  # noqa: PLC0415  one verb needs one module
    from zot_agent.runs.service import service, write_service  # noqa: PLC0415  as above

    found = service()
    if not write:
        sys.stdout.write(found.content.decode())
        return 0
    write_service(found)
    print_line(f"written: {found.path}")
    print_line(f"it starts after this command, and with every login: {found.enable}")
    print_line("it has no variables of your shell: keys must be stored with zot auth")
    return 0
