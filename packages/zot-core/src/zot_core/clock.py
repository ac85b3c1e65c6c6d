"""Timestamps in the format of session files and events."""

import time


def timestamp(seconds: float | None = None) -> str:
    """Format `seconds` since the epoch, by default now, as UTC with milliseconds: `2026-11-21T20:29:25.586Z`."""
    moment = time.time() if seconds is None else seconds
    millis = round(moment * 1000)
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(millis // 1000))
    return f"{whole}.{millis % 1000:03d}Z"
