"""`zot acp`: serve an editor that speaks the Agent Client Protocol."""

import logging
import os
import sys
from collections.abc import Sequence

from zot_agent.acp import SIGN_IN
from zot_agent.cli.args import parse
from zot_agent.cli.command_line import CommandLine
from zot_agent.cli.startup_checks import check_options
from zot_agent.cli.verb import Verb
from zot_agent.config.paths import zot_home
from zot_agent.event_loop import run_in_loop
from zot_agent.host.options import HostOptions
from zot_agent.standard_error import print_error
from zot_provider.errors import ConfigError


def _acp(*options: str) -> int:
    """Serve an editor over standard input and output with the Agent Client Protocol. Takes the options of zot for
    models, tools, extensions and skills (see zot --help), which apply to every session. With --no-yolo, sessions start
    in the mode that asks before every tool call.

    exit codes: 0 the editor has closed the connection, 1 the editor has stopped reading, 2 usage, 130 Ctrl+C, 143
    terminated
    """
    if options[-2:] == SIGN_IN:
        from zot_agent.cli import auth  # noqa: PLC0415  not for an editor that has a key

        return auth.run(options[-1:])
    line = _parse(options)
    try:
        import acp  # noqa: F401, PLC0415  heavy, and not made for every Python
    except ImportError as error:
        raise ConfigError(
            f"zot acp needs the package agent-client-protocol, which is not there ({error}): zot leaves it out "
            "where it refuses the Python; install zot with another one: uv tool install --python 3.14 zot-agent"
        ) from None
    if line.debug:
        from zot_agent.config.log import start_log  # noqa: PLC0415  rarely wanted

        start_log(os.path.join(zot_home(), "logs", "zot.log"), [line.options.api_key])
    return _serve(line.options)


def _parse(arguments: Sequence[str]) -> CommandLine:
    line = parse(arguments, "see zot acp --help", key_on_stdin=False, of_command=run.build_parser())
    options = line.options
    sessions = ("--session", "--continue", "--fork")
    flag = line.first_of("--mode", *sessions, "--json-schema", "--list-models", "--version", "--stats", "--cwd")
    if name := "prompt" if line.prompt or line.images else flag:
        raise ConfigError(f"zot acp takes no {name}: the editor chooses prompt, session and directory")
    run_in_loop(check_options(options))
    return line


def _serve(options: HostOptions) -> int:
    from zot_agent.acp.process import serve  # noqa: PLC0415  imports the package of the protocol

    logging.getLogger().addHandler(logging.NullHandler())  # otherwise the acp package logs to standard error
    target = os.dup(1)
    sys.stdout.flush()
    os.dup2(2, 1)  # standard output belongs to the protocol: other prints must not mix with it
    try:
        return run_in_loop(serve(options, source=0, target=target, print_error=print_error))
    finally:
        os.close(target)


run = Verb("zot acp", _acp)
