"""The field `allowed-tools` of a prompt template as rules. Its form is that of Claude Code: `Read, Bash(git add:*)`."""

import re
from collections.abc import Iterable

from zot_core.permissions.rule import COMMANDS, Rule, parse_rule
from zot_provider.errors import ConfigError

_OTHER_NAMES = {"multiedit": "edit", "notebookedit": "edit", "todowrite": "todo"}
_ENTRY = re.compile(r"(?P<tool>[^()]+)(?:\((?P<pattern>.*)\))?", re.DOTALL)


def read_allowed_tools(entries: Iterable[str], source: str) -> tuple[list[Rule], list[str]]:
    """Return rules that allow calls, and a line for each entry that is no rule.

    In the pattern of a command, `WORDS:*` is `WORDS *`, and `*` alone any command. Names of tools in Claude Code are
    those of zot's tools, whose letters may be large.
    """
    rules: list[Rule] = []
    problems: list[str] = []
    for entry in entries:
        try:
            rules.append(parse_rule("allow", _own_form(entry), source))
        except ConfigError as error:
            problems.append(f"{error}; it has no effect")
    return rules, problems


def _own_form(entry: str) -> str:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        return entry
    tool, pattern = found["tool"].strip(), found["pattern"]
    tool = _OTHER_NAMES.get(tool.casefold(), tool)
    if pattern is not None and tool.casefold() == COMMANDS:
        pattern = re.sub(r":\*$", " *", pattern.strip()).strip()
    return tool if pattern is None or pattern == "*" else f"{tool}({pattern})"
