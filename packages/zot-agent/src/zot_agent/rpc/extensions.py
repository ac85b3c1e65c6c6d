"""Extensions: their commands, their panel, and starting them anew."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, InvalidCommand, CommandField, Method

if TYPE_CHECKING:
    from zot_agent.extensions.panels import Panels
    from zot_agent.rpc.service import RpcService


async def get_commands(service: "RpcService", given: dict[str, Any]) -> Answer:
    """The commands, once all extensions have said what they have."""
    await service.conversation.ready()
    return {
        "commands": [
            {"name": each.name, "description": each.description, "extension": each.source}
            for each in service.conversation.commands
        ]
    }


async def command(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Run a command; what comes of it is told as events, before the response."""
    return {"action": await service.conversation.run_command(given["name"], given.get("args", ""))}


async def reload_ext(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Start all extensions anew."""
    stats = await service.host.reload_extensions()
    return {"stopped": stats.stopped, "loaded": stats.loaded, "ready": stats.ready, "errors": list(stats.errors)}


def ext_panel_key(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Hand a key to the open panel."""
    _panels(service).key(given["key"], given.get("text", ""))
    return None


def ext_panel_close(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Close the open panel."""
    _panels(service).close()
    return None


def _panels(service: "RpcService") -> "Panels":
    extensions = service.host.extensions
    if extensions is None or extensions.panels.panel is None:
        raise InvalidCommand("no panel is open")
    return extensions.panels


METHODS = (
    Method(
        "get_commands",
        get_commands,
        "The slash commands of skills and extensions; `extension` is `skills` for those of skills.",
        (),
        '{"commands": [{"name": "summon", "description": "ask the agent to introduce itself", "extension": "hello"}]}',
    ),
    Method(
        "command",
        command,
        "Run a slash command of a skill or an extension. What it wants shown or said comes as `ext_*` events before "
        "the response; a prompt of it is begun, or waits, like any other.",
        (
            CommandField("name", "string", "The command, with or without its slash.", required=True),
            CommandField("args", "string", "What follows the name."),
        ),
        '{"action": "display"}',
    ),
    Method(
        "reload_ext",
        reload_ext,
        "Stop all extensions, look for them anew and start them; also while busy.",
        (),
        '{"stopped": 1, "loaded": 2, "ready": 2, "errors": []}',
    ),
    Method(
        "ext_panel_key",
        ext_panel_key,
        "A key for the open panel; `esc` closes it.",
        (
            CommandField("key", "string", "`up`, `enter`, `rune`, ...: see the frame `panel_key`.", required=True),
            CommandField("text", "string", "The character, for `rune`."),
        ),
    ),
    Method("ext_panel_close", ext_panel_close, "Close the open panel; its extension is told."),
)
