"""Calls that add messages in the name of the user."""

import asyncio
from collections.abc import Awaitable
from itertools import takewhile
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.images import read_images
from zot_core.agent import user_message
from zot_core.agent.run import Run
from zot_core.conversation.events import ConversationEvent, MessageAdded
from zot_core.events import Done, UserMessage
from zot_provider.json_text import dump
from zot_provider.messages import Message

if TYPE_CHECKING:
    from zot_core.conversation.driver import Conversation
    from zot_ext.protocol.answers import Delivered
    from zot_provider.messages import ImageBlock

_MOST = 100
"""Messages that the model has not read yet."""


class _Unanswered:
    """Adds messages to a conversation that nobody answers now: at once, or after the run in progress, whose calls and
    results must stay together."""

    def __init__(self, conversation: "Conversation") -> None:
        self._runtime, self._tell = conversation.runtime, conversation.events.notify
        self._waiting: list[Message] = []
        conversation.events.add(self._on_done, Done)

    @property
    def _unread(self) -> int:
        newest = reversed(self._runtime.agent.history.messages)
        return len(self._waiting) + sum(1 for _ in takewhile(lambda each: each.extension, newest))

    async def add(self, message: Message) -> None:
        """Add a message. Raises `OperationFailed`, `SessionError`, and `Refused` if a hook does not allow it."""
        if self._unread >= _MOST:
            raise OperationFailed("busy", f"{_MOST} messages wait for the next prompt already")
        agent = self._runtime.agent
        message = await agent.hooks.user_message.apply(message)
        if agent.changeable:
            self._append(message)
        else:
            self._waiting.append(message)

    def _append(self, message: Message) -> None:
        self._runtime.agent.history.append(message)
        self._tell(MessageAdded(message.extension, message))

    def _on_done(self, _: ConversationEvent) -> None:
        while self._waiting:
            self._append(self._waiting.pop(0))


_unanswered: "WeakKeyDictionary[Conversation, _Unanswered]" = WeakKeyDictionary()


def send(call: ExtensionCall) -> "Delivered | Awaitable[Delivered]":
    text, delivery = call.params["text"], call.text("deliver_as", "follow_up")
    images = read_images(call.params.get("images"), "images")
    if not text.strip() and not images:
        raise OperationFailed("invalid", "text must not be empty, without images")
    conversation = call.conversation
    running = conversation.running
    # A slash command that runs as a prompt reads no messages.
    runs = running is not None and running.steerable and not conversation.runtime.agent.changeable
    if delivery == "next_turn" or (not runs and delivery != "interrupt" and not call.flag("trigger", default=True)):
        return _keep(call, images)
    if delivery == "follow_up" and call.flag("expand") and text.startswith("/"):
        runs = False  # a slash command is a prompt, which waits for the end of the run
    refused = conversation.actions.refusal()
    if refused and not runs:
        raise OperationFailed("unavailable", refused)
    if call.flag("wait"):
        call.check_can_wait()
    if delivery == "interrupt" or not runs:
        run = _start(call, images, interrupt=delivery == "interrupt")
        started = conversation.running is not None and conversation.running.run is run
        return _read(call, run) if call.flag("wait") else {"delivered": "started" if started else "queued"}
    inbox, message = conversation.runtime.agent.inbox, _message(call, images)
    if len(inbox) >= _MOST:
        raise OperationFailed("busy", f"{_MOST} messages wait for the model already")
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


async def _read(call: ExtensionCall, sent: Run | Message) -> "Delivered":
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
    remove = conversation.events.add(follow, UserMessage, Done)
    try:
        if not await read:
            raise OperationFailed("cancelled", "the run has ended without it")
    finally:
        remove()
    return {"delivered": "read"}


async def _keep(call: ExtensionCall, images: "list[ImageBlock]") -> "Delivered":
    if call.flag("wait"):
        raise OperationFailed("invalid", "nobody answers this message now; send it without wait")
    conversation = call.conversation
    unanswered = _unanswered.get(conversation)
    if unanswered is None:
        unanswered = _unanswered[conversation] = _Unanswered(conversation)
    await unanswered.add(_message(call, images))
    return {"delivered": "kept"}


def _message(call: ExtensionCall, images: "list[ImageBlock]") -> Message:
    display = call.params.get("display_text")
    message = user_message(
        call.params["text"],
        images,
        display_text=None if display is None else str(display),
        hidden=f"sent by extension {call.extension}" if call.flag("hidden") else "",
    )
    given, largest = call.params.get("details"), call.services.limits.entry_bytes
    details = "" if given is None else dump(given)
    if len(details.encode("utf-8", "replace")) > largest:
        raise OperationFailed("too_large", f"the details of a message are at most {largest} bytes")
    return message.replace(extension=call.extension, custom_type=call.text("custom_type"), details=details)
