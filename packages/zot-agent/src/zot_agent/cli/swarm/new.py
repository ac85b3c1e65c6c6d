"""`zot swarm new`: starts a member."""

from collections.abc import Sequence

from zot_agent.cli.args import parse
from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.startup_checks import check_options
from zot_agent.cli.swarm import run
from zot_agent.event_loop import run_in_loop
from zot_agent.host.options import HostOptions, working_directory
from zot_agent.standard_error import print_error
from zot_agent.swarm.swarm import Swarm
from zot_provider.errors import ConfigError


def start(*task: str, name: str = "", here: bool = False) -> int:
    """Start an agent on a task, in a new git worktree with its own branch, and return. It takes the options of zot for
    models, tools, permissions and extensions (see zot --help).

    --name ID: its id (default: the first words of the task)
    --here: work in this directory, without a worktree
    """
    prompt, options = _read(task)
    member, notes = Swarm().new(prompt, options, name=name, here=here)
    for note in notes:
        print_error(note)
    where = f"in {member.cwd}" if member.worktree else f"in {member.cwd} itself"
    print_line(f"{member.id} works {where}; zot swarm logs -f {member.id} follows it")
    return 0


def _read(words: Sequence[str]) -> tuple[str, HostOptions]:
    line = parse(words, "see zot swarm new --help", of_command=run.load("new").build_parser())
    options = line.options
    sessions = ("--session", "--continue", "--resume", "--no-session")
    if flag := line.first_of(
        "--api-key", *sessions, "--json-schema", "--list-models", "--stats", "--version", "--mode"
    ):
        advice = "; set the variable of the provider, or zot auth login" if flag == "--api-key" else ""
        raise ConfigError(f"zot swarm new has no {flag}{advice}")
    if line.images:
        raise ConfigError("zot swarm new takes no images; name their files in the task")
    options = options.replace(cwd=working_directory(options.cwd))
    run_in_loop(check_options(options))
    return line.prompt, options
