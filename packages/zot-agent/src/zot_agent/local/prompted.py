"""`PromptedClient`: tools for a model that was never taught any.

A very small model does not call tools, whatever the server's template says. Asked for JSON that a schema enforces, and
shown a few examples, it picks a tool and its argument well enough. So a request with tools becomes

- one schema-constrained call, where the conversation ends with the user: the examples, then the question. Each text
  argument is a word of the question or the argument's default, since such a model chooses better than it spells. The
  choice comes out as an ordinary tool use; where the model wants none, the question is asked again without tools;
- one plain question, where it ends with tool results: the beginning of the results, and what the user had asked.

It applies to every question alike. Only tools that have an example (`prompts/examples.json`) are offered. Earlier
turns, images and zot's own system prompt are left out: they would cost such a model seconds and confuse it. A larger
model behind the same client is asked in the same way, with another `Budget`.
"""

import json
import os
import re
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from zot_provider.client.http import Client
from zot_provider.events import StreamEnd, StreamEvent, TextDelta, ToolUseArgs, ToolUseEnd, ToolUseStart, UsageReport
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.record import Record, record
from zot_provider.request import Request, ToolSpec

_PROMPTS = os.path.join(os.path.dirname(__file__), "prompts")
_TOOL = "tool"
"""The key that names the tool. It comes last: the model tells a file from a directory once it has written the path."""
_NO_TOOL = "none"

_CALL_TOKENS = 128
_SENTENCE_END = re.compile(r"(?<=.{12}[.!?])\s", re.DOTALL)


@record
class Budget(Record):
    """What a model can take in and should give out.

    `question` and `result` are the characters of the user's words and of tool results that it sees (4 to a token, more
    or less), `answer` the tokens of an answer. With `sentence` an answer is over with its first sentence: what a very
    small model writes after it is the same again. The default is the demo model's.
    """

    question: int = 1600
    result: int = 800
    answer: int = 96
    sentence: bool = True


@record
class Example(Record):
    """A question and the call that answers it: the arguments, then the tool under "tool" ("none" for no tool)."""

    question: str
    call: dict[str, Any]


def load_examples() -> list[Example]:
    """The examples that come with zot. Their files are nobody's."""
    with open(os.path.join(_PROMPTS, "examples.json"), encoding="utf-8") as file:
        return [Example(**row) for row in json.load(file)]


def _words(name: str) -> str:
    with open(os.path.join(_PROMPTS, f"{name}.md"), encoding="utf-8") as file:
        return file.read().strip()


class PromptedClient:
    """A `Client` around another one, see the module's docstring."""

    def __init__(self, inner: Client, budget: Budget | None = None, examples: Sequence[Example] | None = None) -> None:
        """`examples` are those of `load_examples` unless given."""
        self._inner = inner
        self._budget = budget or Budget()
        self._examples = load_examples() if examples is None else examples

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `Client`. The tokens of a choice that came to nothing are counted, too."""
        results = _results(request.messages, self._budget.result)
        question = _question(request.messages, self._budget.question)
        tools = [tool for tool in request.tools if any(tool.name == one.call[_TOOL] for one in self._examples)]
        if results:
            asked = self._asked(request, "answer", [results, question])
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
            asked = self._asked(request, "chat", [question])
        sentence = _Sentence() if self._budget.sentence else None
        async with aclosing(_batches(self._inner, asked)) as batches:
            async for batch in batches:
                kept = batch if sentence is None else sentence.keep(batch)
                if kept:
                    yield kept

    def _asked(self, request: Request, prompt: str, texts: Sequence[str]) -> Request:
        """A short plain request of which `texts` are the user's turns."""
        messages: list[Message] = []
        for text in texts:
            if messages:
                messages.append(_said("assistant", "I have read it."))
            messages.append(_said("user", text))
        return request.replace(
            messages=messages,
            system=_words(prompt),
            tools=[],
            reasoning="off",
            temperature=0.0,
            max_tokens=self._budget.answer,
            response_schema=None,
        )

    async def _choose(
        self, request: Request, tools: list[ToolSpec], question: str
    ) -> AsyncGenerator[UsageReport | ToolCallBlock, None]:
        """What was used, and the call if the model wants one."""
        names = {_NO_TOOL, *(tool.name for tool in tools)}
        messages = []
        for example in self._examples:
            if example.call[_TOOL] in names:
                messages += [_said("user", example.question), _said("assistant", json.dumps(example.call))]
        asked = request.replace(
            messages=[*messages, _said("user", question)],
            system=_words("choose"),
            tools=[],
            reasoning="off",
            temperature=0.0,
            max_tokens=_CALL_TOKENS,
            response_schema=choice_schema(tools, question),
        )
        text = ""
        async with aclosing(_batches(self._inner, asked)) as batches:
            async for batch in batches:
                for event in batch:
                    if isinstance(event, TextDelta):
                        text += event.delta
                    elif isinstance(event, UsageReport):
                        yield event
        call = _call(text, names)
        if call is not None:
            yield call

    async def close(self) -> None:
        """See `Client`."""
        await self._inner.close()


class _Sentence:
    """Keeps the first sentence of an answer. The rest is read, so that its tokens are counted, and dropped."""

    def __init__(self) -> None:
        self._text = ""
        self._over = False

    def keep(self, batch: Sequence[StreamEvent]) -> list[StreamEvent]:
        """The events of the batch that belong to it; the last one of all is the end, with the sentence alone."""
        kept: list[StreamEvent] = []
        for event in batch:
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
    """The JSON Schema of a choice: for each tool its arguments and its name, or no tool.

    Of a tool's arguments the required ones are asked for, the first one where none is.
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
    """A text without choices of its own is a word of the question, or its default."""
    if schema.get("type") != "string" or "enum" in schema:
        return schema
    words = (word.strip("\"'`()[]<>,;:?!").rstrip(".") for word in question.split())
    values = dict.fromkeys(word for word in words if word)
    if isinstance(schema.get("default"), str):
        values[schema["default"]] = None
    return {"type": "string", "enum": list(values)} if values else {"type": "string"}


def _call(text: str, names: set[str]) -> ToolCallBlock | None:
    """The call a choice asks for; None for no tool, and for text that is no choice."""
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
    """What the user said last, cut."""
    text = next((message.text for message in reversed(messages) if message.role == "user"), "").strip()
    if len(text) <= limit:
        return text
    tail = limit // 4  # what is asked of a text that was piped in stands after it
    return f"{text[: limit - tail]} ... {text[-tail:]}"


def _results(messages: Sequence[Message], limit: int) -> str:
    """The text of the tool results the conversation ends with, cut; empty if it ends with something else."""
    if not messages or messages[-1].role != "tool":
        return ""
    blocks = [block for block in messages[-1].content if isinstance(block, ToolResultBlock)]
    texts = [part.text for block in blocks for part in block.content if isinstance(part, TextBlock)]
    text = "\n".join(texts).strip() or "(nothing to read)"
    return text if len(text) <= limit else text[:limit].rstrip() + " ..."


def _said(role: Any, text: str) -> Message:
    return Message(role, [TextBlock(text)])


async def _batches(client: Client, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
    """The client's batches, as a generator that can be closed."""
    stream = client.stream(request)
    try:
        async for batch in stream:
            yield batch
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
