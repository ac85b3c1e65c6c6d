"""The input and output of a hook program: the frames of the extension protocol, without `type` and `id` in an
answer."""

import json
from collections.abc import Mapping
from typing import Any

from zot_agent.hook_programs.program import HookProgram
from zot_agent.hook_programs.run import REFUSED, HookExit, HookPlace
from zot_ext.protocol.codec import decode_from_extension, encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.from_host import Event, EventIntercept
from zot_ext.protocol.raw import dump, parse_object


class FrameDialect:
    """The dialect of the programs in zot's own settings. `frame_bytes` is the longest question."""

    def __init__(self, program: HookProgram, frame_bytes: int) -> None:
        self._program, self._frame_bytes = program, frame_bytes

    def question(self, frame: Event | EventIntercept, _: HookPlace) -> bytes | None:
        """Return the frame as a line; see `Dialect`."""
        return encode(frame, limit=self._frame_bytes) if self._program.matches(frame.tool_name) else None

    async def answer(self, frame: EventIntercept, ended: HookExit, _: HookPlace) -> EventInterceptResponse:
        """Return a refusal for the exit code 2, the object on standard output, or nothing without one: text that is no
        object is for people."""
        ended.check()
        if ended.code == REFUSED:
            return EventInterceptResponse(frame.id, block=True, reason=ended.reason)
        text = ended.output.decode("utf-8", "replace").strip()
        return read_answer(frame, text if text.startswith("{") else "{}")


def make_answer(frame: EventIntercept, members: Mapping[str, Any]) -> EventInterceptResponse:
    """Return the answer with these members. Raises `FrameError`."""
    return read_answer(frame, dump(dict(members)))


def read_answer(frame: EventIntercept, text: str) -> EventInterceptResponse:
    """Return the answer of an object without `type` and `id`. Raises `FrameError`."""
    own = {"type": json.dumps(EventInterceptResponse.type), "id": json.dumps(frame.id)}
    members = {name: source for name, (_, source) in parse_object(text).items()} | own
    line = ",".join(f"{json.dumps(name)}:{source}" for name, source in members.items())
    answer = decode_from_extension(b"{" + line.encode("utf-8", "surrogatepass") + b"}")
    if not isinstance(answer, EventInterceptResponse):
        raise FrameError("is not an answer")
    return answer
