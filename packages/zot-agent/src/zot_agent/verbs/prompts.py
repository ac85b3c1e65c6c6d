"""The operations that give the agent work, and that read the conversation."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.images import InputImage, read_images
from zot_agent.operations.operation import Encoded, operation
from zot_core.event_json import encode_message
from zot_ext.protocol.fields import LONGEST
from zot_provider.json_text import dump

if TYPE_CHECKING:
    from zot_ext.protocol.agent_answers import MessagesInfo

MessageText: TypeAlias = Annotated[str, LONGEST]

_AT_ONCE = 200
"""Messages that are encoded before anything else is done."""


class Started(TypedDict):
    """The events of the prompt or the compaction follow. It is `queued` while another one runs."""

    started: Literal[True]
    queued: NotRequired[Literal[True]]


@operation("prompts.send", alias="prompt", scope="drive")
def send(
    caller: OperationCaller,
    message: MessageText,
    *,
    images: list[InputImage] = [],  # noqa: B006  it is not changed
    hold_text: bool = False,
) -> Started:
    """Answer a message, or run it if it is a slash command of a prompt template, a skill or an extension. The response
    comes at once, then events up to `done`. While another prompt runs it is queued, and the data is `{"started": true,
    "queued": true}`.

    message: The user's message; it may be empty if there are images.
    images: Images, PNG, JPEG, GIF or WebP: objects with `data`, base64 without line breaks, and `mime_type`, which may
        be wrong.
    hold_text: Hold back text deltas while an extension may replace the text.
    """
    blocks = read_images(images)
    if not blocks:
        _check(message)
    queued = caller.conversation.busy
    run = caller.conversation.prompt(message, blocks)
    if hold_text and caller.client is not None:
        caller.client.text_held.add(run)
    return {"started": True, "queued": True} if queued else {"started": True}


@operation("prompts.steer", scope="drive")
def steer(caller: OperationCaller, message: MessageText) -> None:
    """Add a message to the running prompt; the model reads it with its next call.

    message: The user's message.
    """
    caller.conversation.steer(_check(message))


@operation("prompts.follow_up", scope="drive")
def follow_up(caller: OperationCaller, message: MessageText) -> None:
    """Add a message to the running prompt; the model reads it when it would otherwise stop.

    message: The user's message.
    """
    caller.conversation.follow_up(_check(message))


def _check(message: str) -> str:
    if not message.strip():
        raise OperationFailed("invalid", "message is empty")
    return message


@operation("prompts.messages", alias="get_messages", group="session", scope="watch", needs=("conversation",))
def messages(caller: OperationCaller) -> "Encoded[MessagesInfo] | Coroutine[Any, Any, Encoded[MessagesInfo]]":
    """Return the whole conversation with the model's own words. Clients get the entries of extensions too, which may
    be [drawn](rpc.md#what-extensions-draw).
    """
    short = len(caller.conversation.runtime.messages) <= _AT_ONCE
    known = caller.client is None or caller.client.screen.entries.known
    return _messages(caller, {}) if short and known else _many_messages(caller)


async def _many_messages(caller: OperationCaller) -> "Encoded[MessagesInfo]":
    found, encoded = caller.conversation.runtime.messages, dict[int, str]()
    for start in range(0, len(found), _AT_ONCE):
        encoded |= {id(each): encode_message(each) for each in found[start : start + _AT_ONCE]}
        await asyncio.sleep(0)
    if caller.client is not None:
        await caller.client.screen.entries.load()
    return _messages(caller, encoded)


def _messages(caller: OperationCaller, encoded: dict[int, str]) -> "Encoded[MessagesInfo]":
    """Return the answer. `encoded` has messages as JSON, by their `id()`."""
    entries = [
        {"at": at, "id": each.id, "extension": each.extension, "custom_type": each.custom_type}
        for at, each in (() if caller.client is None else caller.client.screen.entries.placed())
    ]
    found = ",".join([encoded.get(id(each)) or encode_message(each) for each in caller.conversation.runtime.messages])
    more = f',"entries":{dump(entries)}' if entries else ""
    return Encoded(f'{{"messages":[{found}]{more}}}')
