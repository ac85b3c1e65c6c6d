"""`zot auth login`: stores a key that a person pastes, or signs in with an account, without a screen."""

import sys
from collections.abc import Sequence
from typing import Literal

from zot_agent.cli.auth import open_accounts
from zot_agent.cli.auth.terminal import TerminalSignIn
from zot_agent.cli.ext.terminal import print_line
from zot_agent.config.paths import zot_home
from zot_agent.event_loop import run_in_loop
from zot_agent.extensions.providers.provider_service import ServedProviders
from zot_agent.host.accounts import find_provider
from zot_agent.standard_error import print_error
from zot_provider.auth.keys import KeyRefused, add_key
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.session import Method, SignInSession, sign_in_methods
from zot_provider.errors import ConfigError
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_tui.text.sanitize import sanitize_line

_MAX_BYTES = 64 << 10


def log_in(
    provider: str = "", *, key: bool = False, page: bool = False, account: bool = False, agree: bool = False
) -> int:
    """Store a key, or sign in with an account.

    PROVIDER: the provider (default: ask)
    --key: ask for an API key here, or read standard input
    --page: in place of that, ask for an API key in the browser
    --account: or sign in with an account
    --agree: agree to the terms that are shown, without a question
    """
    given: dict[Method, bool] = {"key": key, "page": page, "account": account}
    chosen = [each for each in given if given[each]]
    if chosen[1:]:
        raise ConfigError(f"argument --{chosen[1]}: not allowed with argument --{chosen[0]}; see zot auth login --help")
    registry, served = open_accounts()
    keys = PersonalKeys(zot_home(), registry.environ)
    method: Method | Literal[""] = chosen[0] if chosen else ""
    if method == "page" and not provider:
        found = None
    else:
        found = find_provider(registry, provider) if provider else _choose(registry)
        methods: list[Method] = [each for each in sign_in_methods(found) if each != "page"]
        if not methods:
            raise ConfigError(f"{found.id} needs no key")
        method = method or _choose_method(found, methods)
        if method == "key" and "key" in methods:
            return _key(registry, keys, found)
    assert method
    session = SignInSession(registry, keys, found.id if found else "", method)
    removed = [variable for each in registry.providers for variable in each.key_env]
    line = run_in_loop(_sign_in(session, removed, served, agree=agree))
    print_line(line)
    return 0


async def _sign_in(session: SignInSession, removed: list[str], served: ServedProviders | None, *, agree: bool) -> str:
    try:
        return await TerminalSignIn(session, removed, agree=agree).run()
    finally:
        if served is not None:
            await served.close()


def _choose_method(provider: Provider, methods: Sequence[Method]) -> Method:
    """Ask whether to sign in with an account or to give a key, if both are possible and a person is there."""
    if len(methods) == 1 or provider.sign_in is None:
        return methods[0]
    if not sys.stdin.isatty():
        return "key"  # a script has one, and cannot open a page
    sys.stderr.write(f"  1  {sanitize_line(provider.sign_in.title)}\n  2  an API key\n")
    while (answer := _line("sign in with (1 or 2): ")) not in ("1", "2"):
        pass
    return methods[int(answer) - 1]


def _choose(registry: ModelRegistry) -> Provider:
    """Ask on the terminal for a provider."""
    possible = [each for each in registry.providers if each.key_env or each.sign_in]
    if not sys.stdin.isatty():
        raise ConfigError("name a provider: zot auth login PROVIDER")
    for number, each in enumerate(possible, 1):
        sys.stderr.write(f"{number:3}  {sanitize_line(each.title)}\n")
    while True:
        answer = _line("provider (number or name): ")
        if answer.isdecimal() and 0 < int(answer) <= len(possible):
            return possible[int(answer) - 1]
        try:
            return find_provider(registry, answer)
        except ConfigError as error:
            print_error(str(error))


def _key(registry: ModelRegistry, keys: PersonalKeys, provider: Provider) -> int:
    """Read a key and store it: from the terminal, until the provider accepts it, or from standard input."""
    terminal = sys.stdin.isatty()
    while True:
        try:
            line = run_in_loop(add_key(registry, keys, provider, _read_key(provider, terminal=terminal)))
        except KeyRefused as error:
            if not terminal:
                raise
            print_error(str(error))
        else:
            print_line(line)
            return 0


def _read_key(provider: Provider, *, terminal: bool) -> str:
    if not terminal:
        data = sys.stdin.buffer.read(_MAX_BYTES + 1)
        text = data.decode("utf-8", "replace").lstrip("\ufeff").strip()
        if len(data) > _MAX_BYTES or len(text.splitlines()) > 1:
            raise ConfigError("standard input must hold the key, one line and nothing else")
        return text
    from getpass import getpass  # noqa: PLC0415  only on a terminal

    try:
        return getpass(f"API key of {provider.title}: ")
    except EOFError:
        raise KeyboardInterrupt from None


def _line(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise KeyboardInterrupt
    return line.strip()
