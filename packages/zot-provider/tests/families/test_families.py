from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.families import describe, family, normal_id
from zot_provider.families.family import Family
from zot_provider.model import Model

TABLES = [import_module(f"zot_provider.families.{name}").FAMILIES for name in ("claude", "gpt", "gemini", "others")]
LINES = {name: families for table in TABLES for name, families in table.items()}


@pytest.mark.parametrize(
    ("id", "like"),
    [
        ("claude-opus-5.5", "claude-opus-5-5"),
        ("anthropic/claude-sonnet-5", "claude-sonnet-5"),
        ("us.anthropic.claude-sonnet-5-5-v1:0", "claude-sonnet-5-5"),
        ("anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-opus-4-8-fast", "claude-opus-4-8"),
        ("accounts/fireworks/models/kimi-k2p5", "kimi-k2.5"),
        ("@cf/moonshotai/kimi-k2.7-code", "kimi-k2.7-code"),
        ("workers-ai/@cf/moonshotai/kimi-k2.7-code", "kimi-k2.7-code"),
        ("moonshotai.kimi-k2.5", "kimi-k2.5"),
        ("zai-org/GLM-5.3", "glm-5.3"),
        ("k3", "kimi-k3"),
        ("openai/gpt-oss-120b:free", "gpt-oss-20b"),
        ("openai.gpt-5.6-sol", "gpt-5.6-sol"),
        ("deepseek-ai/DeepSeek-V4-Pro", "deepseek-v4-pro"),
        ("models/gemini-3-flash-preview", "gemini-3-flash"),
        ("gpt-5.2-2025-12-11", "gpt-5.2"),
    ],
)
def test_an_id_is_recognized_however_it_is_written(id: str, like: str) -> None:
    assert family(id) is family(like) is not None


@pytest.mark.parametrize(
    ("newer", "newest"),
    [
        ("claude-opus-6", "claude-opus-5-5"),
        ("claude-sonnet-5-7", "claude-opus-5-5"),
        ("claude-latest", "claude-opus-5-5"),
        ("gpt-7-sol", "gpt-6.1-sol"),
        ("gpt-6.3", "gpt-6-astra"),
        ("gemini-5-pro", "gemini-4-argon"),
        ("grok-6", "grok-4.7"),
        ("kimi-k4", "kimi-k3"),
        ("glm-6", "glm-5.3"),
        ("deepseek-v5", "deepseek-v4-pro"),
        ("MiniMax-M4", "MiniMax-M3.1-Flash"),
        ("muse-next-2", "muse-spark-1.3"),
    ],
)
def test_an_unknown_id_has_the_rules_of_the_newest_models(newer: str, newest: str) -> None:
    assert family(newer) is family(newest) is not None


@pytest.mark.parametrize(
    ("id", "other"),
    [
        ("claude-opus-5", "claude-opus-5-5"),
        ("claude-opus-4", "claude-opus-4-5"),
        ("gpt-5", "gpt-5.1"),
        ("gpt-5-mini", "gpt-5.4-mini"),
        ("kimi-k2.6", "kimi-k2.7-code"),
        ("gemini-3.5-flash", "gemini-3.5-flash-lite"),
        ("qwen3.8-max", "qwen3-max"),
    ],
)
def test_versions_are_told_apart(id: str, other: str) -> None:
    assert family(id) is not family(other)


def test_the_facts_of_a_family() -> None:
    claude, unknown = family("claude-sonnet-5-5"), family("claude-opus-9")
    assert claude is not None
    assert unknown is not None
    assert claude.sampling == "never"
    assert unknown.sampling == "never"
    older = family("claude-haiku-4-5")
    assert older is not None
    assert older.sampling == "unthinking"


def test_a_model_is_described_by_its_family() -> None:
    assert describe("gpt-9", "openai") == Model(
        "gpt-9", "openai", context_window=272_000, max_output=128_000, reasoning=True, images=True
    )
    assert describe("gpt-4o", "openai").reasoning is False
    assert describe("my-model", "corp") == Model("my-model", "corp", reasoning=True)
    own = describe("deepseek-v4-pro", "ollama", limits=False)  # how long its context is, only the server knows
    assert (own.context_window, own.max_output, own.images) == (0, 0, True)


@pytest.mark.parametrize("name", LINES)
def test_the_last_family_of_each_vendor_is_for_every_other_id(name: str) -> None:
    assert LINES[name][-1].ids == ("*",)
    assert all(id.startswith(name) or not id for each in LINES[name][:-1] for id in each.ids) or name in (
        "gpt", "mistral", "kimi", "qwen",
    )  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_no_family_hides_behind_an_earlier_one(name: str) -> None:
    *those, _ = LINES[name]
    ids = [(index, id) for index, each in enumerate(those) for id in each.ids if not id.endswith("*")]
    assert [id for index, id in ids if any(other.fits(id) for other in those[:index])] == []


def test_a_family_fits_its_ids_but_not_other_versions() -> None:
    five = Family(("gpt-5",))
    assert [five.fits(id) for id in ("gpt-5", "gpt-5-mini", "gpt-5-2025-08-07", "gpt-5-1", "gpt-50", "gpt-5x")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


ids = st.text(max_size=300) | st.builds(
    lambda head, vendor, tail: f"{head}{vendor}{tail}",
    st.sampled_from(["", "a/b/", "us.vendor.", "@cf/x/", "X"]),
    st.sampled_from(["claude", "GPT", "o3", "gemini", "qwen3", "glm", "kimi", "o"]),
    st.text("0123456789-.:@pv x", max_size=20),
)


@given(ids)
def test_every_id_has_one_family_or_none(id: str) -> None:
    vendor, normal = normal_id(id)
    assert (family(id) is None) == (not vendor)
    assert normal == normal.lower()
    assert normal_id(normal) == (vendor, normal) or not vendor or "fireworks" in id
    assert describe(id, "v").id == id
