import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.families import describe
from zot_provider.model import Model, Off, Thinking, Way
from zot_provider.request import Reasoning, Request
from zot_provider.wire.reasoning import (
    LEVELS,
    effort_word,
    levels,
    nearest_level,
    temperature,
    thinking,
    thinking_budget,
    thinks,
)


def model(*words: str, off: Off = "omitted", way: Way = "effort") -> Model:
    return Model("m", "v", reasoning=True, thinking=Thinking(way, words, off))


own = Model("m", "v", reasoning=True, thinking=Thinking("effort", ("low",), levels={"max": "ultra", "off": None}))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Model("m", "v", reasoning=True), [None, "low", "low", "medium", "high", "high", "high"]),
        (model("none", "low", "high", off="none"), ["none", "low", "low", "high", "high", "high", "high"]),
        (model("minimal", "medium", "xhigh"), [None, "minimal", "medium", "medium", "xhigh", "xhigh", "xhigh"]),
        (model("max", "low", off="lowest"), ["low", "low", "low", "low", "max", "max", "max"]),
        (model("high"), [None, "high", "high", "high", "high", "high", "high"]),
        (model("none", off="none"), ["none"] * 7),
        (own, ["low"] * 4 + ["ultra"] * 3),
        (model(way="switch", off="disabled"), [None] * 7),
        (model(way="always"), [None] * 7),
    ],
)
def test_a_level_becomes_the_nearest_word_that_the_model_accepts(asked: Model, words: list[str | None]) -> None:
    assert [effort_word(asked, level) for level in LEVELS] == words


def test_a_model_that_does_not_think_is_not_asked_to() -> None:
    dull = Model("claude-opus-5", "v", thinking=Thinking("effort", ("low",)))
    assert [effort_word(dull, level) for level in LEVELS] == [None] * 7
    assert [thinking_budget(dull, level, 64_000) for level in LEVELS] == [None] * 7
    assert levels(dull) == ("off",)
    assert not thinks(dull, "max")


@pytest.mark.parametrize(
    ("max_tokens", "budgets"),
    [
        (128_000, [None, 1024, 4096, 10_240, 24_576, 32_768, 63_488]),
        (32_000, [None, 1024, 4096, 10_240, 16_000, 16_000, 16_000]),
        (4000, [None, 1024, 2000, 2000, 2000, 2000, 2000]),
        (2047, [None] * 7),
    ],
)
def test_a_budget_leaves_room_for_the_answer(max_tokens: int, budgets: list[int | None]) -> None:
    assert [thinking_budget(model(way="budget"), level, max_tokens) for level in LEVELS] == budgets


def test_a_budget_keeps_to_the_limits_of_the_model() -> None:
    flash, pro = describe("gemini-2.5-flash", "google"), describe("gemini-2.5-pro", "google")
    assert levels(flash) == ("off", "minimum", "low", "medium", "high")
    assert [thinking_budget(flash, level, 65_536) for level in LEVELS] == [
        0,
        1024,
        4096,
        10_240,
        24_576,
        24_576,
        24_576,
    ]
    assert [thinking_budget(pro, level, 65_536) for level in ("off", "xhigh")] == [1024, 32_768]


@pytest.mark.parametrize(
    ("id", "offered"),
    [
        ("claude-haiku-4-5", "off minimum low medium high xhigh max"),
        ("claude-sonnet-5", "off low medium high xhigh max"),
        ("claude-opus-5-5", "low medium high xhigh max"),
        ("gpt-5-mini", "minimum low medium high"),
        ("gpt-5.4", "off low medium high xhigh"),
        ("gpt-6.1-sol", "low medium high xhigh max"),
        ("gpt-4o", "off"),
        ("gemini-3.8-flash", "low medium high"),
        ("deepseek-v4-pro", "off high max"),
        ("kimi-k2.6", "off high"),
        ("kimi-k2.7-code", "high"),
        ("kimi-k3", "low high max"),
        ("qwen3.8-max", "low medium xhigh"),
        ("unknown-model", "off low medium high"),
    ],
)
def test_the_levels_of_a_model(id: str, offered: str) -> None:
    assert " ".join(levels(describe(id, "v"))) == offered


@pytest.mark.parametrize(
    ("id", "level", "sent"),
    [
        ("gpt-5.4", "off", 0.5),
        ("gpt-5.4", "low", None),
        ("gpt-6.1-sol", "off", None),
        ("gpt-4o", "high", 0.5),
        ("kimi-k3", "off", None),
        ("gemini-3-flash-preview", "high", 0.5),
        ("gemini-3.8-flash", "off", None),
        ("llama3:8b", "off", 0.5),
        ("unknown-model", "high", 0.5),
    ],
)
def test_a_temperature_is_left_out_where_it_would_be_refused(id: str, level: Reasoning, sent: float | None) -> None:
    assert temperature(Request(describe(id, "v"), [], reasoning=level, temperature=0.5)) == sent


words = st.lists(st.sampled_from(["none", "minimal", "low", "medium", "high", "xhigh", "max", "odd"]), unique=True)
thinkers = st.builds(
    lambda words, way, off, own: Model("m", "v", reasoning=True, thinking=Thinking(way, tuple(words), off, own)),
    words,
    st.sampled_from(["adaptive", "effort", "level", "budget", "switch", "always"]),
    st.sampled_from(["none", "disabled", "between_tools", "omitted", "lowest"]),
    st.dictionaries(st.sampled_from(LEVELS), st.none() | st.sampled_from(["low", "ultra"])),
)


@given(thinkers, st.sampled_from(LEVELS), st.integers(1, 200_000))
def test_every_level_of_every_model_has_a_nearest_one_and_a_word_that_the_model_accepts(
    asked: Model, level: Reasoning, max_tokens: int
) -> None:
    how, known = thinking(asked), levels(asked)
    assert how is not None
    assert nearest_level(asked, level) in known or not known
    word, budget = effort_word(asked, level), thinking_budget(asked, level, max_tokens)
    assert word is None or word in how.words or word in how.levels.values() or word in ("low", "medium", "high")
    assert budget is None or 0 <= budget <= max_tokens
