"""What the agent is to do: `prompt`, `compact`, `abort`, `steer`, `follow_up`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, InvalidCommand, CommandField, Method

if TYPE_CHECKING:
    from zot_agent.rpc.service import RpcService

_STARTED = '{"started": true}'


def prompt(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Begin, or have it wait behind what runs."""
    text, images = given["message"], []
    if given.get("images"):
        from zot_agent.rpc.images import read_images  # noqa: PLC0415  most prompts have none

        images = read_images(given["images"])
    if not text.strip() and not images:
        raise InvalidCommand("message is empty")
    queued = service.conversation.busy
    run = service.conversation.prompt(text, images)
    if given.get("hold_text", False):
        service.holding.add(run)
    return _started(queued=queued)


def compact(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Begin, or have it wait behind what runs."""
    queued = service.conversation.busy
    service.conversation.compact(given.get("instructions", ""))
    return _started(queued=queued)


def _started(*, queued: bool) -> Answer:
    return {"started": True, "queued": True} if queued else {"started": True}


def abort(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Stop what runs."""
    service.conversation.interrupt()
    return None


def steer(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Hand the running prompt a message."""
    service.conversation.steer(_message(given))
    return None


def follow_up(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Hand the running prompt a message for its end."""
    service.conversation.follow_up(_message(given))
    return None


def _message(given: dict[str, Any]) -> str:
    text: str = given["message"]
    if not text.strip():
        raise InvalidCommand("message is empty")
    return text


METHODS = (
    Method(
        "prompt",
        prompt,
        "Answer a message, or run the slash command of a skill or an extension that it is. The response comes at once, "
        "then events up to `done`. While something else runs it waits, and the data is "
        '`{"started": true, "queued": true}`.',
        (
            CommandField("message", "string", "What the user says; it may be empty beside images.", required=True),
            CommandField("images", "images", "Images, PNG, JPEG, GIF or WebP, of at most 3750000 bytes each."),
            CommandField("hold_text", "boolean", "Hold text deltas back where an extension may replace the text."),
        ),
        _STARTED,
    ),
    Method(
        "abort",
        abort,
        "Stop the prompt or compaction at hand, with its `done`; those that wait are then begun. Harmless when idle.",
    ),
    Method(
        "compact",
        compact,
        "Put a summary in the place of all but the last messages. Goes on like a prompt, up to `compact_done` and "
        "`done`; where there is nothing to compact, or it fails, `error` and `done`.",
        (CommandField("instructions", "string", "What matters, for whoever writes the summary."),),
        _STARTED,
    ),
    Method(
        "steer",
        steer,
        "Tell the model something with its next call, while a prompt is being answered.",
        (CommandField("message", "string", "What the user says.", required=True),),
    ),
    Method(
        "follow_up",
        follow_up,
        "Say something more, as part of the same prompt, when the model would be done.",
        (CommandField("message", "string", "What the user says.", required=True),),
    ),
)
