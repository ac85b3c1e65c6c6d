"""`doubt`: why a line may do what a rule denies or asks about, although none of its commands says so.

Where there is such a rule, a line that cannot be judged is asked about, in every mode.
"""

from collections.abc import Iterable, Sequence

from zot_core.machine.hosts import HostPattern
from zot_core.machine.programs import find_program
from zot_core.permissions.commands.forms import Form
from zot_core.permissions.commands.hints import hints, is_unknown, names_program
from zot_core.permissions.commands.inline_code import starts_programs
from zot_core.permissions.commands.made import made_and_run, renames
from zot_core.permissions.commands.named_files import NamedFiles, UnknownWord
from zot_core.permissions.commands.programs import CLIENTS, SCRIPTED, is_interpreter, is_plain
from zot_core.permissions.commands.readers import is_reader
from zot_core.permissions.commands.wrappers import Kind, wrapper
from zot_core.permissions.patterns import CommandPattern, PathPattern
from zot_core.permissions.rule import COMMANDS, FILES, READ, Rule
from zot_core.permissions.shell_line import ShellLine
from zot_core.permissions.word import GAP

_VALUED = ("-o", "-O", "+o", "+O", "--rcfile", "--init-file")
"""Options of shells that have a value."""

_LISTS = frozenset(("-l", "-r"))
"""Options of `at` and `crontab` with which they read no commands."""

_FILES = ("-f", "--file", "--makefile", "-x")
"""Options whose value is a script."""

_EVALUATES = ("eval", "source", ".")


def guards(rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules that deny or ask about commands, files or hosts."""
    found = [(rule, rule.tool.casefold()) for rule in rules if rule.action != "allow"]
    return [
        rule
        for rule, tool in found
        if tool in FILES or isinstance(rule.pattern, HostPattern) or (tool == COMMANDS and rule.pattern is not None)
    ]


def doubt(line: ShellLine, forms: Sequence[Form], files: NamedFiles, rules: Sequence[Rule], cwd: str) -> str:
    """Return why a line is asked about, empty if it is not. `rules` deny or ask."""
    if not rules:
        return ""
    if line.opaque:
        return f"{line.opaque[0]}, and {_about(rules[0])}"
    if line.of_bash and find_program("bash") is None:
        return f"without bash, it may run other commands, and {_about(rules[0])}"
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
    if form.known and not form[0].known:
        return f"the shell decides what {_shown(form)} is"
    if form.whole and not form.fed and _reads_script(form):
        return f"what {form.name} reads is not known"
    row = wrapper(form.name)
    if row is None or row.kind == "may run":
        return ""
    if not form.fed and _reads_commands(form, row.kind):
        return f"what {form.name} reads is not known"
    if form.name in _EVALUATES or row.kind == "shell":
        unknown = any(not word.known for word in form[1:])
        stream = form.name != "eval" and any(word.shape.startswith(("/dev/", "/proc/")) for word in form[1:])
        return f"the shell decides what {_shown(form)} is" if unknown or stream else ""
    for word in form[1:]:
        name = word.shape.rpartition("/")[2]
        if not word.known:
            return f"the shell decides what {_shown(form)} runs"
        if "/" in word.shape or is_plain(name) or is_reader(name) or wrapper(name):
            break
    return ""


def _shown(form: Form) -> str:
    return repr(" ".join(form.shapes).replace(GAP, "…")[:60])


def _reads_script(form: Form) -> bool:
    """Whether a program takes what it reads for a script."""
    if is_interpreter(form.name) and (len(form) == 1 or _is_stream(form.shapes[1])):
        return True
    if form.name in CLIENTS and len(form) <= 2:
        return True
    if form.name not in SCRIPTED:
        return False
    given = [*zip(form.shapes, form.shapes[1:], strict=False)]
    glued = [(each, word.removeprefix(each).lstrip("=")) for word in form.shapes[1:] for each in _FILES if each in word]
    return any(before in _FILES and _is_stream(word) for before, word in (*given, *glued))


def _is_stream(word: str) -> bool:
    return word == "-" or word.startswith(("/dev/stdin", "/dev/fd/", "/proc/"))


def _reads_commands(form: Form, kind: Kind) -> bool:
    """Whether a wrapper takes what it reads for commands, because its arguments name none."""
    if kind in ("runs", "may run"):
        return False
    operands = 0
    for at, word in enumerate(form[1:], 1):
        if kind == "shell" and word.shape == "-s":
            return True
        if not word.shape.startswith(("-", "+")) and form[at - 1].shape not in _VALUED:
            operands += 1
    if kind == "reads":
        return not _LISTS.intersection(form.shapes)
    return operands <= (kind == "opens there")


def _command_doubt(line: ShellLine, forms: Sequence[Form], rules: Sequence[Rule]) -> str:
    patterns = [(rule, rule.pattern) for rule in rules if isinstance(rule.pattern, CommandPattern)]
    if not patterns:
        return ""
    for form in forms:
        unknown = next((at for at, word in enumerate(form) if not word.known), None)
        if unknown is None:
            continue
        start = [*form.shapes[:unknown]]
        if unknown and (rule := next((rule for rule, each in patterns if each.may_match(start, form[unknown])), None)):
            return f"the shell decides what {_shown(form)} is, and {_about(rule)}"
    runners = [form for form in forms if is_unknown(form)]
    for why, words in (*hints(line, runners), *made_and_run(line, forms)):
        if rule := next((rule for rule, each in patterns if words is None or each.matches(words)), None):
            return f"{why}, and {_about(rule)}"
    for rule, each in patterns:
        if why := names_program(line, runners, each) or renames(line, forms, each):
            return f"{why}, and {_about(rule)}"
    why = starts_programs(line, forms)
    return f"{why}, and {_about(patterns[0][0])}" if why else ""


def _file_doubt(files: NamedFiles, rules: Sequence[Rule], cwd: str) -> str:
    for rule in rules:
        pattern, tool = rule.pattern, rule.tool.casefold()
        if tool not in FILES or not isinstance(pattern, PathPattern | None):
            continue
        reads = tool == READ
        unknown = [*files.unknown_written, *(files.unknown_read if reads else ())]
        for each in unknown:
            if pattern is None or _may_be(each, pattern, cwd):
                return f"the shell decides what {each.shown!r} is, and {_about(rule)}"
        if pattern is None:
            continue
        if reads and pattern.matches_any(files.hinted, cwd):
            return f"a part of an argument may be a file, and {_about(rule)}"
        if not reads and (
            pattern.matches_any(files.changed, cwd)
            or any(_may_be(each, pattern, cwd) for each in files.unknown_changed)
        ):
            return f"it is not known whether a program changes a file that it gets, and {_about(rule)}"
    return ""


def _may_be(word: UnknownWord, pattern: PathPattern, cwd: str) -> bool:
    return pattern.matches_any(word.paths, cwd) or pattern.may_match(word.steps, cwd)
