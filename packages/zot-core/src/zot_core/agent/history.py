"""`MessageHistory`: the messages of a conversation, which are appended and never edited."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from zot_core.hooks import Observe
from zot_provider.messages import ImageBlock, Message, TextBlock, new_entry_id

AsSent: TypeAlias = Callable[[TextBlock | ImageBlock], TextBlock | ImageBlock]
"""Returns what a model gets in place of a block of the messages."""


class MessageHistory:
    """A list of messages with a revision number that grows with every change; `resets` grows when it is replaced."""

    def __init__(
        self, messages: Iterable[Message], appended: Observe[Message], as_sent: AsSent = lambda block: block
    ) -> None:
        """`appended` is notified of each new message before `append` returns."""
        self._messages = list(messages)
        self._appended = appended
        self.revision = self.resets = 0
        self.counted = (0, 0)
        """Tokens that a provider has counted in an earlier process, and how many messages they cover; else zeros."""
        self.as_sent = as_sent

    @property
    def messages(self) -> list[Message]:
        """The messages; a copy."""
        return list(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def append(self, message: Message) -> None:
        """Append a message. Raises `SessionError` if the session writer fails; the message then stays in memory.

        A message without an id gets one. The results of a batch of calls are appended one by one, so that each is on
        disk before it is reported. In memory they are merged into one message, which has the id of the first.
        """
        last = self._messages[-1] if self._messages else None
        if message.role == "tool" and last is not None and last.role == "tool":
            message.id = last.id
            self._messages[-1] = last.replace(content=[*last.content, *message.content])
        else:
            message.id = message.id or new_entry_id()
            self._messages.append(message)
        self.revision += 1
        self._appended.notify(message)

    def reset(self, messages: Iterable[Message]) -> None:
        """Replace all messages, without notifications."""
        self._messages = list(messages)
        self.counted = (0, 0)
        self.revision += 1
        self.resets += 1


class NewMessages:
    """Reads each message of a history once, so that a long conversation makes no step dearer."""

    def __init__(self, history: MessageHistory) -> None:
        self._history = history
        self._count = 0
        self._last: Message | None = None

    def read(self) -> tuple[list[Message], bool]:
        """Return the messages since the last call, and whether they are all, because the history was replaced."""
        messages, count = self._history.messages, self._count
        again = len(messages) < count or (count > 0 and messages[count - 1] is not self._last)
        self._count, self._last = len(messages), messages[-1] if messages else None
        return messages if again else messages[count:], again
