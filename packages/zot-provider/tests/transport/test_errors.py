"""The errors of vendors: after which the same request may succeed, which mean that the account is spent, and which that
the conversation is too long."""

import json
from typing import Any

import pytest

from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import ModelError, StatusError
from zot_provider.transport.status import status_error


def error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


AGAIN = [
    pytest.param(408, error("x"), id="anthropic, timeout"),
    pytest.param(409, error("x"), id="anthropic, conflict"),
    pytest.param(429, error("slow", type="rate_limit_error"), id="anthropic, rate limit"),
    pytest.param(429, error("slow", details={"error_code": "ramp_limit_exceeded"}), id="anthropic, ramp limit"),
    pytest.param(529, error("Overloaded", type="overloaded_error"), id="anthropic, overloaded"),
    pytest.param(503, error("slow down", code="slow_down"), id="openai, slow down"),
    pytest.param(429, error("later", type="subscription_sharing_usage_unavailable"), id="chatgpt plan, unavailable"),
    pytest.param(503, error("x", status="UNAVAILABLE"), id="google, unavailable"),
    pytest.param(429, error("Request rate is too high", type="tokens", code="rate_limit_exceeded"), id="groq"),
    pytest.param(498, {}, id="groq, no capacity"),
    pytest.param(400, error("x", code="tool_use_failed"), id="groq, an invalid call of the model"),
    pytest.param(429, error("High concurrency", code="1302"), id="z.ai, concurrency"),
    pytest.param(429, error("busy", code="1305"), id="z.ai, busy"),
    pytest.param(429, error("x", type="engine_overloaded_error"), id="kimi, overloaded"),
    pytest.param(429, error("x", code="token_quota_exceeded", type="too_many_tokens_error"), id="cerebras, tokens"),
    pytest.param(520, "", id="cloudflare, 520"),
    pytest.param(524, "", id="cloudflare, 524"),
    pytest.param(503, "", id="together, overloaded"),
]

SPENT = [
    pytest.param(402, error("x"), id="any, payment required"),
    pytest.param(402, error("limit", details={"error_code": "linked_organization_x"}), id="anthropic, organization"),
    pytest.param(429, error("x", details={"error_code": "enforced_spend_limit_reached"}), id="anthropic, spend limit"),
    pytest.param(429, error("x", details={"error_code": "contract_spend_limit_reached"}), id="anthropic, contract"),
    pytest.param(400, error("Your credit balance is too low to access the API"), id="anthropic, balance"),
    pytest.param(429, error("x", code="insufficient_quota", type="insufficient_quota"), id="openai, quota"),
    pytest.param(429, error("x", type="usage_limit_reached", plan_type="plus"), id="chatgpt plan, limit"),
    pytest.param(429, error("x", type="usage_not_included"), id="chatgpt plan, not included"),
    pytest.param(429, error("x", code="subscription_sharing_usage_limit_exceeded"), id="chatgpt plan, shared limit"),
    pytest.param(429, error("x", code="1308"), id="z.ai, plan"),
    pytest.param(429, error("Insufficient balance or no resource package", code="1113"), id="z.ai, balance"),
    pytest.param(429, error("x", type="exceeded_current_quota_error"), id="kimi, quota"),
    pytest.param(402, error("Insufficient Balance"), id="deepseek, balance"),
    pytest.param(429, error("x", type="GoUsageLimitError"), id="opencode go, limit"),
    pytest.param(429, error("x", type="FreeUsageLimitError"), id="opencode, free limit"),
    pytest.param(429, error("Monthly usage limit reached"), id="opencode, month"),
    pytest.param(403, error("billing is not active"), id="any, billing"),
]

LONG = [
    pytest.param(400, "prompt is too long: 213462 tokens > 200000 maximum", "", id="anthropic"),
    pytest.param(413, "Request exceeds the maximum size", "request_too_large", id="anthropic, bytes"),
    pytest.param(400, "Your input exceeds the context window of this model", "", id="openai"),
    pytest.param(400, "x", "context_length_exceeded", id="openai, code"),
    pytest.param(400, "Token count exceeds the model's maximum context length of 131072 tokens", "", id="litellm"),
    pytest.param(400, "The input token count (1196265) exceeds the maximum number of tokens allowed", "", id="google"),
    pytest.param(400, "This model's maximum prompt length is 131072 but the request contains 537812", "", id="xai"),
    pytest.param(400, "Please reduce the length of the messages or completion", "", id="groq"),
    pytest.param(400, "This endpoint's maximum context length is 9 tokens. You requested 10", "", id="openrouter"),
    pytest.param(400, "Input length 9 exceeds the maximum allowed input length of 8 tokens.", "", id="poolside"),
    pytest.param(403, "The input (9 tokens) is longer than the model's context length (8 tokens).", "", id="together"),
    pytest.param(422, "`inputs` tokens + `max_new_tokens` must be <= 4096", "", id="hugging face"),
    pytest.param(400, "Input is too long for requested model.", "", id="bedrock"),
    pytest.param(400, "prompt token count of 9 exceeds the limit of 8", "", id="copilot"),
    pytest.param(413, "failed to parse request", "", id="copilot, bytes"),
    pytest.param(400, "Prompt contains 9 tokens, too large for model with 8 maximum context length", "", id="mistral"),
    pytest.param(400, "Your request exceeded model token limit: 8 (requested: 9)", "", id="kimi"),
    pytest.param(400, "invalid params, context window exceeds limit", "", id="minimax"),
    pytest.param(400, "Prompt exceeds max length", "1261", id="z.ai"),
    pytest.param(400, "Range of input length should be [1, 8]", "", id="qwen"),
    pytest.param(400, "the request exceeds the available context size, try increasing it", "", id="llama.cpp"),
    pytest.param(400, "tokens to keep from the initial prompt is greater than the context length", "", id="lm studio"),
    pytest.param(500, "prompt too long; exceeded max context length by 9 tokens", "", id="ollama"),
    pytest.param(400, "vLLM: the context length is only 8 tokens", "", id="vllm"),
]

NEITHER = [
    pytest.param(400, error("invalid temperature: only 1 is allowed for this model"), id="kimi, temperature"),
    pytest.param(400, error("x", code="unsupported_value"), id="openai, value"),
    pytest.param(400, error("x", code="cyber_policy"), id="openai, policy"),
    pytest.param(404, error("no such model"), id="any, model"),
    pytest.param(422, error("bad parameters"), id="deepseek, parameters"),
    pytest.param(429, error("Rate limit: too many tokens, please wait before trying again"), id="a limit of a minute"),
]


def answered(status: int, body: object) -> StatusError:
    raw = body if isinstance(body, str) else json.dumps(body)
    return status_error(status, raw.encode(), {})


@pytest.mark.parametrize(("status", "body"), AGAIN)
def test_the_same_request_may_succeed_later(status: int, body: object) -> None:
    failed = answered(status, body)
    assert (failed.retryable, failed.spent, failed.context_overflow) == (True, False, False)


@pytest.mark.parametrize(("status", "body"), SPENT)
def test_an_account_without_money_or_quota_is_not_asked_again(status: int, body: object) -> None:
    failed = answered(status, body)
    assert (failed.retryable, failed.spent, failed.context_overflow) == (False, True, False)


@pytest.mark.parametrize(("status", "message", "code"), LONG)
def test_a_conversation_that_is_too_long_is_not_sent_again(status: int, message: str, code: str) -> None:
    failed = answered(status, error(message, code=code or None))
    assert (failed.retryable, failed.spent, failed.context_overflow, failed.auth) == (False, False, True, False)
    within = ModelError("x", code=code, message=message)
    assert (within.retryable, within.context_overflow) == (False, status != 413 or code != "")


@pytest.mark.parametrize(("status", "body"), NEITHER)
def test_other_failures_say_nothing_of_the_conversation_or_the_account(status: int, body: object) -> None:
    failed = answered(status, body)
    assert (failed.spent, failed.context_overflow) == (False, False)
    assert failed.retryable == (status == 429)


@pytest.mark.parametrize("message", [
    "Overloaded", "The service is temporarily unavailable", "Provider returned error", "unable to forward upstream",
    "stream disconnected before completion: stream closed", "An error occurred. You can retry your request.",
    "The model is at capacity", "We're currently experiencing high demand", "ResourceExhausted: queue full",
    "The server had an error while processing your request", "Too Many Requests", "connection error", "read timeout",
])  # fmt: skip
def test_a_failure_within_a_stream_that_may_pass_is_known_by_its_words(message: str) -> None:
    assert ModelError("x", message=message).retryable
    assert not ModelError("x", code="insufficient_quota", message=message).retryable


@pytest.mark.parametrize(("code", "message"), [
    ("cyber_policy", "not allowed"), ("permission_error", "overloaded"), ("invalid_prompt", "no"), ("", "no such tool"),
])  # fmt: skip
def test_other_failures_within_a_stream_are_final(code: str, message: str) -> None:
    assert not ModelError("x", code=code, message=message).retryable


@pytest.mark.parametrize(("headers", "body", "wait"), [
    ({"retry-after": "7"}, "", 7.0), ({"retry-after-ms": "1500", "retry-after": "7"}, "", 1.5),
    ({}, json.dumps(error("Rate limit reached. Please try again in 5.289s.")), 5.289),
    ({}, json.dumps(error("Please try again in 9m38.016s.")), None), ({"retry-after": "120"}, "", None),
])  # fmt: skip
def test_a_server_is_asked_again_when_it_says_unless_that_is_too_late(
    headers: dict[str, str], body: str, wait: float | None
) -> None:
    failed = status_error(429, body.encode(), headers)
    assert RetryPolicy().wait(failed, 1) == wait


@pytest.mark.parametrize(("status", "word", "retried"), [(500, "false", False), (400, "true", True), (429, "x", True)])
def test_the_server_s_own_word_on_repeating_counts_more(status: int, word: str, retried: bool) -> None:
    assert status_error(status, b"", {"x-should-retry": word}).retryable == retried
