"""`AppEnd`: the end of an app, and what has caused it."""

import asyncio


class AppEnd:
    """`signum` is the signal that has asked for the end, if any; `disconnected` says whether the terminal went away."""

    def __init__(self) -> None:
        self.signum: int | None = None
        self.disconnected = False
        self._reached = asyncio.Event()
        self._failure: BaseException | None = None

    @property
    def reached(self) -> bool:
        """Whether the app has ended."""
        return self._reached.is_set()

    @property
    def failed(self) -> bool:
        """Whether an exception has ended it that `wait` has not raised yet."""
        return self._failure is not None

    def reach(self) -> None:
        """End the app. Calling it again is harmless."""
        self._reached.set()

    def fail(self, error: BaseException) -> None:
        """End the app with an exception, unless there is one already."""
        self._failure = self._failure or error
        self._reached.set()

    async def wait(self) -> None:
        """Wait for the end. Raises the exception that caused it, once."""
        await self._reached.wait()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
