import pytest

from zot_provider.model import Model
from zot_provider.wire.reasoning import effort_word, thinking_budget

LEVELS = ["off", "minimum", "low", "medium", "high", "xhigh", "max"]


@pytest.mark.parametrize(
    ("efforts", "words"),
    [
        ((), [None, "low", "low", "medium", "high", "high", "high"]),
        (("none", "low", "high"), ["none", "low", "low", "low", "high", "high", "high"]),
        (("minimal", "medium", "xhigh"), [None, "minimal", "minimal", "medium", "medium", "xhigh", "xhigh"]),
        (("max", "low"), [None, "low", "low", "low", "low", "low", "max"]),
        (("high",), [None, "high", "high", "high", "high", "high", "high"]),
        (("none",), ["none", None, None, None, None, None, None]),
        (("later", "words"), [None] * 7),
    ],
)
def test_an_effort_becomes_the_nearest_word_that_the_model_takes(
    efforts: tuple[str, ...], words: list[str | None]
) -> None:
    model = Model("m", "v", reasoning=True, efforts=efforts)
    assert [effort_word(model, level) for level in LEVELS] == words


def test_a_model_that_does_not_think_is_not_asked_to() -> None:
    model = Model("m", "v", efforts=("low",))
    assert [effort_word(model, level) for level in LEVELS] == [None] * 7
    assert [thinking_budget(model, level, 64_000) for level in LEVELS] == [None] * 7


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
    model = Model("m", "v", reasoning=True)
    assert [thinking_budget(model, level, max_tokens) for level in LEVELS] == budgets
