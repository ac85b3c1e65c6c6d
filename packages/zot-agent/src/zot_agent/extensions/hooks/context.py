"""`SentMessages`: the messages of a request, which interceptors of `context` may change for that request."""

import json
from collections.abc import Sequence
from typing import Any

from zot_agent.extensions.hooks.answer_content import MessageTexts, read_given
from zot_core.agent.sent_history import without_signed
from zot_ext.interception import decision_in
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.events.decisions import ContextDecision
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.raw import KnownItem, RawList
from zot_provider.messages import Message
from zot_provider.record import Record


class ContextCopies:
    """Messages that interceptors have made, and messages without thinking: the next request needs the same ones, which
    the client has encoded."""

    def __init__(self) -> None:
        self.texts = MessageTexts()
        self._made: dict[str, Message] = {}
        self._stripped: dict[int, tuple[Message, Message]] = {}

    def made(self, text: str, value: Any) -> Message:
        """Return the message with this text. Raises `FrameError` for anything else."""
        found = self._made.get(text)
        if found is None:
            if len(self._made) > 1000:
                self._made = {}
            found = self._made[text] = read_given(value)
        return found

    def stripped(self, message: Message) -> Message:
        """Return a message without the thinking that a model has signed."""
        found = self._stripped.get(id(message))
        if found is None or found[0] is not message:
            if len(self._stripped) > 10_000:
                self._stripped = {}
            found = self._stripped[id(message)] = message, without_signed(message)
        return found[1]


class SentMessages(Record):
    """Messages as they are sent. `bound`: thinking that the model signs is refused if the conversation before it has
    changed."""

    messages: list[Message]
    copies: ContextCopies
    bound: bool

    def members(self) -> dict[str, Any]:
        """Return the members of the question. May take long: for a thread."""
        return {"messages": RawList.of_texts(self.copies.texts.of(self.messages))}

    def changed(self, answer: EventInterceptResponse) -> "SentMessages":
        """Return the messages as an answer changes them. May take long: for a thread. Raises `FrameError`."""
        if answer.messages is not None:
            kept = self._given(answer.messages)
        elif (dropped := decision_in(ContextDecision, answer).drop_ids) is not None:
            left_out = {each for each in dropped if isinstance(each, str)} - {""}
            kept = [message for message in self.messages if message.id not in left_out]
        else:
            return self
        if not any(message.role == "user" for message in kept) or kept[-1].role == "assistant":
            raise FrameError("needs a message of the user, and must not end with an answer", field="messages")
        return self.replace(messages=self._whole(kept)) if _moved(kept, self.messages) else self

    def _given(self, given: RawList) -> list[Message]:
        known = [*zip(self.messages, self.copies.texts.of(self.messages), strict=True)]
        by_text = {id(text): message for message, text in known}
        by_id = {message.id: (message, text) for message, text in known if message.id}
        found: list[Message] = []
        for index, value in enumerate(given.items):
            if isinstance(value, KnownItem):
                text, message = value.text, by_text.get(id(value.text))
                if message is not None:
                    found.append(message)
                    by_id.pop(message.id, None)
                    continue
                value = json.loads(text)
            else:
                text = given.text_of(index)
            given_id = value.get("id") if isinstance(value, dict) else None
            original = by_id.pop(given_id, None) if isinstance(given_id, str) else None
            if original is not None and (text == original[1] or value == json.loads(original[1])):
                found.append(original[0])
            else:
                found.append(self.copies.made(text, value))
        given.items.clear()  # here and not later, on the loop: thousands of values take milliseconds to free
        return found

    def _whole(self, kept: list[Message]) -> list[Message]:
        """Leave signed thinking out behind the first change."""
        if not self.bound:
            return kept
        same = 0
        while same < len(kept) and same < len(self.messages) and kept[same] is self.messages[same]:
            same += 1
        return [*kept[:same], *map(self.copies.stripped, kept[same:])]


def _moved(kept: Sequence[Message], before: Sequence[Message]) -> bool:
    return len(kept) != len(before) or any(a is not b for a, b in zip(kept, before, strict=True))
