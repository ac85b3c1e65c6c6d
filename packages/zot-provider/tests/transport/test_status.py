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
    assert str(status_error(500, b"Internal Server Error", {})) == "the server answered 500 Internal Server Error"
    assert str(status_error(418, b'{"error":"tea"}', {})) == "the server answered 418 I'm a Teapot: tea"
    moved = status_error(301, b"", {"location": "https://b/v1?key=1"})
    assert str(moved) == "the server answered 301 Moved Permanently (it points to https://b/v1)"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-1", None), ("soon", None), ("1e9", 1e9), ("inf", None), ("nan", None)],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}) == seconds
    assert status_error(429, b"", {"retry-after": value}).retry_after == seconds
    assert retry_after({}) is None


SPENT = "You exceeded your current quota, please check your plan and billing details."
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}


def quota(id: str) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": id}]}


@pytest.mark.parametrize(
    ("message", "details", "wait", "retryable"),
    [
        (SPENT, [quota("GenerateRequestsPerMinutePerProjectPerModel"), RETRY], 34.5, True),
        (SPENT, [quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), RETRY], 34.5, False),
        (f"{SPENT} Quota exceeded, limit: 0, model: m. Please retry in 12.5s.", [RETRY], 34.5, False),
        (f"{SPENT} Please retry in 12.5s.", [quota("TokensPerMinute")], 12.5, True),
        (SPENT, [], None, False),
        (SPENT, None, None, False),
        ("busy", [RETRY | {"retryDelay": "1e9s"}, 7], None, True),
        ("busy", [RETRY | {"retryDelay": None}], None, True),
        ("Rate limit reached. Please try again in 1m38.5s. Need more?", None, 98.5, True),
    ],
)
def test_a_wait_and_a_quota_in_the_body_of_an_error_are_read(
    message: str, details: object, wait: float | None, retryable: bool
) -> None:
    body = {"error": {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": details}}
    for value in (body, [body]):
        error = status_error(429, json.dumps(value).encode(), {})
        assert (error.retry_after, error.retryable, error.spent) == (wait, retryable, not retryable)


def test_a_wrong_key_is_known_by_the_words_of_gemini() -> None:
    body = b'{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}'
    assert status_error(400, body, {}).auth


def test_an_error_classifies_itself() -> None:
    assert status_error(401, b"", {}).auth
    assert status_error(503, b"", {}).retryable
    assert status_error(400, b'{"error":{"message":"prompt is too long: 9 > 8"}}', {}).context_overflow
    assert not status_error(400, b"", {}).retryable
