"""`zot acp`: serve an editor that speaks the Agent Client Protocol."""

import asyncio
import logging
import os
import sys
from collections.abc import Sequence

from zot_agent.cli.args import parse
from zot_agent.cli.parser import Parser
from zot_agent.cli.service import check_options, missing_extra
from zot_agent.config.paths import zot_home
from zot_agent.host.options import Options
from zot_agent.modes.output import print_error
from zot_provider.errors import ConfigError, ZotError


def build_parser() -> Parser:
    """The parser of the help alone: the flags are those of `zot`."""
    return Parser(
        prog="zot acp",
        usage="zot acp [options of zot]",
        description="Serve an editor over standard input and output with the Agent Client Protocol. "
        "The flags are those of zot on models, tools, extensions and skills (see zot --help), for every session. "
        "With --no-yolo sessions begin in the mode that asks before each tool call.",
        epilog="exit codes: 0 the editor has closed the connection, 1 it reads nothing, "
        "2 usage, or the extra is not installed, 130 Ctrl+C, 143 terminated",
    )


def run(arguments: Sequence[str]) -> int:
    """Serve until the editor has had enough; the exit code."""
    if {"-h", "--help"} & set(arguments):
        build_parser().print_help()
        return 0
    try:
        options = _options(arguments)
        try:
            import acp  # noqa: F401, PLC0415  an extra
        except ImportError:
            raise missing_extra("acp") from None
        if options.debug:
            from zot_agent.config.log import start_log  # noqa: PLC0415  rarely wanted

            start_log(os.path.join(zot_home(), "logs", "zot.log"), [options.api_key])
        return _serve(options)
    except ZotError as error:
        print_error(str(error))
        return error.exit_code


def _options(arguments: Sequence[str]) -> Options:
    options = parse(arguments, "see zot acp --help")
    odd = {
        "a prompt": options.prompt or options.images,
        "another mode": options.mode,
        "--session": options.session,
        "--continue": options.continue_latest,
        "--json-schema": options.json_schema is not None,
        "--list-models": options.list_models is not None,
        "--version": options.version,
        "--stats": options.stats,
        "--cwd": options.cwd != Options().cwd,
    }
    refused = next((name for name, given in odd.items() if given), "")
    if refused:
        raise ConfigError(f"zot acp takes no {refused.removeprefix('a ')}: the editor says what to do, and where")
    asyncio.run(check_options(options))
    return options


def _serve(options: Options) -> int:
    from zot_agent.acp.process import serve  # noqa: PLC0415  imports the extra

    logging.getLogger().addHandler(logging.NullHandler())  # else the package has everything logged on standard error
    target = os.dup(1)
    sys.stdout.flush()
    os.dup2(2, 1)  # standard output is the protocol's: what something else prints must not get between
    try:
        return asyncio.run(serve(options, source=0, target=target, print_error=print_error))
    finally:
        os.close(target)
