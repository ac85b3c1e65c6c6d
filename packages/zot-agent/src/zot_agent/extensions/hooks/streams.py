"""`EventStreams`: joins pieces of answers and of the output of tools, so that each kind is sent at most every 50 ms."""

import asyncio
from collections.abc import Callable
from typing import Any

_PAUSE = 0.05
"""Seconds from a piece to the frame with it and all that came meanwhile."""

_LARGEST = 64 * 1024
"""Characters of one kind that are sent at once, without waiting."""


class EventStreams:
    """Collects pieces; `send` gets a name and the members of its event."""

    def __init__(self, send: Callable[[str, dict[str, Any]], None], pause: float = _PAUSE) -> None:
        self._send, self._pause = send, pause
        self._waiting: dict[tuple[str, ...], list[str]] = {}
        self._sizes: dict[tuple[str, ...], int] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, name: str, field: str, text: str, **about: str) -> None:
        """Add a piece: the member `field` of the event `name`, whose other members are `about`."""
        key = (name, field, *(part for item in about.items() for part in item))
        self._waiting.setdefault(key, []).append(text)
        self._sizes[key] = self._sizes.get(key, 0) + len(text)
        if self._sizes[key] > _LARGEST:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._pause, self.flush)

    def flush(self) -> None:
        """Send what waits, in the order in which it began."""
        if not self._waiting:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, {}
        self._sizes.clear()
        for (name, field, *about), pieces in waiting.items():
            self._send(name, dict(zip(about[::2], about[1::2], strict=True)) | {field: "".join(pieces)})
