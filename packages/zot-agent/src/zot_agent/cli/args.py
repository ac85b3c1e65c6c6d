"""The command line: one table of flags, made into `Options`."""

import argparse
from collections.abc import Sequence
from typing import Any, get_args

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.attachments import attach, is_file_word, read_prompt_file, read_schema
from zot_agent.cli.parser import Parser
from zot_agent.host.options import Options
from zot_agent.modes import MODE_NAMES, MODES, PIPED_MODE
from zot_agent.modes.output import print_error
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.json_text import without_surrogates
from zot_provider.providers import PROVIDERS
from zot_provider.request import Reasoning


def _level(text: str) -> str:
    return "max" if text == "maximum" else text


def build_parser() -> Parser:
    """The parser of `zot` itself; also the source of `--help` and of the page in the docs."""
    parser = Parser(
        prog="zot",
        usage="zot [options] [prompt]\n       zot COMMAND ...",
        description="A coding agent for the terminal.",
        allow_abbrev=False,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=31, width=80),
        epilog="commands:\n"
        + "\n".join(f"  {name:<10}{help}" for name, help in list_commands())
        + "\n\nText piped in goes before the prompt, and implies --print."
        + "\n@PATH as a word of its own attaches a text file or an image."
        + "\n\nexit codes: 0 done, 1 model or network failure, 2 usage or missing key,"
        + "\n            4 stopped by a limit, 5 refused, 130 Ctrl+C, 143 terminated",
    )
    for add in (_mode_flags, _model_flags, _agent_flags, _extension_flags, _session_flags):
        add(parser)
    parser.add_argument("--stats", action="store_true", help="tokens, cost and time as JSON on standard error")
    parser.add_argument("--debug", action="store_true", help="log to $ZOT_HOME/logs/zot.log (also ZOT_DEBUG=1)")
    parser.add_argument("-v", "--version", action="store_true", help="print the version")
    return parser


def list_commands() -> list[tuple[str, str]]:
    """What the first word may be, by name, and its line in the help."""
    return sorted((name, word.help) for name, word in SUBCOMMANDS.items())


def _mode_flags(parser: Parser) -> None:
    mode = parser.add_argument_group("mode")
    for each in MODES.values():
        if each.flags:
            mode.add_argument(*each.flags, dest="mode", action="append_const", const=each.name, help=each.help)
    names = ", ".join(MODE_NAMES)
    mode.add_argument("--mode", action="append", choices=MODE_NAMES, metavar="NAME", help=f"the same, one of {names}")


def _model_flags(parser: Parser) -> None:
    model = parser.add_argument_group("model")
    names = ", ".join(provider.id for provider in PROVIDERS)
    model.add_argument("--provider", default="", metavar="NAME", help=f"one of {names}")
    model.add_argument("--model", default="", metavar="ID", help="a model's id, also as PROVIDER/ID")
    model.add_argument("--api-key", default="", metavar="KEY", help="instead of the provider's environment variable")
    model.add_argument("--base-url", default="", metavar="URL", help="what the provider's own SDK takes")
    model.add_argument("--insecure", action="store_true", help="take any TLS certificate, also a forged one")
    levels = get_args(Reasoning)
    model.add_argument("--reasoning", type=_level, choices=levels, help=f"one of {', '.join(levels)}", metavar="LEVEL")
    model.add_argument(
        "--list-models", nargs="?", const="", metavar="SEARCH", help="print the models that can be named"
    )


def _agent_flags(parser: Parser) -> None:
    agent = parser.add_argument_group("agent")
    agent.add_argument("--prompt-file", default=[], action="append", metavar="PATH", help="goes before the prompt")
    agent.add_argument("--system-prompt", metavar="TEXT", help="in place of zot's own")
    agent.add_argument("--append-system-prompt", default=[], action="append", metavar="TEXT", help="repeatable")
    agent.add_argument("-nc", "--no-context-files", action="store_true", help="do not read AGENTS.md and SYSTEM.md")
    agent.add_argument("--json-schema", metavar="FILE", help="-p: the answer is JSON that fits the schema in FILE")
    agent.add_argument("--max-steps", type=int, metavar="N", help="at most N model calls; unlimited without it")
    agent.add_argument("--cwd", default=".", metavar="DIR", help="work in DIR")
    agent.add_argument("--no-yolo", action="store_true", help="ask before each tool call: screen and acp")
    tools = agent.add_mutually_exclusive_group()
    tools.add_argument("--tools", metavar="A,B", help="only these built-in tools")
    tools.add_argument("--no-tools", action="store_true", help="no built-in tools")


def _extension_flags(parser: Parser) -> None:
    extensions = parser.add_argument_group("extensions and skills")
    extensions.add_argument(
        "-e",
        "--ext",
        dest="extensions",
        default=[],
        action="append",
        metavar="DIR",
        help="run the extension in DIR too",
    )
    extensions.add_argument("--no-ext", "--no-extensions", action="store_true", help="only those named with --ext")
    extensions.add_argument("--no-project-ext", action="store_true", help="none of those in ./.zot/extensions")
    extensions.add_argument("--no-ext-tools", action="store_true", help="the model gets no tools of extensions")
    extensions.add_argument("--ext-trace", default="", metavar="FILE", help="write every frame, both ways, to FILE")
    extensions.add_argument("--hold-text", action="store_true", help="--json, rpc: no text an extension may replace")
    extensions.add_argument("--no-skills", "--no-skill", action="store_true", help="no skills")
    extensions.add_argument("--with-skills", action="store_true", help=argparse.SUPPRESS)  # the Go zot's, now the rule


def _session_flags(parser: Parser) -> None:
    session = parser.add_argument_group("session").add_mutually_exclusive_group()
    session.add_argument(
        "-c",
        "--continue",
        dest="continue_latest",
        action="store_true",
        help="go on with this directory's latest session",
    )
    session.add_argument("--session", metavar="ID", help="go on with a session: its path or id")
    session.add_argument("--no-session", action="store_true", help="write no session file")


def parse(argv: Sequence[str], hint: str = "see zot --help; a prompt goes after --") -> Options:
    """The options. Raises `ConfigError` for anything that is not understood, with `hint` for a flag that is none, and
    `SystemExit(0)` after `--help`."""
    head = list(argv)
    rest: list[str] = []
    if "--" in head:
        position = head.index("--")
        head, rest = head[:position], head[position + 1 :]
    parser = build_parser()
    # Not a positional of argparse's, which loses words that follow options.
    found, words = parser.parse_known_args(head)
    _refuse_flags(words, parser, hint)
    values = vars(found)
    attached = attach([word for word in words if is_file_word(word)])
    texts = [*map(read_prompt_file, values.pop("prompt_file")), *attached.texts]
    if any([_replace_odd(values, name) for name in ("system_prompt", "append_system_prompt")]):
        print_error("the text for the system prompt is not all UTF-8; what is not was replaced")
    said = " ".join([*(word for word in words if not is_file_word(word)), *rest])
    values["prompt"] = "\n\n".join(filter(str.strip, [*texts, said]))
    if _replace_odd(values, "prompt"):
        print_error("the prompt is not all UTF-8 text; what is not was replaced")
    values["images"] = attached.images
    no_tools, tools = values.pop("no_tools"), values.pop("tools")
    values.pop("with_skills")
    values["tools"] = (
        [] if no_tools else None if tools is None else list(filter(None, map(str.strip, tools.split(","))))
    )
    values["mode"] = _mode(values["mode"] or [])
    if values["json_schema"] is not None:
        values["json_schema"] = read_schema(values["json_schema"])
    if values["session"] == "":  # an unset variable, most likely: a new session is not what was meant
        raise ConfigError("--session needs the path or id of a session; leave it out for a new one")
    if values["max_steps"] is not None and values["max_steps"] < 1:
        raise ConfigError(f"--max-steps must be greater than 0, got {values['max_steps']}")
    return Options(**values | {"session": values["session"] or ""})


def _replace_odd(values: dict[str, Any], name: str) -> bool:
    """Put U+FFFD in place of what is no UTF-8 in a text, or a list of them; whether there was any."""
    before: str | list[str] | None = values[name]
    if isinstance(before, list):
        values[name] = [without_surrogates(text) for text in before]
    elif before is not None:
        values[name] = without_surrogates(before)
    return bool(values[name] != before)


def _refuse_flags(words: Sequence[str], parser: Parser, hint: str) -> None:
    """Raises `UnknownName` for a word that looks like a flag."""
    for word in words:
        flag = word.partition("=")[0]
        if flag.startswith("-") and flag != "-" and flag.split() == [flag]:  # not "- a line of a list"
            flags = [name for action in parser._actions for name in action.option_strings if name.startswith("--")]
            near = flags if flag.startswith("--") else []  # a single letter is near to everything
            raise UnknownName.among("flag", flag, near, f"({hint})")


def _mode(names: list[str]) -> str:
    modes = [MODE_NAMES.get(name, name) for name in names]
    named = {name for name in modes if name != PIPED_MODE} or set(modes)
    if len(named) > 1:
        raise ConfigError(f"{' and '.join(f'--{name}' for name in sorted(named))} exclude each other; see zot --help")
    return "".join(named)
