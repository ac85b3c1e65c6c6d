"""`Received`: a request to a scripted server."""

import time
from typing import Any

from zot_provider.record import Record, field


class Received(Record):
    """A request to a scripted server. Header names are lower case; `body` is the parsed JSON, or None.

    `wire` is the wire of the requested endpoint, empty for other paths. `at` is the time of arrival in seconds of
    `time.monotonic`. `closed_early`: the client closed the connection before the answer was complete.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any = None
    wire: str = ""
    at: float = field(default_factory=time.monotonic)
    closed_early: bool = False
