"""`doubt`: why a line may do what a rule denies or asks about, although none of its commands says so.

Where there is such a rule, a line that cannot be judged is asked about, in every mode.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from zot_core.machine.hosts import HostPattern
from zot_core.permissions.commands.forms import Form, read_forms
from zot_core.permissions.commands.named_files import NamedFiles, UnknownWord
from zot_core.permissions.commands.programs import is_interpreter, is_plain, risky, runs_others
from zot_core.permissions.commands.readers import is_reader
from zot_core.permissions.commands.wrappers import Kind, wrapper
from zot_core.permissions.patterns import CommandPattern, PathPattern
from zot_core.permissions.rule import COMMANDS, READ, Rule
from zot_core.permissions.shell_line import GAP, ShellLine

_WORDS, _CHARACTERS = 64, 100_000
"""Words of a program behind which another one is looked for, and characters that are looked at on the way."""

_VALUED = ("-o", "-O", "+o", "+O", "--rcfile", "--init-file")
"""Options of shells that have a value."""

_EVALUATES = ("eval", "source", ".")
_QUOTES = re.compile(r"[\"'`(){}\[\]=!|]+")
_SCRIPT = re.compile(r"-[A-Za-z]*c")


def guards(rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules that deny or ask about commands, files or hosts."""
    found = (rule for rule in rules if rule.action != "allow")
    kinds = (PathPattern, HostPattern)
    return [
        rule
        for rule in found
        if isinstance(rule.pattern, kinds) or (rule.tool.casefold() == COMMANDS and rule.pattern is not None)
    ]


def doubt(line: ShellLine, forms: Sequence[Form], files: NamedFiles, rules: Sequence[Rule], cwd: str) -> str:
    """Return why a line is asked about, empty if it is not. `rules` deny or ask."""
    if not rules:
        return ""
    if line.opaque:
        return f"{line.opaque[0]}, and {_about(rules[0])}"
    for form in forms:
        hidden = _hidden(form)
        if hidden:
            return f"{hidden}, and {_about(rules[0])}"
    commands = [rule for rule in rules if rule.tool.casefold() == COMMANDS]
    return _command_doubt(line, forms, commands) or _file_doubt(files, rules, cwd)


def _about(rule: Rule) -> str:
    return f"the rule {rule.text} may be about it: write out what it does"


def _hidden(form: Form) -> str:
    """Return why it is not known what a command runs, empty if it is."""
    shown = " ".join(form.shapes).replace(GAP, "…")[:60]
    if form.known and not form[0].known:
        return f"the shell decides what {shown!r} is"
    if is_interpreter(form.name) and not form.fed and form.shapes[1:] in ([], ["-"]):
        return f"what {form.name} reads is not known"
    row = wrapper(form.name)
    if row is None or row.kind == "may run":
        return ""
    if not form.fed and _reads_commands(form, row.kind):
        return f"what {form.name} reads is not known"
    if form.name in _EVALUATES or row.kind == "shell":
        unknown = any(not word.known for word in form[1:])
        stream = form.name != "eval" and any(word.shape.startswith(("/dev/", "/proc/")) for word in form[1:])
        return f"the shell decides what {shown!r} is" if unknown or stream else ""
    for word in form[1:]:
        name = word.shape.rpartition("/")[2]
        if not word.known:
            return f"the shell decides what {shown!r} runs"
        if "/" in word.shape or is_plain(name) or is_reader(name) or wrapper(name):
            break
    return ""


def _reads_commands(form: Form, kind: Kind) -> bool:
    """Whether a wrapper takes what it reads for commands, because its arguments name none."""
    if kind in ("runs", "may run"):
        return False
    operands = 0
    for at, word in enumerate(form[1:], 1):
        if kind == "shell" and _SCRIPT.fullmatch(word.shape):
            return False
        if kind == "shell" and word.shape == "-s":
            return True
        if not word.shape.startswith(("-", "+")) and form[at - 1].shape not in _VALUED:
            operands += 1
    return kind == "reads" or operands <= (kind == "opens there")


def _command_doubt(line: ShellLine, forms: Sequence[Form], rules: Sequence[Rule]) -> str:
    patterns = [(rule, rule.pattern) for rule in rules if isinstance(rule.pattern, CommandPattern)]
    if not patterns:
        return ""
    for form in forms:
        unknown = next((at for at, word in enumerate(form) if not word.known), None)
        if unknown is None:
            continue
        start = [*form.shapes[:unknown]]
        if unknown and (rule := next((rule for rule, each in patterns if each.may_match(start)), None)):
            shown = " ".join(form.shapes).replace(GAP, "…")[:60]
            return f"the shell decides what {shown!r} is, and {_about(rule)}"
    for why, words in _hints(line, forms):
        if rule := next((rule for rule, each in patterns if words is None or each.matches(words)), None):
            return f"{why}, and {_about(rule)}"
    return ""


def _hints(line: ShellLine, forms: Sequence[Form]) -> Iterator[tuple[str, list[str] | None]]:
    """Yield commands that may come to run, each with a reason: words of programs of which nothing is known, and texts.
    None stands for any command."""
    left = _CHARACTERS
    for form in forms:
        plain = is_plain(form.name) or (is_reader(form.name) and not runs_others(form.name))
        if not form.known or (plain and not risky(form.shapes, [])):
            continue
        for text in line.inputs if form.fed else ():
            yield from ((f"it is not known whether {form.name} runs what it reads", each) for each in _commands(text))
        why = f"it is not known whether {form.name} runs what its words say"
        for at in range(1, min(len(form), _WORDS)):
            left -= sum(len(word.shape) for word in form[at:]) + 4 * len(form[at].shape)
            if left < 0:
                yield "it has too many words", None
                return
            yield from ((why, each) for each in _commands(form[at].shape))
            yield from ((why, each) for each in _spellings(form.behind(at)))
    for text in line.texts:
        inner = read_forms(text)
        why = f"a shell may come to run {text.replace(GAP, '…')[:60]!r}"
        yield from ((why, each) for found in inner for each in _spellings(found))


def _commands(argument: str) -> Iterator[list[str]]:
    """Yield the commands that may be in an argument, or in a text that a program reads."""
    for text in _texts(argument):
        for found in read_forms(text):
            for start in range(min(len(found), 4)):
                yield from _spellings(found.behind(start))


def _texts(argument: str) -> Iterator[str]:
    """Yield the lines of shell that may be in an argument: all of it, a value, a text in quotes in a script."""
    if len(argument.split()) < 2:
        return
    yield argument
    if argument.startswith("-"):  # the value of an option of one letter
        yield argument[2:]
    for text in _QUOTES.split(argument)[:_WORDS]:
        if len(text.split()) > 1:
            yield text


def _spellings(form: Form) -> Iterator[list[str]]:
    yield form.shapes
    if form.name != form[0].shape:
        yield [form.name, *form.shapes[1:]]


def _file_doubt(files: NamedFiles, rules: Sequence[Rule], cwd: str) -> str:
    for rule in rules:
        pattern = rule.pattern
        if not isinstance(pattern, PathPattern):
            continue
        reads = rule.tool.casefold() == READ
        unknown = [*files.unknown_written, *(files.unknown_read if reads else ())]
        for each in unknown:
            if _may_be(each, pattern, cwd):
                return f"the shell decides what {each.shown!r} is, and {_about(rule)}"
        if reads and pattern.matches_any(files.hinted, cwd):
            return f"a part of an argument may be a file, and {_about(rule)}"
    return ""


def _may_be(word: UnknownWord, pattern: PathPattern, cwd: str) -> bool:
    return pattern.matches_any(word.paths, cwd) or pattern.may_match(word.steps, cwd)
