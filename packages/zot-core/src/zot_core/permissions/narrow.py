"""`narrowest`: the rules that allow one call and as little else as possible."""

import os
import shlex
from collections.abc import Iterator

from zot_core.permissions.commands.programs import prefix
from zot_core.permissions.commands.readers import read_files
from zot_core.permissions.patterns import is_below, literal_path
from zot_core.permissions.rule import READ, WRITES
from zot_core.permissions.shell_line import read_line
from zot_core.permissions.word import GAP

MOST, LENGTH = 5, 300
"""Most rules for one call, and most characters of one: a person must be able to read them."""


def narrowest(
    tool: str, command: str | None, path: str | None, argument: str, cwd: str, *, writes: bool
) -> Iterator[list[str]]:
    """Yield lists of allow rules for a call, the one to offer first: of each command of a line, of a file, or of the
    main argument of another tool. A list with too many or too long rules is left out."""
    for rules in _rules(tool, command, path, argument, cwd, writes=writes):
        if rules and len(rules) <= MOST and all(len(each) <= LENGTH for each in rules):
            yield rules


def _rules(
    tool: str, command: str | None, path: str | None, argument: str, cwd: str, *, writes: bool
) -> Iterator[list[str]]:
    if command is not None:
        commands = [each for each in read_line(command).commands if all(word.shape for word in each.words)]
        known = [each for each in commands if not any(GAP in shape for shape in each.shapes)]
        others = [each.shapes for each in known if isinstance(read_files(each.words), str)]
        for lists in (others, [each.shapes for each in known]):
            yield list(dict.fromkeys(f"{tool}({_widest(words, cwd)})" for words in lists))
    elif path is not None:
        shown = os.path.relpath(path, cwd) if is_below(path, cwd) else path
        yield [f"{WRITES[0] if writes else READ}({literal_path(shown)})"]
    else:
        yield [f"{tool}({shlex.quote(argument)})"] if argument else [tool]


def _widest(words: list[str], cwd: str) -> str:
    """Return a pattern of a command: with any paths of the project, if no path can make it do something else."""
    known = prefix(words)
    paths = [os.path.realpath(os.path.join(cwd, word.partition("::")[0])) for word in words[len(known) :]]
    inside = known and all(is_below(path, cwd) for path in paths)
    return f"{shlex.join(known)} **" if inside else shlex.join(words)
