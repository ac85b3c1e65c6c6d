"""`zot run`: begins a run that survives its process, or continues it."""

import argparse
import secrets
import sys
from collections.abc import Sequence

from zot_agent.cli.args import check_numbers, parse
from zot_agent.cli.command_line import CommandLine
from zot_agent.cli.ext.terminal import print_text
from zot_agent.cli.fleet import PLACES, add_places, refuse_flags
from zot_agent.cli.parser import Parser, subcommand
from zot_agent.cli.runs.drive import drive, follow
from zot_agent.event_loop import run_in_loop
from zot_agent.host.options import HostOptions, working_directory
from zot_agent.runs.control import change_options, check_continuable, continue_detached
from zot_agent.runs.options import changed_options, check_same
from zot_agent.runs.store import RunStore, StoredRun
from zot_agent.standard_error import print_error
from zot_agent.standard_input import read_stdin
from zot_core.sessions.preview import read_preview
from zot_provider.errors import ConfigError, ZotError

_FLEET = {
    **PLACES, "--git": "url", "--commit": "commit", "--push": "branch", "--end-command": "command",
    "--schedule": "schedule", "--priority": "priority",
}  # fmt: skip


def build_parser() -> Parser:
    """Build the parser of the flags that `zot run` adds to the flags of `zot`."""
    parser = Parser(
        prog="zot run",
        usage="zot run [options] [options of zot] [task]",
        allow_abbrev=False,
        description="Begin a run that survives its process: every step is on disk before the next one, and another "
        "process continues it after a crash, with nothing done twice. With the name of a run that exists, continue or "
        "follow that one.",
        epilog="zot runs lists, follows, cancels, answers and continues runs. exit codes: as for zot, and 3 the run "
        "waits for an answer",
    )
    parser.add_argument("--id", default="", metavar="ID", help="the name of the run (default: a random one)")
    parser.add_argument("--detach", action="store_true", help="work in its own process, and print the name")
    add_limits(parser)
    _add_fleet(parser)
    return parser


def _add_fleet(parser: Parser) -> None:
    fleet = parser.add_argument_group("runs of a fleet, on other machines")
    fleet.add_argument("--fleet", action="store_true", help="give the run to the workers of a fleet")
    add_places(fleet)
    fleet.add_argument("--git", dest="url", default="", metavar="URL", help="a repository with the files of the run")
    fleet.add_argument("--commit", default="", metavar="REV", help="where it begins (default: the default branch)")
    fleet.add_argument("--push", dest="branch", default="", metavar="BRANCH", help="push the files there at the end")
    fleet.add_argument(
        "--end-command", dest="command", default="", metavar="SH", help="run this in the files at the end"
    )
    fleet.add_argument(
        "--schedule", default="", metavar="CRON",
        help='begin such a run at these times, in UTC, as "0 3 * * 1-5"; --id is its name'
    )  # fmt: skip
    fleet.add_argument("--priority", type=int, choices=range(6), metavar="N", help="1 (first) to 5")


def add_limits(parser: Parser) -> None:
    """Add the flags of limits that `zot` does not have."""
    parser.add_argument("--max-cost", type=float, metavar="USD", help="stop when the run has cost this many US dollars")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="stop after this many tokens, input and output")


@subcommand("no longer following; the run continues")
def run(arguments: Sequence[str]) -> int:
    """Run `zot run` with `arguments` (those after `run`) and return the exit code."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    parser = build_parser()
    own, rest = parser.parse_known_args(words[:end])
    line = parse([*rest, *words[end:]], "see zot run --help; a task goes after --", of_command=parser)
    _refuse(line)
    limits = {name: value for name in ("max_cost", "max_tokens") if (value := getattr(own, name)) is not None}
    check_numbers(limits)
    piped = read_stdin(has_prompt=bool(line.prompt.strip() or own.id), wait=line.stdin_wait)
    task = "\n\n".join(part for part in (piped, line.prompt) if part.strip())
    options = line.options.replace(**limits)
    if own.fleet:
        return _submit(own, task, options)
    refuse_flags(own, _FLEET, "is for runs of a fleet; pass --fleet")
    found, made = _find(RunStore(), own.id, task, options)
    if not made and found.record.state != "done":
        check_same(found.record, options)
    if not made and not found.owned and found.record.state != "done":
        check_continuable(found)
        change_options(found, changed_options(options))
        found = RunStore().find(found.id)
    try:
        return _go(found, line.mode, detach=own.detach, named=bool(own.id) or not made)
    except ZotError:
        if made:  # such as a missing key
            RunStore().forget_unbegun(found.id)
        raise


def _submit(own: argparse.Namespace, task: str, options: HostOptions) -> int:
    from zot_agent.cli.runs.fleet import submit  # noqa: PLC0415  an extra

    if not task.strip():
        raise ConfigError('no task: pass one, as in zot run --fleet "fix the failing test"')
    return submit(own, task, options.replace(cwd=options.cwd if own.url else working_directory(options.cwd)))


def _go(found: StoredRun, mode: str, *, detach: bool, named: bool) -> int:
    """Do what is left of a run, or follow it."""
    if detach:
        if not found.owned and found.record.state != "done":
            continue_detached(found)
        sys.stdout.write(f"{found.id}\n")
        return 0
    if found.record.state == "done":
        print_text(f"{read_preview(found.path).answer.rstrip()}\n")
        return 0
    if found.owned:
        return follow(found)
    if not named:
        print_error(f"run {found.id}")
    return run_in_loop(drive(found, mode))


def _find(runs: RunStore, id: str, task: str, options: HostOptions) -> tuple[StoredRun, bool]:
    if not task.strip():
        if not id:
            raise ConfigError('no task: pass one, as in zot run "fix the failing test", or --id of a run that exists')
        return runs.find(id), False
    options = options.replace(cwd=working_directory(options.cwd))
    found, made = runs.create(id or secrets.token_hex(4), task, options.cwd, options)
    if not made and found.record.task != task:
        raise ConfigError(f"run {found.id} has another task, {found.record.task[:60]!r}; choose another --id")
    return found, made


def _refuse(line: CommandLine) -> None:
    """Raise `ConfigError` for what a run cannot have."""
    if line.images:
        raise ConfigError("zot run takes no images; name their files in the task")
    sessions = ("--session", "--continue", "--resume", "--fork", "--no-session")
    flag = line.first_of("--api-key", *sessions, "--json-schema", "--list-models", "--version")
    if flag or line.mode == "rpc":
        why = ", because another process would not have it; use a variable or zot auth" if flag == "--api-key" else ""
        raise ConfigError(f"zot run takes no {flag or '--rpc'}{why}")
