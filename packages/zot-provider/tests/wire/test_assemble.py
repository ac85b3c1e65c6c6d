import pytest

from zot_provider.errors import ModelError
from zot_provider.events import UsageReport
from zot_provider.usage import Usage
from zot_provider.wire.assemble import BlockDecoder, fail, token_count


class SilentDecoder(BlockDecoder):
    """A decoder of a wire that says nothing."""

    def decode(self, value, events):
        """Nothing to decode."""


def test_usage_that_grows_or_shrinks_is_reported_as_what_it_adds() -> None:
    decoder, events = SilentDecoder(), []
    for total in (Usage(input=5), Usage(input=5), Usage(output=3), Usage(input=7, reasoning=2), Usage(reasoning=3)):
        decoder.report_usage(total, events)
    assert events == [
        UsageReport(Usage(input=5)),
        UsageReport(Usage(output=3)),
        UsageReport(Usage(input=2, reasoning=2)),
        UsageReport(Usage(reasoning=1)),
    ]


@pytest.mark.parametrize(
    ("error", "text", "code", "retryable"),
    [
        (
            {"type": "overloaded_error", "message": "Over\nloaded"},
            "Over loaded (overloaded_error)",
            "overloaded_error",
            True,
        ),
        ({"type": "server_error", "code": None, "message": "boom"}, "boom (server_error)", "server_error", True),
        ({"code": 502, "message": "boom"}, "boom (502)", "502", True),
        ({"code": "insufficient_quota", "message": "pay"}, "pay (insufficient_quota)", "insufficient_quota", False),
        ({}, "no reason given", "", False),
        (None, "no reason given", "", False),
        ("boom", "boom", "", False),
        ("x" * 500, "x" * 399 + "…", "", False),
    ],
)
def test_what_a_provider_says_becomes_one_line(error: object, text: str, code: str, retryable: bool) -> None:
    with pytest.raises(ModelError) as caught:
        fail(error)
    assert (str(caught.value), caught.value.code, caught.value.retryable) == (
        f"the model failed: {text}",
        code,
        retryable,
    )


def test_a_conversation_that_is_too_long_is_a_context_overflow() -> None:
    with pytest.raises(ModelError) as caught:
        fail({"code": "context_length_exceeded", "message": "too long"})
    assert caught.value.context_overflow


@pytest.mark.parametrize(("value", "count"), [(5, 5), (0, 0), (-1, 0), (None, 0), ("5", 0), (1.5, 0), (12.0, 12)])
def test_a_count_of_tokens_is_a_number_or_nothing(value: object, count: int) -> None:
    assert token_count(value) == count
