"""`Entry`: the stored keys and tokens of one provider, in the format of the Go zot's `auth.json`."""

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from zot_provider.auth.secrets import remember_secret
from zot_provider.errors import ConfigError
from zot_provider.json_text import describe
from zot_provider.record import Record, field

_KNOWN = ("api_key", "oauth", "api_key_command")


class AccountToken(Record):
    """The result of a sign-in.

    `access` is sent with requests. `refresh` is exchanged for another one, empty if that is impossible. `expires` is
    the time when `access` ends, in seconds since 1970; 0 if unknown. `client_id` is the id to refresh with, if the
    server issued one. `rest` holds fields that this version does not know.
    """

    access: str
    refresh: str = ""
    expires: float = 0.0
    client_id: str = ""
    scope: str = ""
    rest: dict[str, Any] = field(default_factory=dict)


class KeyCommand(Record):
    """A program that prints an API key. It is started without a shell and has `timeout_ms` milliseconds."""

    program: str
    args: tuple[str, ...] = ()
    timeout_ms: int = 120_000


class Entry(Record):
    """The entry of one provider: a key, else a command that prints one, else a token.

    `rest` holds fields that this version does not know; they are kept.
    """

    key: str = ""
    command: KeyCommand | None = None
    token: AccountToken | None = None
    rest: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The part that is used: "api_key", "api_key_command" or "oauth"; empty for none."""
        if self.key:
            return "api_key"
        return "api_key_command" if self.command else "oauth" if self.token else ""


def parse_entry(value: object, where: str) -> Entry:
    """Parse a JSON value. Raises `ConfigError`, which begins with `where` and names the field but quotes no value."""
    entry = _object(value, where)
    key = _text(entry, "api_key", where).strip()
    command, oauth = entry.get("api_key_command"), entry.get("oauth")
    token = None if oauth is None else _parse_token(oauth, f"{where}.oauth")
    rest = {name: each for name, each in entry.items() if name not in _KNOWN}
    if oauth is not None and token is None:
        rest["oauth"] = oauth
    found = Entry(key, None if command is None else _parse_command(command, f"{where}.api_key_command"), token, rest)
    remember_secret(key)
    if found.token is not None:
        remember_secret(found.token.access)
        remember_secret(found.token.refresh)
    return found


def entry_json(entry: Entry) -> dict[str, Any]:
    """Return the JSON object of an entry, the inverse of `parse_entry`."""
    value: dict[str, Any] = dict(entry.rest)
    if entry.key:
        value["api_key"] = entry.key
    if entry.command is not None:
        command = entry.command
        value["api_key_command"] = {
            "program": command.program,
            "args": list(command.args),
            "timeout_ms": command.timeout_ms,
        }
    if entry.token is not None:
        value["oauth"] = _token_json(entry.token)
    return value


def _parse_command(value: object, where: str) -> KeyCommand:
    command = _object(value, where)
    program, args, limit = _text(command, "program", where), command.get("args") or [], command.get("timeout_ms")
    if not program:
        raise ConfigError(f"{where}.program: expected the name of a program")
    if not isinstance(args, list) or not all(isinstance(each, str) for each in args):
        raise ConfigError(f"{where}.args: expected a list of texts")
    if any("\0" in each for each in (program, *args)):
        raise ConfigError(f"{where}: a program and its arguments cannot hold a null character")
    if not limit:
        return KeyCommand(program, tuple(args))
    if not isinstance(limit, int) or isinstance(limit, bool) or not 0 < limit <= 3_600_000:
        raise ConfigError(f"{where}.timeout_ms: expected milliseconds, at most an hour")
    return KeyCommand(program, tuple(args), limit)


_TOKEN_FIELDS = ("access_token", "refresh_token", "expiry", "client_id", "scope")


def _parse_token(value: object, where: str) -> AccountToken | None:
    token = _object(value, where)
    texts = {name: _text(token, name, where) for name in _TOKEN_FIELDS}
    if not (texts["access_token"] or texts["refresh_token"]):
        return None
    return AccountToken(
        texts["access_token"],
        texts["refresh_token"],
        _seconds(texts["expiry"], f"{where}.expiry"),
        texts["client_id"],
        texts["scope"],
        {name: each for name, each in token.items() if name not in _TOKEN_FIELDS},
    )


def _token_json(token: AccountToken) -> dict[str, Any]:
    from datetime import datetime  # noqa: PLC0415  only where a token is stored

    # The Go zot refuses a whole file with an empty time.
    ends = datetime.fromtimestamp(int(token.expires), UTC) if token.expires else None
    known = {
        "access_token": token.access,
        "refresh_token": token.refresh,
        "expiry": f"{ends:%Y-%m-%dT%H:%M:%SZ}" if ends else "",
        "client_id": token.client_id,
        "scope": token.scope,
    }
    return token.rest | {name: value for name, value in known.items() if value}


def _seconds(text: str, where: str) -> float:
    """Parse a time of RFC 3339; 0 for an empty text and for the zero time of Go, the year 1."""
    if not text:
        return 0.0
    from datetime import datetime  # noqa: PLC0415  only where a token is stored

    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{where}: expected a time such as 2027-01-31T12:00:00Z") from None
    if time.year < 1970:
        return 0.0
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "another value"
        raise ConfigError(f"{where}: expected an object, got {kind}")
    return value


def _text(entry: Mapping[str, Any], name: str, where: str) -> str:
    value = entry.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ConfigError(f"{where}.{name}: expected text, got {'a number' if _number(value) else describe(value)}")
    return value


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
