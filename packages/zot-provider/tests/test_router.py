import asyncio

from zot_provider.client import Client
from zot_provider.events import StreamEnd
from zot_provider.messages import Block, Message, TextBlock
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.router import RoutingClient
from zot_provider.testing import ScriptedServer

KEY, OTHER = "sk-0123456789", "sk-9876543210"


def at(server: ScriptedServer, *names: str) -> dict[str, str]:
    """An environment in which these providers are at the server."""
    bases = {"anthropic": "anthropic-messages", "openai": "openai-chat"}
    return {f"{name.upper()}_BASE_URL": server.base_url(bases[name]) for name in names}


def request(provider: str, text: str = "hi", model: str = "m") -> Request:
    return Request(Model(model, provider), [Message("user", [TextBlock(text)])])


async def answer(client: Client, asked: Request) -> list[Block]:
    """The blocks of an answer."""
    events = [event async for batch in client.stream(asked) for event in batch]
    assert isinstance(events[-1], StreamEnd)
    return events[-1].content


def test_a_request_goes_to_the_provider_of_its_model() -> None:
    async def main(one: ScriptedServer, two: ScriptedServer) -> None:
        environ = {**at(one, "anthropic"), **at(two, "openai"), "ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": OTHER}
        client = RoutingClient(ModelRegistry(environ=environ))
        for provider, text in (("anthropic", "one"), ("openai", "two"), ("anthropic", "three")):
            assert await answer(client, request(provider)) == [TextBlock(text)]
        await client.close()
        await client.close()

    with ScriptedServer(["one", "three"], key=KEY) as one, ScriptedServer(["two"], key=OTHER) as two:
        asyncio.run(main(one, two))
        assert [each.path for each in one.requests] == ["/v1/messages"] * 2
        assert [each.path for each in two.requests] == ["/v1/chat/completions"]
