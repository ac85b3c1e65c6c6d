"""`zot auth status`: lists the providers with a key, and where each key is. It prints no key and asks no keyring."""

import json
import sys

from zot_agent.host.accounts import AccountLine, account_lines
from zot_provider.auth.personal import PersonalKeys
from zot_provider.registry import ModelRegistry
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width


def print_status(registry: ModelRegistry, home: str, *, as_json: bool, every: bool) -> int:
    """Print the status; return 0 if a key is there that can be used, else 1."""
    keys = PersonalKeys(home, registry.environ)
    lines = [
        line for line in account_lines(registry, keys) if every or ((line.kind or line.problem) and not line.shared)
    ]
    if as_json:
        sys.stdout.write(json.dumps({"accounts": [_json(line) for line in lines], "notes": keys.notes()}) + "\n")
    else:
        columns = max((width(line.provider) for line in lines), default=0)
        for line in lines:
            sys.stdout.write(f"{pad(sanitize_line(line.provider), columns)}  {sanitize_line(line.text)}\n")
        if not lines:
            sys.stdout.write("no keys; set a variable such as ANTHROPIC_API_KEY, or run zot auth login\n")
        for note in keys.notes():
            sys.stdout.write(f"note: {sanitize_line(note)}\n")
    return 0 if any(line.kind and not line.problem for line in lines) else 1


def _json(line: AccountLine) -> dict[str, str]:
    return {name: getattr(line, name) for name in AccountLine.__match_args__}
