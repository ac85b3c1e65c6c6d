"""The field `allowed-tools` of a prompt template as rules. Its form is that of Claude Code: `Read, Bash(git add:*)`."""

from collections.abc import Iterable

from zot_core.permissions.rule import Rule, parse_rule
from zot_provider.errors import ConfigError


def read_allowed_tools(entries: Iterable[str], source: str) -> tuple[list[Rule], list[str]]:
    """Return rules that allow calls, and a line for each entry that is no rule."""
    rules: list[Rule] = []
    problems: list[str] = []
    for entry in entries:
        try:
            rules.append(parse_rule("allow", entry, source))
        except ConfigError as error:
            problems.append(f"{error}; it has no effect")
    return rules, problems
