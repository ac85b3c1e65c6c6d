"""The commands on settings: `get_settings`, `set_setting`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import CommandField, Method

if TYPE_CHECKING:
    from zot_agent.operations.stored_answers import ChangedSetting, SettingList
    from zot_agent.rpc.context import CommandContext


def get_settings(context: "CommandContext", fields: dict[str, Any]) -> "SettingList":
    """List the settings."""
    from zot_agent.host.setting_changes import setting_rows  # noqa: PLC0415  not before the first request

    return {"settings": setting_rows(context.host.settings)}


async def set_setting(context: "CommandContext", fields: dict[str, Any]) -> "ChangedSetting":
    """Store a setting."""
    from zot_agent.host.setting_changes import change_setting, setting_row  # noqa: PLC0415  as above

    await change_setting(context.host, fields["key"], fields.get("value"))
    return {"setting": setting_row(context.host.settings, fields["key"])}


METHODS = (
    Method(
        "get_settings",
        get_settings,
        "List all settings with their values in this conversation. A password in an address is left out.",
    ),
    Method(
        "set_setting",
        set_setting,
        "Store a setting in the `config.json` of the user, as `zot config set` does. If `at_once`, the conversation "
        "follows; otherwise the value counts from the next start. A setting that is not `changeable` is refused.",
        (
            CommandField("key", "string", "The key of the setting.", required=True),
            CommandField("value", "value", "The value, as in `config.json`; without it the default is used again."),
        ),
    ),
)
