"""Times as zot writes them."""

import time


def timestamp(seconds: float | None = None) -> str:
    """UTC with milliseconds, e.g. `2026-11-21T20:29:25.586Z`; now, or `seconds` since the epoch."""
    moment = time.time() if seconds is None else seconds
    millis = round(moment * 1000)
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(millis // 1000))
    return f"{whole}.{millis % 1000:03d}Z"
