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

CORP = {"baseUrl": "https://llm.corp/v1", "models": [{"id": "m1"}]}


def parse(providers: Any) -> Any:
    return parse_user_models({"providers": providers})


def test_without_anything_the_built_in_providers_are_known() -> None:
    assert parse_user_models({}).providers == PROVIDERS


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
    model = {"id": "m", "name": "M", "reasoning": True, "contextWindow": 1000, "maxTokens": 100, "future": [1]}
    prices = {"priceInput": 1, "priceOutput": 2.5, "priceCacheRead": 0.1}
    assert parse({"corp": CORP | {"models": [model | prices]}}).models["corp"] == [
        Model("m", "corp", "M", 1000, 100, reasoning=True, price=Price(1, 2.5, 0.1, 1))
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
