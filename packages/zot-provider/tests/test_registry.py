import asyncio
from collections.abc import Awaitable, Callable, Iterable

import pytest
from waiting import PATIENCE

from zot_provider.catalog.known_providers import KnownProviders
from zot_provider.catalog.user import parse_user_models
from zot_provider.errors import ConfigError, ConnectError, MissingKey, ProviderError, ResponseTimeout, UnknownName
from zot_provider.model import Model, Price
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.registry import Endpoint, Listing, ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.testing import ScriptedServer

KEY = "sk-0123456789"
KEYS = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
BASE = "http://127.0.0.1:9/v1"
M1 = {"id": "m1", "contextWindow": 1000, "priceInput": 1, "priceOutput": 2}
CORP = parse_user_models({"providers": {
    "corp": {"baseUrl": "http://corp/v1", "models": [M1, {"id": "m2", "contextWindow": 100000}]},
    "openai": {"models": [{"id": "gpt-5.1", "contextWindow": 1000}, {"id": "ours"}]},
}})  # fmt: skip
LOCAL = ["llama.cpp", "lmstudio", "ollama", "vllm"]
"""Providers that need no key, and whose models only they know."""


def registry(
    environ: dict[str, str] | None = None, known: KnownProviders | None = None, **endpoints: Endpoint
) -> ModelRegistry:
    made = ModelRegistry(known, environ={} if environ is None else environ)
    made.endpoints.update(endpoints)
    return made


def ids(models: Iterable[Model]) -> list[str]:
    return [model.id for model in models]


def listing(*models: str) -> "Callable[[str], Awaitable[list[str]]]":
    """A server that lists these."""

    async def fetch(provider: str) -> list[str]:
        return list(models)

    return fetch


def test_the_providers_are_the_built_in_ones_the_user_s_and_those_added() -> None:
    found = registry(known=CORP)
    found.add(Provider("ext", "Extension", "openai-chat", "http://ext/v1"))
    assert [provider.id for provider in found.providers] == [*(each.id for each in PROVIDERS), "corp", "ext"]
    assert found.provider("corp").base_url == "http://corp/v1"
    with pytest.raises(UnknownName, match="unknown provider 'opnai'; did you mean openai"):
        found.provider("opnai")


def test_a_provider_that_was_added_takes_the_place_of_another_until_it_is_removed() -> None:
    found = registry(known=CORP)
    found.add(Provider("corp", "Other", "openai-chat", "http://other/v1"), [Model("m1", "corp"), Model("m3", "corp")])
    assert found.provider("corp").title == "Other"
    assert found.find("corp", "m1") == CORP.models["corp"][0]  # what the user says of it counts more
    assert ids(found.models("corp")) == ["m1", "m3", "m2"]
    found.remove("corp")
    found.remove("corp")
    assert found.provider("corp").title == "corp"
    assert ids(found.models("corp")) == ["m1", "m2"]


def test_the_user_s_file_can_be_read_again() -> None:
    found = registry()
    found.add(Provider("ext", "Extension", "openai-chat", "http://ext/v1"))
    assert found.find("corp", "m1") is None
    found.reload(CORP)
    assert found.find("corp", "m1") is not None
    assert found.provider("ext").title == "Extension"


def test_the_address_of_each_provider() -> None:
    environ = {"OPENAI_BASE_URL": " http://proxy/v1 "}
    found = registry(environ, anthropic=Endpoint(base_url="http://given"))
    assert found.address("anthropic") == "http://given"
    assert found.address("openai") == "http://proxy/v1"
    assert found.address("local") == ""
    environ.clear()
    assert found.address("openai") == "https://api.openai.com/v1"


def test_a_provider_is_ready_if_it_has_a_key_or_needs_none() -> None:
    environ: dict[str, str] = {}
    found = registry(environ)
    assert [found.ready(id) for id in ("openai", "ollama")] == [False, True]
    environ["OPENAI_API_KEY"] = KEY
    found.endpoints["anthropic"] = Endpoint(key="sk-ü")  # it is said what is wrong with it once it is used
    assert [found.ready(id) for id in ("openai", "anthropic")] == [True, True]


def test_a_provider_is_ready_if_the_parts_of_its_address_are_known() -> None:
    environ = {"AZURE_OPENAI_API_KEY": KEY}
    found = registry(environ)
    assert not found.ready("azure")
    environ["AZURE_OPENAI_RESOURCE_NAME"] = "res"
    assert found.ready("azure")
    assert registry({"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_BASE_URL": "https://corp"}).ready("azure")


def test_the_users_entry_for_a_model_wins_over_the_catalogue() -> None:
    found = registry(known=CORP)
    own = found.find("openai", "gpt-5.1")
    assert own is not None
    assert (own.context_window, own.price) == (1000, Price(1.25, 10.0, 0.125, 1.25))
    catalogue = found.find("openai", "gpt-4o")
    assert catalogue is not None
    assert catalogue.context_window > 1000
    assert found.find("openai", "m1") is None
    assert found.find("nobody", "m1") is None
    assert found.find("corp", "") is None


def test_each_model_is_listed_once() -> None:
    found = registry(known=CORP)
    found.remember("openai", ["gpt-5.1", "gpt-99"])
    every = [(model.provider, model.id) for model in found.models()]
    assert len(every) == len(set(every))
    assert {"gpt-5.1", "gpt-99", "ours", "gpt-4o"} <= set(ids(found.models("openai")))
    assert next(model for model in found.models("openai") if model.id == "gpt-5.1").context_window == 1000
    assert ids(found.models("corp")) == ["m1", "m2"]


def test_a_given_base_url_hides_the_catalogue_and_a_base_url_of_the_environment_does_not() -> None:
    given = registry(known=CORP, openai=Endpoint(base_url=BASE))
    assert ids(given.models("openai")) == ["gpt-5.1", "ours"]
    assert "gpt-4o" in ids(registry({"OPENAI_BASE_URL": BASE}).models("openai"))


async def test_what_a_server_lists_is_remembered_while_it_is_asked_there() -> None:
    found = registry(local=Endpoint(base_url=BASE))
    assert ids(await found.live("local", listing("tiny", "large"))) == ["tiny", "large"]
    assert found.find("local", "tiny") == Model("tiny", "local", reasoning=True)
    found.endpoints["local"] = Endpoint(base_url="http://elsewhere/v1")
    assert found.models("local") == []
    assert found.find("local", "tiny") is None


def test_a_list_may_describe_its_models() -> None:
    found = registry()
    described = Model("qwen3:8b", "ollama", context_window=40960)
    found.remember("ollama", [described, "other"])
    assert found.find("ollama", "qwen3:8b") == described


async def test_a_server_that_is_slow_or_fails_is_an_error() -> None:
    async def never(provider: str) -> list[str]:
        await asyncio.Event().wait()
        return []

    found = registry()
    with pytest.raises(ResponseTimeout, match=r"^ollama: no list of models came within 0\.01 s$"):
        await found.live("ollama", never, 0.01)
    with pytest.raises(UnknownName):
        await found.live("nobody", never)


def test_the_default_model_of_a_provider() -> None:
    found = registry(known=CORP)
    found.add(Provider("ext", "Extension", "openai-chat", None), [Model("first", "ext", context_window=9)])
    assert found.default("anthropic").id == "claude-opus-5-5"
    assert found.default("corp") == CORP.models["corp"][0]
    assert found.default("ext").context_window == 9
    assert found.default("ollama") == Model("", "ollama", reasoning=True)


# What a person means by a name.

CLAUDE, GPT, LLAMA = Model("claude-opus-4-5", "anthropic"), Model("gpt-4o", "openai"), Model("llama3", "ollama")
SERVER = Model("local-llm", "openai")

NAMES = [
    pytest.param("claude-sonnet-4-5", CLAUDE, "anthropic/claude-sonnet-4-5", id="an id of the current provider"),
    pytest.param(" anthropic/claude-sonnet-4-5 ", CLAUDE, "anthropic/claude-sonnet-4-5", id="with its provider"),
    pytest.param("claude-haiku", CLAUDE, "anthropic/claude-haiku-5-5", id="words of one"),
    pytest.param("gpt-5-2025-08-07", GPT, "openai/gpt-5-2025-08-07", id="a dated snapshot"),
    pytest.param("claude-99", CLAUDE, "anthropic/claude-99", id="one that nobody knows"),
    pytest.param("gpt-4o", CLAUDE, "openai/gpt-4o", id="an id of another provider"),
    pytest.param("openai/gpt-4o", CLAUDE, "openai/gpt-4o", id="another provider is named"),
    pytest.param("openai/gpt-99", CLAUDE, "openai/gpt-99", id="for a model that nobody knows"),
    pytest.param("anthropic/claude-haiku", GPT, "anthropic/claude-haiku-5-5", id="and words of an id"),
    pytest.param("openai/claude-sonnet-4-5", GPT, "openai/claude-sonnet-4-5", id="the current provider is named"),
    pytest.param("gpt-4o", Model("gpt-5", "openai-responses"), "openai-responses/gpt-4o", id="the same catalogue"),
    pytest.param("m2", CLAUDE, "corp/m2", id="a model of the user's"),
    pytest.param("corp/m2", CLAUDE, "corp/m2", id="the user's provider is named"),
    pytest.param("corp/new", CLAUDE, "corp/new", id="whose server may have any"),
    pytest.param("m", Model("m1", "corp"), "corp/m", id="a server has no beginnings"),
    pytest.param("gpt-4o", LLAMA, "ollama/gpt-4o", id="a server has its own names"),
    pytest.param("openai/gpt-oss-20b", LLAMA, "ollama/openai/gpt-oss-20b", id="also some that look like another's"),
    pytest.param("foo/bar", LLAMA, "ollama/foo/bar", id="and any other with a slash"),
    pytest.param("openai/gpt-4o", LLAMA, "openai/gpt-4o", id="unless the other has the model"),
    pytest.param("corp/new", LLAMA, "corp/new", id="or the other is a server without a catalogue"),
    pytest.param("gpt-5.1-mini", SERVER, "openai/gpt-5.1-mini", id="at a base URL every name is taken"),
    pytest.param("claude-sonnet-4-5", SERVER, "openai/claude-sonnet-4-5", id="even one of another provider"),
    pytest.param("anthropic/something", SERVER, "openai/anthropic/something", id="also with a slash"),
    pytest.param("anthropic/claude-sonnet-4-5", SERVER, "anthropic/claude-sonnet-4-5", id="unless that one has it"),
    pytest.param("claude-sonnet-4-5", GPT, "anthropic/claude-sonnet-4-5", id="a proxy has the catalogue's names"),
]


@pytest.mark.parametrize(("name", "current", "expected"), NAMES)
def test_a_name_means_a_model(name: str, current: Model, expected: str) -> None:
    found = registry(KEYS, CORP, openai=Endpoint(base_url=BASE)).resolve(name, current)
    assert f"{found.provider}/{found.id}" == expected


def test_a_model_of_the_user_s_keeps_its_context_window_and_price() -> None:
    found = registry(KEYS, CORP).resolve("m2", Model("m1", "corp"))
    assert found.context_window == 100000
    assert registry(KEYS, CORP).resolve("corp/m1", CLAUDE).price == Price(1.0, 2.0, 1.0, 1.0)


@pytest.mark.parametrize("name", ["", "  ", "anthropic/", "openai/", " /"])
def test_an_empty_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="the model's name is empty"):
        registry(KEYS).resolve(name, CLAUDE)


def test_an_unknown_provider_before_a_slash_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown provider 'foo'; "):
        registry(KEYS).resolve("foo/bar", CLAUDE)
    with pytest.raises(UnknownName, match="unknown provider 'opnai'; did you mean openai"):
        registry(KEYS).resolve("opnai/gpt-4o", CLAUDE)
    with pytest.raises(UnknownName, match="unknown provider 'opnai'"):
        registry(KEYS).resolve("gpt-4o", CLAUDE, provider="opnai")


def test_the_ids_of_a_catalogue_may_hold_slashes() -> None:
    found = registry(KEYS)
    models = [
        Model("openrouter/auto", "openrouter"),
        Model("unheard/llama", "openrouter"),
        Model("x-ai/grok", "openrouter"),
    ]
    found.add(Provider("openrouter", "OpenRouter", "openai-chat", "http://router/v1"), models)
    here = models[0]
    for name in ("openrouter/auto", "unheard/llama", "openrouter/unheard/llama", "new/one"):
        assert found.resolve(name, here).provider == "openrouter"
    assert found.resolve("openrouter/auto", here) == models[0]
    assert found.resolve("openrouter/unheard/llama", here) == models[1]
    assert found.resolve("unheard/llama", CLAUDE) == models[1]


def test_a_separately_given_provider_is_used() -> None:
    found = registry(KEYS)
    assert found.resolve("gpt-4o", CLAUDE, provider="openai-responses").provider == "openai-responses"
    assert found.resolve("openai/gpt-4o", CLAUDE, provider="openai") == found.find("openai", "gpt-4o")
    assert found.resolve("claude-haiku", GPT, provider="anthropic").id == "claude-haiku-5-5"
    assert found.resolve("claude-sonnet-4-5", CLAUDE, provider="openai").provider == "openai"


def test_among_other_providers_those_with_a_key_come_first() -> None:
    rival = parse_user_models({"providers": {"rival": {"baseUrl": "http://r/v1", "models": [{"id": "gpt-4o"}]}}})
    assert registry({"RIVAL_API_KEY": KEY}, rival).resolve("gpt-4o", CLAUDE).provider == "rival"
    assert registry({"RIVAL_API_KEY": KEY, **KEYS}, rival).resolve("gpt-4o", CLAUDE).provider == "openai"
    assert registry({}, rival).resolve("gpt-4o", CLAUDE).provider == "openai"


def test_without_a_current_model_the_first_provider_with_a_key_is_the_current_one() -> None:
    assert registry({"OPENAI_API_KEY": KEY}).resolve("gpt-99").provider == "openai"
    assert registry({}).resolve("gpt-4o").provider == "openai"
    assert registry({}).resolve("claude-99").provider == "anthropic"


def test_a_list_that_a_server_gave_names_models_too() -> None:
    found = registry(KEYS)
    found.remember("openai", ["gpt-99"])
    assert found.resolve("gpt-99", CLAUDE).provider == "openai"
    assert found.knows(Model("gpt-99", "openai"))


def test_a_model_that_is_not_in_a_complete_list_is_unlisted() -> None:
    found = registry(KEYS, CORP, openai=Endpoint(base_url=BASE))
    for model, before, warned in (
        (Model("claude-99", "anthropic"), CLAUDE, True),
        (Model("claude-99", "anthropic"), LLAMA, True),
        (Model("claude-sonnet-4-5", "anthropic"), CLAUDE, False),
        (Model("gpt-5-2025-08-07", "openai"), CLAUDE, False),
        (Model("ours", "openai"), CLAUDE, False),
        (Model("gpt-nope", "openai"), GPT, True),  # a proxy
        (Model("unheard/llama", "openai"), SERVER, False),
        (Model("gpt-nope", "openai"), CLAUDE, False),
        (Model("new", "corp"), CLAUDE, False),
        (Model("new", "ollama"), CLAUDE, False),
    ):
        assert found.unlisted(model, before) is warned, model


def test_a_model_of_a_provider_that_is_gone_is_unknown() -> None:
    assert not registry().knows(Model("m", "gone"))


# Lists of several providers.


def listed(
    found: ModelRegistry, fetch: "Callable[[str], Awaitable[list[str]]] | None" = None, **how: object
) -> Listing:
    return asyncio.run(found.listing(fetch, **how))  # type: ignore[arg-type]


def test_a_listing_begins_with_the_current_provider_and_has_those_that_can_be_asked() -> None:
    found = listed(registry({"OPENAI_API_KEY": KEY}, CORP), current=Model("gpt-99", "openai"))
    assert found.models[0] == Model("gpt-99", "openai")
    assert {model.provider for model in found.models} == {"openai", "openai-responses"}
    assert found.problems == {}
    every = listed(registry(known=CORP), which="all")
    assert {model.provider for model in every.models} >= {"anthropic", "openai", "deepseek", "openrouter", "corp"}
    only = listed(registry(known=CORP), which="current", current=Model("", "corp"))
    assert ids(only.models) == ["m1", "m2"]


def test_servers_without_a_catalogue_are_asked_and_failures_are_problems() -> None:
    asked: list[str] = []

    async def fetch(provider: str) -> list[str]:
        asked.append(provider)
        if provider in LOCAL:
            raise ConnectError(f"{provider}: nobody there")
        return ["m1", "m9"]

    found = listed(registry({"CORP_API_KEY": KEY, **KEYS}, CORP), fetch, which="all")
    assert sorted(asked) == ["corp", *LOCAL]
    assert [model.id for model in found.models if model.provider == "corp"] == ["m1", "m9", "m2"]
    assert {id: str(error) for id, error in found.problems.items()} == {id: f"{id}: nobody there" for id in LOCAL}
    asked.clear()
    listed(registry(KEYS, CORP), fetch, ask="always")
    assert sorted(asked) == sorted(["anthropic", "openai", "openai-responses", *LOCAL])
    asked.clear()
    listed(registry(KEYS, CORP), fetch, ask="never", which="all")
    assert asked == []


async def test_the_server_at_a_base_url_is_asked_unless_the_current_model_is_one_of_the_catalogue() -> None:
    with ScriptedServer(models=["one", "gpt-4o"], key=KEY) as server:
        found = registry(KEYS, openai=Endpoint(base_url=server.base_url("openai-chat")))
        client = RoutingClient(found)
        own = await found.listing(client.models, which="current", current=SERVER)
        assert ids(own.models) == ["local-llm", "one", "gpt-4o"]
        assert own.models[2].context_window > 0
        proxied = await found.listing(client.models, which="current", current=GPT)
        assert {"gpt-4o", "gpt-5", "one"} <= set(ids(proxied.models))
        await client.close()


def test_a_current_provider_without_a_key_is_a_problem_and_its_known_models_are_listed() -> None:
    found = registry(known=CORP)
    result = listed(found, RoutingClient(found).models, current=Model("m2", "corp"))
    assert ids(result.models)[:2] == ["m1", "m2"]
    assert isinstance(result.problems.pop("corp"), MissingKey)
    assert all(isinstance(error, ProviderError) for error in result.problems.values())


async def test_servers_are_asked_at_the_same_time_and_each_has_its_limit() -> None:
    both = asyncio.Barrier(1 + len(LOCAL))

    async def fetch(provider: str) -> list[str]:
        await both.wait()
        if provider == "ollama":
            await asyncio.Event().wait()
        return ["m9"]

    result = await registry({"CORP_API_KEY": KEY}, CORP).listing(fetch, limit=0.5)
    assert "m9" in ids(result.models)
    assert isinstance(result.problems["ollama"], ResponseTimeout)


async def test_cancelling_a_listing_cancels_every_fetch() -> None:
    given_up: list[str] = []
    asked = asyncio.Barrier(2 + len(LOCAL))

    async def fetch(provider: str) -> list[str]:
        try:
            await asked.wait()
            await asyncio.Event().wait()
        finally:
            given_up.append(provider)
        return []

    task = asyncio.get_running_loop().create_task(registry({"CORP_API_KEY": KEY}, CORP).listing(fetch, limit=60))
    await asyncio.wait_for(asked.wait(), PATIENCE)
    task.cancel()
    await asyncio.wait([task])
    assert sorted(given_up) == ["corp", *LOCAL]
