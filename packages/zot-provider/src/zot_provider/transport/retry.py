"""Retry policy: which failures before the first byte of an answer are retried, and after how long.

Until then the caller has received nothing, so the same request can be sent again. A failure after the first byte is
raised.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from zot_provider.errors import ConnectError, ProviderError, StatusError
from zot_provider.record import Record, record


@record
class RetryPolicy(Record):
    """How often a request is retried, and after how many seconds.

    `delays`: the delay before each retry after a gateway error (502, 503, 504) or a broken connection.
    `longest_wait`: the longest `retry-after` of a 429 that is waited for; with a longer one, the 429 is raised.
    """

    delays: tuple[float, ...] = (0.25, 0.75)
    longest_wait: float = 60.0

    def wait(self, error: BaseException | None, tries: int) -> float | None:
        """Return the seconds to wait after try number `tries` (from 1) failed with `error`; None to give up."""
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
    """Yield the pieces of the first answer of `send` that begins, with retries according to `policy`.

    `on_retry` is called before each retry with the failure and the seconds until the retry. Raises the failure of the
    last try, and any failure after the first piece.
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
    from tenacity import AsyncRetrying, RetryCallState  # noqa: PLC0415  takes 47 ms, needed only after a failure

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
            if pending is not None:  # the first try was made by the caller, and counts
                known, pending = pending, None
                raise known
            chunks = send()
            return chunks, await anext(chunks, b"")
    raise failure
