"""The commands on extensions: their slash commands, their panel, and reloading them."""

import re
from typing import TYPE_CHECKING, Any, cast

from zot_agent.rpc.method import CommandField, InvalidCommand, Method

if TYPE_CHECKING:
    from zot_agent.extensions.panels.panels import Panels
    from zot_agent.operations.answers import CommandAction, CommandList, CompletionItem, CompletionsInfo, ReloadInfo
    from zot_agent.rpc.context import CommandContext


async def get_commands(context: "CommandContext", fields: dict[str, Any]) -> "CommandList":
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


async def command(context: "CommandContext", fields: dict[str, Any]) -> "CommandAction":
    """Run a slash command; its events are sent before the response."""
    return {"action": await context.conversation.run_command(fields["name"], fields.get("args", ""))}


async def get_completions(context: "CommandContext", fields: dict[str, Any]) -> "CompletionsInfo":
    """Ask extensions for words, once all of them have registered."""
    text = fields["text"]
    cursor = fields.get("cursor", len(text))
    if not isinstance(cursor, int) or not 0 <= cursor <= len(text):
        raise InvalidCommand(f"cursor must be a whole number from 0 to {len(text)}")
    await context.conversation.ready()
    completers = context.screen.known_completers
    start, items = (cursor, []) if completers is None else await completers.complete(text, cursor)
    rest = re.match(r"\S*", text[cursor:])
    return {
        "start": start,
        "end": cursor + (rest.end() if rest and start < cursor else 0),
        "items": cast("list[CompletionItem]", items),
    }


async def reload_ext(context: "CommandContext", fields: dict[str, Any]) -> "ReloadInfo":
    """Restart all extensions."""
    stats = await context.host.reload_extensions()
    return {"stopped": stats.stopped, "loaded": stats.loaded, "ready": stats.ready, "errors": list(stats.errors)}


def ext_panel_key(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Send a key to the open panel."""
    panels, text, kind = _panels(context), fields.get("text", ""), fields.get("kind", "press")
    mods = fields.get("mods", ())
    if kind not in ("press", "repeat", "release"):
        raise InvalidCommand("kind must be press, repeat or release")
    if kind == "release":
        panels.release(fields["key"], text, mods)
    else:
        panels.press(fields["key"], text, mods, repeated=kind == "repeat")


def ext_panel_paste(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Paste into the open panel."""
    _panels(context).paste(fields["text"])


def ext_panel_mouse(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Use the mouse over a panel."""
    extension, panel, place = fields["extension"], fields["panel"], (fields["row"], fields["column"])
    if not _panels(context).mouse(extension, panel, fields["action"], *place, fields.get("button", 0)):
        raise InvalidCommand(f"no open panel {panel!r} of {extension!r} wants the mouse")


def ext_panel_size(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Say how large the screen of the client is."""
    size = fields["columns"], fields["rows"]
    if not all(0 < each <= 10_000 for each in size):
        raise InvalidCommand("columns and rows must be 1 to 10000")
    extensions = context.host.extensions
    if extensions is not None:
        extensions.panels.screen = lambda: size
        extensions.panels.resize()


def ext_panel_close(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Close the open panel."""
    _panels(context).close()


def ext_ui_response(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Answer a question of an extension, or close it."""
    closed = bool(fields.get("closed"))
    if not context.dialogs.answer(fields["request"], fields.get("value"), closed=closed):
        raise InvalidCommand(f"no ext_ui_request {fields['request']!r} waits for an answer")


def _panels(context: "CommandContext") -> "Panels":
    extensions = context.host.extensions
    if extensions is None or not extensions.panels.open_now:
        raise InvalidCommand("no panel is open")
    return extensions.panels


METHODS = (
    Method(
        "get_commands",
        get_commands,
        "List the slash commands of prompt templates, skills and extensions.",
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
    ),
    Method(
        "get_completions",
        get_completions,
        "Ask extensions what they [suggest](extension-calls.md#suggestions-while-typing) in place of the word at the "
        "cursor. An extension has three seconds to answer. Ask when the user pauses, not for each key.",
        (
            CommandField("text", "string", "The whole text of the input field.", required=True),
            CommandField("cursor", "number", "The place of the cursor; by default the end of the text."),
        ),
    ),
    Method(
        "reload_ext", reload_ext, "Stop all extensions, read their manifests again and start them. Allowed while busy."
    ),
    Method(
        "ext_panel_key",
        ext_panel_key,
        "Send a key to the open panel; `esc` closes it.",
        (
            CommandField("key", "string", "`up`, `enter`, `rune`, ...: see the frame `panel_key`.", required=True),
            CommandField("text", "string", "The character, for `rune`."),
            CommandField("mods", "strings", "`ctrl`, `alt`, `shift`, ..., for panels that extensions draw."),
            CommandField("kind", "string", "`press`, `repeat` or `release`; the last for panels with `key_kinds`."),
        ),
    ),
    Method(
        "ext_panel_paste",
        ext_panel_paste,
        "Paste text into the open panel.",
        (CommandField("text", "string", "The text.", required=True),),
    ),
    Method(
        "ext_panel_mouse",
        ext_panel_mouse,
        "Use the mouse over an overlay whose `mouse` is true.",
        (
            CommandField("extension", "string", "Of the event `ext_panel_show`.", required=True),
            CommandField("panel", "string", "The `id` of the panel.", required=True),
            CommandField("action", "string", "`press`, `release`, `drag` or `wheel`.", required=True),
            CommandField("row", "number", "The cell within its lines, from 0.", required=True),
            CommandField("column", "number", "The same.", required=True),
            CommandField("button", "number", "1 to 3; 4 and 5 for the wheel."),
        ),
    ),
    Method(
        "ext_panel_size",
        ext_panel_size,
        "Say how large the screen is on which the client shows panels of extensions; 80 by 24 until then.",
        (
            CommandField("columns", "number", "In cells.", required=True),
            CommandField("rows", "number", "In cells.", required=True),
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
