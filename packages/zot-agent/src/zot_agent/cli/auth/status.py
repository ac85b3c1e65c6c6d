"""`zot auth status`: lists the providers with a key, and where each key is. It prints no key and asks no keyring."""

import json
import os
import sys

from zot_agent.host.build import MODELS_FILE
from zot_provider.auth.personal import PersonalKeys, has_stored_accounts
from zot_provider.auth.store import Stored
from zot_provider.credentials import GivenKey
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, record
from zot_provider.registry import ModelRegistry
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width


@record
class AccountLine(Record):
    """A provider and the source of its key.

    `kind`: "api_key", "api_key_command" or "oauth", empty without a key. `source`: "environment", "models.json", "file"
    or "keyring". `name`: the variable, the path, or the name of the keyring. `problem`: why the key cannot be used.
    """

    provider: str
    kind: str = ""
    source: str = ""
    name: str = ""
    problem: str = ""


_KINDS = {"api_key": "API key", "api_key_command": "command that prints a key", "oauth": "sign-in"}


def print_status(registry: ModelRegistry, home: str, *, as_json: bool, every: bool) -> int:
    """Print the status; return 0 if a key is there that can be used, else 1."""
    keys = PersonalKeys(home, registry.environ)
    lines = [line for line in account_lines(registry, keys) if every or line.kind or line.problem]
    if as_json:
        sys.stdout.write(json.dumps({"accounts": [_json(line) for line in lines], "notes": keys.notes()}) + "\n")
    else:
        shown = [(line.provider, _words(line)) for line in lines]
        columns = max((width(name) for name, _ in shown), default=0)
        for name, words in shown:
            sys.stdout.write(f"{pad(sanitize_line(name), columns)}  {sanitize_line(words)}\n")
        if not lines:
            sys.stdout.write("no keys; set a variable such as ANTHROPIC_API_KEY, or run zot auth login\n")
        for note in keys.notes():
            sys.stdout.write(f"note: {sanitize_line(note)}\n")
    return 0 if any(line.kind and not line.problem for line in lines) else 1


def account_lines(registry: ModelRegistry, keys: PersonalKeys) -> list[AccountLine]:
    """List all providers that can have a key, in the order of the registry, then entries that no provider uses.

    A store that cannot be read as a whole is the last line.
    """
    store = keys.accounts.store if has_stored_accounts(keys.home) else None
    stored: dict[str, Stored] = {}
    lines: list[AccountLine] = []
    broken = ""
    try:
        stored = {each.name: each for each in store.listing()} if store is not None else {}
    except ConfigError as error:
        broken = str(error)
    for provider in registry.providers:
        found = next((stored.pop(name) for name in (provider.id, *provider.aliases) if name in stored), None)
        variable = next((name for name in provider.key_env if registry.environ.get(name, "").strip()), "")
        if isinstance(registry.credentials_of(provider.id), GivenKey):
            lines.append(AccountLine(provider.id, "api_key", "models.json", os.path.join(keys.home, MODELS_FILE)))
        elif variable:
            lines.append(AccountLine(provider.id, "api_key", "environment", variable))
        elif found is not None and store is not None:
            problem = found.problem or _problem(keys, provider)
            lines.append(AccountLine(provider.id, found.kind, found.place, store.where(found.place), problem))
        elif provider.key_env or provider.sign_in:
            lines.append(AccountLine(provider.id))
    for each in stored.values():
        where = store.where(each.place) if store is not None else ""
        lines.append(AccountLine(each.name, each.kind, each.place, where, each.problem or "zot knows no such provider"))
    return [*lines, AccountLine("(stored)", problem=broken)] if broken else lines


def find_provider(registry: ModelRegistry, name: str) -> Provider:
    """Return the provider with this id or alias. Raises `UnknownName`."""
    for provider in registry.providers:
        if name in (provider.id, *provider.aliases):
            return provider
    raise UnknownName.among("provider", name, [each.id for each in registry.providers if each.key_env or each.sign_in])


def _problem(keys: PersonalKeys, provider: Provider) -> str:
    try:
        keys.check(provider)
    except ConfigError as error:
        return "a sign-in that zot does not use" if str(error).startswith("no ") else str(error)
    return ""


def _words(line: AccountLine) -> str:
    if not (line.kind or line.problem):
        return "no key"
    if not line.kind and not line.name:
        return line.problem
    where = f"${line.name}" if line.source == "environment" else line.name
    return f"{_KINDS.get(line.kind, 'entry')} in {where}{f' ({line.problem})' if line.problem else ''}"


def _json(line: AccountLine) -> dict[str, str]:
    return {name: getattr(line, name) for name in AccountLine.__match_args__}
