import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.catalog.names import match_model, may_be_newer, search_models, split_level
from zot_provider.model import Model
from zot_provider.wire.reasoning import LEVELS

IDS = (
    "claude-opus-4-5", "claude-opus-4-5-20251101", "claude-opus-5-5", "claude-sonnet-5", "claude-sonnet-5-5",
    "claude-3-5-haiku-latest", "claude-3-5-haiku-20241022", "gpt-5", "gpt-5.6", "gpt-5.4-mini", "gpt-6.1-sol",
    "kimi-k2.7-code", "kimi-k3", "gemini-3.8-flash", "gemini-3.5-flash-lite", "llama3:8b", "x-ai/grok-4.7:free",
)  # fmt: skip
MODELS = {id: Model(id, "v", name=f"The {id}") for id in IDS}


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("sonnet", "claude-sonnet-5-5"),
        ("opus", "claude-opus-5-5"),
        ("claude-opus-4-5", "claude-opus-4-5"),
        ("opus-4.5", "claude-opus-4-5"),
        ("claude-opus-4-5-2025", "claude-opus-4-5"),
        ("haiku", "claude-3-5-haiku-latest"),
        ("kimi", "kimi-k3"),
        ("gemini flash", "gemini-3.8-flash"),
        ("flash-lite", "gemini-3.5-flash-lite"),
        ("gpt", "gpt-5.6"),
        ("SOL", "gpt-6.1-sol"),
        ("grok", "x-ai/grok-4.7:free"),
    ],
)
def test_words_of_an_id_mean_the_newest_model_that_has_them(name: str, id: str) -> None:
    found = match_model(name, MODELS)
    assert found is MODELS[id]


@pytest.mark.parametrize("name", ["claude", "claude-opus-5", "claude-sonnet-4", "gpt-4o", "", "-", "7", "nothing"])
def test_words_of_several_lines_and_other_versions_mean_no_model(name: str) -> None:
    assert match_model(name, MODELS) is None


def test_a_snapshot_keeps_its_date() -> None:
    found = match_model("gpt-5.6-2026-08-01", MODELS)
    assert found == MODELS["gpt-5.6"].replace(id="gpt-5.6-2026-08-01")


@pytest.mark.parametrize(
    ("name", "newer"),
    [
        ("claude-sonnet-6", True),
        ("claude-opus-5-6", True),
        ("claude-fable-6", True),
        ("gpt-6.2-sol", True),
        ("gpt-7", True),
        ("claude-sonnet-4", False),
        ("claude-sonet-6", False),
        ("gpt-55", False),
        ("gpt-5.6-latest", False),
        ("mistral-large-9", False),
        ("my-model", False),
        ("", False),
        ("vendor/anything", True),
    ],
)
def test_a_name_may_be_newer_than_the_catalogue(name: str, newer: bool) -> None:
    assert may_be_newer(name, IDS) is newer


@pytest.mark.parametrize(
    ("name", "short", "level"),
    [
        ("opus:high", "opus", "high"),
        ("anthropic/opus:off", "anthropic/opus", "off"),
        ("llama3:8b", "llama3:8b", None),
        ("llama3:8b:low", "llama3:8b", "low"),
        ("x-ai/grok:free", "x-ai/grok:free", None),
        ("opus:minimal", "opus", "minimum"),
        (":high", ":high", None),
        ("high", "high", None),
    ],
)
def test_a_name_may_end_with_a_reasoning_level(name: str, short: str, level: str | None) -> None:
    assert split_level(name) == (short, level)


def test_a_search_finds_models_with_all_words() -> None:
    assert [model.id for model in search_models("FLASH lite", MODELS.values())] == ["gemini-3.5-flash-lite"]
    assert search_models("", MODELS.values()) == list(MODELS.values())
    assert search_models("flash opus", MODELS.values()) == []


texts = st.text(max_size=40) | st.builds(
    lambda id, start, length, tail: id[start : start + length] + tail,
    st.sampled_from(IDS),
    st.integers(0, 12),
    st.integers(0, 30),
    st.sampled_from(["", "-20250101", "-2025-01-01", "-latest", ":high", "-9", "x", " ", "/"]),
)


@given(texts)
def test_a_name_means_a_known_model_or_none(name: str) -> None:
    found = match_model(name, MODELS)
    assert found is None or found.id == name or found is MODELS[found.id]
    assert may_be_newer(name, IDS) in (True, False)


@given(st.sampled_from(IDS), st.sampled_from(LEVELS))
def test_every_id_means_itself_with_and_without_a_level(id: str, level: str) -> None:
    assert match_model(id, MODELS) is MODELS[id]
    assert split_level(f"{id}:{level}") == (id, level)
