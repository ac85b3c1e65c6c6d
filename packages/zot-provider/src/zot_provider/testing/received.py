"""`Received`: a request as a scripted server got it."""

import time
from typing import Any

from zot_provider.record import Record, field, record


@record
class Received(Record):
    """A request as it came. Header names are lower case; `body` is the parsed JSON, None if there is none.

    `wire` is the wire whose endpoint was asked, empty for any other. `at` is the time of arrival in seconds of
    `time.monotonic`. `closed_early`: the client closed the connection before the answer was complete.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any = None
    wire: str = ""
    at: float = field(default_factory=time.monotonic)
    closed_early: bool = False
