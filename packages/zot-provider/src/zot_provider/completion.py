"""`complete` and `stream`: one function call for one model call.

```python
print(await complete("anthropic/claude-sonnet-4-5", "Say hello."))
```
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypedDict, Unpack

from zot_provider.client.http import Client
from zot_provider.errors import StreamCut
from zot_provider.events import Stop, StreamEnd, StreamEvent, UsageReport
from zot_provider.messages import Block, Message, TextBlock
from zot_provider.model import Model
from zot_provider.record import Record
from zot_provider.registry import ModelRegistry
from zot_provider.request import Reasoning, Request, ToolSpec
from zot_provider.router import RoutingClient, open_client
from zot_provider.selection import Selection, select
from zot_provider.usage import Usage


class CallOptions(TypedDict, total=False):
    """The options of a call.

    `system` to `response_schema` are fields of `Request`. `api_key` and `base_url` are for the model's provider; the
    default is the environment. A `client` is used in place of a new client, with its own keys and addresses, and stays
    open.
    """

    system: str
    tools: Sequence[ToolSpec]
    reasoning: Reasoning
    max_tokens: int | None
    temperature: float | None
    response_schema: dict[str, Any] | None
    api_key: str
    base_url: str
    client: Client | None


class Completion(Record):
    """An answer: the model's message, its tokens with their cost, why the model stopped, and the model itself.

    `str()` returns the text.
    """

    message: Message
    usage: Usage
    stop: Stop
    model: Model

    @property
    def text(self) -> str:
        """The text of the answer; may be empty."""
        return self.message.text

    @property
    def content(self) -> list[Block]:
        """The blocks of the answer: text, reasoning, tool calls."""
        return self.message.content

    def __str__(self) -> str:
        return self.text


async def complete(model: str | Model, messages: str | Sequence[Message], **options: Unpack[CallOptions]) -> Completion:
    """Return the whole answer of `model` to `messages`, which may be a text.

    `model` is a name as for `select` ("anthropic/claude-sonnet-4-5"), or a record. Cancelling closes the connection.
    Raises `ConfigError` (an unknown name, a missing key) and `ProviderError`.
    """
    usage = Usage()
    async with _answering(model, messages, options) as (asked, events):
        async for event in events:
            if isinstance(event, UsageReport):
                usage += event.usage
            elif isinstance(event, StreamEnd):
                end = event
    return Completion(Message("assistant", end.content), usage, end.stop, asked)


async def stream(
    model: str | Model, messages: str | Sequence[Message], **options: Unpack[CallOptions]
) -> AsyncGenerator[StreamEvent, None]:
    """Yield the events of an answer, usage with its cost; the arguments and errors are the same as for `complete`.

    Closing the generator closes the connection; `contextlib.aclosing` does so at the end of its block.
    """
    async with _answering(model, messages, options) as (_, events):
        async for event in events:
            yield event


@asynccontextmanager
async def _answering(
    model: str | Model, messages: str | Sequence[Message], options: CallOptions
) -> AsyncIterator[tuple[Model, AsyncGenerator[StreamEvent, None]]]:
    """Return the model used and the events of its answer. Closes the client afterwards if it was opened here."""
    client, asked = _open(model, options)
    try:
        if isinstance(client, RoutingClient):
            asked = await client.name_model(asked)
        history = [Message("user", [TextBlock(messages)])] if isinstance(messages, str) else list(messages)
        request = Request(
            asked,
            history,
            system=options.get("system", ""),
            tools=list(options.get("tools", ())),
            reasoning=options.get("reasoning", "off"),
            max_tokens=options.get("max_tokens"),
            temperature=options.get("temperature"),
            response_schema=options.get("response_schema"),
        )
        async with aclosing(_events(client, request)) as events:
            yield asked, events
    finally:
        if client is not options.get("client"):
            await client.close()


def _open(model: str | Model, options: CallOptions) -> tuple[Client, Model]:
    client, registry = options.get("client"), ModelRegistry()
    if isinstance(client, RoutingClient):
        registry = client.registry
    elif client is not None and isinstance(model, str):  # the client interprets the name
        provider, slash, name = model.partition("/")
        return client, Model(name, provider) if slash else Model(model, "")
    key, base_url = options.get("api_key", ""), options.get("base_url", "")
    if isinstance(model, str):
        chosen = select(model=model, api_key=key, base_url=base_url, registry=registry)
    elif client is not None:
        return client, model
    else:
        chosen = Selection(registry.provider(model.provider), model, key, base_url)
    return client or open_client(chosen, registry=registry), chosen.model


async def _events(client: Client, request: Request) -> AsyncGenerator[StreamEvent, None]:
    """Yield the events of an answer. Raises `StreamCut` if it ends without a `StreamEnd`."""
    batches, price, ended = client.stream(request), request.model.price, False
    try:
        async for batch in batches:
            for event in batch:
                ended = ended or isinstance(event, StreamEnd)
                yield UsageReport(event.usage.priced(price)) if isinstance(event, UsageReport) else event
    finally:
        await batches.aclose()
    if not ended:
        raise StreamCut("the model's answer is incomplete; try again")
