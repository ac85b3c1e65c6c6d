"""The commands on extensions: their slash commands, their panel, and reloading them."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandField, InvalidCommand, Method

if TYPE_CHECKING:
    from zot_agent.extensions.panels import Panels
    from zot_agent.rpc.context import CommandContext


async def get_commands(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """List the slash commands, once all extensions have registered theirs."""
    await context.conversation.ready()
    return {
        "commands": [
            {
                "name": each.name,
                "description": each.description,
                "extension": each.source,
                "kind": each.kind,
                "arguments": each.arguments,
            }
            for each in context.conversation.commands
        ]
    }


async def command(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Run a slash command; its events are sent before the response."""
    return {"action": await context.conversation.run_command(fields["name"], fields.get("args", ""))}


async def reload_ext(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Restart all extensions."""
    stats = await context.host.reload_extensions()
    return {"stopped": stats.stopped, "loaded": stats.loaded, "ready": stats.ready, "errors": list(stats.errors)}


def ext_panel_key(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Send a key to the open panel."""
    _panels(context).key(fields["key"], fields.get("text", ""))
    return None


def ext_panel_close(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Close the open panel."""
    _panels(context).close()
    return None


def ext_ui_response(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Answer a question of an extension, or close it."""
    closed = bool(fields.get("closed"))
    if not context.dialogs.answer(fields["request"], fields.get("value"), closed=closed):
        raise InvalidCommand(f"no ext_ui_request {fields['request']!r} waits for an answer")
    return None


def _panels(context: "CommandContext") -> "Panels":
    extensions = context.host.extensions
    if extensions is None or extensions.panels.panel is None:
        raise InvalidCommand("no panel is open")
    return extensions.panels


METHODS = (
    Method(
        "get_commands",
        get_commands,
        "List the slash commands of prompt templates, skills and extensions. `kind` is `template`, `skill` or "
        "`extension`; `extension` is then `prompts`, `skills` or its name. `arguments` is a hint, which may be empty.",
        (),
        '{"commands": [{"name": "review", "description": "review changes", '
        '"extension": "prompts", "kind": "template", "arguments": "[branch | commit]"}]}',
    ),
    Method(
        "command",
        command,
        "Run a slash command of a prompt template, a skill or an extension. Its output comes as `ext_*` events "
        "before the response. A prompt that it submits is started, or queued, like any other.",
        (
            CommandField("name", "string", "The command, with or without its slash.", required=True),
            CommandField("args", "string", "What follows the name."),
        ),
        '{"action": "display"}',
    ),
    Method(
        "reload_ext",
        reload_ext,
        "Stop all extensions, read their manifests again and start them. Allowed while busy.",
        (),
        '{"stopped": 1, "loaded": 2, "ready": 2, "errors": []}',
    ),
    Method(
        "ext_panel_key",
        ext_panel_key,
        "Send a key to the open panel; `esc` closes it.",
        (
            CommandField("key", "string", "`up`, `enter`, `rune`, ...: see the frame `panel_key`.", required=True),
            CommandField("text", "string", "The character, for `rune`."),
        ),
    ),
    Method(
        "ext_ui_response",
        ext_ui_response,
        "Answer an event `ext_ui_request`. The first valid answer counts; others are refused.",
        (
            CommandField("request", "string", "The `request` of the event.", required=True),
            CommandField(
                "value",
                "value",
                "select: one of the `options`. confirm: true or false. input, editor: a string. form: an object with "
                "the values of fields. pick: a list of the ids of rows.",
            ),
            CommandField("closed", "boolean", "Close it without an answer."),
        ),
    ),
    Method("ext_panel_close", ext_panel_close, "Close the open panel and notify its extension."),
)
