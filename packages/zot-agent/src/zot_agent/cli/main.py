"""Parse, build the host, run the mode, turn errors into one line and an exit code."""

import asyncio
import logging
import os
import select
import sys
from collections.abc import Sequence
from importlib import import_module

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.args import parse
from zot_agent.config.paths import zot_home
from zot_agent.host.build import build_host
from zot_agent.host.options import Options
from zot_agent.modes import MODES, PIPED_MODE, SCREEN_MODE, Mode
from zot_agent.modes.output import print_error
from zot_agent.modes.stats import Stats
from zot_agent.standard_output import OutputFailed
from zot_provider.errors import ConfigError, MissingKey, ZotError

_log = logging.getLogger("zot_agent")
# Without --debug what is logged goes nowhere; the standard library would print it.
_log.addHandler(logging.NullHandler())

_FLAGS = {
    "api_key": "--api-key KEY",
    "model": "zot --list-models lists the names",
    "provider": "--provider NAME",
}
"""Advice for the parameters that an error names (`ZotError.parameter`)."""

_PATIENCE = 2.0
"""Seconds after which a person is told that zot waits for standard input to end."""


def run(argv: Sequence[str]) -> int:
    """Do what `argv` (without the program's name) asks for; the exit code. Raises `OutputFailed`."""
    try:
        word = SUBCOMMANDS.get(argv[0]) if argv else None
        if word is not None and word.flag:
            if {"-h", "--help"} & set(argv):
                import_module(word.module).build_parser().print_help()
                return 0
            return _run([word.flag, *argv[1:]])
        if word is not None:
            _log_if_wanted()
            code: int = import_module(word.module).run(list(argv[1:]))
            return code
        # A command of other programs, which alone would be a poor prompt and a call that is paid for.
        return _run(["--help"] if list(argv) == ["help"] else argv)
    except ZotError as error:
        print_error(_with_flag(error))
        return error.exit_code
    except BrokenPipeError:  # whoever read the help has gone
        return 0
    except OutputFailed:
        raise
    except Exception as error:  # noqa: BLE001  at the top: a mistake of ours, still told in one line
        _log.debug("a mistake in zot", exc_info=True)
        print_error(_internal(error))
        return 1


def _with_flag(error: ZotError) -> str:
    """Return the error's text and, in parentheses, the flag that sets the parameter at fault."""
    text, flag = str(error), _FLAGS.get(error.parameter)
    if flag is None:
        return text
    return f"{text[:-1]}; {flag})" if text.endswith(")") else f"{text} ({flag})"


def _log_if_wanted(key: str = "", *, asked: bool = False) -> None:
    if asked or os.environ.get("ZOT_DEBUG", "0") not in ("", "0"):
        from zot_agent.config.log import start_log  # noqa: PLC0415  rarely wanted

        start_log(os.path.join(zot_home(), "logs", "zot.log"), [key])


def _internal(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})" if trace else ""
    return f"this is a mistake in zot, please report it: {type(error).__name__}: {error}{place}"


def _run(argv: Sequence[str]) -> int:
    try:
        options = parse(argv)
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    if options.version:
        from zot_agent.version import __version__  # noqa: PLC0415  rarely asked for among other flags

        sys.stdout.write(f"zot {__version__}\n")
        return 0
    _log_if_wanted(options.api_key, asked=options.debug)
    if options.list_models is not None:
        from zot_agent.cli.models import print_models  # noqa: PLC0415  not on the way to a prompt

        return print_models(options.list_models, options)
    # A person at a terminal who named no mode wants the screen; a pipe on either side means a script.
    screen = sys.stdin.isatty() and sys.stdout.isatty()
    mode = MODES[options.mode or (SCREEN_MODE if screen else PIPED_MODE)]
    if options.json_schema is not None and not mode.gives_json:
        raise ConfigError("--json-schema goes with --print alone")
    if mode.serves:
        return asyncio.run(_drive(_served(options), mode, ""))
    piped = read_stdin()
    prompt = "\n\n".join(part for part in (piped, options.prompt) if part.strip())
    if mode.needs_prompt and not prompt.strip() and not options.images:
        raise ConfigError('there is no prompt: give one, as in zot -p "what does this project do?", or pipe it in')
    return asyncio.run(_drive(options, mode, prompt))


def _served(options: Options) -> Options:
    """The options of a mode that another program drives: it keeps the conversation itself unless it names a session."""
    if options.prompt or options.images:
        raise ConfigError(f"zot {options.mode} takes no prompt: it is told on standard input what to do")
    wanted = bool(options.session or options.continue_latest)
    return options.replace(no_session=options.no_session or not wanted)


async def _drive(options: Options, mode: Mode, prompt: str) -> int:
    person = bool(mode.welcome)
    options = options.replace(coalesce_seconds=mode.coalesce_seconds)
    if options.no_yolo and not person:
        print_error("--no-yolo asks on the screen only; here tools run unasked")
    try:
        host = build_host(options, once=mode.needs_prompt, can_ask=person)
    except MissingKey as error:
        chosen = await import_module(mode.welcome).welcome(options) if person else None
        if chosen is None:
            raise error from None
        host = build_host(chosen, once=mode.needs_prompt, can_ask=person)
    stats = Stats()
    if options.stats:
        host.runtime.hooks.event.add(stats)
    try:
        code: int = await import_module(mode.module).run(host, prompt, options.images)
        return code
    finally:
        await host.close()
        if options.stats:
            stats.tell(host.runtime.agent.model)


def read_stdin() -> str:
    """What is piped in, to its end; empty for a terminal or nothing. Bytes that are no UTF-8 are replaced."""
    if sys.stdin.isatty():
        return ""
    try:
        if os.name == "posix" and not select.select([sys.stdin], [], [], _PATIENCE)[0]:
            sys.stderr.write("zot: waiting for standard input to end (</dev/null if there is none)\n")
        data = sys.stdin.buffer.read()
    except OSError:  # e.g. opened for writing only
        return ""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        print_error("standard input is not all UTF-8 text; what is not was replaced")
        return data.decode("utf-8", "replace")
