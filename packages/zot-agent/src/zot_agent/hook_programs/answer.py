"""The input and output of a hook program: the frames of the extension protocol, without `type` and `id` in an
answer."""

import json
import re
from collections.abc import Mapping
from typing import Any

from zot_agent.extensions.hooks.questions import BLOCK
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

    async def question(self, frame: Event | EventIntercept, _: HookPlace) -> bytes | None:
        """Return the frame as a line; see `Dialect`."""
        return encode(frame, limit=self._frame_bytes) if self._program.matches(frame.tool_name) else None

    async def answer(self, frame: EventIntercept, ended: HookExit, _: HookPlace) -> EventInterceptResponse:
        """Return a refusal for the exit code 2, else the object on standard output, or nothing without one."""
        ended.check()
        if ended.code == REFUSED:
            return EventInterceptResponse(frame.id, block=True, reason=ended.reason)
        return read_answer(frame, answer_text(ended.output) or "{}")


def answer_text(output: bytes) -> str:
    """Return what may be an object in an output: all of it, or its end from the first or the last line that begins with
    `{`. The rest is for people."""
    text = output.decode("utf-8-sig", "replace").strip()
    if text.startswith("{"):
        return text
    first = re.search(r"^[ \t]*\{", text, re.MULTILINE)
    begins = [] if first is None else [first.start(), text.rfind("\n{") + 1]
    return next(filter(_is_object, (text[at:].strip() for at in begins)), "")


def _is_object(text: str) -> bool:
    try:
        parse_object(text)
    except FrameError:
        return False
    return True


def make_answer(frame: EventIntercept, members: Mapping[str, Any]) -> EventInterceptResponse:
    """Return the answer with these members. Raises `FrameError`."""
    return read_answer(frame, dump(dict(members)))


def read_answer(frame: EventIntercept, text: str) -> EventInterceptResponse:
    """Return the answer of an object without `type` and `id`. Raises `FrameError`; what cannot be read may refuse."""
    own = {"type": json.dumps(EventInterceptResponse.type), "id": json.dumps(frame.id)}
    try:
        members = {name: source for name, (_, source) in parse_object(text).items()} | own
    except FrameError as error:
        raise FrameError(f"may be in an answer that {error.reason}", field=BLOCK) from None
    line = ",".join(f"{json.dumps(name)}:{source}" for name, source in members.items())
    answer = decode_from_extension(b"{" + line.encode("utf-8", "surrogatepass") + b"}")
    if not isinstance(answer, EventInterceptResponse):
        raise FrameError("is not an answer")
    return answer
