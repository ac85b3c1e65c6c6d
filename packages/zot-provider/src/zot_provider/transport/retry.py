"""Asking again, quietly, when a server stumbled before it said anything.

Nothing has reached the model's reader yet, so the same request can be sent again without anybody noticing. Once the
first byte of an answer has come, a failure is the caller's to deal with.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from zot_provider.errors import ConnectError, ProviderError, StatusError
from zot_provider.record import Record, record


@record
class RetryPolicy(Record):
    """How often, and after how many seconds.

    `delays`: before each further try, for a gateway that stumbled (502, 503, 504) or a connection that broke.
    `longest_wait`: the most a `retry-after` of a 429 is followed; a longer one is left to the caller.
    """

    delays: tuple[float, ...] = (0.25, 0.75)
    longest_wait: float = 60.0

    def wait(self, error: BaseException | None, tries: int) -> float | None:
        """Seconds to wait after the try with number `tries` (from 1) failed with `error`; None to give up."""
        if tries > len(self.delays):
            return None
        if isinstance(error, StatusError):
            if error.status == 429:
                after = error.retry_after
                return after if after is not None and after <= self.longest_wait else None
            return self.delays[tries - 1] if error.status in (502, 503, 504) else None
        broke = isinstance(error, ConnectError) and error.retryable
        return self.delays[tries - 1] if broke else None


async def with_retries(
    send: Callable[[], AsyncGenerator[bytes, None]],
    policy: RetryPolicy,
    on_retry: Callable[[ProviderError, float], None] = lambda error, delay: None,
) -> AsyncGenerator[bytes, None]:
    """The pieces of the first answer of `send` that begins, asked again as `policy` says.

    `on_retry` hears of each failure that is passed over and of the seconds before the next try. Raises what the last try
    raised, and whatever comes after the first piece.
    """
    chunks = send()
    try:
        first = await anext(chunks, b"")
    except ProviderError as error:
        if policy.wait(error, 1) is None:
            raise
        chunks, first = await _retry(send, policy, on_retry, error)
    async with aclosing(chunks):
        if first:
            yield first
        async for chunk in chunks:
            yield chunk


async def _retry(
    send: Callable[[], AsyncGenerator[bytes, None]],
    policy: RetryPolicy,
    on_retry: Callable[[ProviderError, float], None],
    failure: ProviderError,
) -> tuple[AsyncGenerator[bytes, None], bytes]:
    from tenacity import AsyncRetrying, RetryCallState  # noqa: PLC0415  47 ms that only a failure pays for

    def outcome(state: RetryCallState) -> BaseException | None:
        return state.outcome.exception() if state.outcome else None

    def wait(state: RetryCallState) -> float:
        return policy.wait(outcome(state), state.attempt_number) or 0.0

    def report(state: RetryCallState) -> None:
        error = outcome(state)
        if isinstance(error, ProviderError):
            on_retry(error, wait(state))

    tries = AsyncRetrying(
        retry=lambda state: policy.wait(outcome(state), state.attempt_number) is not None,
        wait=wait,
        before_sleep=report,
        reraise=True,
    )
    pending: ProviderError | None = failure
    async for attempt in tries:
        with attempt:
            if pending is not None:  # the first try has been made; it counts
                known, pending = pending, None
                raise known
            chunks = send()
            return chunks, await anext(chunks, b"")
    raise failure
