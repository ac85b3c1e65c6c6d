"""Calls that add messages in the name of the user."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from zot_agent.extensions.calls.call import CallAnswer, CallFailed, ExtensionCall
from zot_core.agent import user_message
from zot_core.conversation.events import ConversationEvent, SessionStart
from zot_provider.messages import Message

if TYPE_CHECKING:
    from zot_core.conversation.driver import Conversation

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


def send(call: ExtensionCall) -> CallAnswer:
    """Add a message, or queue it."""
    text, delivery = call.params["text"], call.text("deliver_as", "follow_up")
    if delivery not in DELIVERIES:
        raise CallFailed("invalid", f"deliver_as must be one of {', '.join(DELIVERIES)}, not {delivery!r}")
    if not text.strip():
        raise CallFailed("invalid", "text must not be empty")
    conversation = call.conversation
    runs = conversation.running is not None and conversation.running.steerable
    if delivery == "next_turn" or (not runs and delivery != "interrupt" and not call.flag("trigger", default=True)):
        return _keep(call)
    refused = conversation.refusal()
    if refused and not runs:
        raise CallFailed("unavailable", refused)
    if delivery == "interrupt" or not runs:
        typed, interrupt = call.text("display_text", text), delivery == "interrupt"
        if call.flag("expand"):
            run = conversation.interrupt(text) if interrupt else conversation.prompt(text, typed=typed)
        else:
            run = conversation.send(_message(call), typed=typed, interrupt=interrupt)
        return {"delivered": "started" if conversation.running and conversation.running.run is run else "queued"}
    inbox = conversation.runtime.agent.inbox
    (inbox.steer if delivery == "steer" else inbox.follow_up)(_message(call))
    conversation.inbox_changed()
    return {"delivered": "queued"}


def _keep(call: ExtensionCall) -> CallAnswer:
    conversation = call.conversation
    kept = _next_turns.get(conversation)
    if kept is None:
        kept = _next_turns[conversation] = _NextTurn(conversation)
    if len(kept.waiting) >= _MOST:
        raise CallFailed("busy", f"{_MOST} messages wait for the next prompt already")
    kept.waiting.append(_message(call))
    return {"delivered": "kept"}


def _message(call: ExtensionCall) -> Message:
    display = call.params.get("display_text")
    message = user_message(
        call.params["text"],
        display_text=None if display is None else str(display),
        hidden=f"sent by extension {call.extension}" if call.flag("hidden") else "",
    )
    custom = {"custom_type": call.text("custom_type")} if call.text("custom_type") else {}
    return message.replace(extra={"extension": call.extension, **custom})
