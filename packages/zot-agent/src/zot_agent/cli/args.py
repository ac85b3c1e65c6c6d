"""The command line: one record, one table of flags."""

import argparse
from collections.abc import Sequence
from typing import NoReturn, get_args

from zot_agent.cli import SUBCOMMANDS
from zot_agent.modes import MODES
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.record import Record, field, record
from zot_provider.request import Reasoning
from zot_provider.vendors import VENDORS


@record
class Arguments(Record):
    """What the user asked for on the command line. Empty and None mean that nothing was said."""

    prompt: str = ""
    mode: str = ""
    provider: str = ""
    model: str = ""
    api_key: str = ""
    base_url: str = ""
    system_prompt: str | None = None
    append_system_prompt: list[str] = field(default_factory=list)
    reasoning: Reasoning = "off"
    max_steps: int | None = None
    cwd: str = "."
    tools: list[str] | None = None
    continue_latest: bool = False
    session: str = ""
    no_session: bool = False
    version: bool = False


class _Parser(argparse.ArgumentParser):
    """Raises instead of printing and exiting."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; see zot --help")


def _level(text: str) -> str:
    return "max" if text == "maximum" else text


def build_parser() -> argparse.ArgumentParser:
    """The parser of `zot` itself; also the source of `--help` and of the page in the docs."""
    parser = _Parser(
        prog="zot",
        usage="zot [options] [prompt]\n       zot COMMAND ...",
        description="A coding agent for the terminal.",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="commands:\n"
        + "\n".join(f"  {name:<10}{sub.help}" for name, sub in SUBCOMMANDS.items())
        + "\n\nText piped in goes before the prompt, and implies --print."
        + "\nexit codes: 0 done, 1 failure, 2 usage or missing key, 4 stopped by a limit, 5 refused, 130 Ctrl+C",
    )
    mode = parser.add_argument_group("mode").add_mutually_exclusive_group()
    for each in MODES.values():
        if each.flags:
            mode.add_argument(*each.flags, dest="mode", action="store_const", const=each.name, help=each.help)
    model = parser.add_argument_group("model")
    names = ", ".join(vendor.id for vendor in VENDORS)
    model.add_argument("--provider", default="", metavar="NAME", help=f"one of {names}")
    model.add_argument("--model", default="", metavar="ID", help="a model's id, also as PROVIDER/ID")
    model.add_argument("--api-key", default="", metavar="KEY", help="instead of the provider's environment variable")
    model.add_argument("--base-url", default="", metavar="URL", help="what the provider's own SDK takes")
    levels = get_args(Reasoning)
    model.add_argument(
        "--reasoning", default="off", type=_level, choices=levels, help=f"one of {', '.join(levels)}", metavar="LEVEL"
    )
    agent = parser.add_argument_group("agent")
    agent.add_argument("--system-prompt", metavar="TEXT", help="in place of zot's own")
    agent.add_argument("--append-system-prompt", default=[], action="append", metavar="TEXT", help="repeatable")
    agent.add_argument("--max-steps", type=int, metavar="N", help="at most N model calls; unlimited without it")
    agent.add_argument("--cwd", default=".", metavar="DIR", help="work in DIR")
    tools = agent.add_mutually_exclusive_group()
    tools.add_argument("--tools", metavar="A,B", help="only these built-in tools")
    tools.add_argument("--no-tools", action="store_true", help="no built-in tools")
    session = parser.add_argument_group("session").add_mutually_exclusive_group()
    session.add_argument(
        "-c",
        "--continue",
        dest="continue_latest",
        action="store_true",
        help="go on with this directory's latest session",
    )
    session.add_argument("--session", default="", metavar="ID", help="go on with a session: its path or id")
    session.add_argument("--no-session", action="store_true", help="write no session file")
    parser.add_argument("-v", "--version", action="store_true", help="print the version")
    return parser


def parse(argv: Sequence[str]) -> Arguments:
    """The arguments. Raises `ConfigError` for anything that is not understood, `SystemExit(0)` after `--help`."""
    head = list(argv)
    rest: list[str] = []
    if "--" in head:
        position = head.index("--")
        head, rest = head[:position], head[position + 1 :]
    parser = build_parser()
    # Not a positional of argparse's, which loses words that follow options.
    found, words = parser.parse_known_args(head)
    for word in words:
        if word.startswith("-") and word != "-":
            flags = [flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")]
            raise UnknownName.among("flag", word.partition("=")[0], flags, "(see zot --help; a prompt goes after --)")
    values = vars(found)
    no_tools, tools = values.pop("no_tools"), values.pop("tools")
    picked = [] if no_tools else None if tools is None else [name.strip() for name in tools.split(",") if name.strip()]
    arguments = Arguments(prompt=" ".join([*words, *rest]), tools=picked, **{**values, "mode": values["mode"] or ""})
    if arguments.max_steps is not None and arguments.max_steps < 1:
        raise ConfigError(f"--max-steps must be greater than 0, got {arguments.max_steps}")
    return arguments
