"""`ProviderHandlers`: runs the handlers of providers and turns what they yield and return into frames."""

from __future__ import annotations

from zot_ext.errors import ExpectedError
from zot_ext.protocol.groups.providers import (
    ProviderEvent,
    ProviderInput,
    ProviderQuestion,
    ProviderResult,
    ProviderStream,
)
from zot_ext.protocol.raw import RawObject
from zot_ext.providers.provider import (
    CallPart,
    ModelCall,
    ModelFailure,
    SignInEnded,
    SignInPage,
    SignInTokens,
    StopPart,
    TextPart,
    ThinkingPart,
    TokenCount,
    read_credentials,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Mapping
    from typing import Any, TypeVar

    from zot_ext.calls.caller import Caller
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.providers.provider import ModelProvider, Part

    R = TypeVar("R")


_PIECE = 500_000
"""Most characters of one piece of an answer."""


class _Cancelled(ExpectedError):
    """Nobody waits for the answer any more."""


class ProviderHandlers:
    """Serves the `providers`. `call` runs a handler, plain or `async`; `caller` knows which requests are cancelled."""

    def __init__(
        self,
        providers: Mapping[str, ModelProvider],
        send: Callable[[FromExtension], None],
        call: Callable[..., object],
        caller: Caller,
    ) -> None:
        self._providers, self._send, self._call, self._caller = providers, send, call, caller
        self._pages: dict[str, SignInPage] = {}

    def frame_handlers(
        self, accept: Callable[[R, Callable[[], FromExtension]], None], request: Callable[[str, str, str], R]
    ) -> dict[type[object], Callable[[Any], None]]:
        """Return the method for each class of frame. `accept` has a request answered by a function; `request` makes
        one from the type, the id and the name in a frame."""

        def answer(frame: Any, work: Callable[[Any], FromExtension]) -> None:
            accept(request(frame.type, frame.id, frame.provider), lambda: work(frame))

        return {
            ProviderStream: lambda frame: answer(frame, self.stream),
            ProviderQuestion: lambda frame: answer(frame, self.request),
            ProviderInput: self.typed,
        }

    def stream(self, frame: ProviderStream) -> FromExtension:
        """Answer a model call; return the last frame."""
        provider = self._providers.get(frame.provider)
        if provider is None or provider.answerer is None:
            return ProviderEvent(frame.id, "error", message=f"no provider {frame.provider!r} answers here")
        writer = _AnswerWriter(frame.id, self._send, lambda: self._caller.cancelled)
        try:
            parts: Any = provider.answerer(_model_call(frame))
            if hasattr(parts, "__aiter__"):
                self._call(_drain, parts, writer)
            else:
                for part in self._call(lambda: parts) or ():  # type: ignore[attr-defined]
                    writer.write(part)
        except ModelFailure as error:
            wait = round(error.retry_after * 1000)
            return ProviderEvent(
                frame.id, "error", message=str(error), status=error.status, code=error.code, retry_after_ms=wait
            )
        return ProviderEvent(frame.id, "done", stop=writer.stop)

    def request(self, frame: ProviderQuestion) -> FromExtension:
        """List the models, sign in, or refresh a token."""
        provider = self._providers.get(frame.provider)
        handlers = (
            {}
            if provider is None
            else {"models": provider.lister, "login": provider.log_in, "refresh": provider.refresher}
        )
        handler = handlers.get(frame.op)
        if handler is None:
            return ProviderResult(frame.id, error=f"no provider {frame.provider!r} with {frame.op!r} here")
        try:
            if frame.op == "models":
                listed: Any = self._call(handler, frame.api_key)
                return ProviderResult(frame.id, RawObject.from_value({"models": [dict(each) for each in listed]}))
            if frame.op == "login":
                return self._credentials(frame, self._log_in(frame, handler))
            given = read_credentials({} if frame.credentials is None else frame.credentials.value)
            return self._credentials(frame, self._call(handler, given))
        except SignInEnded as error:
            return ProviderResult(frame.id, error=str(error) or "the sign-in has ended", ended=True)

    def typed(self, frame: ProviderInput) -> None:
        """Pass on what the person has typed."""
        page = self._pages.get(frame.id)
        if page is not None:
            page.typed.put(frame.text)

    def cancel(self, id: str) -> None:
        """Cancel a request whose handler waits for the person."""
        page = self._pages.get(id)
        if page is not None:
            page.typed.put(None)

    def close(self) -> None:
        """The host sends nothing any more."""
        for id in list(self._pages):
            self.cancel(id)

    def _log_in(self, frame: ProviderQuestion, handler: Callable[..., object]) -> object:
        page = self._pages[frame.id] = SignInPage(frame.id, self._send)
        if self._caller.cancelled:  # before there was a page
            page.typed.put(None)
        try:
            return self._call(handler, page)
        finally:
            del self._pages[frame.id]

    def _credentials(self, frame: ProviderQuestion, answer: object) -> ProviderResult:
        if not isinstance(answer, SignInTokens):
            raise TypeError(f"{frame.op} returns SignInTokens, not {type(answer).__name__}")
        return ProviderResult(frame.id, RawObject.from_value(answer.json()))


class _AnswerWriter:
    """Writes the parts of one answer."""

    def __init__(self, id: str, send: Callable[[FromExtension], None], cancelled: Callable[[], bool]) -> None:
        self.stop = "end_turn"
        self._id, self._send, self._cancelled = id, send, cancelled

    def write(self, part: Part) -> None:
        """Write a part. Raises `TypeError` for anything else, and ends the handler of a cancelled answer."""
        if self._cancelled():
            raise _Cancelled("the answer was cancelled")
        id, send = self._id, self._send
        if isinstance(part, (str, TextPart)):
            self._pieces("text", part if isinstance(part, str) else part.text)
        elif isinstance(part, ThinkingPart):
            self._pieces("thinking", part.text)
            if part.signature or part.encrypted:
                send(ProviderEvent(id, "signature", signature=part.signature, encrypted=part.encrypted))
        elif isinstance(part, CallPart):
            if part.name:
                self.stop = "tool_use"
                send(ProviderEvent(id, "tool_start", call_id=part.id, name=part.name))
            self._pieces("tool_args", part.arguments, part.id)
        elif isinstance(part, TokenCount):
            counts = {name: getattr(part, name) for name in part.__fields__ if getattr(part, name) is not None}
            send(ProviderEvent(id, "usage", usage=RawObject.from_value(counts)))
        elif isinstance(part, StopPart):
            self.stop = part.reason
        else:
            raise TypeError(f"an answer has text and parts of zot_ext, not {type(part).__name__}")

    def _pieces(self, event: str, text: str, call: str = "") -> None:
        """Send a text in frames that are not too long."""
        for start in range(0, len(text), _PIECE):
            self._send(ProviderEvent(self._id, event, text[start : start + _PIECE], call))


async def _drain(parts: AsyncIterable[Part], writer: _AnswerWriter) -> None:
    async for part in parts:
        writer.write(part)


def _model_call(frame: ProviderStream) -> ModelCall:
    context: dict[str, Any] = frame.context.value
    options: dict[str, Any] = frame.options.value
    names = ("api_key", "reasoning", "max_tokens", "temperature", "session_id", "response_schema")
    given = {name: options[name] for name in names if options.get(name) is not None}
    return ModelCall(
        frame.provider,
        frame.model,
        context.get("system") or "",
        context.get("messages") or [],
        context.get("tools") or [],
        **given,
    )
