"""Settings as other programs see and change them, over `zot rpc` and `zot serve`; and what takes effect at once."""

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import SETTINGS, Settings
from zot_agent.config.settings_file import change_settings, user_file
from zot_agent.host.host import Host
from zot_agent.host.permissions import PermissionFiles
from zot_core.errors import Busy
from zot_provider.errors import ConfigError, MissingKey, UnknownName
from zot_provider.registry import ModelRegistry
from zot_provider.selection import select

if TYPE_CHECKING:
    from zot_agent.operations.answers import SettingInfo


def setting_rows(settings: Settings) -> "list[SettingInfo]":
    """Return all settings as JSON values. No value holds a password."""
    return [setting_row(settings, key) for key in SETTINGS]


def setting_row(settings: Settings, key: str) -> "SettingInfo":
    """Return a setting as JSON values. `changeable` and `at_once` say whether a program can change it, and whether an
    open conversation follows a change."""
    setting, value = SETTINGS[key], settings.value(key)
    return {
        "key": key,
        "value": setting.show(value) if isinstance(value, str) else setting.json(value),
        "default": setting.json(setting.default),
        "source": settings.source(key),
        "help": setting.help,
        "values": setting.words,
        "choices": list(setting.choices),
        "changeable": not setting.person_only,
        "at_once": key in APPLIED,
    }


async def change_setting(host: Host, key: str, value: object) -> None:
    """Store a setting in the user's file, None for its default, and let the conversation of `host` use it.

    Raises what `checked_values` and `store_values` raise, and `Busy` for the reasoning level during a run; nothing
    has changed then.
    """
    if key == Settings.reasoning.key and host.conversation.busy:
        raise Busy("the agent is busy; wait for done, or abort")
    before, values = host.settings, checked_values({key: value}, host.models, host.settings)
    await store_values(values)
    host.settings = before.changed(values)
    if key in APPLIED and host.settings.value(key) != before.value(key):
        APPLIED[key](host)


def checked_values(values: Mapping[str, object], models: ModelRegistry, settings: Settings) -> dict[str, Any]:
    """Return the values of the JSON that a program sends; None stays None. Raises `ConfigError`, which names the key,
    and `OperationFailed` for a setting that only the person can change."""
    checked: dict[str, Any] = {}
    for key, value in values.items():
        if key not in SETTINGS:
            raise UnknownName.among("setting", key, SETTINGS)
        if SETTINGS[key].person_only:
            from zot_agent.operations.fields import OperationFailed  # noqa: PLC0415  the screen changes all of them

            raise OperationFailed("denied", f"{key}: only you can change this, on the screen or with zot config set")
        try:
            checked[key] = None if value is None else SETTINGS[key].read(value)
        except ValueError as error:
            raise ConfigError(f"{key}: {error}") from None
        if checked[key]:
            SETTINGS[key].check(checked[key], user_file(zot_home()))
            check_model(key, checked[key], models, settings)
    return checked


async def store_values(values: Mapping[str, Any]) -> None:
    """Store values of settings by key in the user's file; None removes a key. Raises `ConfigError`."""
    changes = {key: None if value is None else SETTINGS[key].json(value) for key, value in values.items()}
    await change_settings(zot_home(), user_file(zot_home()), changes)


def check_model(key: str, value: Any, models: ModelRegistry, settings: Settings) -> None:
    """Raise `UnknownName` for a provider or a model with which zot could not start."""
    if key == Settings.provider.key:
        if models.id_of(value) not in [each.id for each in models.providers]:
            raise models.unknown(value)
    elif key == Settings.model.key:
        with contextlib.suppress(MissingKey):
            select("", value, registry=models, default_provider=models.id_of(settings.provider))


def _no_yolo(host: Host) -> None:
    host.conversation.permissions.mode = PermissionFiles(zot_home(), host.runtime.cwd).mode(host.settings)


def _calls(host: Host) -> None:
    settings = host.settings
    host.runtime.agent.place.change(bash_timeout=settings.bash_timeout, overwrite_check=settings.overwrite_check)


def _cache_time(host: Host) -> None:
    host.runtime.agent.cache_time = host.settings.cache_time


def _threshold(host: Host) -> None:
    host.runtime.compactor.set_threshold(host.settings.auto_compact_threshold / 100 or None)


APPLIED: Mapping[str, Callable[[Host], None]] = {
    Settings.no_yolo.key: _no_yolo,
    Settings.reasoning.key: lambda host: host.conversation.set_reasoning(host.settings.reasoning),
    Settings.auto_compact_threshold.key: _threshold,
    Settings.bash_timeout.key: _calls,
    Settings.overwrite_check.key: _calls,
    Settings.cache_time.key: _cache_time,
}
"""The effect on an open conversation when a setting has changed, in every front end."""
