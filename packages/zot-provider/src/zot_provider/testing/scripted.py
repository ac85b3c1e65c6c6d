"""`ScriptedClient`: a client that plays back scripted turns, without any network."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence

from zot_provider.client.repeating import Client
from zot_provider.events import ReasoningDelta, StreamEvent, TextDelta, ToolUseArgs
from zot_provider.request import Request
from zot_provider.testing.turn import Answer, Script, turn_events


class ScriptedClient(Client):
    """Answers with scripted turns.

    ```python
    client = ScriptedClient([Turn(calls=[Call("read", {"path": "a.txt"})]), lambda request: Turn("done")])
    ```

    `requests` holds the requests, `cancelled` counts the answers that the caller abandoned. When the script is over,
    the next request raises `ScriptOver`. `wire` is the wire of reasoning blocks in its answers.
    """

    def __init__(self, answers: Iterable[Answer] = (), *, repeat: bool = False, wire: str = "scripted") -> None:
        self.requests: list[Request] = []
        self.cancelled = 0
        self.closed = False
        self._script = Script(answers, repeat=repeat)
        self._wire = wire

    def add(self, *answers: Answer) -> None:
        self._script.add(*answers)

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Yield the turn's events: one batch for each event if the turn has a delay, else one batch of all."""
        self.requests.append(request.replace(messages=list(request.messages)))
        turn = self._script.next(request)
        events = turn_events(turn, self._wire)
        if turn.error is not None:
            events = events[:-2]
        finished = False
        try:
            await asyncio.sleep(0)  # lets other tasks run, as a real client does
            if turn.delay:
                for event in events:
                    if isinstance(event, TextDelta | ReasoningDelta | ToolUseArgs):
                        await asyncio.sleep(turn.delay)
                    yield [event]
            elif events:
                yield events
            finished = True
        finally:
            if not finished:
                self.cancelled += 1
        if turn.error is not None:
            raise turn.error

    async def close(self) -> None:
        self.closed = True
