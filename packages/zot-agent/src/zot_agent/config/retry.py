"""How failed model calls are repeated: the setting `retry`, its flags, and whether anybody waits for the work."""

from typing import TYPE_CHECKING

from zot_provider.client.retry import UNATTENDED, RetryPolicy
from zot_provider.errors import ConfigError

if TYPE_CHECKING:
    from zot_agent.config.settings import Settings
    from zot_agent.host.options import HostOptions

_FIELDS = {"tries": "retries", "longest_wait": "longest_wait", "total": "total"}
"""Members of the setting, and the fields of `RetryPolicy` that they are."""


def retry_policy(options: "HostOptions", settings: "Settings") -> RetryPolicy:
    """Return the policy of a host: a flag counts more than the setting, which counts more than the default. Runs, and
    prompts with `--wait`, have the default of unattended work. Raises `ConfigError`."""
    given = dict(settings.retry)
    if unknown := sorted(given.keys() - _FIELDS.keys()):
        raise ConfigError(f"retry in the settings: there is no {unknown[0]!r}; it has {', '.join(_FIELDS)}")
    for name, flag in (
        ("tries", options.retries),
        ("longest_wait", options.retry_wait),
        ("total", options.retry_total),
    ):
        if flag is not None:
            given[name] = flag
    for name, value in given.items():
        kinds = int if name == "tries" else int | float
        if isinstance(value, bool) or not isinstance(value, kinds):
            kind = "a whole number" if name == "tries" else "a number of seconds"
            raise ConfigError(f"retry in the settings: {name} must be {kind}, not {value!r}")
    policy = UNATTENDED if options.wait or options.run is not None else RetryPolicy()
    policy = policy.replace(**{_FIELDS[name]: value for name, value in given.items()})
    policy.check()
    return policy
