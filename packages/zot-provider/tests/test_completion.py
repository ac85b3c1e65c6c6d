import asyncio
from contextlib import aclosing

import pytest
from waiting import PATIENCE

from zot_provider.client.http import Client
from zot_provider.completion import Completion, complete, stream
from zot_provider.errors import ConfigError, MissingKey, StatusError, StreamCut
from zot_provider.events import StreamEnd, TextDelta, ToolUseStart, UsageReport
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request, ToolSpec
from zot_provider.router import RoutingClient
from zot_provider.testing import Call, Fault, ScriptedClient, ScriptedServer, Turn
from zot_provider.usage import Usage

KEY = "sk-0123456789"
NAME = "anthropic/claude-sonnet-4-5"
SLOW = Turn("word " * 1000, chunk=5, delay=0.02)  # 20 seconds


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def asked(server: ScriptedServer, messages: "str | list[Message]" = "Say hello.", **options: object) -> Completion:
    base_url = server.base_url("anthropic-messages")
    return asyncio.run(complete(NAME, messages, api_key=KEY, base_url=base_url, **options))  # type: ignore[arg-type]


def test_an_answer_has_text_content_usage_stop_and_model() -> None:
    with ScriptedServer([Turn("Hello!", usage=Usage(input=1000, output=100))], key=KEY) as server:
        result = asked(server, system="Be brief.", max_tokens=50)
        assert str(result) == result.text == "Hello!"
        assert result.message == Message("assistant", [TextBlock("Hello!")])
        assert result.content == [TextBlock("Hello!")]
        assert (result.usage.input, result.usage.output) == (1000, 100)
        assert result.usage.cost_usd == pytest.approx(0.0045)
        assert result.stop == "end_turn"
        assert (result.model.provider, result.model.id) == ("anthropic", "claude-sonnet-4-5")
        (request,) = server.requests
        assert request.body["system"][0]["text"] == "Be brief."
        assert request.body["max_tokens"] == 50
        assert request.body["messages"][0]["content"][0]["text"] == "Say hello."


def test_a_conversation_and_tools_are_sent() -> None:
    talk = [Message(role, [TextBlock(text)]) for role, text in (("user", "a"), ("assistant", "b"), ("user", "c"))]  # type: ignore[arg-type]
    tool = ToolSpec("look", "Looks.", {"type": "object", "properties": {}})
    with ScriptedServer([Turn(calls=[Call("look")])], key=KEY) as server:
        result = asked(server, talk, tools=[tool])
        assert result.stop == "tool_use"
        assert [call.name for call in result.message.tool_calls] == ["look"]
        assert [each["role"] for each in server.requests[0].body["messages"]] == ["user", "assistant", "user"]


async def test_events_come_one_by_one_and_usage_with_its_cost() -> None:
    with ScriptedServer([Turn("one two", chunk=4, calls=[Call("look")])], key=KEY) as server:
        base_url = server.base_url("anthropic-messages")
        events = [event async for event in stream(NAME, "hi", api_key=KEY, base_url=base_url)]
    assert [event.delta for event in events if isinstance(event, TextDelta)] == ["one ", "two"]
    assert [type(event) for event in events].count(ToolUseStart) == 1
    assert isinstance(events[-1], StreamEnd)
    reports = [event.usage for event in events if isinstance(event, UsageReport)]
    assert sum(usage.cost_usd for usage in reports) > 0


@pytest.mark.parametrize("way", ["closed", "left", "cancelled", "completion cancelled"])
async def test_giving_up_closes_the_connection_and_what_was_opened(way: str) -> None:
    async def leave(base_url: str, begun: asyncio.Event) -> None:
        if way == "completion cancelled":
            await complete(NAME, "hi", api_key=KEY, base_url=base_url)
        elif way == "closed":
            async with aclosing(stream(NAME, "hi", api_key=KEY, base_url=base_url)) as events:
                async for _ in events:
                    break
        else:
            async for _ in stream(NAME, "hi", api_key=KEY, base_url=base_url):
                begun.set()
                if way == "left":
                    break

    with ScriptedServer([SLOW], key=KEY) as server:
        begun = asyncio.Event()
        task = asyncio.get_running_loop().create_task(leave(server.base_url("anthropic-messages"), begun))
        if way == "cancelled":
            await asyncio.wait_for(begun.wait(), PATIENCE)
            task.cancel()
        elif way == "completion cancelled":
            await asyncio.to_thread(server.wait_for, 1)
            task.cancel()
        await asyncio.wait([task])
        await asyncio.to_thread(server.wait_idle, PATIENCE)
        assert server.requests[0].closed_early


async def test_a_failure_is_raised_and_everything_is_closed() -> None:
    with ScriptedServer([Turn(fault=Fault(status=400))], key=KEY) as server, pytest.raises(StatusError):
        await complete(NAME, "Say hello.", api_key=KEY, base_url=server.base_url("anthropic-messages"))
    with pytest.raises(MissingKey, match="set ANTHROPIC_API_KEY"):
        await complete(NAME, "hi")
    with pytest.raises(ConfigError, match="unknown provider 'antropic'"):
        await complete("antropic/claude-sonnet-4-5", "hi")


async def test_a_given_client_stays_open() -> None:
    client = ScriptedClient(["one", "two", "three"])
    assert str(await complete("acme/m", "hi", client=client)) == "one"
    assert str(await complete("m", "hi", client=client)) == "two"
    assert str(await complete(Model("m", "v"), "hi", client=client)) == "three"
    assert [request.model for request in client.requests] == [Model("m", "acme"), Model("m", ""), Model("m", "v")]
    assert not client.closed


async def test_a_routing_client_resolves_names_with_its_registry() -> None:
    with ScriptedServer(["one", "two"], key=KEY) as server:
        environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.base_url("openai-chat")}
        client = RoutingClient(ModelRegistry(environ=environ))
        assert str(await complete("gpt-5.1", "hi", client=client)) == "one"
        assert str(await complete("openai/gpt-5.1", "hi", client=client)) == "two"
        await client.close()


async def test_without_a_model_the_servers_first_model_is_used() -> None:
    with ScriptedServer(["one"], models=["tiny"]) as server:
        result = await complete("local/", "hi", base_url=server.base_url("openai-chat"))
        assert (result.model.id, server.requests[-1].body["model"]) == ("tiny", "tiny")


async def test_a_model_record_needs_no_name() -> None:
    with ScriptedServer(["one"]) as server:
        result = await complete(Model("m", "local"), "hi", base_url=server.base_url("openai-chat"))
    assert str(result) == "one"


async def test_an_answer_without_an_end_is_a_failure() -> None:
    class Cut(Client):
        async def stream(self, request: Request):  # type: ignore[no-untyped-def]
            yield [TextDelta("wo")]

        async def close(self) -> None: ...

    with pytest.raises(StreamCut, match="is incomplete"):
        await complete("m", "hi", client=Cut())
