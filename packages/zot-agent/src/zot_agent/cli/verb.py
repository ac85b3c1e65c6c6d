"""`Verb`: a subcommand as a typed function; `VerbTable`: several of them below one word, as in `zot sessions list`.

Parameters before `*` are arguments, those behind it options, and the types say what they take: a `bool` is a flag, a
`Literal` has choices, a list is repeated, a record is a group of options. The words that are left, with the options of
zot, go to `*options` or `*task`. The docstring is the help: what the verb does, a line for each argument and option
(`-n, --limit N: at most N sessions`), and what follows, such as exit codes. `Annotated` has the line of what several
verbs take, and as a dictionary more for `add_argument`.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from types import FunctionType, NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeGuard, TypeVar, get_args, get_origin

from zot_agent.cli.parser import Parser, report_errors
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.record import Record

T = TypeVar("T")

Json: TypeAlias = Annotated[bool, "--json: print one JSON object"]

VERB_ALIASES = {"rm": "remove", "ls": "list"}


class Verb:
    """A function as the subcommand `name`. `stopped` is the line for Ctrl+C.

    The parameters are read from `__code__`: `inspect.signature` costs an import, which would delay each verb.
    """

    def __init__(self, name: str, function: Callable[..., int], stopped: str = "stopped") -> None:
        assert isinstance(function, FunctionType)
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self.name, self._function, self._stopped = name, function, stopped
        self._kinds = {each: function.__annotations__[each] for each in names}
        self._arguments = names[: code.co_argcount]
        self._rest = code.co_varnames[len(names)] if code.co_flags & 4 else ""  # the name of `*task`

    def __call__(self, arguments: Sequence[str]) -> int:
        """Run the verb with the arguments behind its name, report its errors, and return the exit code."""
        return report_errors(lambda: self.run(arguments), self._stopped)

    def run(self, arguments: Sequence[str]) -> int:
        """Run the verb and return the exit code. Raises what it raises, and `SystemExit(0)` after `--help`."""
        words = list(arguments)
        end = words.index("--") if self._rest and "--" in words else len(words)
        given, rest = self.build_parser().parse_known_args(words[:end])
        if rest and not self._rest:
            raise ConfigError(self._unknown(" ".join(rest)))
        values = vars(given)
        for name, kind in self._kinds.items():
            if _is_record(kind):
                values[name] = kind(**{each: values.pop(each) for each in kind.__match_args__})
        code: int = self._function(*[values.pop(name) for name in self._arguments], *rest, *words[end:], **values)
        return code

    def _unknown(self, words: str) -> str:
        command = self.name.removeprefix("zot ")
        if words.startswith("-") or self._arguments or " " in command:
            return f"unrecognized arguments: {words}; see {self.name} --help"
        return f"{self.name} takes no words; a prompt is sent with zot -- {command} {words}"

    def build_parser(self) -> Parser:
        """Build the parser of what follows the name."""
        help, usage = _read_help(self._function.__doc__, self._kinds.values()), None
        if self._rest:
            own, task = " [options]" if self._kinds else "", "" if self._rest == "options" else f" [{self._rest}]"
            usage = f"{self.name}{own} [options of zot]{task}"
        parser = Parser(self.name, usage, help.about, help.end, allow_abbrev=not self._rest)
        given = self._function.__defaults__ or ()
        usual = dict(zip(self._arguments[len(self._arguments) - len(given) :], given, strict=True))
        _add(parser, help.lines, self._kinds, usual | (self._function.__kwdefaults__ or {}), self._arguments)
        return parser


class VerbTable:
    """The verbs of the subcommand `name`: functions, or `module:function` for those whose modules are imported for them
    alone. `needed`: to name none is a mistake, and not a question for the help."""

    def __init__(
        self,
        name: str,
        about: str,
        verbs: Mapping[str, Callable[..., int] | str],
        end: str = "",
        *,
        needed: bool = False,
        stopped: str = "stopped",
    ) -> None:
        self.name, self.verbs = name, verbs
        self._about, self._end, self._needed, self._stopped = about, end, needed, stopped

    def __call__(self, arguments: Sequence[str]) -> int:
        """Run a verb with the arguments behind it, or print the help; report errors, and return the exit code."""
        return report_errors(lambda: self.run(arguments), self._stopped)

    def run(self, arguments: Sequence[str]) -> int:
        """Run a verb, or print the help, and return the exit code. Raises as `Verb.run` does."""
        word = arguments[0] if arguments else ""
        if self._needed and not word:
            raise ConfigError(f"the following arguments are required: {'|'.join(self.verbs)}; see {self.name} --help")
        if word in ("", "--help", "-h", "help"):
            self._print_help()
            return 0
        if (name := VERB_ALIASES.get(word, word)) not in self.verbs:
            known = [f"{self.name} {each}" for each in self.verbs]
            raise UnknownName.among("command", f"{self.name} {word}", known, f"(see {self.name} --help)")
        return self.load(name).run(arguments[1:])

    def load(self, word: str) -> Verb:
        """Return one of the verbs, whose module is imported."""
        function = self.verbs[word]
        if isinstance(function, str):
            module, _, name = function.partition(":")
            function = getattr(import_module(module), name)
        return function if isinstance(function, Verb) else Verb(f"{self.name} {word}", function)

    def _print_help(self) -> None:
        from zot_agent.cli.completions.tree import read_tree  # noqa: PLC0415  only for the help

        nodes = {node.path: node for node in read_tree()}
        end = f"{self._end} See {self.name} COMMAND --help for the options of a command."
        parser = Parser(self.name, f"{self.name} COMMAND ...", self._about, end.strip(), add_help=False)
        commands = parser.add_argument_group("commands")
        for name, help in nodes[self.name].commands.items():
            commands.add_argument(name, metavar=f"{name} {nodes[f'{self.name} {name}'].arguments}".rstrip(), help=help)
        parser.print_help()


class _Help(NamedTuple):
    """A docstring: its first paragraph, the lines about arguments and options, the rest."""

    about: str
    lines: list[str]
    end: str


def _read_help(docstring: str | None, kinds: Iterable[object]) -> _Help:
    """Read a docstring. Its second paragraph has the lines, if one of the types has none of its own."""
    (about, *parts), lines = (docstring or "").strip().split("\n\n"), list[str]()
    if any(not (_is_record(kind) or _notes(kind, str)) for kind in kinds):
        part = parts.pop(0)
        lines = re.split(rf"\n {{{len(part) - len(part.lstrip())}}}(?=\S)", part.strip())
    about, end, *lines = (" ".join(each.split()) for each in (about, " ".join(parts), *lines))
    return _Help(about, lines, end)


def _add(
    group: argparse._ActionsContainer, given: Iterable[str], kinds: Mapping[str, Any], usual: Mapping[str, Any],
    order: Sequence[str] = (),
) -> None:  # fmt: skip
    """Add options, and the arguments whose names are in `order`. `kinds` are types by name, `usual` the defaults."""
    lines = {name: line for name, kind in kinds.items() for line in _notes(kind, str)}
    rest = iter([name for name in order if name not in lines])
    for line in given:
        flag = re.match(r"(?:-\w, )?--([\w-]+)", line)
        lines[flag[1].replace("-", "_") if flag else next(rest)] = line
    for name, kind in kinds.items():
        if _is_record(kind):
            help, one = _read_help(kind.__doc__, kind.__annotations__.values()), kind()
            fields = {each: getattr(one, each) for each in kind.__match_args__}
            _add(group.add_argument_group(help.about.rstrip(".")), help.lines, kind.__annotations__, fields)
            continue
        words, _, text = lines.pop(name).partition(": ")
        flags = [word.rstrip(",") for word in words.split() if word.startswith("-")]
        details, several = _details(kind)
        if placeholder := " ".join(words.split()[len(flags) :]):
            details["metavar"] = placeholder
        if name in usual:
            details["default"] = [*usual[name]] if several else usual[name]
        if several and flags:
            details["action"] = "append"
        elif not flags and (several or name in usual):
            details["nargs"] = "?" if not several else "*" if name in usual else "+"
        for more in _notes(kind, dict):
            details |= more
        group.add_argument(*(flags or [name]), help=text, **details)
    assert not lines, f"no parameter of a verb is called {', '.join(lines)}"


def _details(kind: Any) -> tuple[dict[str, Any], bool]:
    """Return what `add_argument` takes for a type, and whether it is that of several values."""
    if get_origin(kind) is Annotated or NoneType in get_args(kind):
        return _details(get_args(kind)[0])
    if get_origin(kind) in (list, Sequence):
        return _details(get_args(kind)[0])[0], True
    if kind is bool:
        return {"action": "store_true"}, False
    choices = {"choices": get_args(kind)} if get_origin(kind) is Literal else {}
    return {"type": kind if kind in (int, float) else str, **choices}, False


def _is_record(kind: object) -> TypeGuard[type[Record]]:
    return isinstance(kind, type) and issubclass(kind, Record)


def _notes(kind: object, sort: type[T]) -> list[T]:
    return [each for each in get_args(kind)[1:] if isinstance(each, sort)] if get_origin(kind) is Annotated else []
