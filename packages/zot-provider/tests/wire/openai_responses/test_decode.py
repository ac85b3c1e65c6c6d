import json

import pytest

from zot_provider.errors import ModelError
from zot_provider.wire.openai_responses.decode import ResponsesDecoder


@pytest.mark.parametrize(
    ("event", "text", "code"),
    [
        (
            {"type": "error", "code": "rate_limit_exceeded", "message": "slow"},
            "slow (rate_limit_exceeded)",
            "rate_limit_exceeded",
        ),
        (
            {"type": "error", "error": {"type": "server_error", "message": "boom"}},
            "boom (server_error)",
            "server_error",
        ),
        ({"type": "error"}, "no reason given (error)", "error"),
        (
            {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "boom"}}},
            "boom (server_error)",
            "server_error",
        ),
        (
            {"type": "response.cancelled", "response": {"status": "cancelled"}},
            "no reason given (cancelled)",
            "cancelled",
        ),
        ({"type": "response.failed"}, "no reason given (failed)", "failed"),
    ],
)
def test_an_error_in_any_shape_says_what_happened(event, text, code):
    with pytest.raises(ModelError) as caught:
        ResponsesDecoder().feed([json.dumps(event).encode()])
    assert (str(caught.value), caught.value.code) == (f"the model failed: {text}", code)
