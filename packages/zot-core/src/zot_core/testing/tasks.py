"""`TaskClient`: a model that answers each conversation by its first message, for agents with sub-agents."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from zot_provider.client.repeating import Client
from zot_provider.events import StreamEvent
from zot_provider.request import Request
from zot_provider.testing.turn import Turn, turn_events

HANGS = "hangs"
"""In place of an answer: none ever comes."""


class TaskClient(Client):
    """A client that answers from the conversation: `answers` has the first line of its first message, and
    the answers to its model calls in order, the last of which is repeated.

    `requests` has the requests received, `hanging` the first lines of conversations that wait for ever.
    """

    def __init__(self, answers: dict[str, list[Turn | str]]) -> None:
        self.answers = answers
        self.requests: list[Request] = []
        self.hanging: list[str] = []
        self.closed = False

    def asked(self, task: str) -> list[Request]:
        """Return the requests of a conversation."""
        return [each for each in self.requests if _first_line(each) == task]

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self.requests.append(request.replace(messages=list(request.messages)))
        task = _first_line(request)
        script = self.answers[task]
        answer = script[min(sum(each.role == "assistant" for each in request.messages), len(script) - 1)]
        await asyncio.sleep(0)  # lets other tasks run, as a real client does
        if answer == HANGS:
            self.hanging.append(task)
            await asyncio.get_running_loop().create_future()
        turn = Turn(answer) if isinstance(answer, str) else answer
        events = turn_events(turn, "scripted")
        yield events if turn.error is None else events[:-2]
        if turn.error is not None:
            raise turn.error

    async def close(self) -> None:
        self.closed = True


def _first_line(request: Request) -> str:
    return request.messages[0].text.partition("\n")[0]
