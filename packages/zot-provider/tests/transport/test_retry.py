import asyncio
from collections.abc import AsyncGenerator

import pytest

from zot_provider.errors import ConnectError, ProviderError, ResponseTimeout, StatusError, StreamCut
from zot_provider.transport.retry import RetryPolicy, with_retries

QUICK = RetryPolicy(delays=(0.001, 0.002), longest_wait=0.05)


class Server:
    """Plays back one item a request: an error before the answer, or pieces; an error among the pieces is raised."""

    def __init__(self, *answers: list[bytes | ProviderError]) -> None:
        self.answers = list(answers)
        self.asked = self.closed = 0

    async def ask(self) -> AsyncGenerator[bytes, None]:
        answer = self.answers[self.asked]
        self.asked += 1
        try:
            for piece in answer:
                if isinstance(piece, ProviderError):
                    raise piece
                yield piece
        finally:
            self.closed += 1


def read(server: Server, policy: RetryPolicy = QUICK) -> tuple[list[bytes], list[tuple[ProviderError, float]]]:
    told: list[tuple[ProviderError, float]] = []

    async def collect() -> list[bytes]:
        return [chunk async for chunk in with_retries(server.ask, policy, lambda *each: told.append(each))]

    return asyncio.run(collect()), told


def status(code: int, after: float | None = None) -> StatusError:
    return StatusError(f"status {code}", status=code, retry_after=after)


def test_an_answer_is_yielded_as_it_comes() -> None:
    server = Server([b"a", b"b"])
    assert read(server) == ([b"a", b"b"], [])
    assert (server.asked, server.closed) == (1, 1)


@pytest.mark.parametrize("code", [502, 503, 504])
def test_a_gateway_error_is_retried_twice(code: int) -> None:
    first, second = status(code), status(code)
    server = Server([first], [second], [b"ok"])
    assert read(server) == ([b"ok"], [(first, 0.001), (second, 0.002)])


def test_after_the_last_delay_the_last_error_is_raised() -> None:
    last = status(503)
    server = Server([status(503)], [status(502)], [last], [b"never"])
    with pytest.raises(StatusError) as raised:
        read(server)
    assert raised.value is last
    assert server.asked == 3


def test_a_broken_connection_is_tried_again_and_a_refused_one_is_not() -> None:
    refused = ConnectError("refused")
    assert read(Server([ConnectError("reset", retryable=True)], [b"ok"]))[0] == [b"ok"]
    with pytest.raises(ConnectError, match="refused"):
        read(Server([refused], [b"never"]))


def test_a_429_is_retried_after_its_retry_after() -> None:
    limited = status(429, 0.01)
    assert read(Server([limited], [b"ok"])) == ([b"ok"], [(limited, 0.01)])


@pytest.mark.parametrize("after", [None, 1.0])
def test_a_429_without_retry_after_or_with_a_long_one_is_raised(after: float | None) -> None:
    with pytest.raises(StatusError):
        read(Server([status(429, after)], [b"never"]))


@pytest.mark.parametrize("error", [status(400), status(401), status(500), status(529), ResponseTimeout("slow")])
def test_a_permanent_failure_is_raised_at_once(error: ProviderError) -> None:
    server = Server([error], [b"never"])
    with pytest.raises(type(error)):
        read(server)
    assert server.asked == 1


def test_nothing_is_asked_again_once_the_answer_has_begun() -> None:
    server = Server([b"a", StreamCut("cut")], [b"never"])
    with pytest.raises(StreamCut):
        read(server)
    assert server.asked == 1


def test_an_empty_answer_is_an_answer() -> None:
    assert read(Server([])) == ([], [])


async def test_leaving_early_closes_the_answer() -> None:
    server = Server([status(502)], [b"a", b"b"])
    chunks = with_retries(server.ask, QUICK)
    assert await anext(chunks) == b"a"
    await chunks.aclose()
    assert server.closed == 2
