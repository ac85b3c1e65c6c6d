"""The rows of the table: conversations that every wire must be able to send."""

from zot_provider.messages import (
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_provider.model import Model, Thinking
from zot_provider.request import Request, ToolSpec

_MODEL = Model("m-1", "provider", max_output=4000)
_THINKER = Model("m-2", "provider", max_output=64_000, reasoning=True)
_GRADED = Model(
    "m-3", "provider", reasoning=True, thinking=Thinking("adaptive", ("none", "low", "high", "max"), "none")
)

_READ = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
_LIST = ToolSpec("list", "List a folder.", {"type": "object", "properties": {}})
_PIXEL = ImageBlock("image/png", "iVBORw0KGgo=")


def _user(text: str) -> Message:
    return Message("user", [TextBlock(text)])


CONVERSATIONS: dict[str, Request] = {
    "one question": Request(_MODEL, [_user("hello")], system="Be brief.", max_tokens=100, temperature=0.5),
    "a tool runs and the user goes on": Request(
        _MODEL,
        [
            _user("what is in a.txt?"),
            Message(
                "assistant",
                [
                    TextBlock("I look."),
                    ToolCallBlock("call_1", "read", '{"path":"a.txt","n":1e5}'),
                    ToolCallBlock("call_2", "list", ""),
                ],
            ),
            Message(
                "tool",
                [
                    ToolResultBlock("call_1", [TextBlock("no such file")], is_error=True),
                    ToolResultBlock("call_2", [TextBlock("b.txt"), TextBlock("c.txt")]),
                ],
            ),
            _user("then b.txt"),
        ],
        tools=[_READ, _LIST],
    ),
    "images from the user and from a tool": Request(
        _MODEL,
        [
            Message("user", [TextBlock("compare"), _PIXEL]),
            Message("assistant", [ToolCallBlock("call_1", "read", '{"path":"b.png"}')]),
            Message("tool", [ToolResultBlock("call_1", [TextBlock("b.png:"), _PIXEL])]),
            _user("well?"),
            Message("assistant", [ToolCallBlock("call_2", "read", "{}")]),
            Message("tool", [ToolResultBlock("call_2", [_PIXEL])]),
        ],
        tools=[_READ],
    ),
    "images for a model that sees none": Request(
        _MODEL.replace(images=False), [Message("user", [_PIXEL, TextBlock("what is it?")])]
    ),
    "a history with holes": Request(
        _MODEL,
        [
            Message("assistant", []),
            _user("one"),
            _user("two \ud800"),
            Message("assistant", [TextBlock("  "), ToolCallBlock("functions.read:0", "read", "not JSON")]),
            _user("three"),
            Message("assistant", [TextBlock("half an ans")]),
            Message("tool", [ToolResultBlock("call_9", [TextBlock("of nobody")])]),
            _user(""),
            Message("assistant", [ToolCallBlock("functions.read:0", "read", "{}")]),
            Message("tool", [ToolResultBlock("functions.read:0", [])]),
        ],
    ),
    "thinking of three wires": Request(
        _THINKER,
        [
            _user("think"),
            Message(
                "assistant",
                [
                    ReasoningBlock("signed", signature="s1g", wire="anthropic-messages"),
                    ReasoningBlock(encrypted_content="redacted", wire="anthropic-messages"),
                    ReasoningBlock("unsigned", wire="anthropic-messages"),
                    ReasoningBlock("summed up", "rs_1", "cipher", wire="openai-responses"),
                    ReasoningBlock("plain", wire="openai-chat"),
                    TextBlock("thought"),
                    ReasoningBlock("led to nothing", "rs_2", "cipher", wire="openai-responses"),
                ],
            ),
            _user("more"),
        ],
        reasoning="high",
        temperature=0.5,
    ),
    "an effort that the model does not know": Request(_GRADED, [_user("think")], reasoning="medium"),
    "no effort": Request(_GRADED, [_user("think")], reasoning="off"),
    "thinking switched on in the middle of a tool loop": Request(
        _THINKER,
        [
            _user("go"),
            Message("assistant", [ToolCallBlock("call_1", "list", "{}")]),
            Message("tool", [ToolResultBlock("call_1", [TextBlock("ok")])]),
        ],
        tools=[_LIST],
        reasoning="minimum",
    ),
    "an answer with a schema": Request(
        _MODEL,
        [_user("how many?")],
        response_schema={
            "type": "object",
            "properties": {"count": {"type": "integer"}},
            "required": ["count"],
            "additionalProperties": False,
        },
        cache_key="conversation-1",
    ),
}
