"""`RetryPolicy`: which failed model calls are repeated, how often, and after how long."""

from zot_provider.errors import ConfigError, ProviderError
from zot_provider.record import Record


class RetryPolicy(Record):
    """How often a model call is repeated whose failure is `retryable`.

    `retries`: repetitions at most. `delay`: seconds before the first one, doubled before every later one. `jitter`: the
    part of a delay by which it is randomly longer or shorter, so that clients which failed together do not return
    together. `longest_wait`: seconds; a server that asks for a longer wait is not asked again. `total`: seconds that
    all waits of one call take together at most; None for as long as each of them may be.
    """

    retries: int = 3
    delay: float = 2.0
    jitter: float = 0.2
    longest_wait: float = 60.0
    total: float | None = None

    def check(self) -> None:
        """Raise `ConfigError` for a number below zero, infinity and NaN."""
        for name in self.__match_args__:
            value = getattr(self, name)
            if value is not None and not 0 <= value < float("inf"):
                raise ConfigError(f"retry: {name} must be a number from 0, not {value}")

    def tries(self, error: ProviderError) -> int:
        """Return how often a call that has failed so is repeated at most."""
        return self.retries if error.repeats is None else min(self.retries, error.repeats)

    def wait(self, error: ProviderError, failures: int, waited: float = 0.0) -> float | None:
        """Return the seconds to wait after failure number `failures` (from 1) of a call that has waited for `waited`
        seconds; None to give up.

        A server's own `retry-after` replaces the delay.
        """
        if failures > self.tries(error) or not error.retryable:
            return None
        left = float("inf") if self.total is None else self.total - waited
        asked = error.retry_after
        if asked:
            return asked if asked <= min(self.longest_wait, left) else None
        import random  # noqa: PLC0415  takes 4 ms, needed only after a failure

        doubled = self.delay * 2.0 ** min(failures - 1, 30)
        delay = min(doubled * random.uniform(1 - self.jitter, 1 + self.jitter), self.longest_wait)
        return delay if delay <= left else None


UNATTENDED = RetryPolicy(retries=12, longest_wait=3600.0, total=21_600.0)
"""The policy of work that nobody waits for: an hour for each wait, six hours for all of a call."""
