import json

import pytest

from zot_provider.errors import ModelError
from zot_provider.wire.anthropic.decode import MessagesDecoder


def failure(value: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        MessagesDecoder().feed([json.dumps(value).encode()])
    return caught.value


def test_an_overloaded_provider_may_be_asked_again() -> None:
    error = failure({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert (str(error), error.code) == ("the model failed: Overloaded (overloaded_error)", "overloaded_error")
    assert error.retryable


def test_a_refusal_says_why() -> None:
    delta = {"stop_reason": "refusal", "stop_details": {"type": "refusal", "explanation": "Not that."}}
    error = failure({"type": "message_delta", "delta": delta})
    assert str(error) == "the model failed: Not that. (refusal)"
    assert not error.retryable


def test_a_refusal_without_a_reason_says_what_to_do() -> None:
    error = failure({"type": "message_delta", "delta": {"stop_reason": "refusal"}})
    assert str(error) == "the model failed: it declined to answer; rephrase the request or start again (refusal)"


def test_an_error_without_the_usual_wrapping_is_one() -> None:
    assert failure({"error": {"message": "no"}}).message == "no"
    assert failure({"type": "error"}).code == "error"
