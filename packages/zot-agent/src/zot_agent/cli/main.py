"""The top of the command line: parses the arguments, runs a subcommand or a mode, and reports errors in one line."""

import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.args import parse
from zot_agent.cli.command_line import CommandLine
from zot_agent.config.paths import zot_home
from zot_agent.event_loop import run_in_loop
from zot_agent.host.options import HostOptions
from zot_agent.modes import MODES, PIPED_MODE, SCREEN_MODE, Mode
from zot_agent.signals import hold_end_signals
from zot_agent.standard_error import print_error
from zot_agent.standard_input import read_stdin
from zot_agent.standard_output import OutputFailed
from zot_provider.errors import ConfigError, MissingKey, ZotError

if TYPE_CHECKING:
    from zot_agent.host.host import Host
    from zot_agent.modes.stats import Stats

_log = logging.getLogger("zot_agent")
# Without --debug the log is discarded; the standard library would print it.
_log.addHandler(logging.NullHandler())

_FLAGS = {
    "api_key": "--api-key KEY",
    "fork": "--fork",
    "model": "zot --list-models lists the names",
    "provider": "--provider NAME",
}
"""Advice for the parameters that an error names (`ZotError.parameter`)."""


def run(argv: Sequence[str]) -> int:
    """Run `zot` with `argv` (without the program's name) and return the exit code. Raises `OutputFailed`."""
    try:
        command = SUBCOMMANDS.get(argv[0]) if argv else None
        if command is not None and command.flag and not {"-h", "--help"} & set(argv):
            return _run([command.flag, *argv[1:]])
        if command is not None:
            _start_log()
            code: int = import_module(command.module).run(list(argv[1:]))
            return code
        # `help` is a command of other programs; as a prompt it would be useless and cost money.
        return _run(["--help"] if list(argv) == ["help"] else argv)
    except ZotError as error:
        print_error(_with_flag(error))
        return error.exit_code
    except BrokenPipeError:  # the reader of the help has closed the pipe
        return 0
    except OutputFailed:
        raise
    except Exception as error:  # noqa: BLE001  at the top: a bug of zot, still reported in one line
        _log.debug("a bug in zot", exc_info=True)
        print_error(_bug_report(error))
        return 1


def _with_flag(error: ZotError) -> str:
    """Return the error's text and, in parentheses, the flag that sets the parameter at fault."""
    text, flag = str(error), _FLAGS.get(error.parameter)
    if flag is None:
        return text
    return f"{text[:-1]}; {flag})" if text.endswith(")") else f"{text} ({flag})"


def _start_log(key: str = "", *, debug: bool = False) -> None:
    """Start the log if `debug` or `$ZOT_DEBUG` asks for it; `key` is redacted in it."""
    if debug or os.environ.get("ZOT_DEBUG", "0") not in ("", "0"):
        from zot_agent.config.log import start_log  # noqa: PLC0415  rarely wanted

        start_log(os.path.join(zot_home(), "logs", "zot.log"), [key])


def _bug_report(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})" if trace else ""
    return f"this is a bug in zot, please report it: {type(error).__name__}: {error}{place}"


def _run(argv: Sequence[str]) -> int:
    try:
        line = parse(argv)
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    options = line.options
    if line.version:
        from zot_agent.version import __version__  # noqa: PLC0415  rarely asked for among other flags

        sys.stdout.write(f"zot {__version__}\n")
        return 0
    _start_log(options.api_key, debug=line.debug)
    if line.list_models is not None:
        from zot_agent.cli.models import print_models  # noqa: PLC0415  not needed for a prompt

        return print_models(line.list_models, options, as_json=line.mode == "json")
    # A person at a terminal who named no mode wants the screen; a pipe on either side means a script.
    screen = sys.stdin.isatty() and sys.stdout.isatty()
    mode = MODES[line.mode or (SCREEN_MODE if screen else PIPED_MODE)]
    if options.json_schema is not None and not mode.gives_json:
        raise ConfigError("--json-schema only works with --print")
    if options.resume and not mode.draws:
        raise ConfigError("-r chooses a session on the screen; use -c or --session ID here")
    if mode.serves:
        return run_in_loop(_drive(line.replace(options=_serving_options(line)), mode, ""))
    piped = read_stdin(has_prompt=bool(line.prompt.strip() or line.images), wait=line.stdin_wait)
    prompt = "\n\n".join(part for part in (piped, line.prompt) if part.strip())
    if not (line.mode or screen) and prompt.startswith("/"):
        from zot_agent.cli.command_words import refuse_screen_command  # noqa: PLC0415  few prompts do

        refuse_screen_command(prompt)
    if mode.needs_prompt and not prompt.strip() and not line.images:
        raise ConfigError('no prompt: pass one, as in zot -p "what does this project do?", or pipe it in')
    return run_in_loop(_drive(line, mode, prompt))


def _serving_options(line: CommandLine) -> HostOptions:
    """Return the options of a mode that another program drives: no session is saved unless the flags name one."""
    if line.prompt or line.images:
        raise ConfigError(f"zot {line.mode} takes no prompt; its commands come from standard input")
    options = line.options
    wanted = bool(options.session or options.continue_latest)
    return options.replace(no_session=options.no_session or not wanted)


async def _drive(line: CommandLine, mode: Mode, prompt: str) -> int:
    stats = _stats() if line.stats else None
    hosts: list[Host] = []

    def open_host(options: HostOptions) -> "Host":
        from zot_agent.host.build import build_host  # noqa: PLC0415  the screen is drawn without the modules of the agent

        try:
            host = build_host(options, once=mode.needs_prompt, can_ask=mode.draws)
        except MissingKey as missing:
            if not (mode.needs_prompt and prompt.startswith("/")):
                raise
            host = _without_key(options, missing)
        hosts.append(host)
        if stats is not None:
            host.runtime.hooks.event.add(stats, *stats.TAKES)
        return host

    options = line.options.replace(coalesce_seconds=mode.coalesce_seconds)
    code: int
    try:
        if mode.draws:
            code = await import_module(mode.module).run(open_host, options, prompt, line.images)
        else:
            if mode.needs_prompt and not options.base_url.startswith("http:"):
                from zot_provider.transport.tls import load_context  # noqa: PLC0415  for https

                load_context()  # while the modules of the agent are imported
            host = open_host(options)
            await host.ask_early_about_project()
            code = await import_module(mode.module).run(host, prompt, line.images)
    finally:
        with hold_end_signals():
            for host in hosts:
                await host.close()
        for host in hosts:
            if stats is not None:
                conversation = host.conversation
                stats.print(host.runtime.agent.model, conversation.permissions.mode, conversation.sandbox)
    return code


def _without_key(options: HostOptions, missing: MissingKey) -> "Host":
    """Build a host for a slash command of an extension, which may need no model; a call of one raises `missing`."""
    from zot_agent.host.build import build_host, open_registry  # noqa: PLC0415  as in `_drive`

    provider = next(each.id for each in open_registry(zot_home()).providers if each.keyless)
    host = build_host(options.replace(provider=provider, model="none"), once=True)

    async def refuse(_: int) -> None:
        raise missing

    host.runtime.hooks.before_turn.add(refuse)
    return host


def _stats() -> "Stats":
    from zot_agent.modes.stats import Stats  # noqa: PLC0415  rarely wanted

    return Stats()
