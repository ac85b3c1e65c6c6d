"""`FLAWS`: what servers of models do that no wire describes, and what a client makes of each.

One row is one flaw, as users of many agents have reported it. A test walks the table on all wires; a new flaw is a row.
"""

from typing import Literal, TypeAlias

from zot_provider.errors import ModelError
from zot_provider.record import Record
from zot_provider.testing.turn import Delivery, Fault, Turn

Outcome: TypeAlias = Literal["answer", "retry", "error"]

TEXT = "All that the model has to say about it, in some more words than one piece of it holds."
"""The text of an answer that arrives in spite of its flaw."""


class Flaw(Record):
    """A flaw: the turn that has it, and what becomes of the call.

    "answer": the text is taken as if nothing were wrong. "retry": the call is made again and the next answer counts.
    "error": a `ProviderError` that has `words`. `wires` are those on which it can happen, empty for all.
    """

    turn: Turn
    outcome: Outcome
    words: str = ""
    wires: tuple[str, ...] = ()


_BUSY = '{"error": {"message": "Rate limit reached", "type": "rate_limit_error"}}'
_JSON, _STREAM = {"content-type": "application/json"}, {"content-type": "text/event-stream"}
_STOPS_EARLY = ("anthropic-messages", "openai-chat", "bedrock-converse")
"""Wires on which the model stops before the last event."""

_EVENT_STREAMS = ("anthropic-messages", "openai-chat", "openai-responses", "gemini")
"""Wires of server-sent events."""

FLAWS: dict[str, Flaw] = {
    "cut in the text": Flaw(Turn(TEXT, chunk=4, fault=Fault(cut=True, after=12)), "retry"),
    "ended in the text": Flaw(Turn(TEXT, chunk=4, fault=Fault(end=True, after=12)), "retry"),
    "overloaded after the text": Flaw(
        Turn(TEXT, error=ModelError("", code="overloaded_error", message="Overloaded")), "retry"
    ),
    "an unknown failure after the text": Flaw(
        Turn(TEXT, error=ModelError("", code="odd", message="I fell")), "error", "I fell"
    ),
    "a stream labelled as JSON": Flaw(Turn(TEXT, fault=Fault(headers=_JSON)), "answer"),
    "a stream labelled as a web page": Flaw(Turn(TEXT, fault=Fault(headers={"content-type": "text/html"})), "answer"),
    "thinking between tags": Flaw(Turn(f"<think>hm</think>\n\n{TEXT}", chunk=3), "answer"),
    "packed, which was not asked for": Flaw(Turn(TEXT, delivery=Delivery(gzip=True)), "answer"),
    "packed event by event": Flaw(Turn(TEXT, delivery=Delivery(gzip=True, members=True)), "answer"),
    "packed in another way": Flaw(
        Turn(TEXT, fault=Fault(headers={"content-encoding": "br"})), "error", "packs its answer as 'br'"
    ),
    "left open after the last event": Flaw(Turn(TEXT, delivery=Delivery(hold=60.0)), "answer"),
    "left open after the model has stopped": Flaw(
        Turn(TEXT, delivery=Delivery(end=False, hold=60.0)), "answer", wires=_STOPS_EARLY
    ),
    "kept alive without end after the model has stopped": Flaw(
        Turn(TEXT, delivery=Delivery(end=False, hold=60.0, comments=True)),
        "answer",
        wires=("anthropic-messages", "openai-chat"),
    ),
    "ended after the model has stopped": Flaw(Turn(TEXT, delivery=Delivery(end=False)), "answer", wires=_STOPS_EARLY),
    "not streamed": Flaw(Turn(TEXT, delivery=Delivery(stream=False)), "answer"),
    "not streamed, and labelled as a stream": Flaw(
        Turn(TEXT, delivery=Delivery(stream=False), fault=Fault(headers=_STREAM)), "answer"
    ),
    "garbage in the text": Flaw(
        Turn(TEXT, chunk=4, fault=Fault(after=12, garbage=b'data: {"choices": [{"del\n\n')),
        "retry",
        wires=_EVENT_STREAMS,
    ),
    "an event of another shape in the text": Flaw(
        Turn(TEXT, chunk=4, fault=Fault(after=12, garbage=b"data: 7\n\n")), "retry", wires=_EVENT_STREAMS
    ),
    "null as a sign of life": Flaw(
        Turn(TEXT, chunk=4, fault=Fault(after=12, garbage=b"data: null\n\n")), "answer", wires=_EVENT_STREAMS
    ),
    "a limit on the rate, as JSON with status 200": Flaw(
        Turn(fault=Fault(status=200, body=_BUSY, headers=_JSON)), "retry"
    ),
    "a limit on the rate, as JSON in a stream": Flaw(
        Turn(fault=Fault(status=200, body=_BUSY, headers=_STREAM)),
        "retry",
        wires=_EVENT_STREAMS,
    ),
    "another failure, as JSON with status 200": Flaw(
        Turn(fault=Fault(status=200, body='{"error": "no such endpoint"}', headers=_JSON)), "error", "no such endpoint"
    ),
    "an account without money, as JSON with status 200": Flaw(
        Turn(fault=Fault(status=200, body='{"error": {"message": "insufficient balance"}}', headers=_JSON)),
        "error",
        "insufficient balance",
    ),
    "a web page": Flaw(Turn(fault=Fault(status=200, body="<html>Sign in</html>")), "error", "a web page"),
    "nothing with status 200": Flaw(Turn(fault=Fault(status=200, body="\n")), "retry"),
    "silence after the head": Flaw(Turn(TEXT, fault=Fault(after=0, pause=60.0)), "retry"),
    "silence in the text": Flaw(Turn(TEXT, chunk=4, fault=Fault(after=12, pause=60.0)), "retry"),
    "an answer without text": Flaw(Turn(), "retry"),
    "an answer of thinking only": Flaw(Turn(reasoning="hm"), "retry"),
    "thinking up to the limit of the answer": Flaw(
        Turn(reasoning="hm", stop="length"), "error", "it reached the model's output limit"
    ),
    "too many requests": Flaw(Turn(fault=Fault(status=429, headers={"retry-after": "0.01"})), "retry"),
    "too many requests until tomorrow": Flaw(
        Turn(fault=Fault(status=429, headers={"retry-after": "86400"})), "error", "asks to wait for 24 h"
    ),
}
"""The flaws by name."""
