from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.catalog.server_list import MOST_MODELS, list_owner, llama_cpp_facts, ollama_facts, parse_list
from zot_provider.model import Model, Price, PriceTier, Thinking
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.wire.reasoning import levels

CORP = Provider("corp", "Corp", "openai-chat", "http://corp/v1")
ANTHROPIC = ModelRegistry().provider("anthropic")
YES, NO = {"supported": True}, {"supported": False}


def only(entry: dict[str, Any], provider: Provider = CORP) -> Model:
    (model,) = parse_list({"object": "list", "data": [entry]}, provider)
    return model


def capabilities(types: dict[str, Any], *efforts: str) -> dict[str, Any]:
    effort = {word: YES if word in efforts else NO for word in ("low", "medium", "high", "xhigh", "max")}
    return {"effort": effort, "thinking": {"types": types}, "image_input": YES}


@pytest.mark.parametrize(
    ("types", "efforts", "how"),
    [
        ({"adaptive": YES, "enabled": NO, "disabled": YES}, ("low", "high"), ("adaptive", ("low", "high"), "disabled")),
        ({"adaptive": YES, "between_tools": YES}, ("low",), ("adaptive", ("low",), "between_tools")),
        ({"adaptive": YES, "disabled": NO}, ("low", "max"), ("adaptive", ("low", "max"), "lowest")),
        ({"enabled": YES, "disabled": YES}, (), ("budget", (), "omitted")),
    ],
)
def test_what_anthropic_says_of_thinking_counts_more_than_the_family(
    types: dict[str, Any], efforts: tuple[str, ...], how: tuple[Any, ...]
) -> None:
    entry = {"id": "claude-opus-9", "display_name": "Opus 9", "max_input_tokens": 7000, "max_tokens": 70}
    model = only(entry | {"capabilities": capabilities(types, *efforts)}, ANTHROPIC)
    assert (model.name, model.context_window, model.max_output) == ("Opus 9", 7000, 70)
    assert model.thinking == Thinking(*how)
    assert model.reasoning


def test_a_model_of_anthropic_without_thinking_cannot_reason() -> None:
    entry = {"id": "claude-opus-9", "max_input_tokens": 7000, "capabilities": capabilities({"adaptive": NO})}
    assert only(entry, ANTHROPIC).reasoning is False


def test_openrouter_gives_limits_and_prices_per_token() -> None:
    entry = {
        "id": "x-ai/grok-9", "name": "Grok 9", "context_length": 300_000,
        "supported_parameters": ["tools", "reasoning"],
        "top_provider": {"context_length": 250_000, "max_completion_tokens": 9000},
        "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]},
        "pricing": {"prompt": "0.000002", "completion": "0.00001", "input_cache_read": "0.0000005",
                    "overrides": [{"min_prompt_tokens": 200_000, "prompt": "0.000004", "completion": "0.00002"}]},
    }  # fmt: skip
    tier = PriceTier(200_000, 4.0, 20.0, 0.5, 4.0)
    assert only(entry) == Model(
        "x-ai/grok-9", "corp", "Grok 9", 250_000, 9000, reasoning=True, images=False,
        price=Price(2.0, 10.0, 0.5, 2.0, tiers=(tier,)),
    )  # fmt: skip
    router = entry | {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}}
    assert only(router).price is None
    assert parse_list({"data": [entry | {"supported_parameters": ["reasoning"]}]}, CORP) == []


def test_copilot_gives_the_real_input_limit_and_the_wire() -> None:
    entry: dict[str, Any] = {
        "id": "claude-opus-9", "model_picker_enabled": True, "supported_endpoints": ["/v1/messages"],
        "capabilities": {
            "limits": {"max_context_window_tokens": 900, "max_prompt_tokens": 700, "max_output_tokens": 60},
            "supports": {"tool_calls": True, "vision": False, "reasoning_effort": ["low", "high"]},
        },
    }  # fmt: skip
    model = only(entry)
    assert (model.context_window, model.max_output, model.wire) == (700, 60, "anthropic-messages")
    assert (levels(model), model.images) == (("low", "high"), False)
    for change in ({"policy": {"state": "disabled"}}, {"capabilities": {"supports": {"tool_calls": False}}}):
        assert parse_list({"data": [entry | change]}, CORP) == []


@pytest.mark.parametrize(
    ("entry", "window", "output"),
    [
        ({"id": "m", "max_model_len": 8192}, 8192, 0),
        ({"id": "m", "meta": {"n_ctx_train": 131_072, "n_ctx": 4096}}, 4096, 0),
        ({"id": "m", "max_context_length": 32_768, "loaded_context_length": 4096, "type": "llm"}, 4096, 0),
        ({"name": "models/m", "inputTokenLimit": 1000, "outputTokenLimit": 100}, 1000, 100),
        ({"id": "m", "context_window": 131_072, "max_completion_tokens": 65_536}, 131_072, 65_536),
        ({"id": "m", "supports_reasoning": True, "context_length": 262_144}, 262_144, 0),
        ({"slug": "m", "context_window": 272_000, "supported_reasoning_levels": [{"effort": "low"}]}, 272_000, 0),
        ({"id": "m", "max_model_len": "8192"}, 0, 0),
        ({"id": "m", "max_model_len": True}, 0, 0),
        ({"id": "m", "max_model_len": 10**12}, 0, 0),
        ({"id": "m"}, 0, 0),
    ],
)
def test_the_window_that_a_server_names(entry: dict[str, Any], window: int, output: int) -> None:
    model = only(entry)
    assert (model.id, model.context_window, model.max_output) == ("m", window, output)


def test_kimi_says_which_efforts_it_accepts() -> None:
    entry = {
        "id": "k9", "supports_reasoning": True, "context_length": 10, "supports_image_in": False,
        "think_efforts": {"valid_efforts": ["low", "max"]},
    }  # fmt: skip
    assert (levels(only(entry)), only(entry).images) == (("low", "max"), False)
    assert parse_list([entry | {"supports_tool_use": False}], CORP) == []


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "models/embed", "inputTokenLimit": 1, "supportedGenerationMethods": ["embedContent"]},
        {"id": "e", "max_context_length": 512, "type": "embeddings"},
    ],
)
def test_a_model_that_writes_no_text_is_left_out(entry: dict[str, Any]) -> None:
    assert parse_list({"models": [entry]}, CORP) == []


def test_what_a_list_does_not_say_comes_from_the_catalogue() -> None:
    known = ModelRegistry().find("anthropic", "claude-sonnet-5")
    assert known is not None
    assert only({"id": "claude-sonnet-5", "max_input_tokens": 500}, ANTHROPIC) == known.replace(context_window=500)
    assert only({"id": "claude-sonnet-5"}, ANTHROPIC) == known


def test_ollama_says_what_its_model_can_and_how_large_its_context_runs() -> None:
    shown: dict[str, Any] = {
        "capabilities": ["completion", "tools", "thinking"],
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960},
    }
    assert ollama_facts(shown) == {"context_window": 40_960, "reasoning": True, "images": False}
    running = ollama_facts(shown | {"parameters": "stop  x\nnum_ctx    8192\n"})
    assert running is not None
    assert running["context_window"] == 8192
    assert ollama_facts(shown | {"capabilities": ["embedding"]}) is None
    assert ollama_facts([]) == ollama_facts({}) == {}


def test_llama_cpp_says_how_large_its_context_runs() -> None:
    properties = {"default_generation_settings": {"n_ctx": 16_384}, "modalities": {"vision": True}}
    assert llama_cpp_facts(properties) == {"context_window": 16_384, "images": True}
    assert llama_cpp_facts(None) == llama_cpp_facts({"default_generation_settings": 3}) == {}


def test_a_list_has_an_end_and_an_owner() -> None:
    assert len(parse_list([{"id": str(number)} for number in range(MOST_MODELS + 5)], CORP)) == MOST_MODELS
    assert parse_list([{"id": "a" * 300}, {"id": 3}, {}], CORP) == []
    assert list_owner({"data": [{"owned_by": "library"}, {"owned_by": "library"}]}) == "library"
    assert list_owner({"data": [{"owned_by": "a"}, {"owned_by": "b"}]}) == ""


@pytest.mark.parametrize("value", [None, {}, {"data": 3}, {"data": [3]}, "models", {"models": {}}])
def test_what_is_not_a_list_of_models_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not a list of models"):
        parse_list(value, CORP)


NAMES = (
    *("id", "name", "slug", "max_input_tokens", "max_tokens", "capabilities", "effort", "thinking", "types"),
    *("adaptive", "supported", "low", "limits", "supports", "pricing", "prompt", "completion", "overrides"),
    *("min_prompt_tokens", "top_provider", "context_length", "model_picker_enabled", "policy", "state", "n_ctx"),
    *("supports_reasoning", "think_efforts", "valid_efforts", "max_model_len", "meta", "inputTokenLimit", "type"),
    *("supported_parameters", "supported_reasoning_levels", "architecture", "input_modalities", "owned_by"),
    *("max_context_length", "parameters", "model_info"),
)
WORDS = st.sampled_from(["tools", "-1", "low"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["tools", "-1", "low"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=15,
)


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8), max_size=3))
def test_any_list_gives_models_with_possible_values(entries: list[dict[str, Any]]) -> None:
    for model in parse_list({"data": entries}, CORP):
        assert model.context_window >= 0 <= model.max_output
        assert type(model.reasoning) is type(model.images) is bool
        assert model.price is None or 0 <= model.price.input < 1e6
        assert levels(model) is not None
    list_owner(entries)
    for entry in entries:
        ollama_facts(entry)
        llama_cpp_facts(entry)
