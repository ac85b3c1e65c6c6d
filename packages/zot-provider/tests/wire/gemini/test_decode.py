import json

import pytest

from zot_provider.errors import ModelError
from zot_provider.wire.gemini.decode import GeminiDecoder


def failure(value: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        GeminiDecoder().feed([json.dumps(value).encode()])
    return caught.value


def ended(reason: str, **fields: str) -> ModelError:
    return failure({"candidates": [{"finishReason": reason, **fields}]})


def test_a_failure_has_the_name_that_the_api_gives_it() -> None:
    error = failure({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}})
    assert str(error) == "the model failed: The model is overloaded. (UNAVAILABLE)"
    assert error.retryable


@pytest.mark.parametrize(
    ("status", "retryable", "auth"),
    [
        ("INTERNAL", True, False),
        ("DEADLINE_EXCEEDED", True, False),
        ("RESOURCE_EXHAUSTED", True, False),
        ("INVALID_ARGUMENT", False, False),
        ("PERMISSION_DENIED", False, True),
        ("UNAUTHENTICATED", False, True),
    ],
)
def test_a_failure_in_the_stream_is_classified(status: str, retryable: bool, auth: bool) -> None:
    error = failure({"error": {"code": 1, "message": "no", "status": status}})
    assert (error.retryable, error.auth) == (retryable, auth)


@pytest.mark.parametrize(
    ("reason", "retryable"),
    [
        ("SAFETY", False),
        ("PROHIBITED_CONTENT", False),
        ("RECITATION", False),
        ("TOO_MANY_TOOL_CALLS", False),
        ("MALFORMED_FUNCTION_CALL", True),
        ("UNEXPECTED_TOOL_CALL", True),
    ],
)
def test_an_unusual_end_is_tried_again_if_the_model_made_a_mistake(reason: str, retryable: bool) -> None:
    error = ended(reason)
    assert str(error) == f"the model failed: the answer ended before it was complete ({reason})"
    assert error.retryable is retryable


def test_the_reason_of_an_end_is_shown_in_the_words_of_the_api() -> None:
    assert str(ended("MALFORMED_FUNCTION_CALL", finishMessage="Malformed call: print(")).startswith(
        "the model failed: Malformed call: print("
    )


def test_a_conversation_that_is_too_long_is_known_by_the_words_for_it() -> None:
    message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    assert failure({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}).context_overflow
