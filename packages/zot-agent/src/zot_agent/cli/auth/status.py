"""`zot auth status`: lists the providers with a key, and where each key is. It prints no key and asks no keyring."""

import sys
from json import dumps

from zot_agent.cli.auth import open_accounts
from zot_agent.cli.verb import Json
from zot_agent.config.paths import zot_home
from zot_agent.host.accounts import AccountLine, account_lines
from zot_provider.auth.personal import PersonalKeys
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width


def print_status(*, json: Json = False, all: bool = False) -> int:
    """List the providers with a key, and where each key is.

    --all: list the providers without a key too
    """
    registry, _ = open_accounts()
    keys = PersonalKeys(zot_home(), registry.environ)
    lines = [line for line in account_lines(registry, keys) if all or ((line.kind or line.problem) and not line.shared)]
    if json:
        sys.stdout.write(dumps({"accounts": [_json(line) for line in lines], "notes": keys.notes()}) + "\n")
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
