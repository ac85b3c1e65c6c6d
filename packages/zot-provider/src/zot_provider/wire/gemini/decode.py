"""Decoder of the Gemini stream.

Sources: Gemini API reference, `GenerateContentResponse` (https://ai.google.dev/api/generate-content), and "Thought
signatures". Each event is a response with the next parts of the answer; the last one has the reason of its end.
"""

import json
from typing import Any

from zot_provider.events import Stop, StreamEvent
from zot_provider.usage import Usage
from zot_provider.wire.assemble import BlockDecoder, PartialBlock, fail, fields, token_count

_STOPS: dict[str, Stop] = {"STOP": "end_turn", "MAX_TOKENS": "length", "CONTINUATION": "length"}

_MISTAKES = ("MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "OTHER")
"""Ends after which the next try usually succeeds; the others are filters and limits."""


class GeminiDecoder(BlockDecoder):
    """Parts have no index: a part continues the last one if both are text or both are thinking. Calls come whole."""

    wire = "gemini"

    def __init__(self) -> None:
        super().__init__()
        self._answer = ""  # the id of the answer, for the ids of its calls
        self._calls = 0
        self._usage: dict[str, Any] = {}

    def decode(self, value: Any, events: list[StreamEvent]) -> None:
        if isinstance(value, list):  # as the API writes it without `alt=sse`
            for each in value:
                self.decode(each, events)
            return
        error = value.get("error")
        if error:
            self._report(events)
            fail(error | {"code": error.get("status") or error.get("code")} if isinstance(error, dict) else error)
        self._answer = str(value.get("responseId") or self._answer)
        self._usage = fields(value.get("usageMetadata")) or self._usage
        candidates = value.get("candidates")
        if candidates:
            self._candidate(candidates[0], events)
            return
        blocked = (value.get("promptFeedback") or {}).get("blockReason")
        if blocked:
            self._report(events)
            fail("the prompt was blocked by the provider's content filter", str(blocked))

    def end(self, stop: Stop, events: list[StreamEvent]) -> None:
        # A signature belongs to the block after it; see `ReasoningBlock`.
        self.partials = [each for partial in self.partials for each in (*_signature(partial), partial)]
        super().end(stop, events)

    def _candidate(self, candidate: dict[str, Any], events: list[StreamEvent]) -> None:
        for part in (candidate.get("content") or {}).get("parts") or ():
            self._part(part, events)
        reason = candidate.get("finishReason")
        if not reason or reason == "FINISH_REASON_UNSPECIFIED":
            return
        self._report(events)
        stop = _STOPS.get(reason)
        if stop is None:
            why = candidate.get("finishMessage") or "the answer ended before it was complete"
            fail(why, str(reason), again=reason in _MISTAKES)
        else:
            self.end(stop, events)

    def _part(self, part: dict[str, Any], events: list[StreamEvent]) -> None:
        signature = part.get("thoughtSignature") or ""
        if "functionCall" in part:
            call, partial = part["functionCall"], self.open_block("call")
            partial.id, partial.name, partial.signature = call.get("id") or "", call["name"], signature
            answer = "".join(char for char in self._answer if char.isalnum() or char in "-_")[-24:]
            self.start_call(partial, events, spare=f"call_{answer}_{self._calls}")
            self._calls += 1
            self.append_text(partial, json.dumps(call.get("args") or {}, ensure_ascii=False), events)
            self.close_block(partial, events)
        elif "text" in part:
            self._text(part["text"], signature, events, thought=bool(part.get("thought")))

    def _text(self, text: str, signature: str, events: list[StreamEvent], *, thought: bool) -> None:
        kind = "reasoning" if thought else "text"
        partial = self.partials[-1] if self.partials else None
        if partial is None or partial.kind != kind or (signature and partial.signature not in ("", signature)):
            if not text and not signature:
                return
            partial = self.open_block("reasoning" if thought else "text")
        partial.signature = signature or partial.signature
        self.append_text(partial, text, events)

    def _report(self, events: list[StreamEvent]) -> None:
        """Report the usage of the answer: each response has the count so far, the first ones without cached tokens."""
        usage = self._usage
        if not usage:
            return
        read, thought = token_count(usage.get("cachedContentTokenCount")), usage.get("thoughtsTokenCount")
        prompt = token_count(usage.get("promptTokenCount")) + token_count(usage.get("toolUsePromptTokenCount"))
        total = Usage(
            input=max(prompt - read, 0),
            output=token_count(usage.get("candidatesTokenCount")) + token_count(thought),
            cache_read=read,
            reasoning=None if thought is None else token_count(thought),
        )
        self.report_usage(total, events)


def _signature(partial: PartialBlock) -> tuple[PartialBlock, ...]:
    """Return the block for the signature of a text or a call; nothing without one."""
    if partial.kind == "reasoning" or not partial.signature or not partial.parts:
        return ()
    block = PartialBlock("reasoning")
    block.signature, partial.signature = partial.signature, ""
    return (block,)
