"""How failed model calls are repeated: the setting `retry`, its flags, and whether anybody waits for the work."""

from collections.abc import Mapping
from typing import Any

from zot_provider.client.retry import UNATTENDED, RetryPolicy
from zot_provider.errors import ConfigError

_FIELDS = {"tries": "retries", "longest_wait": "longest_wait", "total": "total"}
"""Members of the setting, and the fields of `RetryPolicy` that they are."""


def retry_policy(
    setting: Mapping[str, Any],
    flags: Mapping[str, float | None] | None = None,
    *,
    unattended: bool = False,
    wait: bool = False,
) -> RetryPolicy:
    """Return the policy of a host. `flags`, by the same members, count more than the setting, which counts more than
    the default: for `unattended` work, which nobody waits for, that of such work. `wait` is the flag `--wait`: of the
    setting only what waits even longer than such work counts. Raises `ConfigError`."""
    given = dict(setting)
    if unknown := sorted(given.keys() - _FIELDS.keys()):
        raise ConfigError(f"retry: there is no {unknown[0]!r}; it has {', '.join(_FIELDS)}")
    flagged = {name: flag for name, flag in (flags or {}).items() if flag is not None}
    for name, value in (*given.items(), *flagged.items()):
        kinds = int if name == "tries" else int | float
        if isinstance(value, bool) or not isinstance(value, kinds):
            kind = "a whole number" if name == "tries" else "a number of seconds"
            raise ConfigError(f"retry: {name} must be {kind}, not {value!r}")
    policy = UNATTENDED if unattended or wait else RetryPolicy()
    if wait:
        given = {name: value for name, value in given.items() if value > getattr(policy, _FIELDS[name])}
    policy = policy.replace(**{_FIELDS[name]: value for name, value in (given | flagged).items()})
    policy.check()
    return policy
