"""The flags of `zot`: their parser, and how the arguments become a `CommandLine`."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.command_line import CommandLine
from zot_agent.cli.parser import Parser
from zot_agent.config.api_key import read_key
from zot_agent.config.own_flags import OWN_FLAGS
from zot_agent.config.setting import Setting
from zot_agent.config.settings import Settings
from zot_agent.host.options import HostOptions
from zot_agent.modes import MODE_NAMES, MODES, PIPED_MODE
from zot_agent.standard_error import print_error
from zot_core.permission_mode import MODES as MODES_OF_PERMISSION
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.json_text import without_surrogates
from zot_provider.messages import ImageBlock

_SIMILARITY = 0.75
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
"""The hyphen of flags, and what programs that set text make of one or two of them."""
_GO_FLAGS = ("--with-skills", "--experimental-oauth")
"""Flags of the Go zot that have no effect here: skills are on, and there is no login."""


def _reasoning_level(text: str) -> str:
    return "max" if text == "maximum" else text


def build_parser() -> Parser:
    """Build the parser of `zot`; `--help` and the page about flags in the docs are made from it."""
    names = max(map(len, SUBCOMMANDS)) + 2
    parser = Parser(
        prog="zot",
        usage="zot [options] [prompt]\n       zot COMMAND ...",
        description="A coding agent for the terminal.",
        allow_abbrev=False,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=31, width=80),
        epilog="commands:\n"
        + "\n".join(f"  {name:<{names}}{help}" for name, help in list_commands())
        + "\n\nPiped text, at most 8 MiB, goes before the prompt, and implies --print."
        + "\nA prompt of one word that looks like a command goes after --."
        + "\nA separate word @PATH attaches a text file or an image."
        + "\n\nexit codes: 0 done, 1 model or network failure, 2 usage or missing key,"
        + "\n            4 stopped by a limit, 5 refused, 130 Ctrl+C, 143 terminated",
    )
    for add in (_mode_flags, _model_flags, _agent_flags, _extension_flags, _session_flags):
        add(parser)
    parser.add_argument("--stats", action="store_true", help="print tokens, cost and time as JSON to stderr")
    parser.add_argument("--debug", action="store_true", help="log to $ZOT_HOME/logs/zot.log (also ZOT_DEBUG=1)")
    parser.add_argument("-v", "--version", action="store_true", help="print the version")
    return parser


def list_commands() -> list[tuple[str, str]]:
    """List the subcommands by name, with their lines in the help."""
    return sorted((name, word.help) for name, word in SUBCOMMANDS.items())


def _mode_flags(parser: Parser) -> None:
    mode = parser.add_argument_group("mode")
    for each in MODES.values():
        if each.flags:
            mode.add_argument(*each.flags, dest="mode", action="append_const", const=each.name, help=each.help)
    names = ", ".join(MODE_NAMES)
    mode.add_argument(
        "--mode", action="append", choices=MODE_NAMES, metavar="NAME", help=f"select a mode by name: {names}"
    )


def _model_flags(parser: Parser) -> None:
    model = parser.add_argument_group("model")
    _add_setting(model, Settings.provider, default="", metavar="NAME")
    _add_setting(model, Settings.model, default="", metavar="ID")
    model.add_argument(
        "--api-key",
        default="",
        metavar="KEY",
        help="use KEY instead of the environment variable; -: from stdin",
    )
    model.add_argument("--api-key-file", default="", metavar="FILE", help="use the key in FILE")
    model.add_argument("--base-url", default="", metavar="URL", help="address of the server, as in the provider's SDK")
    model.add_argument("--insecure", action="store_true", help="accept any TLS certificate, even a forged one")
    _add_setting(model, Settings.reasoning, type=_reasoning_level, choices=Settings.reasoning.choices, metavar="LEVEL")
    _add_setting(model, Settings.fallback_models, dest="fallback_models", default=[], action="append", metavar="ID,ID")
    add_retries(model)
    model.add_argument("--list-models", nargs="?", const="", metavar="SEARCH", help="list the models that match SEARCH")


def add_retries(group: "argparse._ActionsContainer") -> None:
    """Add the flags that say how failed model calls are repeated."""
    group.add_argument("--retries", type=int, metavar="N", help="repeat a failed model call N times at most")
    group.add_argument("--retry-wait", type=float, metavar="S", help="seconds of the longest wait for a repetition")
    group.add_argument("--retry-total", type=float, metavar="S", help="seconds of all waits of a call together")
    group.add_argument("--wait", action="store_true", help="nobody is waiting: wait as long as servers ask")


def _add_setting(group: argparse._ArgumentGroup, setting: Setting[Any], **details: Any) -> None:
    """Add the flag of a setting, which has the help of the setting."""
    choices = f": {', '.join(setting.choices)}" if "choices" in details else ""
    group.add_argument(setting.flag, help=setting.help + choices, **details)


def _agent_flags(parser: Parser) -> None:
    agent = parser.add_argument_group("agent")
    agent.add_argument(
        "--prompt-file", default=[], action="append", metavar="PATH", help="put the text of a file before the prompt"
    )
    _add_setting(agent, Settings.stdin_wait, metavar="SECONDS")
    agent.add_argument("--system-prompt", metavar="TEXT", help="replace zot's system prompt")
    agent.add_argument(
        "--append-system-prompt", default=[], action="append", metavar="TEXT", help="add to it (repeatable)"
    )
    agent.add_argument("-nc", "--no-context-files", action="store_true", help="do not read AGENTS.md and SYSTEM.md")
    agent.add_argument("--json-schema", metavar="FILE", help="with -p: answer in JSON that matches the schema")
    _add_setting(agent, Settings.max_steps, type=int, metavar="N")
    agent.add_argument("--cwd", default=".", metavar="DIR", help="work in DIR")
    agent.add_argument(
        "--permission-mode",
        choices=MODES_OF_PERMISSION,
        metavar="MODE",
        help=f"one of {', '.join(MODES_OF_PERMISSION)}",
    )
    _add_setting(agent, Settings.no_yolo, action="store_true")
    agent.add_argument(
        "--ignore-settings",
        action="store_true",
        help="start without config.json, yours and the project's, in the mode ask",
    )
    _add_setting(agent, Settings.sandbox, choices=Settings.sandbox.choices, metavar="MODE")
    agent.add_argument(
        "--add-dir",
        dest="add_dirs",
        default=[],
        action="append",
        metavar="DIR",
        help="with --sandbox: DIR is writable too",
    )
    tools = agent.add_mutually_exclusive_group()
    tools.add_argument("--tools", metavar="A,B", help="enable only these built-in tools")
    tools.add_argument("--no-tools", action="store_true", help="disable all built-in tools")


def _extension_flags(parser: Parser) -> None:
    extensions = parser.add_argument_group("extensions and skills")
    extensions.add_argument(
        "-e",
        "--ext",
        dest="extensions",
        default=[],
        action="append",
        metavar="PATH",
        help="also run the extension in a folder, or in a file written for pi",
    )
    extensions.add_argument("--no-ext", "--no-extensions", action="store_true", help="run only what --ext names")
    extensions.add_argument("--no-project-ext", action="store_true", help="run no extensions of ./.zot/extensions")
    extensions.add_argument(
        "--trust", action="store_true", help="use what this folder brings (extensions, skills, prompts) in this run"
    )
    extensions.add_argument("--no-ext-tools", action="store_true", help="do not offer tools of extensions")
    extensions.add_argument(
        "--strict-extensions",
        action="store_true",
        help="do nothing, and exit with code 2, unless all extensions are ready",
    )
    extensions.add_argument("--ext-trace", default="", metavar="FILE", help="log every protocol frame to FILE")
    extensions.add_argument(
        "--hold-text", action="store_true", help="--json, rpc: hold back text that an extension may still replace"
    )
    extensions.add_argument("--no-skills", "--no-skill", action="store_true", help="disable skills")
    for flag in _GO_FLAGS:
        extensions.add_argument(flag, action="store_true", help=argparse.SUPPRESS)


def _session_flags(parser: Parser) -> None:
    group = parser.add_argument_group("session")
    session = group.add_mutually_exclusive_group()
    session.add_argument(
        "-c",
        "--continue",
        dest="continue_latest",
        action="store_true",
        help="continue the latest session of this directory",
    )
    session.add_argument("-r", "--resume", action="store_true", help="choose the session to continue (screen)")
    session.add_argument("--session", metavar="ID", help="continue a session, given by its path or id")
    session.add_argument("--no-session", action="store_true", help="do not save the session")
    group.add_argument("--fork", action="store_true", help="with -c or --session: continue in a copy of the session")


def _is_bare_sandbox(words: Sequence[str], place: int) -> bool:
    """Whether a word is the flag without its value. Raises `ConfigError` if a misspelt one seems to follow."""
    word = [*words, ""][place + 1]
    if words[place] != "--sandbox" or word in Settings.sandbox.choices:
        return False
    from difflib import get_close_matches  # noqa: PLC0415  few people leave the value out

    if near := get_close_matches(word.casefold(), Settings.sandbox.choices, 1, _SIMILARITY):
        raise ConfigError(f"--sandbox {word}: did you mean --sandbox={near[0]}? a prompt of this word goes after --")
    return True


def _refuse_other_dashes(words: Sequence[str]) -> None:
    """Raise `ConfigError` for a flag of zot whose hyphens have become dashes, as in text that a program has set."""
    for word in words:
        name = word.lstrip(_DASHES)
        if name != word.lstrip("-") and name.partition("=")[0] in OWN_FLAGS:
            raise ConfigError(f"{word}: did you mean --{name}, with two hyphens? a prompt of this word goes after --")


def parse(
    argv: Sequence[str],
    hint: str = "see zot --help; a prompt goes after --",
    *,
    key_on_stdin: bool = True,
    of_command: Parser | None = None,
) -> CommandLine:
    """Parse the arguments of `zot`, or what `of_command`, the parser of a command with the same options, has left.
    Raises `ConfigError` for invalid ones (for an unknown flag it ends in `hint`), and `SystemExit(0)` after `--help`.
    `key_on_stdin`: `--api-key -` is possible."""
    head = list(argv)
    rest: list[str] = []
    if "--" in head:
        position = head.index("--")
        head, rest = head[:position], head[position + 1 :]
    _refuse_other_dashes(head)
    # The mode may be left out, and argparse would take the prompt for it.
    head = ["--sandbox=on" if _is_bare_sandbox(head, place) else word for place, word in enumerate(head)]
    parser = build_parser()
    values, words = _read_flags(parser, head, hint, of_command or parser)
    if words and not (of_command or values["mode"] or "--" in argv):  # which say that it is a prompt
        from zot_agent.cli.command_words import refuse_command_words  # noqa: PLC0415  not with a mode, and in scripts

        refuse_command_words(words, argv)
    texts, images, words = _attach(values.pop("prompt_file"), words)
    if any([_replace_invalid(values, name) for name in ("system_prompt", "append_system_prompt")]):
        print_error("the system prompt contains bytes that are not UTF-8; they were replaced")
    typed = " ".join([*words, *rest])
    line: dict[str, Any] = {"prompt": "\n\n".join(filter(str.strip, [*texts, typed])), "images": images}
    if _replace_invalid(line, "prompt"):
        print_error("the prompt contains bytes that are not UTF-8; they were replaced")
    no_tools, tools = values.pop("no_tools"), values.pop("tools")
    if values.pop("no_yolo"):
        if values["permission_mode"] not in (None, "ask"):
            raise ConfigError(
                f"--no-yolo means --permission-mode ask, not {values['permission_mode']}; use one of them"
            )
        values["permission_mode"] = "ask"
    for flag in _GO_FLAGS:
        values.pop(flag.removeprefix("--").replace("-", "_"))
    values["tools"] = (
        [] if no_tools else None if tools is None else list(filter(None, map(str.strip, tools.split(","))))
    )
    values["fallback_models"] = list(filter(None, map(str.strip, ",".join(values["fallback_models"]).split(","))))
    line["mode"] = _choose_mode(values.pop("mode") or [])
    line["stdin_wait"] = _read_wait(values.pop("stdin_wait"))
    line |= {name: values.pop(name) for name in ("stats", "debug", "list_models", "version")}
    serves = bool(line["mode"]) and MODES[line["mode"]].serves
    values["api_key"] = read_key(
        values["api_key"], values.pop("api_key_file"), standard_input=key_on_stdin and not serves
    )
    if values["json_schema"] is not None:
        from zot_agent.cli.attachments import read_schema  # noqa: PLC0415  see `_attach`

        values["json_schema"] = read_schema(values["json_schema"])
    _check_values(values)
    return CommandLine(**line, options=HostOptions(**values | {"session": values["session"] or ""}))


def _check_values(values: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for flags that contradict each other or have a value without a meaning."""
    if values["session"] == "":  # most likely an unset variable, and not the wish for a new session
        raise ConfigError("--session needs the path or id of a session; leave it out for a new one")
    if not values["cwd"].strip():  # as above; commands would run in another folder than the person meant
        raise ConfigError("--cwd needs the path of a folder; leave it out for the present one")
    if values["fork"] and not values["session"] and not values["continue_latest"]:
        raise ConfigError("--fork needs -c or --session, which name the session to copy")
    check_numbers(values)


def check_numbers(values: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for limits that are not above zero, for values of the flags of `add_retries` below zero, and
    for what is infinite or NaN."""
    for name in ("max_steps", "max_cost", "max_tokens"):
        value = values.get(name)
        if value is not None and not 0 < value < float("inf"):
            what = "a number; leave it out for no limit" if value > 0 else f"greater than 0, got {value:g}"
            raise ConfigError(f"--{name.replace('_', '-')} must be {what}")
    for name in ("retries", "retry_wait", "retry_total"):
        value = values.get(name)
        if value is not None and not 0 <= value < float("inf"):
            raise ConfigError(f"--{name.replace('_', '-')} must be a number from 0, got {value:g}")


def _read_wait(text: str | None) -> int | None:
    try:
        return None if text is None else Settings.stdin_wait.parse(text)
    except ValueError as error:
        raise ConfigError(f"--stdin-wait: {error}") from None


def _read_flags(parser: Parser, head: Sequence[str], hint: str, own: Parser) -> tuple[dict[str, Any], list[str]]:
    """Return the values of the flags, and the other words. Extensions are looked for only if zot has no such flag. In
    place of an unknown one a flag of `own` is proposed, or of `parser`."""
    if {"-h", "--help"} & set(head):
        _print_help(parser, head)
        raise SystemExit(0)
    # The prompt is not an argparse positional, which loses words that follow options.
    namespace, words = parser.parse_known_args(head)
    if any(map(_looks_like_a_flag, words)):
        from zot_agent.cli.ext.flags import add_flags, refuse_untrusted, take_values  # noqa: PLC0415  few use one

        waiting = add_flags(parser, vars(namespace))
        namespace, words = parser.parse_known_args(head)
        for word in filter(_looks_like_a_flag, words):
            refuse_untrusted(word.partition("=")[0], waiting)
        vars(namespace)["flags"] = take_values(vars(namespace))
    _refuse_flags(words, [own, parser], hint)
    return vars(namespace), words


def _print_help(parser: Parser, head: Sequence[str]) -> None:
    """Print the help, with the flags of the extensions that the other arguments make active."""
    from zot_agent.cli.ext.flags import add_flags  # noqa: PLC0415  only for the help

    with suppress(ConfigError):  # a mistake in the other arguments, or in a file: the help does not depend on it
        namespace, _ = parser.parse_known_args([word for word in head if word not in ("-h", "--help")])
        add_flags(parser, vars(namespace))
    parser.print_help()


def _attach(prompt_files: Sequence[str], words: list[str]) -> tuple[list[str], list[ImageBlock], list[str]]:
    """Return the texts and images of files, the ones of `--prompt-file` first, and the words that name no file."""
    if not prompt_files and not any(word.startswith("@") for word in words):
        return [], [], words
    from zot_agent.cli.attachments import attach, is_file_word, read_prompt_file  # noqa: PLC0415  1 ms, rarely used

    attached = attach([word for word in words if is_file_word(word)])
    texts = [*map(read_prompt_file, prompt_files), *attached.texts]
    return texts, attached.images, [word for word in words if not is_file_word(word)]


def _replace_invalid(values: dict[str, Any], name: str) -> bool:
    """Replace bytes that are not UTF-8 by U+FFFD in a text or a list of texts; return whether there were any."""
    before: str | list[str] | None = values[name]
    if isinstance(before, list):
        values[name] = [without_surrogates(text) for text in before]
    elif before is not None:
        values[name] = without_surrogates(before)
    return bool(values[name] != before)


def _refuse_flags(words: Sequence[str], parsers: Sequence[Parser], hint: str) -> None:
    """Raise `UnknownName` for a word that looks like a flag."""
    for word in filter(_looks_like_a_flag, words):
        flag = word.partition("=")[0]
        actions = (action for parser in parsers for action in parser._actions)
        flags = dict.fromkeys(name for action in actions for name in action.option_strings if name.startswith("--"))
        near = [*flags] if flag.startswith("--") else []  # a single letter resembles everything
        raise UnknownName.among("flag", flag, near, f"({hint})")


def _looks_like_a_flag(word: str) -> bool:
    flag = word.partition("=")[0]
    return flag.startswith("-") and flag != "-" and flag.split() == [flag]  # not "- a line of a list"


def _choose_mode(names: list[str]) -> str:
    modes = [MODE_NAMES.get(name, name) for name in names]
    named = {name for name in modes if name != PIPED_MODE} or set(modes)
    if len(named) > 1:
        flags = " and ".join(f"--{name}" for name in sorted(named))
        raise ConfigError(f"{flags} cannot be used together; see zot --help")
    return "".join(named)
