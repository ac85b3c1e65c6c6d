"""`RetryPolicy`: which failed model calls are repeated, how often, and after how long."""

from zot_provider.errors import ProviderError, StatusError
from zot_provider.record import Record


class RetryPolicy(Record):
    """How often a model call is repeated whose failure is `retryable`.

    `retries`: repetitions at most. `delay`: seconds before the first one, doubled before each later one. `jitter`: the
    part of a delay by which it is randomly longer or shorter, so that clients which failed together do not return
    together. `longest_wait`: seconds; a server that asks for a longer wait is not asked again.
    """

    retries: int = 3
    delay: float = 2.0
    jitter: float = 0.2
    longest_wait: float = 60.0

    def wait(self, error: ProviderError, failures: int) -> float | None:
        """Return the seconds to wait after failure number `failures` (from 1); None to give up.

        A server's own `retry-after` replaces the delay.
        """
        if failures > self.retries or not error.retryable:
            return None
        asked = error.retry_after if isinstance(error, StatusError) else None
        if asked:
            return asked if asked <= self.longest_wait else None
        import random  # noqa: PLC0415  takes 4 ms, needed only after a failure

        doubled = self.delay * 2.0 ** (failures - 1)
        return min(doubled * random.uniform(1 - self.jitter, 1 + self.jitter), self.longest_wait)
