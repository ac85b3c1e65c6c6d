import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_provider.catalog import find_model, list_models, resolve_model
from zot_provider.errors import UnknownName
from zot_provider.model import Model, Price, PriceTier
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry

ANTHROPIC = ModelRegistry().provider("anthropic")
OPENAI = ModelRegistry().provider("openai")
RESPONSES = ModelRegistry().provider("openai-responses")
OLLAMA = ModelRegistry().provider("ollama")


def test_a_known_model_comes_with_its_limits_and_price() -> None:
    assert find_model(ANTHROPIC, "claude-sonnet-4-5") == Model(
        id="claude-sonnet-4-5",
        provider="anthropic",
        name="Claude Sonnet 4.5 (latest)",
        context_window=200_000,
        max_output=64_000,
        reasoning=True,
        images=True,
        price=Price(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75),
    )


def test_an_unknown_id_is_not_found() -> None:
    assert find_model(ANTHROPIC, "claude") is None
    assert find_model(OLLAMA, "llama3") is None


def test_the_window_is_what_a_request_may_hold_and_leaves_out_the_room_for_the_answer() -> None:
    model = find_model(OPENAI, "gpt-5")
    assert model is not None
    assert model.context_window == 272_000


def test_cached_tokens_without_a_price_of_their_own_cost_what_input_costs() -> None:
    model = find_model(OPENAI, "gpt-5-pro")
    assert model is not None
    assert model.price == Price(input=15.0, output=120.0, cache_read=15.0, cache_write=15.0)


def test_models_are_listed_in_the_order_of_their_ids() -> None:
    ids = [model.id for model in list_models(ANTHROPIC)]
    assert ids == sorted(ids)
    assert "claude-opus-4-7" in ids


def test_a_provider_without_a_catalogue_lists_nothing() -> None:
    assert list_models(OLLAMA) == []


def test_two_providers_of_one_catalogue_list_the_same_models_each_as_its_own() -> None:
    chat, responses = list_models(OPENAI), list_models(RESPONSES)
    assert [model.id for model in chat] == [model.id for model in responses]
    assert {model.provider for model in chat} == {"openai"}
    assert {model.provider for model in responses} == {"openai-responses"}


def test_changing_a_model_does_not_change_the_catalogue() -> None:
    model = find_model(OPENAI, "gpt-5")
    assert model is not None
    assert model.price is not None
    model.context_window, model.price.input = 1, 0.0
    again = find_model(OPENAI, "gpt-5")
    assert again is not None
    assert again.price is not None
    assert (again.context_window, again.price.input) == (272_000, 1.25)


@pytest.mark.parametrize("provider", [each for each in PROVIDERS if each.catalog], ids=lambda provider: provider.id)
def test_every_listed_model_is_found_and_resolved_by_its_id(provider: Provider) -> None:
    models = list_models(provider)
    assert models != []
    for model in models:
        assert find_model(provider, model.id) == model
        assert resolve_model(provider, model.id, strict=True) == model


def test_a_long_request_has_its_own_price() -> None:
    model = find_model(OPENAI, "gpt-5.4")
    assert model is not None
    assert model.price is not None
    assert model.price.tiers == (PriceTier(272_000, 5.0, 22.5, 0.5, 5.0),)


@pytest.mark.parametrize(
    ("name", "id"),
    [
        pytest.param("sonnet", "claude-sonnet-5-5", id="the newest"),
        pytest.param("claude-hai", "claude-haiku-5-5", id="the beginning of a word"),
        pytest.param("claude-opus", "claude-opus-5-5", id="two words"),
        pytest.param("sonnet-4.5", "claude-sonnet-4-5", id="a version, and the undated id before a dated one"),
        pytest.param("claude-opus-4-7-20260416", "claude-opus-4-7-20260416", id="a snapshot stays pinned"),
        pytest.param("claude-sonnet-7", "claude-sonnet-7", id="a version that is newer than the catalogue"),
        pytest.param("claude-fable-5-2", "claude-fable-5-2", id="the next version of its line"),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_a_name_that_can_mean_one_model_only_is_completed(name: str, id: str, strict: bool) -> None:
    assert resolve_model(ANTHROPIC, name, strict=strict).id == id


def test_a_snapshot_has_the_limits_and_price_of_its_model() -> None:
    model = find_model(OPENAI, "gpt-5.2")
    assert model is not None
    assert resolve_model(OPENAI, "gpt-5.2-2026-08-07", strict=True) == model.replace(id="gpt-5.2-2026-08-07")


def test_a_model_newer_than_the_catalogue_has_the_facts_of_its_family() -> None:
    assert resolve_model(ANTHROPIC, "claude-opus-7", strict=True) == Model(
        "claude-opus-7", "anthropic", context_window=1_000_000, max_output=128_000, reasoning=True, images=True
    )


@pytest.mark.parametrize("name", ["claude", "claude-opus-4", "claude-sonet-6", "claude-opus-55"])
def test_a_name_for_several_lines_an_old_version_and_a_misspelling_are_unknown(name: str) -> None:
    with pytest.raises(UnknownName, match="did you mean claude-"):
        resolve_model(ANTHROPIC, name, strict=True)


def test_a_misspelt_model_is_answered_with_the_nearest_and_what_to_do() -> None:
    with pytest.raises(UnknownName) as caught:
        resolve_model(ANTHROPIC, "claude-sonet-4-6", strict=True)
    text = str(caught.value)
    assert text.startswith("unknown model 'claude-sonet-4-6'; did you mean claude-sonnet-4-6")
    assert "(give a full id; the catalogue of Anthropic was made on 20" in text
    assert caught.value.parameter == "model"


def test_a_model_of_another_provider_is_unknown() -> None:
    with pytest.raises(UnknownName):
        resolve_model(ANTHROPIC, "gpt-5", strict=True)


def test_latest_is_not_made_up_where_the_provider_has_no_such_id() -> None:
    with pytest.raises(UnknownName):
        resolve_model(OPENAI, "gpt-5-latest", strict=True)


def test_an_unknown_name_is_taken_as_it_is_when_not_strict() -> None:
    assert resolve_model(ANTHROPIC, "my-proxy-model", strict=False) == Model(
        id="my-proxy-model", provider="anthropic", reasoning=True
    )


@pytest.mark.parametrize("strict", [True, False])
def test_a_provider_without_a_catalogue_takes_every_name(strict: bool) -> None:
    assert resolve_model(OLLAMA, "qwen3:8b", strict=strict) == Model(id="qwen3:8b", provider="ollama", reasoning=True)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.id)
@pytest.mark.parametrize("strict", [True, False])
def test_an_empty_name_is_refused(provider: Provider, strict: bool) -> None:
    with pytest.raises(UnknownName, match="unknown model ''"):
        resolve_model(provider, "", strict=strict)


names = st.text(min_size=1) | st.builds(
    lambda model, length, tail: model.id[:length] + tail,
    st.sampled_from(list_models(ANTHROPIC) + list_models(OPENAI)),
    st.integers(1, 30),
    st.sampled_from(["", "-20250101", "-2025-01-01", "-latest", "x"]),
)


@given(names, st.sampled_from(PROVIDERS))
def test_without_strict_every_name_is_a_model_that_is_known_or_called_exactly_that(
    name: str, provider: Provider
) -> None:
    model = resolve_model(provider, name, strict=False)
    assert model.provider == provider.id
    assert model.id == name or model == find_model(provider, model.id)


@given(names, st.sampled_from(PROVIDERS))
def test_strict_gives_the_same_model_or_an_error(name: str, provider: Provider) -> None:
    try:
        model = resolve_model(provider, name, strict=True)
    except UnknownName:
        assert resolve_model(provider, name, strict=False).id == name
    else:
        assert model == resolve_model(provider, name, strict=False)


def test_importing_the_catalogue_loads_nothing_but_itself_and_reads_no_file() -> None:
    program = """
import sys
import zot_provider.errors, zot_provider.providers
import zot_provider.wire.reasoning
before = set(sys.modules)
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import zot_provider.catalog
print(sorted(set(sys.modules) - before), [path for path in opened if path.endswith(".json")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout.strip() == "['zot_provider.catalog', 'zot_provider.catalog.names'] []"
