import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.catalog import list_models
from zot_provider.catalog.user import parse_user_models
from zot_provider.errors import ConfigError
from zot_provider.model import Model, Price
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.selection import select
from zot_provider.wire.base import Quirks
from zot_provider.wire.reasoning import effort_word, levels

CORP = {"baseUrl": "https://llm.corp/v1", "models": [{"id": "m1"}]}


def parse(providers: Any) -> Any:
    return parse_user_models({"providers": providers})


def test_without_anything_the_built_in_providers_are_known() -> None:
    assert parse_user_models({}).providers == tuple(PROVIDERS)


def test_a_new_provider_has_its_key_in_a_variable_of_its_name() -> None:
    known = parse({"my-corp": CORP})
    assert known.providers[-1] == Provider(
        "my-corp", "my-corp", "openai-chat", "https://llm.corp/v1", key_env=("MY_CORP_API_KEY",)
    )
    assert known.models["my-corp"] == [Model("m1", "my-corp", name="m1")]


def test_a_provider_without_authentication_needs_no_key() -> None:
    assert parse({"corp": CORP | {"auth": "none", "api": "anthropic"}}).providers[-1] == Provider(
        "corp", "corp", "anthropic-messages", "https://llm.corp/v1"
    )


def test_a_known_provider_keeps_its_other_fields() -> None:
    known = parse({"anthropic": {"baseUrl": "https://proxy.corp"}})
    assert known.providers[0] == ModelRegistry().provider("anthropic").replace(
        base_url="https://proxy.corp", base_url_env=()
    )
    assert len(known.providers) == len(PROVIDERS)


def test_the_address_written_down_counts_more_than_a_variable() -> None:
    known = parse({"openai": {"baseUrl": "https://mine/v1"}, "anthropic": {"models": [{"id": "x"}]}})
    environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://other/v1", "ANTHROPIC_BASE_URL": "https://third"}
    assert select("openai", environ=environ, known=known).base_url == ""
    assert select("openai", environ=environ, known=known).provider.base_url == "https://mine/v1"
    assert select("anthropic", api_key="k", environ=environ, known=known).base_url == "https://third"


def test_a_known_provider_on_another_wire_loses_its_quirks() -> None:
    openai = ModelRegistry().provider("openai")
    known = parse({"openai": {"api": "anthropic"}, "anthropic": {"api": "anthropic"}})
    assert known.providers[0] == ModelRegistry().provider("anthropic")
    assert known.providers[1] == openai.replace(wire="anthropic-messages", quirks=Quirks())
    assert parse({"openai": {"auth": "none"}}).providers[1] == openai.replace(key_env=())


def test_a_model_of_the_catalogue_keeps_its_other_fields() -> None:
    anthropic = ModelRegistry().provider("anthropic")
    (listed,) = (model for model in list_models(anthropic) if model.id == "claude-sonnet-4-6")
    model = {"id": "claude-sonnet-4-6", "contextWindow": 1000}
    assert parse({"anthropic": {"models": [model]}}).models["anthropic"] == [listed.replace(context_window=1000)]
    changed = {"reasoning": False, "priceInput": 0, "priceOutput": 0, "name": "Free"}
    assert parse({"anthropic": {"models": [model | changed]}}).models["anthropic"] == [
        listed.replace(context_window=1000, reasoning=False, price=Price(0, 0, 0, 0), name="Free")
    ]


def test_a_model_has_limits_and_prices() -> None:
    model = {"id": "m", "name": "M", "reasoning": True, "contextWindow": 1000, "maxTokens": 100}
    prices = {"priceInput": 1, "priceOutput": 2.5, "priceCacheRead": 0.1}
    assert parse({"corp": CORP | {"models": [model | prices]}}).models["corp"] == [
        Model("m", "corp", "M", 1000, 100, reasoning=True, price=Price(1, 2.5, 0.1, 1))
    ]


async def test_a_key_is_a_variable_or_the_key_itself() -> None:
    known = parse({
        "a": CORP | {"apiKey": "$MY_KEY"}, "b": CORP | {"apiKey": "${MY_KEY}"}, "c": CORP | {"apiKey": "MY_KEY"},
        "d": CORP | {"apiKey": "sk-literal"}, "openai": {"apiKey": "sk-of-the-proxy", "baseUrl": "http://proxy/v1"},
    })  # fmt: skip
    providers = {each.id: each for each in known.providers}
    assert [providers[id].key_env for id in "abc"] == [("MY_KEY",)] * 3
    assert known.keys == {"d": "sk-literal", "openai": "sk-of-the-proxy"}
    registry = ModelRegistry(known, environ={"MY_KEY": "sk-1", "OPENAI_API_KEY": "sk-own"})
    keys = [(await registry.credentials_of(id).authorize(providers[id])).key for id in ("a", "d", "openai")]
    assert keys == ["sk-1", "sk-literal", "sk-of-the-proxy"]  # the proxy does not get the key for OpenAI


def test_headers_are_sent_with_every_request_and_may_be_variables() -> None:
    value = {"providers": {"corp": CORP | {"headers": {"X-Team": "a b", "x-token": "$TOKEN"}, "authHeader": True}}}
    provider = parse_user_models(value, environ={"TOKEN": "t0"}).providers[-1]
    assert dict(provider.quirks.headers) == {"x-team": "a b", "x-token": "t0"}
    assert provider.scheme == "bearer"


def test_what_differs_for_a_server_is_said_in_compat_for_all_of_its_models_or_for_one() -> None:
    model = {"id": "m[1]", "compat": {"maxTokensField": "max_completion_tokens"}}
    compat = {"supportsDeveloperRole": True, "supportsReasoningEffort": False, "supportsUsageInStreaming": False}
    provider = parse({"corp": CORP | {"compat": compat, "models": [model, {"id": "m2"}]}}).providers[-1]
    assert (provider.quirks.system_role, provider.quirks.reasoning_effort, provider.quirks.usage_chunk) == (
        "developer", False, False,
    )  # fmt: skip
    fields = [provider.serve(Model(id, "corp")).quirks.max_tokens_field for id in ("m[1]", "m1", "m2")]
    assert fields == ["max_completion_tokens", "max_tokens", "max_tokens"]


def test_a_model_may_have_its_own_wire_and_address() -> None:
    model = {"id": "m", "api": "anthropic", "baseUrl": "http://other", "input": ["text"]}
    known = parse({"corp": CORP | {"models": [model]}})
    (found,) = known.models["corp"]
    assert found.images is False
    served = known.providers[-1].serve(found)
    assert (served.wire, served.base_url) == ("anthropic-messages", "http://other")


def test_levels_have_words_of_their_own() -> None:
    model = {"id": "m", "reasoningLevelMap": {"off": None, "low": "brief", "max": "ultra", "minimal": None}}
    (found,) = parse({"corp": CORP | {"models": [model]}}).models["corp"]
    assert levels(found) == ("low", "medium", "high", "max")
    assert [effort_word(found, level) for level in ("off", "low", "high", "max")] == ["brief", "brief", "high", "ultra"]


def test_models_of_the_catalogue_are_changed_by_overrides() -> None:
    overrides = {"claude-opus-5": {"contextWindow": 5, "cost": {"input": 1, "output": 2}}}
    (found,) = parse({"anthropic": {"modelOverrides": overrides}}).models["anthropic"]
    assert (found.context_window, found.max_output, found.price) == (5, 128_000, Price(1, 2, 1, 1))


def test_other_names_of_a_provider_mean_that_provider() -> None:
    known = parse({"anthropic-messages": {"models": [{"id": "a"}]}, "anthropic": {"models": [{"id": "b"}]}})
    assert [model.id for model in known.models["anthropic"]] == ["a", "b"]
    assert len(known.providers) == len(PROVIDERS)


def test_where_openrouter_may_send_a_request_is_a_field_of_each_body() -> None:
    value = {"openrouter": {"compat": {"openRouterRouting": {"only": ["groq"]}, "thinkingFormat": "openai"}}}
    provider = next(each for each in parse(value).providers if each.id == "openrouter")
    for model in ("m", "anthropic/m"):
        assert provider.serve(Model(model, "openrouter")).quirks.body == (("provider", {"only": ["groq"]}),)
    assert provider.quirks.thinking == "effort"


async def test_a_server_is_asked_for_its_models_as_the_file_says() -> None:
    asked: list[str] = []

    async def fetch(id: str) -> list[str]:
        asked.append(id)
        return ["m"]

    known = parse({
        "silent": CORP | {"auth": "none", "discover": False}, "open": CORP | {"auth": "none"},
        "anthropic": {"discover": True, "auth": "none"},
    })  # fmt: skip
    await ModelRegistry(known, environ={}).listing(fetch)
    assert {"open", "anthropic"} <= set(asked)
    assert "silent" not in asked


def test_nothing_is_ignored_without_a_word() -> None:
    known = parse_user_models({"future": 1, "providers": {"corp": CORP | {
        "colour": "red", "compat": {"later": 1}, "models": [{"id": "m", "wait": 2, "compat": {"x": 1}}],
    }}})  # fmt: skip
    assert known.warnings == [
        "models.json: providers.corp.compat.later: unknown field, ignored",
        "models.json: providers.corp.models[0].compat.x: unknown field, ignored",
        "models.json: providers.corp.models[0].wait: unknown field, ignored",
        "models.json: providers.corp.colour: unknown field, ignored",
        "models.json: future: unknown field, ignored",
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"providers": []}, "models.json: providers: expected an object, got a list"),
        ({"providers": None}, "models.json: providers: expected an object, got null"),
        ({"providers": {"": CORP}}, "models.json: providers.: a provider's name has no slash and no space"),
        ({"providers": {"a/b": CORP}}, "models.json: providers.a/b: a provider's name has no slash and no space"),
        ({"providers": {"a\nb": CORP}}, "models.json: providers.'a\\nb': a provider's name has no slash and no space"),
        ({"providers": {"c": 1}}, "models.json: providers.c: expected an object, got 1"),
        ({"providers": {"c": {}}}, "models.json: providers.c.baseUrl: missing"),
        ({"providers": {"c": {"baseUrl": "llm.corp"}}}, "models.json: providers.c.baseUrl: must begin with http"),
        ({"providers": {"c": CORP | {"api": "grpc"}}}, "models.json: providers.c.api: expected one of openai"),
        ({"providers": {"c": CORP | {"models": {}}}}, "models.json: providers.c.models: expected a list"),
        ({"providers": {"c": CORP | {"models": [1]}}}, "models.json: providers.c.models[0]: expected an object, got 1"),
        ({"providers": {"c": CORP | {"models": [{}]}}}, "models.json: providers.c.models[0].id: missing"),
        (
            {"providers": {"c": CORP | {"models": [{"id": "m", "contextWindow": "8k"}]}}},
            'models.json: providers.c.models[0].contextWindow: expected a number from 0, got "8k"',
        ),
        (
            {"providers": {"c": CORP | {"models": [{"id": "m", "reasoning": 1}]}}},
            "models.json: providers.c.models[0].reasoning: expected true or false, got 1",
        ),
        ({"providers": {"c": CORP | {"apiKey": 1}}}, "models.json: providers.c.apiKey: expected text, got 1"),
        ({"providers": {"c": CORP | {"apiKey": "!pass x"}}}, "models.json: providers.c.apiKey: no command is run"),
        ({"providers": {"c": CORP | {"auth": "key"}}}, "models.json: providers.c.auth: expected one of none"),
        ({"providers": {"c": CORP | {"headers": {"a b": "x"}}}}, "models.json: providers.c.headers.a b: is not"),
        ({"providers": {"c": CORP | {"headers": {"a": "x\ny"}}}}, "models.json: providers.c.headers.a: a header holds"),
        ({"providers": {"c": CORP | {"headers": {"a": 1}}}}, "models.json: providers.c.headers.a: expected text"),
        (
            {"providers": {"c": CORP | {"compat": {"maxTokensField": "max"}}}},
            'models.json: providers.c.compat.maxTokensField: expected max_tokens or max_completion_tokens, got "max"',
        ),
        (
            {"providers": {"c": CORP | {"compat": {"supportsDeveloperRole": []}}}},
            "models.json: providers.c.compat.supportsDeveloperRole: expected true or false, got a list",
        ),
        (
            {"providers": {"c": CORP | {"models": [{"id": "m", "reasoningLevelMap": {"lots": "x"}}]}}},
            "models.json: providers.c.models[0].reasoningLevelMap.lots: expected a level: off, minimum",
        ),
        (
            {"providers": {"c": CORP | {"models": [{"id": "m", "input": ["sound"]}]}}},
            "models.json: providers.c.models[0].input: expected a list of text and image",
        ),
        ({"providers": {"c": CORP | {"modelOverrides": {"m": 1}}}}, "models.json: providers.c.modelOverrides.m: exp"),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_named_with_its_place(value: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_user_models(value)
    assert str(raised.value).startswith(message)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["baseUrl", "api", "models", "id", "auth", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=3))
def test_any_json_is_taken_or_refused_in_one_line(providers: dict[str, Any]) -> None:
    said = ""
    try:
        parse(json.loads(json.dumps(providers)))
    except ConfigError as error:
        said = str(error)
    assert "\n" not in said
