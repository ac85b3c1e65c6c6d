"""`zot run`: begins a run that survives its process, or continues it."""

import secrets
import sys

from zot_agent.cli.args import check_numbers, parse
from zot_agent.cli.command_line import CommandLine
from zot_agent.cli.ext.terminal import print_text
from zot_agent.cli.fleet import FleetWork, refuse_options
from zot_agent.cli.runs.drive import drive, follow
from zot_agent.cli.verb import Verb
from zot_agent.event_loop import run_in_loop
from zot_agent.fleet.addresses import FleetPlaces
from zot_agent.host.options import HostOptions, working_directory
from zot_agent.runs.control import change_options, check_continuable, continue_detached
from zot_agent.runs.options import changed_options, check_same
from zot_agent.runs.store import RunStore, StoredRun
from zot_agent.standard_error import print_error
from zot_agent.standard_input import read_stdin
from zot_core.sessions.preview import read_preview
from zot_provider.errors import ConfigError, ZotError


def _run(
    *task: str, id: str = "", detach: bool = False, max_cost: float | None = None, max_tokens: int | None = None,
    work: FleetWork, places: FleetPlaces,
) -> int:  # fmt: skip
    """Begin a run that survives its process: every step is on disk before the next one, and another process continues
    it after a crash, with nothing done twice. With the name of a run that exists, continue or follow that one.

    --id ID: the name of the run (default: a random one)
    --detach: work in its own process, and print the name
    --max-cost USD: stop when the run has cost this many US dollars
    --max-tokens N: stop after this many tokens, input and output

    zot runs lists, follows, cancels, answers and continues runs. exit codes: as for zot, and 3 the run waits for an
    answer
    """
    line = parse(task, "see zot run --help; a task goes after --", of_command=run.build_parser())
    _refuse(line)
    given = {"max_cost": max_cost, "max_tokens": max_tokens}
    limits = {name: value for name, value in given.items() if value is not None}
    check_numbers(limits)
    piped = read_stdin(has_prompt=bool(line.prompt.strip() or id), wait=line.stdin_wait)
    text = "\n\n".join(part for part in (piped, line.prompt) if part.strip())
    options = line.options.replace(**limits)
    if work.fleet:
        from zot_agent.cli.runs.fleet import submit  # noqa: PLC0415  an extra

        if not text.strip():
            raise ConfigError('no task: pass one, as in zot run --fleet "fix the failing test"')
        options = options.replace(cwd=options.cwd if work.git else working_directory(options.cwd))
        return submit(id, text, options, work, places, detach=detach)
    for each in (places, work):
        refuse_options(each, "is for runs of a fleet; pass --fleet")
    found, made = _find(RunStore(), id, text, options)
    if not made and found.record.state != "done":
        check_same(found.record, options)
    if not made and not found.owned and found.record.state != "done":
        check_continuable(found)
        change_options(found, changed_options(options))
        found = RunStore().find(found.id)
    try:
        return _go(found, line.mode, detach=detach, named=bool(id) or not made)
    except ZotError:
        if made:  # such as a missing key
            RunStore().forget_unbegun(found.id)
        raise


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


run = Verb("zot run", _run, stopped="no longer following; the run continues")
