"""Parse, build the host, run the mode, turn errors into one line and an exit code."""

import asyncio
import os
import select
import stat
import sys
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.args import Arguments, parse
from zot_agent.host import Host
from zot_agent.host.build import build_host
from zot_agent.modes import MODES, PIPED_MODE, SCREEN_MODE
from zot_agent.modes.oneshot import complain
from zot_provider.errors import ConfigError, ZotError

_PATIENCE = 2.0
"""Seconds after which a person is told that zot waits for standard input to end."""


def run(argv: Sequence[str]) -> int:
    """Do what `argv` (without the program's name) asks for; the exit code."""
    try:
        if argv and argv[0] in SUBCOMMANDS:
            code: int = import_module(SUBCOMMANDS[argv[0]].module).run(list(argv[1:]))
            return code
        return _run(argv)
    except ZotError as error:
        complain(str(error))
        return error.exit_code
    except BrokenPipeError:  # whoever read the help has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0


def _run(argv: Sequence[str]) -> int:
    try:
        arguments = parse(argv)
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    if arguments.version:
        from zot_agent.version import __version__  # noqa: PLC0415  rarely asked for among other flags

        sys.stdout.write(f"zot {__version__}\n")
        return 0
    piped = read_stdin()
    prompt = "\n\n".join(part for part in (piped, arguments.prompt) if part.strip())
    name = arguments.mode or (PIPED_MODE if piped or not sys.stdout.isatty() else SCREEN_MODE)
    mode = MODES[name]
    if mode.needs_prompt and not prompt:
        raise ConfigError('there is no prompt: give one, as in zot -p "what does this project do?", or pipe it in')
    return asyncio.run(_drive(arguments, import_module(mode.module).run, prompt))


async def _drive(arguments: Arguments, mode: Callable[[Host, str], Awaitable[int]], prompt: str) -> int:
    host = build_host(arguments)
    try:
        return await mode(host, prompt)
    finally:
        await host.close()


def read_stdin() -> str:
    """What is piped in, to its end; empty for a terminal or nothing. Bytes that are no UTF-8 are replaced."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return ""
    try:
        number = sys.stdin.fileno()
        kind = os.fstat(number).st_mode
        if stat.S_ISFIFO(kind) and not select.select([number], [], [], _PATIENCE)[0]:
            sys.stderr.write("zot: waiting for standard input to end (</dev/null if there is none)\n")
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
