"""The options of a durable run, as JSON values in its first row."""

import os
from typing import Any

from zot_agent.host.options import HostOptions
from zot_core.runtime.run_rows import RunRecord
from zot_provider.errors import ConfigError

_PATHS = ("cwd", "ext_trace")
_LISTS_OF_PATHS = ("extensions", "mcp_files", "add_dirs")
_NOT_KEPT = ("api_key", "session", "continue_latest", "resume", "fork", "no_session", "run", "coalesce_seconds")

_CHANGEABLE = ("max_steps", "max_cost", "max_tokens", "retries", "retry_wait", "retry_total", "wait")
"""The options that a person may change when a run is continued."""


def options_to_row(options: HostOptions) -> dict[str, Any]:
    """Return the options that differ from the defaults, with absolute paths. A key is never among them."""
    usual = HostOptions()
    names: list[str] = [name for name in HostOptions.__match_args__ if name not in _NOT_KEPT]
    kept = {name: value for name in names if (value := getattr(options, name)) != getattr(usual, name)}
    for name in _PATHS:
        kept |= {name: os.path.abspath(kept[name])} if name in kept else {}
    for name in _LISTS_OF_PATHS:
        kept |= {name: [os.path.abspath(each) for each in kept[name]]} if name in kept else {}
    return {**kept, "cwd": os.path.abspath(options.cwd)}


def options_of(record: RunRecord, path: str) -> HostOptions:
    """Return the options with which a process continues the run whose session is at `path`. Raises `ConfigError` if a
    newer zot has begun it, or one with other options."""
    record.check()
    unknown = [name for name in record.options if name not in HostOptions.__match_args__ or name in _NOT_KEPT]
    if unknown:
        raise ConfigError(
            f"run {record.id} was begun by zot {record.zot} with the option {unknown[0]}, which this zot does not have"
        )
    return HostOptions(**record.options).replace(session=path, run=record.task)


def check_same(record: RunRecord, options: HostOptions) -> None:
    """Raise `ConfigError` for an option that is asked for and with which the run was not begun, unless it may change:
    it would not count, and may be there to hold something back."""
    given = {name: value for name, value in options_to_row(options).items() if name not in _CHANGEABLE}
    if options.cwd == HostOptions().cwd:
        del given["cwd"]
    for name, value in given.items():
        if record.options.get(name) != value:
            words = f"{name.replace('_', ' ')} {value}"
            raise ConfigError(f"run {record.id} was begun without {words}, which cannot change; choose another --id")


def changed_options(given: object) -> dict[str, Any]:
    """Return the options that change in a run that exists. `given` are `HostOptions`, or parsed flags with their names;
    a flag that was not given is None or False."""
    named = {name: getattr(given, name) for name in _CHANGEABLE}
    return {name: value for name, value in named.items() if value is not None and value is not False}
