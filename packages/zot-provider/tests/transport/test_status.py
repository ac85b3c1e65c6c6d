import json

import pytest

from zot_provider.transport.status import retry_after, server_message, status_error

WORDS = [
    (b'{"error": {"message": "bad thing", "type": "x"}}', "bad thing"),
    (b'{"error": "bad\\n thing"}', "bad thing"),
    (b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}', "Overloaded"),
    (b'{"detail": [{"msg": "field required", "loc": ["body"]}]}', "field required"),
    (b'[{"error": {"message": "in a list"}}]', "in a list"),
    (b'"just text"', "just text"),
    (b"first line\nsecond", "first line"),
    (b"<html>no</html>", ""),
    (b"", ""),
    (b"\xff\xfe", "\ufffd\ufffd"),
    (b"[" * 100_000, "[" * 399 + "…"),
    (b"null", ""),
    (json.dumps({"message": "x" * 500}).encode(), "x" * 399 + "…"),
]


@pytest.mark.parametrize(("body", "words"), WORDS)
def test_the_words_of_a_server(body: bytes, words: str) -> None:
    assert server_message(body) == words


def test_an_error_says_status_words_and_where_a_redirection_points() -> None:
    assert str(status_error(500, b"Internal Server Error", {}, "")) == "the server answered 500 Internal Server Error"
    assert str(status_error(418, b'{"error":"tea"}', {}, "")) == "the server answered 418 I'm a Teapot: tea"
    moved = status_error(301, b"", {"location": "https://b/v1?key=1"}, "")
    assert str(moved) == "the server answered 301 Moved Permanently (it points to https://b/v1)"


@pytest.mark.parametrize(
    ("value", "seconds"), [("7", 7.0), ("0.5", 0.5), ("-1", None), ("soon", None), ("1e9", None), ("nan", None)]
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}) == seconds
    assert status_error(429, b"", {"retry-after": value}, "").retry_after == seconds
    assert retry_after({}) is None


def test_an_error_classifies_itself() -> None:
    assert status_error(401, b"", {}, "").auth
    assert status_error(503, b"", {}, "").retryable
    assert status_error(400, b'{"error":{"message":"prompt is too long: 9 > 8"}}', {}, "").context_overflow
    assert not status_error(400, b"", {}, "").retryable
