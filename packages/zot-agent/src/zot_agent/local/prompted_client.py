"""`PromptedClient`: tool calls for a model that was not trained for them.

A very small model does not call tools, whatever the server's template says. With a few examples, and a schema that
enforces the JSON of its answer, it chooses a tool and its argument well enough. So a request with tools becomes

- one schema-constrained request if the conversation ends with the user: the examples, then the question. Each text
  argument is a word of the question or the working directory, because such a model chooses better than it spells. The
  choice is emitted as an ordinary tool call; if the model chooses no tool, the question is sent again without tools;
- one plain question if the conversation ends with tool results: the beginning of the results, and the user's question.

Every question is treated the same way. Only tools with an example (`prompts/examples.json`) are offered. Earlier turns,
images, zot's system prompt and what zot says in between are left out: they would cost such a model seconds and confuse
it. A larger model gets the same requests, with another `Budget`.
"""

import json
import os
import re
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from zot_provider.client.http import Client
from zot_provider.events import (
    AutoRetryStart,
    StreamEnd,
    StreamEvent,
    TextDelta,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    UsageReport,
)
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.record import Record
from zot_provider.request import Request, ToolSpec

_PROMPTS = os.path.join(os.path.dirname(__file__), "prompts")
_TOOL = "tool"
"""The key of the tool's name. It comes last: after the arguments the model knows what they are for."""
_NO_TOOL = "none"
_HERE = "."
"""The working directory, which questions about it do not name."""

_CALL_TOKENS = 128
_SENTENCE_END = re.compile(r"(?<=.{12}[.!?])\s", re.DOTALL)


class Budget(Record):
    """Limits for the input and output of a model; the defaults fit the demo model.

    `question` and `result` limit the characters of the user's text and of tool results (about 4 per token), `answer`
    the tokens of an answer. With `sentence`, an answer ends after its first sentence, because a very small model only
    repeats itself after it.
    """

    question: int = 1600
    result: int = 800
    answer: int = 96
    sentence: bool = True


class Example(Record):
    """A question and the call that answers it: the arguments, then the tool under "tool" ("none" for no tool)."""

    question: str
    call: dict[str, Any]


def load_examples() -> list[Example]:
    """Load the examples that zot contains. The files they mention do not exist."""
    with open(os.path.join(_PROMPTS, "examples.json"), encoding="utf-8") as file:
        return [Example(**row) for row in json.load(file)]


def _prompt(name: str) -> str:
    with open(os.path.join(_PROMPTS, f"{name}.md"), encoding="utf-8") as file:
        return file.read().strip()


class PromptedClient(Client):
    """Wraps another one; see the module's docstring."""

    def __init__(self, inner: Client, budget: Budget | None = None, examples: Sequence[Example] | None = None) -> None:
        """`examples` defaults to what `load_examples` returns."""
        self._inner = inner
        self._budget = budget or Budget()
        self._examples = load_examples() if examples is None else examples

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `Client`. The tokens of a choice without a tool are counted, too."""
        messages = [each for each in request.messages if each.role != "user" or each.is_prompt]
        results = _results(messages, self._budget.result)
        question = _question(messages, self._budget.question)
        tools = [tool for tool in request.tools if any(tool.name == one.call[_TOOL] for one in self._examples)]
        if results:
            plain = self._plain_request(request, "answer", [results, question])
        else:
            if tools and question:
                call = None
                async for event in self._choose(request, tools, question):
                    if isinstance(event, ToolCallBlock):
                        call = event
                    else:
                        yield [event]
                if call is not None:
                    yield _tool_use(call)
                    return
            plain = self._plain_request(request, "chat", [question])
        sentence = _Sentence() if self._budget.sentence else None
        async with aclosing(self._inner.stream(plain)) as batches:
            async for batch in batches:
                kept = batch if sentence is None else sentence.keep(batch)
                if kept:
                    yield kept

    def _plain_request(self, request: Request, prompt: str, texts: Sequence[str]) -> Request:
        """Return a short request without tools, with `texts` as the user's messages."""
        messages: list[Message] = []
        for text in texts:
            if messages:
                messages.append(_message("assistant", "I have read it."))
            messages.append(_message("user", text))
        return request.replace(
            messages=messages,
            system=_prompt(prompt),
            tools=[],
            reasoning="off",
            temperature=0.0,
            max_tokens=self._budget.answer,
            response_schema=None,
        )

    async def _choose(
        self, request: Request, tools: list[ToolSpec], question: str
    ) -> AsyncGenerator[UsageReport | ToolCallBlock, None]:
        """Let the model choose a tool; yield usage, and the tool call unless it chooses none."""
        names = {_NO_TOOL, *(tool.name for tool in tools)}
        messages = []
        for example in self._examples:
            if example.call[_TOOL] in names:
                messages += [_message("user", example.question), _message("assistant", json.dumps(example.call))]
        choice = request.replace(
            messages=[*messages, _message("user", question)],
            system=_prompt("choose"),
            tools=[],
            reasoning="off",
            temperature=0.0,
            max_tokens=_CALL_TOKENS,
            response_schema=choice_schema(tools, question),
        )
        text = ""
        async with aclosing(self._inner.stream(choice)) as batches:
            async for batch in batches:
                for event in batch:
                    if isinstance(event, AutoRetryStart):
                        text = ""
                    elif isinstance(event, TextDelta):
                        text += event.delta
                    elif isinstance(event, UsageReport):
                        yield event
        call = _call(text, names)
        if call is not None:
            yield call

    async def close(self) -> None:
        await self._inner.close()


class _Sentence:
    """Keeps the first sentence of an answer. The rest is read, so that its tokens are counted, and then dropped."""

    def __init__(self) -> None:
        self._text = ""
        self._over = False

    def keep(self, batch: Sequence[StreamEvent]) -> list[StreamEvent]:
        """Return the events of the batch without text after the sentence; the `StreamEnd` has only the sentence."""
        kept: list[StreamEvent] = []
        for event in batch:
            if isinstance(event, AutoRetryStart):  # the answer begins again
                self._text, self._over = "", False
            if isinstance(event, TextDelta):
                if not self._over:
                    kept += self._add(event.delta)
            elif isinstance(event, StreamEnd) and self._over:
                kept.append(StreamEnd("end_turn", [TextBlock(self._text)]))
            else:
                kept.append(event)
        return kept

    def _add(self, delta: str) -> list[StreamEvent]:
        text = self._text + delta
        end = _SENTENCE_END.search(text)
        if end is not None:
            self._over = True
            text = text[: end.start()]
        added, self._text = text[len(self._text) :], text
        return [TextDelta(added)] if added else []


def choice_schema(tools: Sequence[ToolSpec], question: str) -> dict[str, Any]:
    """Return the JSON Schema of a choice: the arguments and the name of a tool, or no tool.

    Only the required arguments of a tool are included, or its first one if none is required.
    """
    kinds = []
    for tool in tools:
        properties = tool.schema.get("properties", {})
        required = list(tool.schema.get("required", []))
        arguments = {name: _argument(properties[name], question) for name in required or list(properties)[:1]}
        kinds.append(_closed(arguments | {_TOOL: {"const": tool.name}}))
    return {"anyOf": [*kinds, _closed({_TOOL: {"const": _NO_TOOL}})]}


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _argument(schema: dict[str, Any], question: str) -> dict[str, Any]:
    """Return the schema of an argument; text without an `enum` must be a word of the question, or `_HERE`."""
    if schema.get("type") != "string" or "enum" in schema:
        return schema
    words = (word.strip("\"'`()[]<>,;:?!").rstrip(".") for word in question.split())
    return {"type": "string", "enum": list(dict.fromkeys([*(word for word in words if word), _HERE]))}


def _call(text: str, names: set[str]) -> ToolCallBlock | None:
    """Return the tool call of a choice; None for no tool, and for text that is not a valid choice."""
    try:
        choice = json.loads(text)
        name = choice.pop(_TOOL)
    except (ValueError, LookupError, AttributeError, TypeError):
        return None
    if name == _NO_TOOL or name not in names:
        return None
    return ToolCallBlock(f"call_{secrets.token_hex(6)}", name, json.dumps(choice, ensure_ascii=False))


def _tool_use(call: ToolCallBlock) -> list[StreamEvent]:
    return [
        ToolUseStart(call.id, call.name),
        ToolUseArgs(call.id, call.arguments),
        ToolUseEnd(call.id),
        StreamEnd("tool_use", [call]),
    ]


def _question(messages: Sequence[Message], limit: int) -> str:
    """Return the user's last message, shortened in the middle to `limit` characters."""
    text = next((message.text for message in reversed(messages) if message.role == "user"), "").strip()
    if len(text) <= limit:
        return text
    tail = limit // 4  # a question about piped text follows that text
    return f"{text[: limit - tail]} ... {text[-tail:]}"


def _results(messages: Sequence[Message], limit: int) -> str:
    """Return the text of the tool results at the end of the conversation, shortened; empty if it ends otherwise."""
    if not messages or messages[-1].role != "tool":
        return ""
    blocks = [block for block in messages[-1].content if isinstance(block, ToolResultBlock)]
    texts = [part.text for block in blocks for part in block.content if isinstance(part, TextBlock)]
    text = "\n".join(texts).strip() or "(nothing to read)"
    return text if len(text) <= limit else text[:limit].rstrip() + " ..."


def _message(role: Any, text: str) -> Message:
    return Message(role, [TextBlock(text)])
