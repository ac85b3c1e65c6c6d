"""Questions to the clients: `PermissionRequests` about tool calls, `DialogRequests` of extensions."""

import asyncio
from typing import TYPE_CHECKING, Any

from zot_core.aio import being_cancelled
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.conversation.events import DialogRequest, DialogResolved, PermissionRequest, PermissionResolved

if TYPE_CHECKING:
    from zot_core.conversation.dialogs import DialogAnswer, ExtensionDialog
    from zot_core.conversation.driver import Conversation


class PermissionRequests:
    """An `AskPermission` of `zot_core.confirm` that asks the clients. The first answer counts; none within `seconds` is
    a no."""

    def __init__(self, conversation: "Conversation", seconds: float) -> None:
        self._conversation, self._seconds = conversation, seconds
        self._open: dict[str, tuple[PermissionRequest, asyncio.Future[PermissionAnswer]]] = {}
        self._gone = False

    @property
    def open(self) -> list[PermissionRequest]:
        """The questions that wait for an answer."""
        return [request for request, _ in self._open.values()]

    def close(self) -> None:
        """Refuse what waits and what is asked later: there is nobody to answer."""
        self._gone = True
        for _, waiting in self._open.values():
            if not waiting.done():
                waiting.set_result(PermissionAnswer("no", "nobody can be asked", unanswered=True))

    async def __call__(self, question: PermissionQuestion) -> PermissionAnswer:
        """Ask the clients."""
        if question.outside and self._conversation.permissions.mode == "yolo":
            return PermissionAnswer("no")  # a client in this mode may know no questions
        if self._gone:
            return PermissionAnswer("no", "nobody can be asked", unanswered=True)
        answer: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        call, events = question.call, self._conversation.events
        request = PermissionRequest(
            question.id, call.id, call.name, call.arguments, question.reason, question.always, call.agent_id
        )
        self._open[question.id] = request, answer
        events.notify(request)
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
        _, waiting = self._open.get(request, (None, None))
        if waiting is None or waiting.done():
            return False
        waiting.set_result(answer)
        return True


class DialogRequests:
    """An `AskPerson` of `zot_core.conversation.dialogs` that asks the clients. The first valid answer counts; none
    within `seconds` closes the dialog."""

    def __init__(self, conversation: "Conversation", seconds: float) -> None:
        self._conversation, self._seconds = conversation, seconds
        self._open: dict[str, tuple[ExtensionDialog, asyncio.Future[Any]]] = {}
        self._gone = False

    def open(self) -> list[dict[str, Any]]:
        """Return the fields of the events about what waits for an answer, without their type."""
        if not self._open:
            return []
        from zot_core.conversation.dialogs import describe  # noqa: PLC0415  few extensions ask

        return [{"extension": each.extension, "request": each.id, **describe(each)} for each, _ in self._open.values()]

    def close(self) -> None:
        """Close what is open, and refuse what is asked later: there is nobody to answer."""
        self._gone = True
        for _, waiting in self._open.values():
            if not waiting.done():
                waiting.cancel()

    async def __call__(self, dialog: "ExtensionDialog") -> "DialogAnswer":
        """Ask the clients."""
        from zot_core.conversation.dialogs import CannotShow, DialogAnswer, describe  # noqa: PLC0415  as above

        if self._gone:
            raise CannotShow("nobody can be asked any more")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[dialog.id] = dialog, answer
        self._conversation.events.notify(DialogRequest(dialog.extension, dialog.id, describe(dialog)))
        try:
            async with asyncio.timeout(self._seconds):
                value = await answer
            return DialogAnswer(closed=True) if value is None else DialogAnswer(value)
        except TimeoutError:
            return DialogAnswer(closed=True)
        except asyncio.CancelledError:
            if self._gone and not being_cancelled():
                raise CannotShow("nobody can be asked any more") from None
            raise
        finally:
            del self._open[dialog.id]
            self._conversation.events.notify(DialogResolved(dialog.id))

    def answer(self, request: str, value: Any, *, closed: bool) -> bool:
        """Answer a request, or close it; return whether it was open. Raises `InvalidAnswer`."""
        dialog, waiting = self._open.get(request, (None, None))
        if dialog is None or waiting is None or waiting.done():
            return False
        from zot_core.conversation.dialogs import check_answer  # noqa: PLC0415  as above

        waiting.set_result(None if closed else check_answer(dialog, value))
        return True
