"""The messages of a conversation: appended to, never edited."""

from collections.abc import Iterable

from zot_core.hooks import Observe
from zot_provider.messages import Message


class MessageHistory:
    """The message list with a revision number that grows with every change."""

    def __init__(self, messages: Iterable[Message], appended: Observe[Message]) -> None:
        """`appended` is told of each new message before `append` returns."""
        self._messages = list(messages)
        self._appended = appended
        self.revision = 0

    @property
    def messages(self) -> list[Message]:
        """A copy; changing it changes nothing."""
        return list(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def append(self, message: Message) -> None:
        """Add a message. A failing session writer raises `SessionError`; the message then stays in memory.

        Results of one batch of calls come one by one, so that each is on disk before it is reported; in memory they
        are one message.
        """
        last = self._messages[-1] if self._messages else None
        if message.role == "tool" and last is not None and last.role == "tool":
            self._messages[-1] = last.replace(content=[*last.content, *message.content])
        else:
            self._messages.append(message)
        self.revision += 1
        self._appended.notify(message)

    def reset(self, messages: Iterable[Message]) -> None:
        """Begin again with these messages; nobody is told of them one by one."""
        self._messages = list(messages)
        self.revision += 1
