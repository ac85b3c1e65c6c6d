"""The commands on settings: `get_settings`, `set_setting`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandField, Method

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext


def get_settings(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """List the settings."""
    from zot_agent.host.setting_changes import setting_rows  # noqa: PLC0415  not before the first request

    return {"settings": setting_rows(context.host.settings)}


async def set_setting(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Store a setting."""
    from zot_agent.host.setting_changes import change_setting, setting_row  # noqa: PLC0415  as above

    await change_setting(context.host, fields["key"], fields.get("value"))
    return {"setting": setting_row(context.host.settings, fields["key"])}


_ROW = (
    '{"key": "auto_compact_threshold", "value": 70, "default": 85, "source": "/home/me/.local/state/zot/config.json", '
    '"help": "compact the conversation when ...", "values": "\\"off\\" (or 0) or a number from 10 to 99", '
    '"choices": [], "changeable": true, "at_once": true}'
)

METHODS = (
    Method(
        "get_settings",
        get_settings,
        "List all settings with their values in this conversation. `source` is the file or the variable that a value "
        "comes from, empty for the default; `values` says what a value can be. A password in an address is left out.",
        (),
        f'{{"settings": [{_ROW}]}}',
    ),
    Method(
        "set_setting",
        set_setting,
        "Store a setting in the `config.json` of the user, as `zot config set` does. If `at_once`, the conversation "
        "follows; otherwise the value counts from the next start. A setting that is not `changeable` is refused. The "
        "response has the value in effect: a variable or the project may count more.",
        (
            CommandField("key", "string", "The key of the setting.", required=True),
            CommandField("value", "value", "The value, as in `config.json`; without it the default is used again."),
        ),
        f'{{"setting": {_ROW}}}',
    ),
)
