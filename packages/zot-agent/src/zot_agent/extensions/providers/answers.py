"""`OpenAnswers`: the answers to `provider_stream` that one extension is giving, and the steps of its sign-ins."""

import asyncio
from typing import Protocol

from zot_agent.extensions.pipes import FramePipes
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.codec import encode
from zot_ext.protocol.from_host import CancelRequest
from zot_ext.protocol.groups.providers import ProviderEvent, ProviderStep
from zot_provider.errors import ConnectError, ProtocolError, ProviderError, ResponseTimeout

BEGINNING = b'{"type":"provider_event","id":"'
"""The beginning of the line of a `provider_event`, if it is written as `zot_ext` writes it: such lines are not decoded
as other frames, because there are many."""


class ExtensionAnswer:
    """The lines of one answer that nobody has used yet."""

    def __init__(self, answers: "OpenAnswers") -> None:
        self._answers, self._limits = answers, answers.limits
        self._loop = asyncio.get_running_loop()
        self._lines: list[bytes] = []
        self._waiting = self._total = 0  # bytes
        self._failure: ProviderError | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._last = self._loop.time()
        self._timer = self._loop.call_later(self._limits.stream_idle_seconds, self._check)

    @property
    def full(self) -> bool:
        """Whether reading should wait, because much of it is unread."""
        return self._waiting > self._limits.stream_waiting_bytes

    def add(self, line: bytes) -> None:
        """Take the next line."""
        self._last = self._loop.time()
        self._total += len(line)
        if self._total > self._limits.stream_bytes:
            self.fail(ProtocolError(f"the answer has more than {self._limits.stream_bytes >> 20} MiB"))
            return
        self._waiting += len(line)
        self._lines.append(line)
        self._wake()

    def fail(self, error: ProviderError) -> None:
        """End the answer, after the lines that are there."""
        self._failure = self._failure or error
        self._wake()

    async def next(self) -> list[bytes]:
        """Return all lines that are there, at least one. Raises `ProviderError` after a failure."""
        while not self._lines:
            if self._failure is not None:
                raise self._failure
            self._waiter = self._loop.create_future()
            await self._waiter
        lines, self._lines, self._waiting = self._lines, [], 0
        self._answers.read_on()
        return lines

    def close(self) -> None:
        """Nothing of it is wanted any more."""
        self._timer.cancel()
        self._lines, self._waiting = [], 0

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _check(self) -> None:
        """Fail if nothing came for too long. Lines that wait are not the extension's fault."""
        seconds = self._limits.stream_idle_seconds
        if self._lines:
            self._last = self._loop.time()
        left = self._last + seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check)
        else:
            self.fail(ResponseTimeout(f"the extension sent nothing for {seconds:g} s"))


class AnsweringProcess(Protocol):
    """The process of an extension, as far as its answers need it: see `Connection`."""

    name: str
    pipes: FramePipes | None

    def send(self, frame: CancelRequest) -> None: ...

    def log(self, text: str) -> None: ...


class OpenAnswers:
    """The open answers of the extension at `connection`. It reads nothing from it while one of them is full."""

    def __init__(self, connection: AnsweringProcess, limits: ExtensionLimits) -> None:
        self.limits = limits
        self.steps: dict[str, asyncio.Queue[ProviderStep]] = {}
        """The steps of open sign-ins, by the id of their request."""
        self._connection = connection
        self._open: dict[bytes, ExtensionAnswer] = {}
        self._stray = False

    def open(self, id: str) -> ExtensionAnswer:
        answer = self._open[id.encode()] = ExtensionAnswer(self)
        return answer

    def close(self, id: str, *, cancel: bool) -> None:
        """Forget an answer; with `cancel` the extension is asked to end it."""
        self._open.pop(id.encode()).close()
        if cancel:
            self._connection.send(CancelRequest(id))
        self.read_on()

    def takes(self, line: bytes) -> bool:
        """Take a line if it is that of a `provider_event`, and return whether it is."""
        if not line.startswith(BEGINNING):
            return False
        start = len(BEGINNING)
        answer = self._open.get(line[start : line.find(b'"', start)])
        if answer is not None:
            answer.add(line)
            if answer.full and (pipes := self._connection.pipes) is not None:
                pipes.reader.pause()
        else:  # events of an answer that was cancelled may still come
            if not self._stray:
                self._connection.log("provider_event of no open answer; dropped, and so are later ones")
            self._stray = True
        return True

    def received_frame(self, frame: ProviderEvent | ProviderStep) -> None:
        if isinstance(frame, ProviderEvent):
            self.takes(encode(frame).rstrip())
        elif frame.id in self.steps:
            self.steps[frame.id].put_nowait(frame)

    def fail_all(self, why: str) -> None:
        """Fail all answers, because the extension has ended."""
        for answer in self._open.values():
            answer.fail(ConnectError(f"extension {self._connection.name!r} {why}", retryable=True))

    def read_on(self) -> None:
        """Read from the extension again if nothing is full."""
        pipes = self._connection.pipes
        if pipes is not None and not pipes.reader.closed and not any(answer.full for answer in self._open.values()):
            pipes.reader.resume()
