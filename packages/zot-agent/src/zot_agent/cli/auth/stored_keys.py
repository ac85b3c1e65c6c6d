"""`zot auth logout` and `zot auth move`: delete and move stored keys and tokens."""

from zot_agent.cli.auth import open_accounts
from zot_agent.cli.ext.terminal import print_line
from zot_agent.config.paths import zot_home
from zot_agent.event_loop import run_in_loop
from zot_agent.host.accounts import sign_out, stored_accounts
from zot_agent.standard_error import print_error
from zot_provider.auth.personal import PersonalKeys, has_stored_accounts
from zot_provider.auth.store import AccountStore, Place
from zot_provider.errors import ConfigError
from zot_tui.text.sanitize import sanitize_line


def log_out(provider: str = "") -> int:
    """Delete the stored keys and tokens of a provider.

    PROVIDER: the provider (default: the only stored one)
    """
    registry, _ = open_accounts()
    keys = PersonalKeys(zot_home(), registry.environ)
    if not provider:
        stored = stored_accounts(keys)
        if len(stored) > 1:
            raise ConfigError(f"which provider? stored are: {', '.join(map(sanitize_line, stored))}")
        if not stored:
            print_error("nothing is stored")
            return 1
        provider = stored[0]
    lines = run_in_loop(sign_out(registry, keys, provider))
    if not lines:
        print_error(f"nothing is stored for {provider}")
        return 1
    for line in lines:
        print_line(line)
    return 0


def move_all(to: Place) -> int:
    """Move everything that is stored to the keyring, or to auth.json.

    keyring|file: the other place
    """
    home = zot_home()
    store = AccountStore(home)
    moved = run_in_loop(store.move(to)) if has_stored_accounts(home) else []
    if not moved:
        print_error("nothing to move")
        return 1
    print_line(f"moved to {store.where(to)}: {', '.join(moved)}")
    return 0
