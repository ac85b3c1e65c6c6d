"""The operations on settings, for whom the machine belongs to."""

from typing import TYPE_CHECKING, Any, TypedDict

from zot_agent.host.setting_changes import change_setting, setting_row, setting_rows
from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.operation import operation
from zot_agent.verbs.hosts import host_of

if TYPE_CHECKING:
    from zot_agent.operations.answers import SettingInfo


class SettingList(TypedDict):
    """All settings."""

    settings: "list[SettingInfo]"


@operation("settings.list", scope="own")
def list_settings(caller: OperationCaller) -> SettingList:
    """List all settings with their values in this conversation. A password in an address is left out."""
    return {"settings": setting_rows(host_of(caller).settings)}


class ChangedSetting(TypedDict):
    """The setting with the value in effect, which a variable or the project may decide."""

    setting: "SettingInfo"


@operation("settings.set", scope="own")
async def set_setting(caller: OperationCaller, key: str, value: Any = None) -> ChangedSetting:
    """Store a setting in the `config.json` of the user, as `zot config set` does. If `at_once`, the conversation
    follows; otherwise the value counts from the next start. A setting that is not `changeable` is refused.

    key: The key of the setting.
    value: The value, as in `config.json`; without it the default is used again.
    """
    host = host_of(caller)
    await change_setting(host, key, value)
    return {"setting": setting_row(host.settings, key)}
