"""`PermissionRequests`: asks the clients about tool calls, with the events `permission_request`."""

import asyncio
from typing import TYPE_CHECKING

from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.conversation.events import PermissionRequest, PermissionResolved

if TYPE_CHECKING:
    from zot_core.conversation.driver import Conversation


class PermissionRequests:
    """An `AskPermission` of `zot_core.confirm` that asks the clients. The first answer counts; none within `seconds` is
    a no."""

    def __init__(self, conversation: "Conversation", seconds: float) -> None:
        self._conversation, self._seconds = conversation, seconds
        self._open: dict[str, asyncio.Future[PermissionAnswer]] = {}
        self._gone = False

    def close(self) -> None:
        """Refuse what waits and what is asked later: there is nobody to answer."""
        self._gone = True
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_result(PermissionAnswer("no", "nobody can be asked", unanswered=True))

    async def __call__(self, question: PermissionQuestion) -> PermissionAnswer:
        """Ask the clients."""
        if question.outside and self._conversation.permissions.mode == "yolo":
            return PermissionAnswer("no")  # a client in this mode may know no questions
        if self._gone:
            return PermissionAnswer("no", "nobody can be asked", unanswered=True)
        answer: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self._open[question.id] = answer
        call, events = question.call, self._conversation.events
        events.notify(
            PermissionRequest(question.id, call.id, call.name, call.arguments, question.reason, question.always)
        )
        given = PermissionAnswer("no")
        try:
            async with asyncio.timeout(self._seconds):
                given = await answer
        except TimeoutError:
            given = PermissionAnswer("no", f"nobody answered within {self._seconds:g} s", unanswered=True)
        finally:
            del self._open[question.id]
            events.notify(PermissionResolved(question.id, given.choice))
        return given

    def answer(self, request: str, answer: PermissionAnswer) -> bool:
        """Answer a request; return whether it was open."""
        waiting = self._open.get(request)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(answer)
        return True
