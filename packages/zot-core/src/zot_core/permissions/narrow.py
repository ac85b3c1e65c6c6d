"""`narrowest`: the rules that allow one call and as little else as possible."""

import os
import shlex

from zot_core.permissions.patterns import is_below, literal_path
from zot_core.permissions.rule import READ, WRITES
from zot_core.permissions.shell_line import read_line

MOST, LENGTH = 5, 300
"""Most rules for one call, and most characters of one: a person must be able to read them."""


def narrowest(tool: str, command: str | None, path: str | None, argument: str, cwd: str, *, writes: bool) -> list[str]:
    """Return allow rules for a call: of each command of a line, of a file, or of the main argument of another tool.
    Empty if they would be too many or too long."""
    rules = _rules(tool, command, path, argument, cwd, writes=writes)
    return rules if len(rules) <= MOST and all(len(each) <= LENGTH for each in rules) else []


def _rules(tool: str, command: str | None, path: str | None, argument: str, cwd: str, *, writes: bool) -> list[str]:
    if command is not None:
        commands = [each.readable for each in read_line(command).commands]
        return list(dict.fromkeys(f"{tool}({shlex.join(words)})" for words in commands if all(words)))
    if path is not None:
        shown = os.path.relpath(path, cwd) if is_below(path, cwd) else path
        return [f"{WRITES[0] if writes else READ}({literal_path(shown)})"]
    return [f"{tool}({shlex.quote(argument)})"] if argument else [tool]
