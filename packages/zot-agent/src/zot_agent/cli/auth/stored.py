"""`zot auth logout` and `zot auth move`: delete and move what is stored."""

import asyncio
import sys

from zot_agent.cli.auth.status import find_provider
from zot_agent.standard_error import print_error
from zot_provider.auth.personal import has_stored_accounts
from zot_provider.auth.store import AccountStore, Place
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.registry import ModelRegistry
from zot_tui.text.sanitize import sanitize_line


def log_out(registry: ModelRegistry, home: str, name: str) -> int:
    """Delete what is stored for a provider; return 1 if nothing was."""
    store = AccountStore(home)
    stored = [each.name for each in store.listing()] if has_stored_accounts(home) else []
    if not name:
        if len(stored) > 1:
            raise ConfigError(f"which provider? stored are: {', '.join(map(sanitize_line, stored))}")
        name = "".join(stored)
    names = [name]
    try:
        provider = find_provider(registry, name)
        names = [provider.id, *provider.aliases]
    except UnknownName:
        if name and name not in stored:
            raise
    found = [each for each in names if each in stored]
    for each in found:
        asyncio.run(store.delete(each))
    if not found:
        print_error(f"nothing is stored for {name}" if name else "nothing is stored")
        return 1
    sys.stdout.write(f"deleted what was stored for {sanitize_line(name)}\n")
    variables = [key for provider in registry.providers if provider.id == names[0] for key in provider.key_env]
    for variable in variables:
        if registry.environ.get(variable, "").strip():
            sys.stdout.write(f"${variable} is still set and is used\n")
    return 0


def move_all(home: str, to: Place) -> int:
    """Move everything that is stored to another place."""
    store = AccountStore(home)
    moved = asyncio.run(store.move(to)) if has_stored_accounts(home) else []
    if not moved:
        print_error("nothing to move")
        return 1
    sys.stdout.write(f"moved to {store.where(to)}: {', '.join(map(sanitize_line, moved))}\n")
    return 0
