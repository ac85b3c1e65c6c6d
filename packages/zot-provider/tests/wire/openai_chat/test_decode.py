import json

import pytest

from zot_provider.errors import ModelError
from zot_provider.wire.openai_chat.decode import ChatDecoder


@pytest.mark.parametrize(
    ("chunk", "text", "code"),
    [
        ({"error": {"message": "boom", "type": "server_error"}}, "boom (server_error)", "server_error"),
        ({"object": "error", "message": "boom", "code": 400}, "boom (400)", "400"),
        ({"error": "boom"}, "boom", ""),
        ({"choices": [{"finish_reason": "error"}]}, "no reason given (error)", "error"),
        ({"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "gone"}}]}, "gone (502)", "502"),
        ({"choices": [{"finish_reason": "error"}], "error": {"code": 429, "message": "slow"}}, "slow (429)", "429"),
    ],
)
def test_an_error_in_any_shape_says_what_happened(chunk: dict[str, object], text: str, code: str) -> None:
    with pytest.raises(ModelError) as caught:
        ChatDecoder().feed([json.dumps(chunk).encode()])
    assert (str(caught.value), caught.value.code) == (f"the model failed: {text}", code)


def test_an_id_made_up_for_a_call_holds_only_letters_digits_and_dashes() -> None:
    decoder = ChatDecoder()
    piece = {"index": 0, "function": {"name": "read", "arguments": "{}"}}
    decoder.feed([json.dumps({"id": "resp:ä/1", "choices": [{"delta": {"tool_calls": [piece]}}]}).encode()])
    assert decoder.feed([b"[DONE]"])[0].id == "call_respä1_0"
