import asyncio
import time
from email.utils import formatdate
from typing import Any

import pytest
from waiting import PATIENCE

from zot_provider.client.http import HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import (
    ConfigError,
    ConnectError,
    EmptyAnswer,
    ModelError,
    ProtocolError,
    StatusError,
    StreamCut,
)
from zot_provider.events import AutoRetryStart, ReasoningDelta, StreamEnd, StreamEvent, TextDelta, ToolUseStart, span
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.testing import Call, Fault, ScriptedServer, Turn
from zot_provider.transport.http import HttpLimits, HttpTransport

KEY = "sk-0123456789"
QUICK = RetryPolicy(delay=0.001, jitter=0.0, longest_wait=0.05)
ASKED = Request(Model("m", "v"), [Message("user", [TextBlock("hi")])])
OVERLOADED = ModelError("Overloaded", code="overloaded_error", message="Overloaded")


def failing(status: int, body: dict[str, Any] | str = "", **headers: str) -> Turn:
    return Turn(
        fault=Fault(status=status, body=body, headers={name.replace("_", "-"): headers[name] for name in headers})
    )


async def events(
    server: ScriptedServer, provider: str = "openai", policy: RetryPolicy = QUICK, stalls: int = 0
) -> list[StreamEvent]:
    """Return the events of an answer; a failure is raised after them. The first `stalls` requests get no answer."""
    found, limits, events = ModelRegistry().provider(provider), HttpLimits(), list[StreamEvent]()
    transport = HttpTransport(limits)
    client = HttpClient(found, key=KEY, base_url=server.base_url(found.wire), transport=transport, retries=policy)
    try:
        limits.read = 0.2 if stalls else 300.0
        async for batch in client.stream(ASKED):
            events += batch
            if len(retries(events)) == stalls:
                limits.read = 300.0  # the next request gets an answer, in any time
        return events
    finally:
        await client.close()


def retries(found: list[StreamEvent]) -> list[AutoRetryStart]:
    return [event for event in found if isinstance(event, AutoRetryStart)]


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"])
@pytest.mark.parametrize(
    "turn",
    [
        *(pytest.param(failing(status), id=str(status)) for status in (429, 500, 502, 503, 504, 520, 529)),
        pytest.param(Turn(error=OVERLOADED), id="overloaded in the stream"),
        pytest.param(Turn("never seen", fault=Fault(cut=True, after=0)), id="broken before the first event"),
        pytest.param(
            Turn("never seen", reasoning="hm", fault=Fault(cut=True, after=1)), id="broken after the first event"
        ),
        pytest.param(Turn("never seen", fault=Fault(stall=5.0)), id="no answer"),
    ],
)
async def test_a_failure_that_may_pass_is_tried_again(provider: str, turn: Turn) -> None:
    with ScriptedServer([turn, turn, "at last"]) as server:
        found = await events(server, provider, stalls=2 if turn.fault.stall else 0)
        assert len(server.requests) == 3
    assert isinstance(found[-1], StreamEnd)
    assert found[-1].content == [TextBlock("at last")]
    assert [(event.attempt, event.max_attempts, event.delay_ms) for event in retries(found)] == [(1, 3, 1), (2, 3, 2)]
    assert all(event.error_message.startswith(f"{provider}: ") for event in retries(found))
    assert not any(event.error_message.endswith("try again") for event in retries(found))  # that is being done


async def test_after_three_retries_the_last_failure_is_raised() -> None:
    with ScriptedServer([failing(503), failing(502), failing(500), failing(529)]) as server:
        with pytest.raises(StatusError, match="answered 529"):
            await events(server)
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": "no"}}),
        (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}),
        (429, {"error": {"message": "over", "type": "insufficient_quota"}}),
        (429, {"type": "error", "error": {"type": "rate_limit_error", "message": "enforced_spend_limit_reached"}}),
        (402, {"error": {"type": "billing_error", "message": "pay"}}),
        (503, {"error": {"message": "Your credit balance is too low to access the API"}}),
    ],
)
async def test_a_failure_that_waiting_does_not_change_is_raised_at_once(status: int, body: dict[str, Any]) -> None:
    with ScriptedServer([failing(status, body), "never"]) as server:
        with pytest.raises(StatusError) as caught:
            await events(server)
        assert len(server.requests) == 1
    assert not caught.value.retryable
    assert ("; check the plan and the balance" in str(caught.value)) == (status != 400)


async def test_a_server_may_say_that_it_must_not_be_asked_again() -> None:
    with ScriptedServer([failing(500, x_should_retry="false"), "never"]) as server:
        with pytest.raises(StatusError):
            await events(server)
        assert len(server.requests) == 1


@pytest.mark.parametrize("answer", ["<html>", "It works!", {"object": "list"}])
async def test_an_answer_that_is_no_stream_is_not_asked_for_again(answer: dict[str, Any] | str) -> None:
    with ScriptedServer([failing(200, answer), "never"]) as server:
        with pytest.raises(ProtocolError):
            await events(server)
        assert len(server.requests) == 1


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "http://nowhere.invalid/v1"])
async def test_a_refused_connection_and_an_unknown_host_are_not_tried_again(url: str) -> None:
    client = HttpClient(ModelRegistry().provider("openai"), key=KEY, base_url=url, retries=QUICK)
    found: list[StreamEvent] = []
    with pytest.raises(ConnectError):
        found += [event async for batch in client.stream(ASKED) for event in batch]
    assert found == []


LONG = "some words " * 40
WIRE_PROVIDERS = ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"]
BROKEN = {
    "cut in text": Turn(LONG, chunk=8, fault=Fault(cut=True, after=20)),
    "overloaded after text": Turn(LONG, chunk=8, error=OVERLOADED),
    "cut in arguments": Turn("I", calls=[Call("read", {"path": LONG})], chunk=8, fault=Fault(cut=True, after=20)),
}


@pytest.mark.parametrize(
    ("provider", "kind"),
    [
        (provider, kind)
        for provider in WIRE_PROVIDERS
        for kind in BROKEN
        if (provider, kind) != ("google", "cut in arguments")  # it sends the arguments of a call in one piece
    ],
)
async def test_an_answer_that_breaks_off_after_its_first_words_begins_anew(provider: str, kind: str) -> None:
    with ScriptedServer([BROKEN[kind], "all of it"]) as server:
        found = await events(server, provider)
        assert len(server.requests) == 2
    again = [type(event) for event in found].index(AutoRetryStart)
    assert any(isinstance(event, ToolUseStart if "arguments" in kind else TextDelta) for event in found[:again])
    assert "".join(event.delta for event in found[again:] if isinstance(event, TextDelta)) == "all of it"
    assert isinstance(found[-1], StreamEnd)
    assert found[-1].content == [TextBlock("all of it")]


async def test_an_answer_that_breaks_off_each_time_ends_with_the_last_failure() -> None:
    with ScriptedServer([BROKEN["cut in text"]], repeat=True) as server:
        with pytest.raises(StreamCut):
            await events(server)
        assert len(server.requests) == 4


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"])
@pytest.mark.parametrize("reasoning", ["", "hm"])
async def test_an_empty_answer_is_asked_for_once_more_and_then_an_error(provider: str, reasoning: str) -> None:
    with ScriptedServer([Turn("", reasoning=reasoning)], repeat=True) as server:
        with pytest.raises(EmptyAnswer, match="the model gave an empty answer"):
            await events(server, provider)
        assert len(server.requests) == 2


async def test_thinking_that_used_up_the_answer_is_not_asked_for_again() -> None:
    with ScriptedServer([Turn("", reasoning="hm", stop="length")], repeat=True) as server:
        with pytest.raises(EmptyAnswer, match="output limit"):
            await events(server)
        assert len(server.requests) == 1


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"])
async def test_a_stream_that_breaks_while_the_model_thinks_is_tried_again(provider: str) -> None:
    broken = Turn("never seen", reasoning="hm, " * 20, fault=Fault(cut=True, after=5))
    with ScriptedServer([broken, Turn("at last", reasoning="ah")]) as server:
        found = await events(server, provider)
    kinds = [type(event) for event in found]
    assert kinds.index(ReasoningDelta) < kinds.index(AutoRetryStart)
    assert isinstance(found[-1], StreamEnd)
    assert found[-1].content[-1] == TextBlock("at last")


@pytest.mark.parametrize(
    "header",
    [{"retry_after": "0.03"}, {"retry_after_ms": "30"}, {"retry_after": "9", "retry_after_ms": "30"}],
)
async def test_the_wait_is_the_one_that_the_server_asks_for(header: dict[str, str]) -> None:
    with ScriptedServer([failing(429, **header), "ok"]) as server:
        found = await events(server)
    assert [event.delay_ms for event in retries(found)] == [30]


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_a_wait_that_is_too_long_is_left_to_the_person(form: str) -> None:
    after = "90" if form == "seconds" else formatdate(time.time() + 90, usegmt=True)
    with ScriptedServer([failing(503, retry_after=after), "never"]) as server:
        with pytest.raises(StatusError) as caught:
            await events(server)
        assert len(server.requests) == 1
    assert caught.value.retry_after == pytest.approx(90, abs=30)


async def test_a_wait_of_a_day_is_told_and_not_tried_after_two_seconds() -> None:
    with ScriptedServer([failing(429, retry_after="86400"), "never"]) as server:
        with pytest.raises(StatusError, match="it asks to wait for 24 h"):
            await events(server)
        assert len(server.requests) == 1


def test_all_waits_of_a_call_together_have_a_limit() -> None:
    policy, asking = RetryPolicy(longest_wait=3600.0, total=100.0), StatusError("busy", status=429, retry_after=60.0)
    assert policy.wait(asking, 1) == 60.0
    assert policy.wait(asking, 2, 60.0) is None
    assert policy.wait(StatusError("busy", status=503), 2, 99.9) is None


@pytest.mark.parametrize("field", ["retries", "longest_wait", "total"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_a_policy_with_an_impossible_number_is_refused(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"{field} must be a number from 0"):
        RetryPolicy(**{field: value}).check()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(2.0, "2 s"), (75.0, "75 s"), (720.0, "12 min"), (86_340.0, "23 h 59 min"), (86_400.0, "24 h"), (3e5, "3 days")],
)
def test_a_wait_is_named_as_a_person_says_it(seconds: float, words: str) -> None:
    assert span(seconds) == words


async def test_the_key_is_not_in_the_reason_of_a_retry() -> None:
    with ScriptedServer([failing(503, {"error": {"message": f"busy, {KEY}"}}), "ok"]) as server:
        found = await events(server)
    assert [event.error_message for event in retries(found)] == [
        "openai: the server answered 503 Service Unavailable: busy, ***"
    ]


@pytest.mark.parametrize("end", ["cancel", "close"])
async def test_the_wait_for_a_retry_can_be_ended(end: str) -> None:
    begun = asyncio.Event()
    with ScriptedServer([failing(503), "never"]) as server:
        found = ModelRegistry().provider("openai")
        base_url = server.base_url(found.wire)
        client = HttpClient(found, key=KEY, base_url=base_url, retries=RetryPolicy(delay=600.0, longest_wait=600.0))

        async def read() -> None:
            stream = client.stream(ASKED)
            async for _ in stream:
                begun.set()
                if end == "close":
                    break
            await stream.aclose()

        task = asyncio.get_running_loop().create_task(read())
        await asyncio.wait_for(begun.wait(), PATIENCE)
        if end == "cancel":
            task.cancel()
        await asyncio.wait_for(asyncio.wait([task]), PATIENCE)
        await client.close()
        assert len(server.requests) == 1


def test_the_delays_double_and_differ_by_a_fifth() -> None:
    error, policy = StatusError("busy", status=503), RetryPolicy()
    for failures, usual in ((1, 2.0), (2, 4.0), (3, 8.0)):
        waits = [policy.wait(error, failures) or 0.0 for _ in range(200)]
        assert usual * 0.8 <= min(waits) < usual < max(waits) <= usual * 1.2
    assert policy.wait(error, 4) is None
    assert RetryPolicy(retries=0).wait(error, 1) is None
