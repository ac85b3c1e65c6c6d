"""Random histories, as a session file may hold them, and random turns of a scripted server."""

from collections.abc import Sequence

from hypothesis import strategies as st

from zot_provider.messages import (
    Block,
    ImageBlock,
    Message,
    ReasoningBlock,
    Role,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_provider.testing import Call, Turn
from zot_provider.usage import Usage

PIXEL = ImageBlock("image/png", "iVBORw0KGgo=")

_IDS = st.sampled_from(["", "a", "b", "a_2", "call", "functions.read:0"])
_TEXTS = st.sampled_from(["", " ", "hi", "\ud800"]).map(TextBlock)
_SHOWN = _TEXTS | st.just(PIXEL)
_OPAQUE = st.sampled_from(["", "x"])


def histories(wires: Sequence[str], *, most: int = 8) -> st.SearchStrategy[list[Message]]:
    """Return lists of up to `most` messages with thinking of these wires; some have blocks that their role has not."""
    result = st.builds(ToolResultBlock, _IDS, st.lists(_SHOWN, max_size=2), st.booleans())
    call = st.builds(ToolCallBlock, _IDS, st.just("read"), st.sampled_from(["", "{}", '{"n":1e999}', "x"]))
    thinking = st.builds(ReasoningBlock, st.sampled_from(["", "hm"]), _OPAQUE, _OPAQUE, _OPAQUE, st.sampled_from(wires))
    usual: dict[Role, st.SearchStrategy[Block]] = {
        "user": _SHOWN,
        "assistant": _TEXTS | st.just(TextBlock("look", "commentary")) | call | thinking,
        "tool": result,
    }
    messages = [st.builds(Message, st.just(role), st.lists(blocks, max_size=4)) for role, blocks in usual.items()]
    messages.append(st.builds(Message, st.sampled_from(list(usual)), st.lists(st.one_of(*usual.values()), max_size=4)))
    return st.lists(st.one_of(*messages), max_size=most)


_COUNTS = st.integers(0, 1000)


def _numbered(turn: Turn) -> Turn:
    return turn.replace(calls=[call.replace(id=f"call_{number}") for number, call in enumerate(turn.calls)])


TURNS = st.builds(
    Turn,
    st.text(max_size=20),
    st.text(max_size=20),
    st.lists(
        st.builds(Call, st.sampled_from(["read", "list"]), st.just({"path": "ä\n"}) | st.sampled_from(["", "{oops"])),
        max_size=3,
    ),
    usage=st.builds(Usage, _COUNTS, _COUNTS, _COUNTS, _COUNTS, reasoning=st.none() | _COUNTS),
    stop=st.sampled_from([None, "length"]),
    chunk=st.integers(1, 8),
).map(_numbered)
"""Turns whose calls have ids."""


def as_sent(turn: Turn, wire: str) -> Turn:
    """The turn as the wire can express it: Gemini sends arguments as one object, and counts thinking as output."""
    if wire == "bedrock-converse":
        return turn.replace(usage=turn.usage.replace(reasoning=None))
    if wire != "gemini":
        return turn
    usage = turn.usage
    reasoning = None if usage.reasoning is None else min(usage.reasoning, usage.output)
    counted = Usage(usage.input + usage.cache_write, usage.output, usage.cache_read, reasoning=reasoning)
    calls = [
        call if isinstance(call.args, dict) else call.replace(args={"arguments": call.args}) for call in turn.calls
    ]
    return turn.replace(calls=calls, usage=counted)
