"""`Outgoing`: a request to a provider as it is sent, and the `RequestWatcher` that asks interceptors about it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.hooks.transitions import ProviderAnswer
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.raw import RawObject
from zot_provider.model import Model
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_ext.protocol.events.decisions import HeadersDecision, HeadersRequest

_SECRET = ("auth", "key", "token", "secret", "cookie", "password")
"""Headers with one of these in their names are not shown to interceptors, and they cannot change them."""


def _is_secret(name: str) -> bool:
    return any(each in name.lower() for each in _SECRET)


class Outgoing(Record):
    """The body and the headers of a request, without those with the key."""

    model: Model
    api: str
    headers: dict[str, str]
    body: str

    def body_members(self) -> dict[str, Any]:
        """Return the members of the question about the body."""
        about = {"provider": self.model.provider, "model": self.model.id, "api": self.api}
        return {**about, "payload": RawObject.from_parsed(self.body, {})}

    def with_body(self, answer: EventInterceptResponse) -> "Outgoing":
        """Return the request as an answer changes its body."""
        return self if answer.payload is None else self.replace(body=answer.payload.text)

    def shown_headers(self) -> "HeadersRequest":
        """Return the question about the headers."""
        from zot_ext.protocol.events.decisions import HeadersRequest  # noqa: PLC0415  few extensions ask for them

        shown = {name.lower(): value for name, value in self.headers.items() if not _is_secret(name)}
        return HeadersRequest(self.model.provider, self.model.id, shown)

    def with_headers(self, decision: "HeadersDecision") -> "Outgoing":
        """Return the request as a decision changes its headers. Raises `FrameError`."""
        given = decision.headers
        if not given:
            return self
        headers = {name.lower(): value for name, value in self.headers.items()}
        for name, value in given.items():
            if _is_secret(name):
                raise FrameError(f"cannot change {name!r}", field="headers")
            if not name.replace("-", "a").isalnum() or not name.isascii():
                raise FrameError(f"{name!r} is not the name of a header", field="headers")
            if value is None:
                headers.pop(name.lower(), None)
            elif isinstance(value, str) and value.isprintable():
                headers[name.lower()] = value
            else:
                raise FrameError("must be one line of text, or null", field=f"headers.{name}")
        return self.replace(headers=headers)


class Watcher:
    """A `RequestWatcher`: `ask` returns a request as the interceptors change it, `tell` reports the answer."""

    def __init__(
        self, model: Model, ask: Callable[[Outgoing], Awaitable[Outgoing]], tell: Callable[[ProviderAnswer], None]
    ) -> None:
        self._model, self._ask, self._tell = model, ask, tell

    async def sending(self, wire: str, headers: dict[str, str], body: str) -> tuple[dict[str, str], str]:
        found = await self._ask(Outgoing(self._model, wire, headers, body))
        return found.headers, found.body

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        self._tell(ProviderAnswer(self._model.provider, self._model.id, status, dict(headers)))
