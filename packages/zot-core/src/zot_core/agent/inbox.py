"""`Inbox`: user messages queued for a running agent."""

from collections import deque

from zot_core.hooks import Observe
from zot_provider.messages import Message


class Inbox:
    """Two queues. The next model call includes all steering messages. Follow-up messages wait until the run would end;
    then each starts a turn, in order."""

    def __init__(self) -> None:
        self._steering: deque[Message] = deque()
        self._follow_ups: deque[Message] = deque()
        self.arrived: Observe[Message] = Observe()
        """A message has been queued."""

    def steer(self, message: Message) -> None:
        """Queue a message for the next model call."""
        self._steering.append(message)
        self.arrived.notify(message)

    def follow_up(self, message: Message) -> None:
        """Queue a message for when the run would end."""
        self._follow_ups.append(message)
        self.arrived.notify(message)

    @property
    def steering(self) -> list[Message]:
        """The messages for the next model call; a copy."""
        return [*self._steering]

    @property
    def follow_ups(self) -> list[Message]:
        """The messages for when the run would end; a copy."""
        return [*self._follow_ups]

    @property
    def messages(self) -> list[Message]:
        """The queued messages, steering first; a copy."""
        return [*self._steering, *self._follow_ups]

    def take_steering(self) -> list[Message]:
        taken = list(self._steering)
        self._steering.clear()
        return taken

    def take_follow_up(self) -> list[Message]:
        """Remove and return the oldest follow-up message, if there is one."""
        return [self._follow_ups.popleft()] if self._follow_ups else []

    def take_all(self) -> list[Message]:
        """Remove and return all messages, steering first."""
        taken = self.messages
        self._steering.clear()
        self._follow_ups.clear()
        return taken

    def __len__(self) -> int:
        return len(self._steering) + len(self._follow_ups)
