import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager

import pytest
from waiting import PATIENCE

from zot_provider.catalog.user import parse_user_models
from zot_provider.client.http import Client
from zot_provider.client.retry import RetryPolicy
from zot_provider.credentials import Authorization, EnvironmentKeys
from zot_provider.errors import ConfigError, ConnectError, MissingKey, ProviderError, StatusError, UnknownName
from zot_provider.events import StreamEnd, StreamEvent
from zot_provider.messages import Block, Message, ReasoningBlock, TextBlock
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.registry import Endpoint, ModelRegistry
from zot_provider.request import Request
from zot_provider.router import RoutingClient, open_client
from zot_provider.selection import Selection, select
from zot_provider.testing import Fault, ScriptedClient, ScriptedServer, Turn

KEY, OTHER = "sk-0123456789", "sk-9876543210"


def at(server: ScriptedServer, *names: str) -> dict[str, str]:
    """An environment in which these providers are at the server."""
    bases = {"anthropic": "anthropic-messages", "openai": "openai-chat"}
    return {f"{name.upper()}_BASE_URL": server.base_url(bases[name]) for name in names}


def request(provider: str, *messages: Message, model: str = "m") -> Request:
    return Request(Model(model, provider), list(messages) or [Message("user", [TextBlock("hi")])])


async def answer(client: Client, asked: Request) -> list[Block]:
    """The blocks of an answer."""
    events = [event async for batch in client.stream(asked) for event in batch]
    assert isinstance(events[-1], StreamEnd)
    return events[-1].content


@contextmanager
def two_servers(
    one: Sequence[str | Turn], two: Sequence[str | Turn]
) -> Iterator[tuple[ScriptedServer, ScriptedServer, dict[str, str]]]:
    """Anthropic's and OpenAI's servers, each with a key, and the environment that names them."""
    with ScriptedServer(one, key=KEY) as first, ScriptedServer(two, key=OTHER) as second:
        keys = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": OTHER}
        yield first, second, {**at(first, "anthropic"), **at(second, "openai"), **keys}


async def test_a_request_goes_to_the_provider_of_its_model() -> None:
    with two_servers(["one", "three"], ["two"]) as (first, second, environ):
        client = RoutingClient(ModelRegistry(environ=environ))
        for provider, text in (("anthropic", "one"), ("openai", "two"), ("anthropic", "three")):
            assert await answer(client, request(provider)) == [TextBlock(text)]
        await client.close()
        await client.close()
        assert [each.path for each in first.requests] == ["/v1/messages"] * 2
        assert [each.path for each in second.requests] == ["/v1/chat/completions"]


async def test_two_providers_are_asked_at_the_same_time() -> None:
    slow = [Turn("one", chunk=1, delay=0.01)] * 2, [Turn("two", chunk=1, delay=0.01)] * 2
    with two_servers(*slow) as (_, _, environ):
        client = RoutingClient(ModelRegistry(environ=environ))
        asked = [request("anthropic"), request("openai"), request("anthropic"), request("openai")]
        answers = await asyncio.gather(*(answer(client, each) for each in asked))
        assert answers == [[TextBlock("one")], [TextBlock("two")]] * 2
        await client.close()


async def test_requests_of_one_provider_share_a_connection() -> None:
    with ScriptedServer(["ok"] * 3) as server:
        client = RoutingClient(ModelRegistry(environ={"OPENAI_API_KEY": KEY, **at(server, "openai")}))
        for _ in range(3):
            await answer(client, request("openai"))
        assert server._listener is not None
        assert len(server._listener._connections) == 1
        await client.close()


async def test_a_key_that_changes_is_used_for_the_next_request() -> None:
    with ScriptedServer(["one", "two"], key=KEY) as server:
        environ = at(server, "openai")
        client = RoutingClient(ModelRegistry(environ=environ))
        model = Model("m", "openai")
        with pytest.raises(MissingKey, match="no API key for openai: set OPENAI_API_KEY"):
            client.check(model)
        environ["OPENAI_API_KEY"] = KEY
        client.check(model)
        assert await answer(client, request("openai")) == [TextBlock("one")]
        server.key = OTHER
        with pytest.raises(StatusError, match=r"check the API key \(OPENAI_API_KEY\)"):
            await answer(client, request("openai"))
        environ["OPENAI_API_KEY"] = OTHER
        assert await answer(client, request("openai")) == [TextBlock("two")]
        assert await client.models("openai") == ["scripted"]
        del environ["OPENAI_API_KEY"]
        with pytest.raises(MissingKey, match="set OPENAI_API_KEY"):
            await answer(client, request("openai"))
        with pytest.raises(MissingKey):
            await client.models("openai")
        await client.close()


@pytest.mark.parametrize("key", [KEY, OTHER])
async def test_the_key_of_the_request_is_redacted_in_errors(key: str) -> None:
    body = {"error": {"message": f"no {key}"}}
    turns = [Turn(fault=Fault(status=status, body=body)) for status in (503, 401)]
    with ScriptedServer(turns) as server:
        environ = {**at(server, "openai"), "OPENAI_API_KEY": KEY}
        client = RoutingClient(ModelRegistry(environ=environ), retries=RetryPolicy(delay=0.001))
        client.check(Model("m", "openai"))
        environ["OPENAI_API_KEY"] = key
        with pytest.raises(StatusError) as caught:
            await answer(client, request("openai"))
        assert str(caught.value).startswith("openai: the server answered 401 Unauthorized: no ***; check the API key (")
        await client.close()


class Tokens(EnvironmentKeys):
    """Credentials that are refreshed before each request."""

    def __init__(self, *tokens: str, error: Exception | None = None) -> None:
        super().__init__({})
        self.tokens, self.error = list(tokens), error

    def check(self, provider: Provider) -> None:
        if not self.tokens and self.error is None:
            raise MissingKey(f"{provider.id}: sign in first")

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        return Authorization(refused if refused and not self.tokens else self.tokens.pop(0))

    def advice(self, provider: Provider, key: str) -> str:
        return f"sign in to {provider.title} again"


async def test_other_credentials_are_asked_for_each_request() -> None:
    with ScriptedServer(["one", "two"]) as server:
        credentials = Tokens("token-1", "token-2", "token-3")
        client = RoutingClient(ModelRegistry(environ=at(server, "openai"), credentials=credentials))
        for _ in range(2):
            await answer(client, request("openai"))
        server.key = "another"
        with pytest.raises(StatusError, match=r"; sign in to OpenAI again$"):
            await answer(client, request("openai"))
        with pytest.raises(MissingKey, match="sign in first"):
            client.check(Model("m", "openai"))
        await client.close()
        keys = [each.headers["authorization"] for each in server.requests]
    assert keys == ["Bearer token-1", "Bearer token-2", "Bearer token-3"]


class Account(Tokens):
    """An account whose token is renewed after it was refused."""

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        if refused:
            self.tokens.remove(refused)
        return Authorization(self.tokens[0], headers={"x-account": "7"})


async def test_a_refused_token_is_renewed_once_and_the_request_sent_again() -> None:
    with ScriptedServer(["one"], key="token-2") as server:
        client = RoutingClient(ModelRegistry(environ=at(server, "openai"), credentials=Account("token-1", "token-2")))
        assert await answer(client, request("openai")) == [TextBlock("one")]
        server.key = "token-9"
        client.registry.credentials = Account("token-3", "token-4", "token-5")
        client = RoutingClient(client.registry)
        with pytest.raises(StatusError, match="401"):
            await answer(client, request("openai"))
        await client.close()
        sent = [(each.headers["authorization"], each.headers["x-account"]) for each in server.requests]
    assert sent == [(f"Bearer token-{number}", "7") for number in (1, 2, 3, 4)]


async def test_a_token_that_cannot_be_refreshed_is_an_error_of_the_provider() -> None:
    with ScriptedServer() as server:
        credentials = Tokens(error=ConnectError("the sign-in server does not answer"))
        client = RoutingClient(ModelRegistry(environ=at(server, "openai"), credentials=credentials))
        with pytest.raises(ConnectError, match=r"^openai: the sign-in server does not answer$"):
            await answer(client, request("openai"))
        await client.close()
        assert server.requests == []


async def test_an_endpoint_is_used_for_its_provider_only() -> None:
    with two_servers(["one"], ["two"]) as (first, second, environ):
        registry = ModelRegistry(environ={**environ, "ANTHROPIC_API_KEY": "sk-of-nobody"})
        registry.endpoints["anthropic"] = Endpoint(key=KEY, base_url=first.url, insecure=True)
        client = RoutingClient(registry)
        assert await answer(client, request("anthropic")) == [TextBlock("one")]
        assert await answer(client, request("openai")) == [TextBlock("two")]
        assert [client.registry.endpoints.get(id) for id in ("openai", "local")] == [None, None]
        del registry.endpoints["anthropic"]
        with pytest.raises(StatusError, match="401"):
            await answer(client, request("anthropic"))
        await client.close()
        assert KEY not in str(second.requests[0].headers)


async def test_another_address_is_asked_from_the_next_request_on() -> None:
    with ScriptedServer(["one", "three"]) as first, ScriptedServer(["two"]) as second:
        registry = ModelRegistry(environ={})
        client = RoutingClient(registry)
        for server in (first, second, first):
            registry.endpoints["local"] = Endpoint(base_url=server.base_url("openai-chat"))
            await answer(client, request("local"))
        await client.close()
        assert (len(first.requests), len(second.requests)) == (2, 1)


def test_an_impossible_request_is_refused_before_it_is_sent() -> None:
    client = RoutingClient(ModelRegistry(environ={"ANTHROPIC_API_KEY": "sk-ü"}))
    for provider, error, text in (
        ("openai", MissingKey, "no API key for openai: set OPENAI_API_KEY, or pass a key"),
        ("anthropic", ConfigError, "the API key for anthropic holds spaces or unusual characters"),
        ("local", ConfigError, "local has no default address: pass a base URL"),
        ("opnai", UnknownName, "unknown provider 'opnai'; did you mean openai"),
    ):
        with pytest.raises(error, match=text):
            client.check(Model("m", provider))
        with pytest.raises(error, match=text):
            client.stream(request(provider))
    client.registry.endpoints["local"] = Endpoint(base_url="localhost/v1")
    with pytest.raises(ConfigError, match="must begin with http://"):
        client.check(Model("m", "local"))


class InProcess(Client):
    """A client that speaks no HTTP, for models whose ids begin with "m"."""

    def __init__(self, provider: Provider) -> None:
        self.provider, self.inner = provider, ScriptedClient([provider.title], repeat=True)
        self.closed = 0

    def check(self, model: Model) -> None:
        if not model.id.startswith("m"):
            raise ConfigError(f"there is no model {model.id!r} here")

    def stream(self, asked: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        return self.inner.stream(asked)

    async def close(self) -> None:
        self.closed += 1


async def test_a_client_may_learn_before_a_request_that_another_one_serves_its_provider() -> None:
    with ScriptedServer(["over HTTP"]) as server:
        registry = ModelRegistry(environ={})
        client = RoutingClient(registry)

        class Preparing(InProcess):
            async def preparation(self) -> None:
                if self.provider.title == "Changes":
                    registry.add(Provider("ext", "Plain", "openai-chat", server.base_url("openai-chat"), key_env=()))

        registry.add(Provider("ext", "Stays", "openai-chat", None), open=Preparing)
        assert await answer(client, request("ext")) == [TextBlock("Stays")]
        registry.add(Provider("ext", "Changes", "openai-chat", None), open=Preparing)
        assert await answer(client, request("ext")) == [TextBlock("over HTTP")]
        await client.close()


async def test_a_provider_may_be_served_in_this_process() -> None:
    with ScriptedServer(["over HTTP"]) as server:
        made: list[InProcess] = []

        def opened(provider: Provider) -> InProcess:
            made.append(InProcess(provider))
            return made[-1]

        registry = ModelRegistry(environ={})
        client = RoutingClient(registry)
        registry.add(ModelRegistry().provider("local"), open=opened)
        registry.add(Provider("ext", "Extension", "openai-chat", None), [Model("m1", "ext")], open=opened)
        assert await answer(client, request("local")) == [TextBlock("OpenAI-compatible server")]
        assert await answer(client, request("ext")) == [TextBlock("Extension")]
        assert await answer(client, request("ext", model="m1")) == [TextBlock("Extension")]
        assert len(made) == 2
        assert await client.models("ext") == []
        with pytest.raises(ConfigError, match="there is no model 'x' here"):
            client.check(Model("x", "ext"))
        registry.add(Provider("ext", "Reloaded", "openai-chat", None), open=opened)
        assert await answer(client, request("ext")) == [TextBlock("Reloaded")]
        registry.endpoints["local"] = Endpoint(base_url=server.base_url("openai-chat"))
        assert await answer(client, request("local")) == [TextBlock("over HTTP")]
        registry.remove("ext")
        with pytest.raises(UnknownName, match="unknown provider 'ext'"):
            client.check(Model("m1", "ext"))
        await client.close()
        await client.close()
        assert [each.closed for each in made] == [1, 1, 1]


async def test_closing_closes_the_rest_although_one_fails() -> None:
    class Broken(InProcess):
        async def close(self) -> None:
            raise ProviderError("stuck")

    with ScriptedServer(["one"]) as server:
        registry = ModelRegistry(environ={})
        registry.endpoints["local"] = Endpoint(base_url=server.base_url("openai-chat"))
        registry.add(Provider("broken", "", "", None), open=Broken)
        client = RoutingClient(registry)
        await answer(client, request("local"))
        client.check(Model("m", "broken"))
        with pytest.raises(ProviderError, match="stuck"):
            await client.close()


@pytest.mark.parametrize("stop", ["close", "cancel"])
async def test_giving_up_one_answer_leaves_the_other_provider_s(stop: str) -> None:
    endless = Turn("word " * 1000, chunk=5, delay=0.02)
    with two_servers([endless], [Turn("word " * 20, chunk=5, delay=0.02)]) as (first, _, environ):
        client = RoutingClient(ModelRegistry(environ=environ))
        begun = asyncio.Event()

        async def leave() -> None:
            async with aclosing(client.stream(request("anthropic"))) as batches:  # type: ignore[type-var]
                async for _ in batches:
                    begun.set()
                    if stop == "close":
                        return

        loop = asyncio.get_running_loop()
        other = loop.create_task(answer(client, request("openai")))
        task = loop.create_task(leave())
        await asyncio.wait_for(begun.wait(), PATIENCE)
        if stop == "cancel":
            task.cancel()
        await asyncio.wait([task])
        await asyncio.to_thread(first.wait_idle, PATIENCE)
        assert first.requests[0].closed_early
        assert await other == [TextBlock("word " * 20)]
        await client.close()


async def test_a_selection_makes_a_client_that_is_ready() -> None:
    with ScriptedServer(["one", "two"], key=KEY) as server:
        base_url = server.base_url("openai-chat")
        environ = {"OPENAI_API_KEY": KEY}
        chosen = select("openai", "m", base_url=base_url, environ=environ)
        client = open_client(chosen, registry=ModelRegistry(environ=environ), coalesce_seconds=0.01)
        assert client.registry.endpoints == {"openai": Endpoint("", base_url)}
        assert await answer(client, Request(chosen.model, [Message("user", [TextBlock("hi")])])) == [TextBlock("one")]
        environ["OPENAI_API_KEY"] = OTHER
        server.key = OTHER
        assert await answer(client, Request(chosen.model, [Message("user", [TextBlock("hi")])])) == [TextBlock("two")]
        await client.close()


def test_a_given_key_is_stored_and_a_key_of_the_environment_is_read_again() -> None:
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    registry = ModelRegistry(environ=environ)
    open_client(select("openai", registry=registry), registry=registry)
    assert registry.endpoints == {}
    open_client(select("openai", api_key=OTHER, registry=registry), registry=registry)
    assert registry.endpoints == {"openai": Endpoint(OTHER)}
    open_client(select("openai", registry=registry), registry=registry, insecure=True)
    assert registry.endpoints == {"openai": Endpoint(OTHER, insecure=True)}


def test_a_selected_provider_is_added_to_the_registry() -> None:
    corp = parse_user_models({"providers": {"corp": {"baseUrl": "http://corp/v1", "auth": "none"}}})
    client = open_client(select("corp", "m", known=corp, environ={}))
    assert client.registry.provider("corp").base_url == "http://corp/v1"
    with pytest.raises(MissingKey, match="set ANTHROPIC_API_KEY"):
        open_client(
            Selection(ModelRegistry().provider("anthropic"), Model("m", "anthropic")),
            registry=ModelRegistry(environ={}),
        )


async def test_a_model_without_a_name_is_the_server_s_first() -> None:
    with ScriptedServer(models=["tiny", "large"]) as server:
        registry = ModelRegistry(environ={})
        registry.endpoints["local"] = Endpoint(base_url=server.base_url("openai-chat"))
        registry.add(Provider("ext", "Extension", "openai-chat", None), open=InProcess)
        client = RoutingClient(registry)
        assert await client.name_model(Model("", "local", reasoning=True)) == Model("tiny", "local", reasoning=True)
        assert await client.name_model(Model("named", "local")) == Model("named", "local")
        assert await client.name_model(Model("", "ext")) == Model("", "ext")
        await client.close()


def thought(*blocks: Block) -> list[ReasoningBlock]:
    return [block for block in blocks if isinstance(block, ReasoningBlock)]


@pytest.mark.parametrize("api", ["anthropic", "openai", "openai-responses"])
async def test_reasoning_goes_back_to_the_provider_that_wrote_it_and_to_no_other(api: str) -> None:
    """Two providers of the user's own, which speak one wire at two addresses."""
    with ScriptedServer([Turn("one", reasoning="secret"), "ok"]) as first, ScriptedServer(["ok"] * 2) as second:
        wire = {"anthropic": "anthropic-messages", "openai": "openai-chat"}.get(api, api)
        value = {
            name: {"baseUrl": server.base_url(wire), "api": api, "auth": "none"}
            for name, server in (("one", first), ("two", second))
        }
        client = RoutingClient(ModelRegistry(parse_user_models({"providers": value}), environ={}))
        question = Message("user", [TextBlock("hi")])
        said = await answer(client, request("one", question))
        assert [(block.wire, block.provider) for block in thought(*said)] == [(wire, "one")]
        history = [question, Message("assistant", said), question]
        for provider in ("two", "one", "two"):
            await answer(client, request(provider, *history))
        await client.close()
        assert ["signature" in str(each.body) or "secret" in str(each.body) for each in first.requests] == [False, True]
        assert not any("signature" in str(each.body) or "secret" in str(each.body) for each in second.requests)


async def test_the_alternatives_are_the_defaults_of_other_accounts_with_a_key() -> None:
    environ = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "GROQ_API_KEY": " "}
    client = RoutingClient(ModelRegistry(environ=environ))
    (anthropic,) = client.alternatives(Model("gpt-5.4", "openai"))  # not openai-responses, which has the same key
    assert anthropic == f"anthropic/{client.registry.default('anthropic').id}"
    assert [name.partition("/")[0] for name in client.alternatives(Model("x", "nobody"))].count("openai") == 1
    await client.close()
