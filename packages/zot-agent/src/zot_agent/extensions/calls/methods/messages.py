"""Calls that add messages in the name of the user."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from zot_agent.extensions.calls.call import CallAnswer, CallFailed, ExtensionCall
from zot_agent.extensions.calls.images import read_images
from zot_core.agent import user_message
from zot_core.agent.run import Run
from zot_core.conversation.events import ConversationEvent, SessionStart
from zot_core.events import Done, UserMessage
from zot_provider.json_text import dump
from zot_provider.messages import Message

if TYPE_CHECKING:
    from zot_core.conversation.driver import Conversation
    from zot_provider.messages import ImageBlock

DELIVERIES = ("steer", "follow_up", "next_turn", "interrupt")

_MOST = 100
"""Messages that wait for the next prompt of one conversation."""


class _NextTurn:
    """The messages that come with the next prompt of a conversation."""

    def __init__(self, conversation: "Conversation") -> None:
        self.waiting: list[Message] = []
        conversation.runtime.hooks.extra_messages.add(self._take)
        conversation.events.add(self._follow)

    def _follow(self, event: ConversationEvent) -> None:
        if isinstance(event, SessionStart):  # they were meant for the conversation before
            self.waiting.clear()

    def _take(self, step: int) -> list[Message]:
        if step != 1:
            return []
        taken, self.waiting = self.waiting, []
        return taken


_next_turns: "WeakKeyDictionary[Conversation, _NextTurn]" = WeakKeyDictionary()


def send(call: ExtensionCall) -> "CallAnswer | Awaitable[CallAnswer]":
    """Add a message, or queue it."""
    text, delivery = call.params["text"], call.text("deliver_as", "follow_up")
    if delivery not in DELIVERIES:
        raise CallFailed("invalid", f"deliver_as must be one of {', '.join(DELIVERIES)}, not {delivery!r}")
    images = read_images(call.params.get("images"), "images")
    if not text.strip() and not images:
        raise CallFailed("invalid", "text must not be empty, without images")
    conversation = call.conversation
    runs = conversation.running is not None and conversation.running.steerable
    if delivery == "next_turn" or (not runs and delivery != "interrupt" and not call.flag("trigger", default=True)):
        return _keep(call, images)
    if delivery == "follow_up" and call.flag("expand") and text.startswith("/"):
        runs = False  # a slash command is a prompt, which waits for the end of the run
    refused = conversation.refusal()
    if refused and not runs:
        raise CallFailed("unavailable", refused)
    if call.flag("wait"):
        call.check_can_wait()
    if delivery == "interrupt" or not runs:
        run = _start(call, images, interrupt=delivery == "interrupt")
        started = conversation.running is not None and conversation.running.run is run
        return _read(call, run) if call.flag("wait") else {"delivered": "started" if started else "queued"}
    inbox, message = conversation.runtime.agent.inbox, _message(call, images)
    if len(inbox) >= _MOST:
        raise CallFailed("busy", f"{_MOST} messages wait for the model already")
    (inbox.steer if delivery == "steer" else inbox.follow_up)(message)
    conversation.inbox_changed()
    return _read(call, message) if call.flag("wait") else {"delivered": "queued"}


def _start(call: ExtensionCall, images: "list[ImageBlock]", *, interrupt: bool) -> Run:
    conversation, text = call.conversation, call.params["text"]
    typed = call.text("display_text", text)
    if not call.flag("expand"):
        return conversation.send(_message(call, images), typed=typed, interrupt=interrupt)
    stopped = conversation.running if interrupt else None
    run = conversation.prompt(text, images, typed=typed, first=interrupt, extension=call.extension)
    if stopped is not None:
        stopped.run.cancel()
    return run


async def _read(call: ExtensionCall, sent: Run | Message) -> CallAnswer:
    """Wait until a message, or the prompt of a run, is part of the conversation."""
    conversation, inbox = call.conversation, call.conversation.runtime.agent.inbox
    read: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def settle(value: bool) -> None:  # noqa: FBT001  the result of the future
        if not read.done():
            read.set_result(value)

    def follow(event: ConversationEvent) -> None:
        if isinstance(sent, Run):
            if isinstance(event, UserMessage) and sent.started:
                settle(True)
        elif isinstance(event, Done):
            settle(False)
        elif isinstance(event, UserMessage) and all(each is not sent for each in inbox.messages):
            settle(True)

    if isinstance(sent, Run):
        sent.add_done_callback(lambda: settle(False))
    remove = conversation.events.add(follow)
    try:
        if not await read:
            raise CallFailed("cancelled", "the run has ended without it")
    finally:
        remove()
    return {"delivered": "read"}


def _keep(call: ExtensionCall, images: "list[ImageBlock]") -> CallAnswer:
    if call.flag("wait"):
        raise CallFailed("invalid", "this message waits for the next prompt; send it without wait")
    conversation = call.conversation
    kept = _next_turns.get(conversation)
    if kept is None:
        kept = _next_turns[conversation] = _NextTurn(conversation)
    if len(kept.waiting) >= _MOST:
        raise CallFailed("busy", f"{_MOST} messages wait for the next prompt already")
    kept.waiting.append(_message(call, images))
    return {"delivered": "kept"}


def _message(call: ExtensionCall, images: "list[ImageBlock]") -> Message:
    display = call.params.get("display_text")
    message = user_message(
        call.params["text"],
        images,
        display_text=None if display is None else str(display),
        hidden=f"sent by extension {call.extension}" if call.flag("hidden") else "",
    )
    custom = {"custom_type": call.text("custom_type")} if call.text("custom_type") else {}
    if call.params.get("details") is not None:
        custom["details"] = _details(call)
    return message.replace(extra={"extension": call.extension, **custom})


def _details(call: ExtensionCall) -> str:
    """Return what is stored with a message, as JSON."""
    text, largest = dump(call.params["details"]), call.services.limits.entry_bytes
    if len(text.encode("utf-8", "replace")) > largest:
        raise CallFailed("too_large", f"the details of a message are at most {largest} bytes")
    return text
