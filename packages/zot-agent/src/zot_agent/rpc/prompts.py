"""The commands that give the agent work or stop it: `prompt`, `compact`, `abort`, `steer`, `follow_up`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import CommandField, InvalidCommand, Method

if TYPE_CHECKING:
    from zot_agent.operations.answers import Started
    from zot_agent.rpc.context import CommandContext


def prompt(context: "CommandContext", fields: dict[str, Any]) -> "Started":
    """Start a prompt, or queue it behind the running one."""
    text, images = fields["message"], []
    if fields.get("images"):
        from zot_agent.rpc.images import read_images  # noqa: PLC0415  most prompts have none

        images = read_images(fields["images"])
    if not text.strip() and not images:
        raise InvalidCommand("message is empty")
    queued = context.conversation.busy
    run = context.conversation.prompt(text, images)
    if fields.get("hold_text", False):
        context.text_held.add(run)
    return _started(queued=queued)


def compact(context: "CommandContext", fields: dict[str, Any]) -> "Started":
    """Start a compaction, or queue it behind the running prompt."""
    queued = context.conversation.busy
    context.conversation.compact(fields.get("instructions", ""))
    return _started(queued=queued)


def _started(*, queued: bool) -> "Started":
    return {"started": True, "queued": True} if queued else {"started": True}


def abort(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Stop the running prompt or compaction."""
    context.conversation.interrupt()


def steer(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Add a message to the running prompt, for its next model call."""
    context.conversation.steer(_message(fields))


def follow_up(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Add a message to the running prompt, for the point where the model would stop."""
    context.conversation.follow_up(_message(fields))


def _message(fields: dict[str, Any]) -> str:
    text: str = fields["message"]
    if not text.strip():
        raise InvalidCommand("message is empty")
    return text


METHODS = (
    Method(
        "prompt",
        prompt,
        "Answer a message, or run it if it is a slash command of a prompt template, a skill or an extension. The "
        "response comes at once, then events up to `done`. While another prompt runs it is queued, and the data is "
        '`{"started": true, "queued": true}`.',
        (
            CommandField(
                "message", "string", "The user's message; it may be empty if there are images.", required=True
            ),
            CommandField("images", "images", "Images, PNG, JPEG, GIF or WebP, of at most 3750000 bytes each."),
            CommandField("hold_text", "boolean", "Hold back text deltas while an extension may replace the text."),
        ),
    ),
    Method(
        "abort",
        abort,
        "Stop the running prompt or compaction, which ends with its `done`; queued ones then run. Harmless when idle.",
    ),
    Method(
        "compact",
        compact,
        "Replace all but the last messages with a summary. Its events end, like those of a prompt, with `compact_done` "
        "and `done`, or with `error` and `done` if it fails or there is nothing to compact.",
        (CommandField("instructions", "string", "What the summary must keep, for the model that writes it."),),
    ),
    Method(
        "steer",
        steer,
        "Add a message to the running prompt; the model reads it with its next call.",
        (CommandField("message", "string", "The user's message.", required=True),),
    ),
    Method(
        "follow_up",
        follow_up,
        "Add a message to the running prompt; the model reads it when it would otherwise stop.",
        (CommandField("message", "string", "The user's message.", required=True),),
    ),
)
