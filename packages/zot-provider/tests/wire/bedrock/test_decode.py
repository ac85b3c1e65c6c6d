import json

import pytest

from zot_provider.errors import ModelError
from zot_provider.wire.bedrock.decode import ConverseDecoder


def failure(value: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ConverseDecoder().feed([json.dumps(value).encode()])
    return caught.value


def exception(code: str, message: str = "no") -> ModelError:
    return failure({"failure": {"code": code, "body": {"message": message}}})


@pytest.mark.parametrize(
    ("code", "retryable"),
    [
        ("throttlingException", True),
        ("internalServerException", True),
        ("modelStreamErrorException", True),
        ("serviceUnavailableException", True),
        ("validationException", False),
        ("accessDeniedException", False),
    ],
)
def test_an_exception_in_the_stream_is_tried_again_if_that_helps(code: str, retryable: bool) -> None:
    error = exception(code)
    assert (str(error), error.retryable) == (f"the model failed: no ({code})", retryable)


def test_too_many_tokens_in_a_minute_are_not_a_conversation_that_is_too_long() -> None:
    assert not exception("throttlingException", "Too many tokens, please wait before trying again.").context_overflow
    assert exception("validationException", "Input is too long for requested model.").context_overflow


@pytest.mark.parametrize("reason", ["malformed_model_output", "malformed_tool_use", "content_filtered"])
def test_a_malformed_answer_is_asked_for_again_and_a_withheld_one_is_not(reason: str) -> None:
    error = failure({"messageStop": {"stopReason": reason}})
    assert error.retryable is reason.startswith("malformed")
    assert str(error).endswith(f"({reason})")


def test_a_failure_of_the_stream_itself_is_shown() -> None:
    error = failure({"failure": {"code": "InternalError", "message": "boom"}})
    assert (str(error), error.retryable) == ("the model failed: boom (InternalError)", True)
